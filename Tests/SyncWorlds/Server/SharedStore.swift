@testable import FreeholdSyncCore

/// A store that several nodes of a test use. It counts what it is asked.
final class SharedStore: WorldStore {
    var memory: MemoryServerStore
    private(set) var requests: [ServerStoreRequest.Kind] = []

    init(epoch: UInt64 = 7) { memory = MemoryServerStore(epoch: epoch) }

    func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
        requests.append(request.kind)
        return memory.perform(request)
    }

    func forgetRequests() { requests = [] }

    /// The number of requests that read something.
    var reads: Int {
        requests.count { kind in
            switch kind {
            case .bind, .read, .parts, .keptParts, .step, .page, .keys, .objects: true
            case .makeFile, .openWriter, .noteFile, .noteQueries, .noteFront, .commit, .stage, .dropParts, .keepPart,
                .trimParts,
                .trimFiles, .trimWriters, .trim:
                false
            }
        }
    }

    func contents(of stream: StreamName) -> [ObjectName: MergedObject] { memory.contents(of: stream) }
    func head(of stream: StreamName) -> StreamHead { memory.head(of: stream) }
    func files(of stream: StreamName) -> [FileIdent: FileRow] { memory.files(of: stream) }
    func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { memory.ingested(of: stream) }
    func reopen() {}
    var problems: [String] { [] }
}
