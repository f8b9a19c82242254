public import FreeholdServerStore
public import FreeholdSyncCore

/// The source of an ``IngestPump``'s objects. Its methods may block.
public protocol IngestSource: Sendable {
    var stream: StreamName { get }
    var className: SyncString { get }

    /// Returns objects after a position. See `FileServerStore.ingested`.
    func page(after position: IngestPosition, upTo end: IngestPosition?, count: Int, bytes: Int) throws -> IngestedPage
    /// Returns the number of objects after a position, or a slightly greater number.
    func count(after position: IngestPosition) throws -> Int
    /// Returns the hash of the stream's log up to a version, or `nil` if the version doesn't exist.
    func hash(at version: StreamVersion) throws -> RunningHash?
    /// Removes objects up to a position.
    func remove(upTo position: IngestPosition) throws
}

/// A store whose objects of asymmetric classes are delivered to sinks. Its methods may block.
public protocol IngestStore: Sendable {
    /// A Boolean value that indicates whether other servers deliver objects of the same store. Then a lane is closed soon after its last
    /// object was delivered, so that each server can deliver the objects that its devices upload.
    var isShared: Bool { get }

    /// Returns the streams that exist. The closure is called with each place of a stream that can't be read, and with the reason.
    func streams(unreadable: (_ place: String, _ error: any Error) -> Void) throws -> [StreamName]
    func exists(_ stream: StreamName) throws -> Bool
    /// Returns the classes of streams whose claims have expired, because the server that delivered their objects was terminated.
    func abandoned() throws -> [(stream: StreamName, className: SyncString)]
    func source(of stream: StreamName, className: SyncString) -> any IngestSource
    /// Opens the ledger of a class in a stream.
    ///
    /// - Parameter file: The path of a file that may contain the ledger.
    /// - Throws: `IngestFailure` with the code `EWOULDBLOCK` if another pump uses the ledger.
    func ledger(of stream: StreamName, className: SyncString, file: String) throws -> any IngestLedger
}

extension FileServerStore: IngestStore {
    public var isShared: Bool { false }

    public func streams(unreadable: (String, any Error) -> Void) -> [StreamName] {
        streamFiles(unreadable: unreadable).map(\.name)
    }

    public func abandoned() -> [(stream: StreamName, className: SyncString)] { [] }

    public func source(of stream: StreamName, className: SyncString) -> any IngestSource {
        StoreIngestSource(self, stream: stream, className: className)
    }

    public func ledger(of stream: StreamName, className: SyncString, file: String) throws -> any IngestLedger {
        try SlotFile(file)
    }
}

/// The objects of a class in a server's store.
public struct StoreIngestSource: IngestSource {
    public let store: FileServerStore
    public let stream: StreamName
    public let className: SyncString

    public init(_ store: FileServerStore, stream: StreamName, className: SyncString) {
        self.store = store
        self.stream = stream
        self.className = className
    }

    public func page(
        after position: IngestPosition,
        upTo end: IngestPosition?,
        count: Int,
        bytes: Int
    ) throws -> IngestedPage {
        let page = try store.ingested(
            of: stream,
            className: className,
            after: position,
            upTo: end,
            count: count,
            bytes: bytes
        )
        return page ?? .empty(at: position)
    }

    public func count(after position: IngestPosition) throws -> Int {
        try store.ingestedCount(of: stream, className: className, after: position)
    }

    public func hash(at version: StreamVersion) throws -> RunningHash? { try store.hash(of: stream, at: version) }

    public func remove(upTo position: IngestPosition) throws {
        while try store.removeIngested(of: stream, className: className, upTo: position) {}
    }
}
