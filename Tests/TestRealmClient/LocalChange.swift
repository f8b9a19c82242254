@testable import FreeholdRealmWire

/// A change that an app makes in a transaction.
enum LocalChange: Sendable {
    case create(WireObject)
    case delete(WireObject)
    /// Sets a field, an element of a list, or an entry of a dictionary.
    case set(WirePath, WireValue)
    /// Sets a field to the value that the model gives it.
    case setDefault(WirePath, Payload)
    case add(WirePath, Int64)
    /// Inserts an element. The path ends in its index.
    case insert(WirePath, WireValue)
    case remove(WirePath)
    case move(WirePath, to: UInt32)
    case removeEntry(WirePath)
    case insertIntoSet(WirePath, Payload)
    case removeFromSet(WirePath, Payload)
    case removeAll(WirePath)

    /// The kind of a change inside of an object.
    enum Kind: Hashable, Sendable {
        case set
        case add
        case insert
        case remove
        case move
        case removeEntry
        case member
        case removeAll
    }

    /// The kind of the change, or `nil` if the change creates or deletes an object.
    var kind: Kind? {
        switch self {
        case .create, .delete: nil
        case .set, .setDefault: .set
        case .add: .add
        case .insert: .insert
        case .remove: .remove
        case .move: .move
        case .removeEntry: .removeEntry
        case .insertIntoSet, .removeFromSet: .member
        case .removeAll: .removeAll
        }
    }
}

/// An app's change that its client doesn't permit.
struct LocalError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// The recording of a transaction: the changes of the app, as instructions.
struct LocalWriter: Sendable {
    private(set) var state: WireState
    private(set) var instructions: [Instruction] = []
    /// The number of the commit, for the identities of inserted elements.
    let version: UInt64
    /// The number of insertions that were applied.
    private var insertions: UInt32 = 0

    init(state: WireState, version: UInt64) {
        self.state = state
        self.version = version
    }

    /// Records an instruction, and applies it.
    mutating func record(_ instruction: Instruction) throws {
        // Each instruction is applied alone. The identities of its elements are made distinct by their number.
        try state.apply(Changeset([instruction]), as: version << 24 | UInt64(insertions))
        if case .arrayInsert = instruction { insertions += 1 }
        instructions.append(instruction)
    }

    /// Returns a Boolean value that indicates whether the element was inserted by the commit.
    static func isElement(_ id: ElementID?, of version: UInt64) -> Bool {
        id.map { $0.change >> 24 == version } ?? false
    }

    mutating func make(_ change: LocalChange) throws {
        switch change {
        case .create(let object): try create(object)
        case .delete(let object): try delete(object)
        case .set(let path, let value): try set(path, to: value)
        case .setDefault(let path, let value):
            try record(.update(at: path, value: value, mark: .field(isDefault: true)))
        case .add(let path, let amount): try record(.addInteger(at: path, amount: amount))
        case .insert(let path, let value): try insert(value, at: path)
        case .remove(let path): try record(.arrayErase(at: path, priorSize: size(of: path)))
        case .move(let path, let target):
            guard path.lastIndex != target else { return }
            try record(.arrayMove(at: path, target: target, priorSize: size(of: path)))
        case .removeEntry(let path):
            guard try place(path).value != nil else { return }
            try update(path, .erased)
        case .insertIntoSet(let path, let value):
            guard case .set(let set) = try place(path).value, !set.contains(value) else { return }
            try record(.setInsert(at: path, value: value))
        case .removeFromSet(let path, let value):
            guard case .set(let set) = try place(path).value, set.contains(value) else { return }
            try record(.setErase(at: path, value: value))
        case .removeAll(let path): try removeAll(path)
        }
    }

    // MARK: Places

    struct Place {
        var column: ColumnSpec
        /// `nil` for a missing entry of a dictionary.
        var value: WireValue?
    }

    /// Returns the column and the value of a place.
    func place(_ path: WirePath) throws -> Place {
        guard let fields = state[path.object], let column = state.schema[path.object.table]?[path.field] else {
            throw LocalError("The object or the field of a path is missing")
        }
        var place = Place(column: column, value: fields[path.field] ?? column.initialValue)
        for element in path.elements {
            switch (element, place.value) {
            case (.name(let name), .object(let fields)):
                guard let target = place.column.target, let column = state.schema[target]?[name] else {
                    throw LocalError("The field of an embedded object is missing")
                }
                place = Place(column: column, value: fields[name] ?? column.initialValue)
            case (.name(let key), .dictionary(let entries)): place.value = entries[key]
            case (.index(let index), .list(let list)):
                guard index < list.elements.count else { throw LocalError("An element of a path is missing") }
                place.value = list.elements[Int(index)].value
            default: throw LocalError("A step of a path doesn't fit its value")
            }
        }
        return place
    }

    private func parent(of path: WirePath) throws -> Place {
        try place(WirePath(object: path.object, field: path.field, elements: path.elements.dropLast()))
    }

    /// Returns the size of the list whose element the path names.
    private func size(of path: WirePath) throws -> UInt32 {
        guard case .list(let list) = try parent(of: path).value else { throw LocalError("A place isn't in a list") }
        return UInt32(list.elements.count)
    }

    // MARK: Objects

