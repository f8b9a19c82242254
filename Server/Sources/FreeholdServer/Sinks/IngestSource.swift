public import FreeholdServerStore
public import FreeholdSyncCore

/// Where an ``IngestPump`` gets objects from. Its functions may block.
public protocol IngestSource: Sendable {
    var stream: StreamName { get }
    var className: SyncString { get }

    /// Objects behind a place; see `FileServerStore.ingested`.
    func page(after position: IngestPosition, upTo end: IngestPosition?, count: Int, bytes: Int) throws -> IngestedPage
    /// How many are behind a place, or a few more.
    func count(after position: IngestPosition) throws -> Int
    /// The hash of the stream's log up to a version; nil if there is no such version.
    func hash(at version: StreamVersion) throws -> RunningHash?
    /// Removes objects up to a place.
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
