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
        let none = Cursor(epoch: 0, version: 0, hash: .empty)
        return page ?? IngestedPage(objects: [], position: position, cursor: none, hasMore: false)
    }

    public func count(after position: IngestPosition) throws -> Int {
        try store.ingestedCount(of: stream, className: className, after: position)
    }

    public func hash(at version: StreamVersion) throws -> RunningHash? { try store.hash(of: stream, at: version) }

    public func remove(upTo position: IngestPosition) throws {
        while try store.removeIngested(of: stream, className: className, upTo: position) {}
    }
}
