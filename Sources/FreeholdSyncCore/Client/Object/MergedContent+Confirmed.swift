/// The content of an object that the server sent and the client doesn't have. It needs no names, since no pending work
/// names its elements.
extension [SyncString: MergedContent] {
    /// - Throws: `MisfitUpdate` if a field occurs twice, or if a value isn't possible at its place.
    init(confirmed fields: [ConfirmedField]) throws {
        self.init(minimumCapacity: fields.count)
        for field in fields {
            guard updateValue(try MergedContent(field.content), forKey: field.name) == nil else { throw MisfitUpdate() }
        }
    }
}

extension MergedContent {
    /// Creates the same content that `UpdateReader` and `ClientNode` create.
    init(_ content: ConfirmedContent) throws {
        switch content {
        case .value(.embedded): throw MisfitUpdate()
        case .value(let value): self = .value(value)
        case .embedded(let instance): self = .embedded(try [SyncString: MergedContent](confirmed: instance.fields))
        case .list(let runs):
            var elements: [MergedContent] = []
            elements.reserveCapacity(runs.reduce(0) { $0 + $1.elements.count })
            for run in runs { for element in run.elements { elements.append(try MergedContent(element)) } }
            self = .list(elements)
        case .set(let values):
            var set: [SetElement: SyncValue] = [:]
            for value in values {
                guard let element = SetElement(value) else { throw MisfitUpdate() }
                set[element] = value
            }
            self = .set(set)
        case .dictionary(let values):
            var entries: [SyncString: MergedContent] = [:]
            for entry in values { entries[entry.key] = try MergedContent(entry.content) }
            self = .dictionary(entries)
        }
    }
}
