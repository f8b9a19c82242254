/// The primary key of an object.
public enum WireKey: Hashable, Sendable {
    case null
    case int(Int64)
    case string(WireText)
    case objectID(WireObjectID)
    case uuid(WireUUID)
}

/// An object that has a key of its own: its class and its key.
public struct WireObject: Hashable, Sendable {
    /// The class, without the prefix that the official client uses in its file.
    public var table: WireText
    public var key: WireKey

    public init(table: WireText, key: WireKey) {
        self.table = table
        self.key = key
    }
}

/// A step from a field into its value.
public enum PathElement: Hashable, Sendable {
    /// The position in a list.
    case index(UInt32)
    /// The key of a dictionary, or the field of an embedded object.
    case name(WireText)
}

/// A place inside an object: a field, and steps into embedded objects and collections.
public struct WirePath: Hashable, Sendable {
    public var object: WireObject
    public var field: WireText
    public var elements: [PathElement]

    public init(object: WireObject, field: WireText, elements: [PathElement] = []) {
        self.object = object
        self.field = field
        self.elements = elements
    }

    /// The position in a list in which the path ends, or `nil`.
    public var lastIndex: UInt32? {
        guard case .index(let index) = elements.last else { return nil }
        return index
    }
}

/// A value in an instruction.
///
/// Two payloads are equal if their bytes on the wire are equal, so NaN equals itself. `isSame(as:)` compares like the official
/// client.
public enum Payload: Hashable, Sendable {
    /// An empty list, or the list that is already present. Only inside a mixed value.
    case list
    /// An empty dictionary, or the dictionary that is already present. Only inside a mixed value.
    case dictionary
    /// The removal of a dictionary's entry.
    case erased
    /// An embedded object.
    case object
    case null
    case int(Int64)
    case bool(Bool)
    case string(WireText)
    case data([UInt8])
    case date(WireDate)
    case float(Float)
    case double(Double)
    case decimal(WireDecimal)
    case link(WireObject)
    case objectID(WireObjectID)
    case uuid(WireUUID)
}

/// The kind of a collection, with the numbers of the wire format.
public enum CollectionKind: UInt8, Hashable, Sendable {
    /// A plain value. Protocol versions below 13 may send it in `clear`.
    case single = 0
    case list = 1
    case dictionary = 2
    case set = 3
}

/// The type of a column, with the numbers of the wire format.
public enum ColumnKind: Int8, Hashable, Sendable {
    case mixed = 0
    case int = 1
    case bool = 2
    case string = 3
    case data = 4
    case date = 5
    case float = 6
    case double = 7
    case decimal = 8
    case link = 9
    case objectID = 10
    case uuid = 11
}

/// A class as `addTable` creates it.
public struct TableSpec: Hashable, Sendable {
    public enum Kind: UInt8, Hashable, Sendable {
        case topLevel = 0
        case embedded = 1
        case asymmetric = 2
    }

    /// The field, the type and the nullability of a primary key.
    public struct PrimaryKey: Hashable, Sendable {
        public var field: WireText
        /// One of `int`, `string`, `objectID` and `uuid`.
        public var kind: ColumnKind
        public var isNullable: Bool

        public init(field: WireText, kind: ColumnKind, isNullable: Bool) {
            self.field = field
            self.kind = kind
            self.isNullable = isNullable
        }
    }

    public var name: WireText
    public var kind: Kind
    /// The primary key. An embedded class has none, and every other class has one.
    public var primaryKey: PrimaryKey?

    public init(name: WireText, kind: Kind, primaryKey: PrimaryKey?) {
        self.name = name
        self.kind = kind
        self.primaryKey = primaryKey
    }
}

/// A field as `addColumn` creates it.
public struct ColumnSpec: Hashable, Sendable {
    public var table: WireText
    public var field: WireText
    public var kind: ColumnKind
    public var isNullable: Bool
    public var collection: CollectionKind
    /// The class of the linked or embedded objects: empty for a link to objects of all classes, and `nil` if `kind` isn't `link`.
    public var target: WireText?

    public init(
        table: WireText,
        field: WireText,
        kind: ColumnKind,
        isNullable: Bool,
        collection: CollectionKind = .single,
        target: WireText? = nil
    ) {
        self.table = table
        self.field = field
        self.kind = kind
        self.isNullable = isNullable
        self.collection = collection
        self.target = target
    }
}

