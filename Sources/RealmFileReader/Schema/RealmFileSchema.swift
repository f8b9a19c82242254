public import FreeholdEngine

/// What a Realm file says of one property of a class.
public struct RealmFileProperty: Sendable, Equatable {
    public enum Index: String, Sendable { case none, values, fullText }

    /// As the file names it: where a class mapped its names, that is the mapped one.
    public let name: String
    public let type: ColumnType
    /// For collections: whether elements can be null. A single link always can.
    public let isOptional: Bool
    public let collection: CollectionKind
    /// For links: the number of the target's class (``RealmFileClass/number``).
    public let target: Int?
    public let index: Index
    public let isPrimaryKey: Bool

    /// Place in the tables' leaves.
    let place: Int
    let form: LeafForm

    public static func == (a: RealmFileProperty, b: RealmFileProperty) -> Bool {
        a.name == b.name && a.type == b.type && a.isOptional == b.isOptional && a.collection == b.collection
            && a.target == b.target && a.index == b.index && a.isPrimaryKey == b.isPrimaryKey
    }
}

/// What a Realm file says of one class.
public struct RealmFileClass: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case topLevel
        case embedded
        /// Objects that were only ever sent to a server: a file holds none, or few that haven't been sent.
        case asymmetric
    }

    /// Without the `class_` of the table's name.
    public let name: String
    /// Of the table, as links inside mixed values give it.
    public let number: Int
    public let kind: Kind
    public let properties: [RealmFileProperty]
    /// How many objects there are, without those that are gone and only linked to.
    public let count: Int
    /// Links from other classes that end here, each as the origin's class and property: what LinkingObjects may show.
    public internal(set) var incoming: [Incoming] = []

    public struct Incoming: Sendable, Equatable {
        public let className: String
        public let property: String
    }

    public var primaryKey: RealmFileProperty? { properties.first(where: \.isPrimaryKey) }

    /// Of the table's tree; 0 where there is none.
    let root: UInt64

    public static func == (a: RealmFileClass, b: RealmFileClass) -> Bool {
        a.name == b.name && a.number == b.number && a.kind == b.kind && a.properties == b.properties
            && a.count == b.count
    }
}
