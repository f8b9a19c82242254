import FreeholdEngine
import Foundation

/// The source of a decoded snapshot: an object, or the content of one of its properties.
enum SnapshotNode {
    case row(ManagedTable, ObjectKey)
    /// An unmanaged object.
    case object(ObjectBase)
    /// A scalar value, or null.
    case value(Value)
    case list([SnapshotNode])
    case dictionary([(key: String, node: SnapshotNode)])

    init(_ object: ObjectBase) {
        if let table = object._table {
            object._verifyLive(table)
            self = .row(table, object._key)
        } else {
            self = .object(object)
        }
    }

    var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }

    /// A description of the node for errors.
    var kind: String {
        switch self {
        case .row(let table, _): "an object of class \(table.info.className)"
        case .object(let object): "an object of class \(object._info.className)"
        case .value(let value): value.type.map { "a value of type \($0)" } ?? "null"
        case .list: "a list"
        case .dictionary: "a map"
        }
    }

    /// The content as a stored content, or nil for collections.
    var content: _StoredContent? {
        switch self {
        case .row(let table, let key): .object(table.object(key))
        case .object(let object): .object(object)
        case .value(let value): .value(value)
        case .list, .dictionary: nil
        }
    }

    // MARK: Properties of objects

    /// The class of the node, or nil if it isn't an object.
    var info: ClassInfo? {
        switch self {
        case .row(let table, _): table.info
        case .object(let object): object._info
        default: nil
        }
    }

    /// Returns the content of a property.
    ///
    /// - Precondition: The node is an object, and the property belongs to its class.
    func property(_ index: Int) -> SnapshotNode {
        switch self {
        case .row(let table, let key): Self.property(index, of: table, key)
        case .object(let object): Self.node(object._info.content(of: object, at: index))
        default: .value(.null)
        }
    }

    private static func property(_ index: Int, of table: ManagedTable, _ key: ObjectKey) -> SnapshotNode {
        let view = table.core.view
        guard let column = table.columns[index] else {
            let (origin, column) = table.inverse(of: index, from: table.info.properties[index].origin ?? "")
            return .list(view.backlinks(column, key).map { .row(origin, $0) })
        }
        switch column.collection {
        case .none: return node(view.value(column, key), property: index, in: table)
        case .dictionary:
            return .dictionary(
                view.dictionaryEntries(column, key).map { ($0.key, node($0.value, property: index, in: table)) }
            )
        case .list, .set: return .list(view.listValues(column, key).map { node($0, property: index, in: table) })
        }
    }

    private static func node(_ value: Value, property: Int, in table: ManagedTable) -> SnapshotNode {
        switch value {
        case .link(let key): .row(table.target(of: property), key)
        case .objectLink(let link): table.linked(link).map { SnapshotNode($0) } ?? .value(.null)
        case .list(let list): .list(list.values.map { node($0, property: property, in: table) })
        case .dictionary(let dictionary):
            .dictionary(dictionary.entries.map { ($0.key, node($0.value, property: property, in: table)) })
        default: .value(value)
        }
    }

    private static func node(_ content: _StoredContent) -> SnapshotNode {
        switch content {
        case .value(let value): .value(value)
        case .object(let object): object.map { SnapshotNode($0) } ?? .value(.null)
        case .list(let elements): .list(elements.map { node($0) })
        case .dictionary(let entries): .dictionary(entries.map { ($0.key, node($0.content)) })
        case .computed: .list([])
        case .values: .value(.null)
        }
    }
}
