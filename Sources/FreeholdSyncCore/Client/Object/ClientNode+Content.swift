/// Conversions from and to contents that can be stored and shown. These are values without names.
extension ClientNode {
    /// Creates the node for the content of an object without pending work.
    init(_ content: MergedContent) {
        self =
            switch content {
            case .value(let value): .value(value)
            case .embedded(let fields):
                .instance(ClientInstance(number: nil, since: 0, fields: fields.mapValues(ClientNode.init)))
            case .list(let elements): .list(ClientList(elements.map(ClientNode.init)))
            case .set(let elements): .set(elements)
            case .dictionary(let entries): .dictionary(entries.mapValues(ClientNode.init))
            }
    }

    var content: MergedContent {
        switch self {
        case .value(let value): .value(value)
        case .instance(let instance): .embedded(instance.fields.mapValues(\.content))
        case .list(let list): .list(list.slots.compactMap { $0.node?.content })
        case .set(let elements): .set(elements)
        case .dictionary(let entries): .dictionary(entries.mapValues(\.content))
        }
    }

    /// A Boolean value that indicates whether the node is equal to a property that was never written.
    var isEmpty: Bool {
        switch self {
        case .value(let value): value == .null
        case .instance: false
        case .list(let list): list.aliveCount == 0
        case .set(let elements): elements.isEmpty
        case .dictionary(let entries): entries.isEmpty
        }
    }

    /// A Boolean value that indicates whether the node can contain a list, at any depth.
    var mayHaveList: Bool {
        switch self {
        case .value, .set: false
        case .instance, .list, .dictionary: true
        }
    }

    /// Creates the node for a value that an author wrote.
    init(_ value: SyncValue) {
        if case .embedded(let embedded) = value {
            let instance = ClientInstance(
                number: embedded.number,
                since: ClientInstance.pendingVersion,
                fields: [:].filled(with: embedded.fields)
            )
            self = .instance(instance)
        } else {
            self = .value(value)
        }
    }

    init(_ content: NewContent) {
        switch content {
        case .value(let value): self.init(value)
        case .list(let first, let values):
            var list = ClientList()
            for (index, value) in values.enumerated() {
                list.slots.append(list.slot(.own(first &+ OwnNumber(index)), ClientNode(value)))
            }
            self = .list(list)
        case .set(let values):
            var set: [SetElement: SyncValue] = [:]
            for value in values { if let element = SetElement(value) { set[element] = value } }
            self = .set(set)
        case .dictionary(let value):
            let entries = value.entries.map { ($0.key, ClientNode($0.value)) }
            self = .dictionary(ClientFields(entries, uniquingKeysWith: { $1 }))
        }
    }

    /// Visits every list, including the lists inside of embedded objects.
    mutating func forEachList(_ body: (inout ClientList) -> Void) {
        switch self {
        case .value, .set: break
        case .instance(var instance):
            instance.fields.forEachList(body)
            self = .instance(instance)
        case .list(var list):
            body(&list)
            list.slots.forEachNode(onlyLists: true) { $0?.forEachList(body) }
            self = .list(list)
        case .dictionary(var entries):
            entries.forEachList(body)
            self = .dictionary(entries)
        }
    }
}

extension ClientFields {
    init(_ contents: [SyncString: MergedContent]) { self = contents.mapValues(ClientNode.init) }

    var contents: [SyncString: MergedContent] { mapValues(\.content) }

    func filled(with new: [NewField]) -> ClientFields {
        var fields = self
        fields.reserveCapacity(fields.count + new.count)
        for field in new { fields[field.name] = ClientNode(field.content) }
        return fields
    }

    mutating func forEachList(_ body: (inout ClientList) -> Void) {
        for index in indices { values[index].forEachList(body) }
    }
}
