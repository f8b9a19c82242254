import Dispatch
public import FreeholdServerStore
public import FreeholdSyncCore

/// A store in files for nodes. Requests of one stream are executed one after the other. Requests of different streams are executed at the same time.
public final class FileNodeStore: NodeStore, Sendable {
    public let files: FileServerStore
    private let queue: StreamQueue
    public var ingest: (any IngestStore)? { files }

    /// - Parameter width: The number of threads that work on requests, at least 1.
    public init(_ files: FileServerStore, width: Int = 4) {
        self.files = files
        queue = StreamQueue(width: width)
    }

    public func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        queue.add(request.stream) { [files] in answer(files.perform(request)) }
    }
}
