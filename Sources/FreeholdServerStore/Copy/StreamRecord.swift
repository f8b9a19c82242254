public import FreeholdSyncCore

/// The contents of a stream besides its records: see `StreamRecord`.
public struct StreamOutline: Hashable, Sendable {
    public let name: StreamName
    public let head: StreamHead
    /// The greatest number that was assigned to a file.
    public let lastIdent: UInt32

    public init(name: StreamName, head: StreamHead, lastIdent: UInt32) {
        (self.name, self.head, self.lastIdent) = (name, head, lastIdent)
    }
}

/// A part of a stream, in a form that doesn't depend on the store.
///
/// A stream that is copied record by record has the same history: its clients keep their cursors, files and unsent work.
public enum StreamRecord: Sendable {
    case mark(StreamVersion, hash: RunningHash, clock: Clock, time: Int64)
    /// A commit in the log, with whole before-images in the form of `StoredImages`.
    case log(StreamVersion, author: PartName, images: [UInt8])
    /// An object in its state at the head. Deleted objects that the horizon hasn't removed are included.
    case object(ObjectName, MergedObject)
    /// An object of an asymmetric class. These records are in the order in which the objects were stored.
    case ingested(ObjectName, MergedObject)
    case file(FileRow)
    case answer(FileIdent, StoredAnswer)
    /// A part of a split commit. The parts of a commit are in their order.
    case part(FileIdent, UploadedCommit)
    /// The received bytes of a commit that arrives in parts.
    case incoming(FileIdent, PartedMessage, [UInt8], time: Int64)
    /// The bytes that the commits of a user have added.
    case usage(SyncString, UInt64)

    /// The approximate size in bytes.
    public var size: Int {
        switch self {
        case .mark: 48
        case .log(_, _, let images): images.count + 32
        case .object(_, let object), .ingested(_, let object): object.estimatedBytes
        case .file, .answer, .usage: 256
        case .part: 1 << 20
        case .incoming(_, _, let bytes, _): bytes.count
        }
    }
}

/// The number of the records of each kind, and a sum of their hashes. It doesn't depend on the order of the records.
public struct StreamChecksum: Hashable, Sendable, CustomStringConvertible {
    private var counts: [String: Int] = [:]
    private var sums: [String: UInt64] = [:]

    public init() {}

    /// - Throws: An error for an object that no store can have.
    public mutating func add(_ record: StreamRecord) throws {
        let (kind, bytes) = try record.content
        let hash = RunningHash.empty.appending(bytes)
        counts[kind, default: 0] += 1
        sums[kind] = (sums[kind] ?? 0) &+ (hash.high ^ hash.low)
    }

    /// The number of the records.
    public var count: Int { counts.values.reduce(0, +) }

    public var description: String {
        counts.keys.sorted().map { "\($0): \(counts[$0] ?? 0)" }.joined(separator: ", ")
    }

    /// Returns the kinds of records that differ, with the numbers.
    public func differences(to other: StreamChecksum) -> [String] {
        Set(counts.keys).union(other.counts.keys).sorted().compactMap { kind in
            let (own, others) = (counts[kind] ?? 0, other.counts[kind] ?? 0)
            if own != others { return "\(kind): \(own) and \(others)" }
            return sums[kind] == other.sums[kind] ? nil : "\(kind): \(own) with other contents"
        }
    }
}

extension StreamRecord {
    /// The kind, and bytes that equal records have in common.
    fileprivate var content: (kind: String, bytes: [UInt8]) {
        get throws {
            var bytes: [UInt8] = []
            switch self {
            case .mark(let version, let hash, let clock, let time):
                for word in [version, clock.rawValue, UInt64(bitPattern: time)] { bytes.appendFixed(word, width: 8) }
                bytes.append(hash)
                return ("marks", bytes)
            case .log(let version, let author, let images):
                for word in [version, UInt64(author.ident.rawValue), author.commit] {
                    bytes.appendFixed(word, width: 8)
                }
                return ("commits in the log", bytes + images)
            case .object(let name, let object):
                bytes.append(name)
                try bytes.append(object, name.key)
                return ("objects", bytes)
            case .ingested(let name, let object):
                bytes.append(name)
                // Only the document with the fields is stored for such an object.
                bytes.append(section: try object.stored(name.key).doc.storedBytes())
                return ("objects of asymmetric classes", bytes)
            case .file(let file):
                let words = [
                    UInt64(file.ident.rawValue), file.last, file.hash.high, file.hash.low, file.clock.rawValue,
                    file.leastBase.map { $0 &+ 1 } ?? 0, UInt64(bitPattern: file.time),
                ]
                for word in words + file.secret.words.map({ UInt64($0) }) { bytes.appendFixed(word, width: 8) }
                bytes.appendText(file.user)
                bytes.append(section: StoredParents.bytes(file.parents))
                bytes.append(section: try file.subscribed.map { try StoredMessage.bytes($0) } ?? [])
                bytes.append(section: try file.pending.map { try StoredMessage.bytes($0) } ?? [])
                bytes.append(section: file.front)
                for name in file.classes.sorted() { bytes.appendText(name) }
                return ("files of devices", bytes)
            case .answer(let ident, let answer):
                bytes.appendVarint(UInt64(ident.rawValue))
                return ("answers", bytes + (try StoredMessage.bytes(answer)))
            case .part(let ident, let part):
                bytes.appendVarint(UInt64(ident.rawValue))
                return ("parts of commits", bytes + (try StoredMessage.bytes(part)))
            case .incoming(let ident, let message, let received, let time):
                let words = [UInt64(ident.rawValue), message.number, message.count, UInt64(bitPattern: time)]
                for word in words { bytes.appendVarint(word) }
                bytes.append(message.hash)
                return ("incomplete commits", bytes + received)
            case .usage(let user, let count):
                bytes.appendVarint(count)
                bytes.appendText(user)
                return ("users", bytes)
            }
        }
    }
}

/// A store from which streams can be copied. Its methods may block.
public protocol StreamCopySource {
    func streams() throws -> [StreamName]
    /// Returns the head of a stream and the greatest number that was assigned to a file. Returns `nil` if the stream doesn't exist.
    func outline(of name: StreamName) throws -> StreamOutline?
    /// Calls a closure several times, each time with some records, until it has received all records of a stream.
    func forEachRecord(of name: StreamName, _ body: ([StreamRecord]) throws -> Void) throws
}

/// Collects records, and passes them to a closure in batches.
public struct StreamRecordBatch {
    private var records: [StreamRecord] = []
    private var size = 0
    private let body: ([StreamRecord]) throws -> Void

    public init(_ body: @escaping ([StreamRecord]) throws -> Void) { self.body = body }

    public mutating func add(_ record: StreamRecord) throws {
        records.append(record)
        size += record.size
        if records.count >= 2_000 || size >= 4 << 20 { try flush() }
    }

    /// Passes the remaining records to the closure.
    public mutating func flush() throws {
        guard !records.isEmpty else { return }
        let batch = records
        (records, size) = ([], 0)
        try body(batch)
    }
}
