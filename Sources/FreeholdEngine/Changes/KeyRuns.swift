/// Keys of objects, rising, each once, as many as there are in little memory: 64 that lie side by side take three words, and
/// any number of side by side ones no more.
struct KeyRuns: Equatable, Sendable {
    /// One word of a bitmap, or several that have all bits.
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
    /// Bytes of memory, about.
    var size: Int { spans.count * MemoryLayout<Span>.stride }

    // MARK: Appending

    /// - Precondition: the keys are above all that are in it.
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

    /// The key `base + i` for each bit i.
    ///
    /// - Precondition: the keys are above all that are in it.
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

    /// Calls the closure with each longest run of keys, rising.
    func forEachRun(_ body: (Range<Int64>) -> Void) {
        var start: Int64 = 0
        var end: Int64 = 0
        func add(_ from: Int64, _ to: Int64) {
            if from == end, start < end {
                end = to
            } else {
                if start < end { body(start..<end) }
                (start, end) = (from, to)
            }
        }
        for span in spans {
            if span.bits == .max {
                add(span.word << 6, span.end << 6)
                continue
            }
            var bits = span.bits
            while bits != 0 {
                let from = bits.trailingZeroBitCount
                let length = (~(bits >> UInt64(from))).trailingZeroBitCount
                add(span.word << 6 + Int64(from), span.word << 6 + Int64(from + length))
                if from + length == 64 { break }
                bits &= UInt64.max << UInt64(from + length)
            }
        }
        if start < end { body(start..<end) }
    }

    /// - Complexity: O(n), memory too.
    var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        forEachRun { run in for key in run { keys.append(ObjectKey(key)) } }
        return keys
    }
}
