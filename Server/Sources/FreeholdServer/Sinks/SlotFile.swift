import FreeholdBSON
import FreeholdSyncCore

/// A small document on the disk that is always replaced as a whole. It has two slots that are written alternately, so
/// that an incomplete write leaves the previous document. One process at a time may use the file.
final class SlotFile {
    private let file: DiskFile
    private var sequence: UInt64 = 0
    /// The last written document. Empty if none was written.
    private(set) var document: BSONDocument = [:]

    private static let slotSize = 64 << 10
    private static let magic: UInt64 = 0x4648_534C_4F54_3031
    private static let headSize = 36

    /// - Throws: `IngestFailure` if the file can't be opened, or if another process uses it.
    init(_ path: String, calls: DiskCalls = .system) throws(IngestFailure) {
        file = try DiskFile(path, calls: calls)
        try file.lock()
        for slot in 0..<2 {
            let bytes = try file.read(at: slot * Self.slotSize, count: Self.slotSize)
            guard let (sequence, document) = Self.parse(bytes), sequence > self.sequence else { continue }
            (self.sequence, self.document) = (sequence, document)
        }
    }

    /// Replaces the document. The write is durable when the call returns. After an error, the next process that opens
    /// the file finds either document.
    func write(_ document: BSONDocument) throws(IngestFailure) {
        let body: [UInt8]
        do { body = try document.bytes() } catch { throw IngestFailure("\(file.path): \(error)") }
        guard body.count <= Self.slotSize - Self.headSize else {
            throw IngestFailure("\(file.path): \(body.count) bytes are more than its place has.")
        }
        // The older slot is overwritten. A failed write in that slot has the same number.
        let next = sequence + 1
        try file.write(Self.head(next, body) + body, at: Int(next % 2) * Self.slotSize)
        try file.sync()
        (sequence, self.document) = (next, document)
    }

    /// Closes the file, so that other processes can use it.
    func close() { file.close() }

    private static func head(_ sequence: UInt64, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        let check = RunningHash.empty.appending(body, salt: sequence)
        for word in [magic, sequence, check.high, check.low] { bytes.append(word, width: 8) }
        bytes.append(UInt64(body.count), width: 4)
        return bytes
    }

    private static func parse(_ bytes: [UInt8]) -> (UInt64, BSONDocument)? {
        guard bytes.count >= headSize, bytes.word(at: 0) == magic else { return nil }
        let (sequence, count) = (bytes.word(at: 8), Int(bytes.word(at: 32, width: 4)))
        guard count <= bytes.count - headSize else { return nil }
        let body = Array(bytes[headSize..<headSize + count])
        let check = RunningHash.empty.appending(body, salt: sequence)
        guard check.high == bytes.word(at: 16), check.low == bytes.word(at: 24) else { return nil }
        guard let document = try? BSONDocument(bytes: body) else { return nil }
        return (sequence, document)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ word: UInt64, width: Int) {
        for shift in 0..<width { append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
    }

    fileprivate func word(at index: Int, width: Int = 8) -> UInt64 {
        self[index..<index + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
