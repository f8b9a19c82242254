/// The names of types that `@type` returns and accepts, in any letter case. One name can stand for several types.
package enum ValueTypeName {
    /// The types that a name stands for.
    struct Kinds: OptionSet {
        let rawValue: UInt32

        /// Creates a set with one bit for each type. Null, lists and dictionaries have the bits above the types.
        init(rawValue: UInt32) { self.rawValue = rawValue }
        init(_ types: ColumnType...) { rawValue = types.reduce(0) { $0 | 1 << UInt32($1.rawValue) } }

        static let null = Kinds(rawValue: 1 << 29)
        static let list = Kinds(rawValue: 1 << 30)
        static let dictionary = Kinds(rawValue: 1 << 31)
    }

    private static let kinds: [String: Kinds] = {
        var all: [String: Kinds] = [:]
        func add(_ kinds: Kinds, _ names: String...) { for name in names { all[name] = kinds } }
        add(.null, "null")
        add(Kinds(.int), "int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char")
        add(Kinds(.bool), "bool", "boolean")
        add(Kinds(.float), "float")
        add(Kinds(.double), "double")
        add(Kinds(.decimal128), "decimal", "decimal128")
        add(Kinds(.int, .float, .double, .decimal128), "numeric")
        add(Kinds(.string), "string")
        add(Kinds(.data), "binary", "data", "bytearray", "byte[]", "bindata")
        add(Kinds(.timestamp), "date", "timestamp", "datetimeoffset")
        add(Kinds(.objectId), "objectid")
        add(Kinds(.uuid), "uuid", "guid")
        add(Kinds(.link), "object", "link", "objectlink")
        add(.list, "list", "array")
        add(.dictionary, "dictionary")
        add([.list, .dictionary], "collection")
        return all
    }()

    /// Returns whether the name stands for a type.
    package static func isKnown(_ name: String) -> Bool { kinds[name.lowercased()] != nil }

    /// Every name, sorted.
    package static var all: [String] { kinds.keys.sorted() }

    /// Returns the name of a value's own type.
    package static func name(of value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "binary"
        case .timestamp: "date"
        case .decimal128: "decimal"
        case .objectId: "objectid"
        case .uuid: "uuid"
        case .link, .objectLink: "object"
        case .list: "list"
        case .dictionary: "dictionary"
        }
    }

    /// Returns the types that a name stands for, or an empty set for an unknown name.
    static func kinds(of name: Value) -> Kinds {
        if case .string(let name) = name { kinds[name.lowercased()] ?? [] } else { [] }
    }

    /// Returns a value's own type.
    static func kind(of value: Value) -> Kinds {
        switch value {
        case .null: .null
        case .list: .list
        case .dictionary: .dictionary
        case .objectLink: Kinds(.link)
        default: Kinds(value.type!)
        }
    }

    /// Returns whether both names stand for a common type.
    package static func areOne(_ a: Value, _ b: Value) -> Bool { !kinds(of: a).isDisjoint(with: kinds(of: b)) }

    /// Returns whether a name stands for a value's type.
    package static func isName(_ name: String, of value: Value) -> Bool {
        !kind(of: value).isDisjoint(with: kinds(of: .string(name)))
    }
}
