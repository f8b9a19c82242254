public import FreeholdEngine

/// The content of a property or an element without its type. It is the common form of Swift values, plain data and
/// rows. For use by the library only.
public enum _StoredContent {
    /// A scalar, or null.
    case value(Value)
    /// A link, which may be null.
    case object(ObjectBase?)
    /// A link to an object that is created, or found by its primary key.
    case values(_ObjectValues)
    /// The elements of a list or set, or of a list in a mixed value.
    case list([_StoredContent])
    /// The entries of a map, or of a dictionary in a mixed value, in no defined order.
    case dictionary([_StoredEntry])
    /// Linking objects, which aren't stored.
    case computed

    static var null: _StoredContent { .value(.null) }

    /// The content as plain data: arrays and dictionaries of the values of dynamic reads.
    var plain: Any? {
        switch self {
        case .value(let value): value.plainValue
        case .object(let object): object
        case .values, .computed: nil
        case .list(let elements): elements.map(\.plain)
        case .dictionary(let entries):
            Dictionary(entries.map { ($0.key, $0.content.plain) }, uniquingKeysWith: { $1 })
        }
    }
}

/// An entry of a map.
public struct _StoredEntry {
    public let key: String
    public let content: _StoredContent

    public init(_ key: String, _ content: _StoredContent) {
        self.key = key
        self.content = content
    }
}

/// Converted values for some properties of an object. For use by the library only.
public final class _ObjectValues {
    let info: ClassInfo
    let fields: [(property: Int, content: _StoredContent)]
    /// A Boolean value that indicates whether the values belong to another object, whose embedded objects have to be
    /// copied.
    let isCopy: Bool

    init(info: ClassInfo, fields: [(property: Int, content: _StoredContent)], isCopy: Bool = false) {
        self.info = info
        self.isCopy = isCopy
        self.fields = fields
    }

    /// The value of the primary key, if it is given.
    var primaryKey: Value? {
        guard let index = info.primaryKeyIndex else { return nil }
        for (property, content) in fields where property == index {
            if case .value(let value) = content { return value }
        }
        return nil
    }
}
