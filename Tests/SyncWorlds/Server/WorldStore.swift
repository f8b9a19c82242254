import FreeholdSyncCore

/// A server's store in a world: the one in memory, or another one with the same behaviour.
protocol WorldStore {
    mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer
    func contents(of stream: StreamName) -> [ObjectName: MergedObject]
    func head(of stream: StreamName) -> StreamHead
    func files(of stream: StreamName) -> [FileIdent: FileRow]
    /// The objects of create-only classes.
    func ingested(of stream: StreamName) -> [ObjectName: [NewField]]
    /// Opens the store anew after the death of its node.
    mutating func reopen()
    /// The problems that it found in itself.
    var problems: [String] { get }
}

extension MemoryServerStore: WorldStore {
    func reopen() {}
    var problems: [String] { [] }
}
