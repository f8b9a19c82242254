/// A column of texts or data. If many of them are equal, each distinct one is written once (`docs/sync-protocol.md`).
struct TextColumn {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    /// The form of a column. The raw values are part of the protocol.
    enum Form: UInt8 {
        case plain = 0
        case distinct = 1
    }

    mutating func append(_ text: SyncString) {
        bytes.append(contentsOf: text.string.utf8)
        ends.append(bytes.count)
    }

    mutating func append(_ data: some Collection<UInt8>) {
        bytes.append(contentsOf: data)
        ends.append(bytes.count)
    }

    private func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    func append(to out: inout [UInt8]) {
        guard let (first, numbers) = distinct() else {
            out.append(Form.plain.rawValue)
            append(plainly: Array(ends.indices), to: &out)
            return
        }
        out.append(Form.distinct.rawValue)
        append(plainly: first, to: &out)
        IntColumn.append(numbers, mayRepeat: false, to: &out)
    }

    private func append(plainly indices: [Int], to out: inout [UInt8]) {
        IntColumn.append(indices.map { Int64(range($0).count) }, mayRepeat: false, to: &out)
        out.appendVarint(indices.reduce(0) { $0 + range($1).count })
        for index in indices { out.append(contentsOf: bytes[range(index)]) }
    }

    /// Returns the indices of the distinct texts, and for each text the number of the distinct one. Returns `nil` if
    /// there are fewer than eight texts, or if more than half of them are distinct.
    private func distinct() -> (first: [Int], numbers: [Int64])? {
        guard ends.count >= 8 else { return nil }
        var (first, numbers) = ([Int](), [Int64]())
        numbers.reserveCapacity(ends.count)
        let most = ends.count / 2
        let mask = (1 << (Int.bitWidth - most.leadingZeroBitCount)) * 2 - 1
        var slots = [Int32](repeating: -1, count: mask + 1)
        let isWorthwhile = bytes.withUnsafeBytes { bytes in
            for index in ends.indices {
                let text = UnsafeRawBufferPointer(rebasing: bytes[range(index)])
                var hash: UInt64 = 0xCBF2_9CE4_8422_2325
                for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
                var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
                while slots[slot] >= 0, !bytes[range(first[Int(slots[slot])])].elementsEqual(text) {
                    slot = (slot + 1) & mask
                }
                if slots[slot] < 0 {
                    if first.count == most { return false }
                    slots[slot] = Int32(first.count)
                    first.append(index)
                }
                numbers.append(Int64(slots[slot]))
            }
            return true
        }
        return isWorthwhile ? (first, numbers) : nil
    }
}

/// Reads a column of texts, one after the other.
final class TextReader {
    private let lengths: IntReader
    private var cursor: ByteCursor
    /// The numbers of the distinct texts, for `distinct`.
    private let numbers: IntReader?
    private var ranges: [Range<Int>] = []
    private var texts: [SyncString?] = []

    init(_ cursor: inout ByteCursor) throws(CodecError) {
        guard let form = TextColumn.Form(rawValue: try cursor.byte()) else {
            throw cursor.error(.unknownKind, "The column can't be written so")
        }
        lengths = try IntReader(cursor.bytes, cursor.section(), mayRepeat: false)
        self.cursor = ByteCursor(cursor.bytes, try cursor.section())
        guard form == .distinct else {
            numbers = nil
            return
        }
        numbers = try IntReader(cursor.bytes, cursor.section(), mayRepeat: false)
        while !lengths.isAtEnd { ranges.append(try nextPlain()) }
        texts = Array(repeating: nil, count: ranges.count)
    }

    var position: Int { cursor.position }

    var isAtEnd: Bool { lengths.isAtEnd && cursor.remaining == 0 && numbers?.isAtEnd ?? true }

    private func nextPlain() throws(CodecError) -> Range<Int> {
        guard let length = Int(exactly: try lengths.next()), length >= 0 else {
            throw cursor.error(.invalidNumber, "A text can't have that length")
        }
        return try cursor.take(length)
    }

    private func nextNumber(_ numbers: IntReader) throws(CodecError) -> Int {
        guard let number = Int(exactly: try numbers.next()), ranges.indices.contains(number) else {
            throw CodecError(.invalidNumber, "There is no text of that number", offset: numbers.position)
        }
        return number
    }

    func next() throws(CodecError) -> SyncString {
        guard let numbers else {
            let range = try nextPlain()
            return try cursor.bytes.text(range)
        }
        let number = try nextNumber(numbers)
        if let text = texts[number] { return text }
        let text = try cursor.bytes.text(ranges[number])
        texts[number] = text
        return text
    }

    func nextBytes() throws(CodecError) -> UnsafeRawBufferPointer {
        guard let numbers else {
            let range = try nextPlain()
            return UnsafeRawBufferPointer(rebasing: cursor.bytes[range])
        }
        let number = try nextNumber(numbers)
        return UnsafeRawBufferPointer(rebasing: cursor.bytes[ranges[number]])
    }
}
