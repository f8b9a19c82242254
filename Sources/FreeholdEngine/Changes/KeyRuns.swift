/// A compact set of object keys in ascending order. Up to 64 neighbouring keys take three words, and so does any longer run.
struct KeyRuns: Equatable, Sendable {
    /// A word of a bitmap, or several consecutive words in which all bits are set.
    private struct Span: Equatable {
        var word: Int64
        var bits: UInt64
        var count: Int64 = 1

        var end: Int64 { word + count }
    }

    private var spans: [Span] = []
    private(set) var count = 0

    init() {}

    init(_ keys: some Sequence<ObjectKey>) { for key in keys { append(bits: 1, at: key.raw) } }

    var isEmpty: Bool { spans.isEmpty }
    /// The approximate memory use in bytes.
    var size: Int { spans.count * MemoryLayout<Span>.stride }

    // MARK: Appending

    /// Appends a run of keys.
    /// - Precondition: the keys are greater than all present keys.
    mutating func append(_ run: Range<Int64>) {
        var from = run.lowerBound
        while from < run.upperBound {
            if from & 63 == 0, run.upperBound - from >= 64 {
                let words = (run.upperBound - from) >> 6
                push(Span(word: from >> 6, bits: .max, count: words))
                from += words << 6
            } else {
                let length = min(64 - from & 63, run.upperBound - from)
                append(bits: UInt64.max >> UInt64(64 - length), at: from)
                from += length
            }
        }
    }

    /// Appends the key `base + i` for each set bit i.
    ///
    /// - Precondition: the keys are greater than all present keys.
    mutating func append(bits: UInt64, at base: Int64) {
        let shift = UInt64(base & 63)
        push(Span(word: base >> 6, bits: bits << shift))
        if shift > 0 { push(Span(word: base >> 6 + 1, bits: bits >> (64 - shift))) }
    }

    private mutating func push(_ new: Span) {
        guard new.bits != 0 else { return }
        var new = new
        count += new.bits.nonzeroBitCount * Int(new.count)
        if let last = spans.last, last.count == 1, last.word == new.word {
            new.bits |= last.bits
            spans.removeLast()
        }
        if new.bits == .max, let last = spans.last, last.bits == .max, last.end == new.word {
            spans[spans.count - 1].count += new.count
        } else {
            spans.append(new)
        }
    }

    // MARK: Reading

    /// Calls the closure with each maximal run of keys, in ascending order.
    func forEachRun(_ body: (Range<Int64>) -> Void) {
        var start: Int64 = 0
        var end: Int64 = 0
        func add(_ from: Int64, to: Int64) {
            if from == end, start < end {
                end = to
            } else {
                if start < end { body(start..<end) }
                (start, end) = (from, to)
            }
        }
        for span in spans {
            if span.bits == .max {
                add(span.word << 6, to: span.end << 6)
                continue
            }
            var bits = span.bits
            while bits != 0 {
                let from = bits.trailingZeroBitCount
                let length = (~(bits >> UInt64(from))).trailingZeroBitCount
                add(span.word << 6 + Int64(from), to: span.word << 6 + Int64(from + length))
                if from + length == 64 { break }
                bits &= UInt64.max << UInt64(from + length)
            }
        }
        if start < end { body(start..<end) }
    }

    /// All keys in ascending order.
    /// - Complexity: O(n), also in memory.
    var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        forEachRun { run in for key in run { keys.append(ObjectKey(key)) } }
        return keys
    }
}