    private mutating func create(_ object: WireObject) throws {
        guard state[object] == nil else { return }
        let incoming = links(to: object)
        try record(.createObject(object))
        // Links to the object are visible again, and the client records them.
        let link = Payload.link(object)
        for path in incoming {
            switch try place(path).value {
            case .set:
                try record(.setErase(at: path, value: link))
                try record(.setInsert(at: path, value: link))
            default: try update(path, link)
            }
        }
    }

    private mutating func delete(_ object: WireObject) throws {
        guard state[object] != nil else { return }
        // The positions of elements behind an erased one fall, so that each link is looked for again.
        while let path = links(to: object).first { try unlink(path, from: object) }
        try record(.eraseObject(object))
    }

    private mutating func unlink(_ path: WirePath, from object: WireObject) throws {
        if path.lastIndex != nil { return try record(.arrayErase(at: path, priorSize: size(of: path))) }
        if case .set = try place(path).value { return try record(.setErase(at: path, value: .link(object))) }
        try update(path, .null)
    }

    /// Returns the places of all links to an object: elements, entries, fields and sets.
    func links(to object: WireObject) -> [WirePath] {
        var paths: [WirePath] = []
        func search(_ value: WireValue, _ column: ColumnSpec, _ path: WirePath) {
            func inside(_ element: PathElement) -> WirePath {
                WirePath(object: path.object, field: path.field, elements: path.elements + [element])
            }
            switch value {
            case .scalar(.link(object)): paths.append(path)
            case .scalar: return
            case .object(let fields):
                for column in column.target.flatMap({ state.schema[$0] })?.columns ?? [] {
                    if let value = fields[column.field] { search(value, column, inside(.name(column.field))) }
                }
            case .list(let list):
                for (index, element) in list.elements.enumerated() {
                    search(element.value, column, inside(.index(UInt32(index))))
                }
            case .dictionary(let entries):
                for key in entries.keys.sorted() { search(entries[key]!, column, inside(.name(key))) }
            case .set(let set): if set.contains(.link(object)) { paths.append(path) }
            }
        }
        for source in state.objects {
            guard let fields = state[source], !fields.isEmpty else { continue }
            for column in state.schema[source.table]?.columns ?? [] where column.kind == .link || column.kind == .mixed
            {
                if let value = fields[column.field] {
                    search(value, column, WirePath(object: source, field: column.field))
                }
            }
        }
        return paths
    }

    // MARK: Values

    private mutating func update(_ path: WirePath, _ value: Payload) throws {
        let mark: UpdateMark =
            path.lastIndex == nil ? .field(isDefault: false) : .element(priorSize: try size(of: path))
        try record(.update(at: path, value: value, mark: mark))
    }

    private mutating func set(_ path: WirePath, to value: WireValue) throws {
        switch value {
        case .scalar(let payload): try update(path, payload)
        case .object:
            if path.lastIndex != nil {
                let size = try size(of: path)
                try record(.arrayErase(at: path, priorSize: size))
                try record(.arrayInsert(at: path, value: .object, priorSize: size - 1))
            } else {
                let parent = path.elements.isEmpty ? nil : try parent(of: path).value
                if case .dictionary = parent {
                    try update(path, .object)
                } else {
                    if case .object = try place(path).value { try update(path, .null) }
                    try update(path, .object)
                }
            }
            try fill(path, with: value)
        case .list, .dictionary:
            try update(path, value.container!)
            try record(.clear(at: path, kind: value.collectionKind))
            try fill(path, with: value)
        case .set: throw LocalError("A set can't be assigned")
        }
    }

    private mutating func insert(_ value: WireValue, at path: WirePath) throws {
        let size = try size(of: path)
        try record(.arrayInsert(at: path, value: value.container ?? value.payload, priorSize: size))
        guard value.container != nil else { return }
        if value.container != .object { try record(.clear(at: path, kind: value.collectionKind)) }
        try fill(path, with: value)
    }

    /// Writes the content of a new container.
    private mutating func fill(_ path: WirePath, with value: WireValue) throws {
        func inside(_ element: PathElement) -> WirePath {
            WirePath(object: path.object, field: path.field, elements: path.elements + [element])
        }
        switch value {
        case .object(let fields):
            for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .scalar, .object: try set(inside(.name(field)), to: value)
                default: try fill(inside(.name(field)), with: value)
                }
            }
        case .list(let list):
            for (index, element) in list.elements.enumerated() {
                try insert(element.value, at: inside(.index(UInt32(index))))
            }
        case .dictionary(let entries):
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) { try set(inside(.name(key)), to: value) }
        case .set(let set):
            for value in set.values { try record(.setInsert(at: path, value: value)) }
        case .scalar: return
        }
    }

    private mutating func removeAll(_ path: WirePath) throws {
        let place = try place(path)
        guard let value = place.value, value.collectionKind != .single else {
            throw LocalError("A place isn't a collection")
        }
        let isColumn = path.elements.isEmpty && place.column.collection != .single
        if isColumn || place.column.kind != .mixed, value == .emptyCollection(of: value.collectionKind) { return }
        try record(.clear(at: path, kind: value.collectionKind))
    }
}

extension WireValue {
    static func emptyCollection(of kind: CollectionKind) -> WireValue {
        switch kind {
        case .single: .null
        case .list: .list(WireList())
        case .dictionary: .dictionary([:])
        case .set: .set(WireSet())
        }
    }
}
