/// What a server says of an object that a client doesn't have: no names are needed, since no work is about it.
extension [SyncString: MergedContent] {
    /// - Throws: `MisfitUpdate` if a field is there twice, or a value can't be where it is.
    init(confirmed fields: [ConfirmedField]) throws {
        self.init(minimumCapacity: fields.count)
        for field in fields {
            guard updateValue(try MergedContent(field.content), forKey: field.name) == nil else { throw MisfitUpdate() }
        }
    }
}

extension MergedContent {
    /// As `UpdateReader` and `ClientNode` make it.
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
