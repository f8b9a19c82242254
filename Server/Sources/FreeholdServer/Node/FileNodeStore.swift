import Dispatch
public import FreeholdServerStore
public import FreeholdSyncCore

/// Makes a store in files one for nodes: requests work on a queue of their own, those of one stream one after the other.
public final class FileNodeStore: NodeStore, Sendable {
    public let files: FileServerStore
    private let queue = DispatchQueue(label: "freehold.server.files")

    public init(_ files: FileServerStore) { self.files = files }

    public func perform(_ request: ServerStoreRequest, _ answer: @escaping @Sendable (ServerStoreAnswer) -> Void) {
        queue.async { [files] in answer(files.perform(request)) }
    }
}