/// The last part of an update. It depends on the end of the path.
public enum UpdateMark: Hashable, Sendable {
    /// The path doesn't end in an index. A default is a value that the user didn't give.
    case field(isDefault: Bool)
    /// The path ends in an index: the size of the list.
    case element(priorSize: UInt32)
}

/// A change of a changeset.
public enum Instruction: Hashable, Sendable {
    case addTable(TableSpec)
    case eraseTable(name: WireText)
    case createObject(WireObject)
    case eraseObject(WireObject)
    case update(at: WirePath, value: Payload, mark: UpdateMark)
    case addInteger(at: WirePath, amount: Int64)
    case addColumn(ColumnSpec)
    case eraseColumn(table: WireText, field: WireText)
    /// Inserts an element at the index in which the path ends. `priorSize` is the size before.
    case arrayInsert(at: WirePath, value: Payload, priorSize: UInt32)
    /// Moves an element. `target` is its position after the move.
    case arrayMove(at: WirePath, target: UInt32, priorSize: UInt32)
    case arrayErase(at: WirePath, priorSize: UInt32)
    /// Removes all elements of the collection at the path.
    case clear(at: WirePath, kind: CollectionKind)
    case setInsert(at: WirePath, value: Payload)
    case setErase(at: WirePath, value: Payload)
}

extension Instruction {
    /// The number of the instruction on the wire.
    public var tag: UInt8 {
        switch self {
        case .addTable: 0
        case .eraseTable: 1
        case .createObject: 2
        case .eraseObject: 3
        case .update: 4
        case .addInteger: 5
        case .addColumn: 6
        case .eraseColumn: 7
        case .arrayInsert: 8
        case .arrayMove: 9
        case .arrayErase: 10
        case .clear: 11
        case .setInsert: 12
        case .setErase: 13
        }
    }

    /// The place that the instruction changes, or `nil` for an instruction about a class, a field or a whole object.
    public var path: WirePath? {
        switch self {
        case .update(let path, _, _), .addInteger(let path, _), .arrayInsert(let path, _, _),
            .arrayMove(let path, _, _),
            .arrayErase(let path, _), .clear(let path, _), .setInsert(let path, _), .setErase(let path, _):
            path
        default: nil
        }
    }

    /// The object that the instruction changes, or `nil` for an instruction about a class or a field.
    public var object: WireObject? {
        switch self {
        case .createObject(let object), .eraseObject(let object): object
        default: path?.object
        }
    }
}

// MARK: Equality of payloads

extension Payload {
    /// Returns a Boolean value that indicates whether both have the same bytes on the wire.
    public static func == (first: Payload, second: Payload) -> Bool {
        switch (first, second) {
        case (.list, .list), (.dictionary, .dictionary), (.erased, .erased), (.object, .object), (.null, .null): true
        case (.int(let first), .int(let second)): first == second
        case (.bool(let first), .bool(let second)): first == second
        case (.string(let first), .string(let second)): first == second
        case (.data(let first), .data(let second)): first == second
        case (.date(let first), .date(let second)): first == second
        case (.float(let first), .float(let second)): first.bitPattern == second.bitPattern
        case (.double(let first), .double(let second)): first.bitPattern == second.bitPattern
        case (.decimal(let first), .decimal(let second)): first == second
        case (.link(let first), .link(let second)): first == second
        case (.objectID(let first), .objectID(let second)): first == second
        case (.uuid(let first), .uuid(let second)): first == second
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        switch self {
        case .list, .dictionary, .erased, .object, .null: break
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.bitPattern)
        case .double(let value): hasher.combine(value.bitPattern)
        case .decimal(let value): hasher.combine(value)
        case .link(let value): hasher.combine(value)
        case .objectID(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        }
    }

    /// Returns a Boolean value that indicates whether the official client's merge regards both as the same value.
    ///
    /// Numbers of different types differ. NaN doesn't equal itself, zeros of both signs are equal, and decimals are compared by
    /// their value.
    public func isSame(as other: Payload) -> Bool {
        switch (self, other) {
        case (.float(let first), .float(let second)): first == second
        case (.double(let first), .double(let second)): first == second
        case (.decimal(let first), .decimal(let second)): first.isSame(as: second)
        default: self == other
        }
    }

    /// The number of the type on the wire.
    public var tag: Int8 {
        switch self {
        case .list: -5
        case .erased: -4
        case .dictionary: -3
        case .object: -2
        case .null: 0
        case .int: 1
        case .bool: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .float: 6
        case .double: 7
        case .decimal: 8
        case .link: 9
        case .objectID: 10
        case .uuid: 11
        }
    }
}
