#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A `LIKE` pattern over UTF-8 bytes.
///
/// The stars divide the pattern into segments. The first segment is at the start of the text and the last one at its end. Each segment between
/// them is found at the first place after the segment before it, so that no place is tried twice.
struct LikePattern: Sendable {
    /// The text between two stars, before the first star or after the last one.
    private enum Segment: Sendable {
        case plain([UInt8])
        case wild(WildSegment)

        init(_ bytes: [UInt8]) {
            let isWild = bytes.contains(UInt8(ascii: "?")) || bytes.first.map { $0 & 0xc0 == 0x80 } ?? false
            self = isWild ? .wild(WildSegment(bytes)) : .plain(bytes)
        }
    }

    /// The part before the first star.
    private let head: [UInt8]
    /// The segments between two stars. None of them is empty.
    private let middle: [Segment]
    /// Behind the last star, or `nil` if the pattern has no star.
    private let tail: Segment?

    /// - Complexity: O(length of the pattern). For segments with `?`, the memory use is up to 32 bytes for each byte.
    init(bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
        head = parts[0]
        middle = parts.dropFirst().dropLast().filter { !$0.isEmpty }.map { Segment($0) }
        tail = parts.count > 1 ? Segment(parts[parts.count - 1]) : nil
    }

    /// The bytes with which every matching text begins.
    var prefix: [UInt8] { Array(head.prefix { $0 != UInt8(ascii: "?") }) }

    /// Returns the simplest test with the meaning of the pattern.
    static func test(_ bytes: [UInt8]) -> BytesTest {
        let star = UInt8(ascii: "*")
        guard !bytes.contains(UInt8(ascii: "?")) else { return .like(LikePattern(bytes: bytes)) }
        let stars = bytes.count { $0 == star }
        if stars == 0 { return .equal(bytes) }
        if stars == 1, bytes.last == star { return .beginsWith(Array(bytes.dropLast())) }
        if stars == 1, bytes.first == star { return .endsWith(Array(bytes.dropFirst())) }
        if stars == 2, bytes.first == star, bytes.last == star {
            return .contains(Array(bytes.dropFirst().dropLast()))
        }
        return .like(LikePattern(bytes: bytes))
    }

    /// - Complexity: O(text + pattern). A segment between stars that has a `?` costs O(text × length of the segment / 64).
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard var position = Self.end(of: head, in: text) else { return false }
        guard let tail else { return position == text.count }
        for segment in middle {
            switch segment {
            case .plain(let run):
                guard let found = run.withUnsafeBytes({ ByteSearch.first($0, in: text, from: position) }) else {
                    return false
                }
                position = found + run.count
            case .wild(let run):
                guard let end = run.firstEnd(in: text, from: position) else { return false }
                position = end
            }
        }
        switch tail {
        case .plain(let run):
            let start = text.count - run.count
            return start >= position && (run.isEmpty || memcmp(text.baseAddress! + start, run, run.count) == 0)
        case .wild(let run): return run.isAtEnd(of: text, from: position)
        }
    }

    /// Returns where a segment ends that is at the text's start, or `nil` if the text begins otherwise.
    private static func end(of segment: [UInt8], in text: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        for byte in segment {
            guard position < text.count else { return nil }
            if byte == UInt8(ascii: "?") {
                position = after(position, text)
            } else {
                guard text[position] == byte else { return nil }
                position += 1
            }
        }
        return position
    }

    static func after(_ position: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var position = position + 1
        while position < text.count, text[position] & 0xc0 == 0x80 { position += 1 }
        return position
    }
}

/// A part of a `LIKE` pattern between two stars that has a `?`, which stands for one code point.
///
/// All places are followed at once: bit *i* of the state indicates that the first *i* bytes of the segment match the text up to this position.
struct WildSegment: Sendable {
    private let count: Int
    /// The number of words of a state.
    private let words: Int
    /// The row of `masks` for each byte of a text.
    private let rows: [UInt8]
    /// Bit *i* is set if the byte *i* of the segment matches the text's byte.
    private let masks: [UInt64]
    /// Bit *i* is set if the segment has a `?` before its byte *i*. The `?` matches all bytes of its code point.
    private let behindWild: [UInt64]
    private let endsWild: Bool

    init(_ bytes: [UInt8]) {
        count = bytes.count
        let words = bytes.count / 64 + 1
        self.words = words
        endsWild = bytes.last == UInt8(ascii: "?")
        var rows = [UInt8](repeating: 0, count: 256)
        var wild = [UInt64](repeating: 0, count: words)
        var behindWild = wild
        func set(_ bit: Int, in words: inout [UInt64], from start: Int = 0) {
            words[start + bit >> 6] |= 1 << UInt64(bit & 63)
        }
        for (i, byte) in bytes.enumerated() where byte == UInt8(ascii: "?") {
            set(i, in: &wild)
            set(i + 1, in: &behindWild)
        }
        // Row 0 is for bytes that the segment doesn't have.
        var masks = wild
        for (i, byte) in bytes.enumerated() where byte != UInt8(ascii: "?") {
            if rows[Int(byte)] == 0 {
                rows[Int(byte)] = UInt8(masks.count / words)
                masks += wild
            }
            set(i, in: &masks, from: Int(rows[Int(byte)]) * words)
        }
        (self.rows, self.masks, self.behindWild) = (rows, masks, behindWild)
    }

    /// Returns the end of the first place at or after a start where the segment fits.
    func firstEnd(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        run(text, from: start) { position in
            var end = position + 1
            if endsWild { while end < text.count, text[end] & 0xc0 == 0x80 { end += 1 } }
            return end
        }
    }

    /// Returns whether a place at or after a start where the segment fits is the text's end.
    func isAtEnd(of text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        run(text, from: start) { $0 + 1 == text.count ? text.count : nil } != nil
    }

    /// - Parameter body: called with the position of the last byte of each place that fits. A result ends the search.
    private func run(_ text: UnsafeRawBufferPointer, from start: Int, _ body: (Int) -> Int?) -> Int? {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { state in
            state.initialize(repeating: 0)
            let end = UInt64(1) << UInt64(count & 63)
            for position in start..<max(start, text.count) {
                let byte = text[position]
                let isContinuation = byte & 0xc0 == 0x80
                // A place begins at a code point.
                if position == start || !isContinuation { state[0] |= 1 }
                let row = Int(rows[Int(byte)]) * words
                var carry: UInt64 = 0
                for word in 0..<words {
                    var taken = state[word] & masks[row + word]
                    var kept: UInt64 = 0
                    if isContinuation {
                        kept = state[word] & behindWild[word]
                        taken &= ~behindWild[word]
                    }
                    state[word] = taken << 1 | carry | kept
                    carry = taken >> 63
                }
                if state[count >> 6] & end != 0, let found = body(position) { return found }
            }
            return nil
        }
    }
}
