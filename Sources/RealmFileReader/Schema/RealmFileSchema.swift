public import FreeholdEngine

/// A property of a class in a Realm file.
public struct RealmFileProperty: Sendable, Equatable {
    public enum Index: String, Sendable { case none, values, fullText }

    /// The name in the file. If a class maps its names, it is the mapped name.
    public let name: String
    public let type: ColumnType
    /// A Boolean value that indicates whether the value can be null. For collections, it applies to the elements. A
    /// single link can always be null.
    public let isOptional: Bool
    public let collection: CollectionKind
    /// The number of the target's class (``RealmFileClass/number``), for links.
    public let target: Int?
    public let index: Index
    public let isPrimaryKey: Bool

    /// The position in the leaves of the table.
    let place: Int
    let form: LeafForm

    public static func == (a: RealmFileProperty, b: RealmFileProperty) -> Bool {
        a.name == b.name && a.type == b.type && a.isOptional == b.isOptional && a.collection == b.collection
            && a.target == b.target && a.index == b.index && a.isPrimaryKey == b.isPrimaryKey
    }
}

/// A class in a Realm file.
public struct RealmFileClass: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case topLevel
        case embedded
        /// A class whose objects are only sent to a server. A file contains none of them, or few that haven't been
        /// sent.
        case asymmetric
    }

    /// The name without the `class_` of the table's name.
    public let name: String
    /// The number of the table, which links inside mixed values contain.
    public let number: Int
    public let kind: Kind
    public let properties: [RealmFileProperty]
    /// The number of objects, without deleted ones that are still linked to.
    public let count: Int
    /// The links from other classes to this class, each as the origin's class and property. LinkingObjects may show
    /// them.
    public internal(set) var incoming: [Incoming] = []

    public struct Incoming: Sendable, Equatable {
        public let className: String
        public let property: String
    }

    public var primaryKey: RealmFileProperty? { properties.first(where: \.isPrimaryKey) }

    /// The root of the table's tree, or 0 if it has none.
    let root: UInt64

    public static func == (a: RealmFileClass, b: RealmFileClass) -> Bool {
        a.name == b.name && a.number == b.number && a.kind == b.kind && a.properties == b.properties
            && a.count == b.count
    }
}
