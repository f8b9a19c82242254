import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore

@testable import FreeholdSyncRules

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A class with a field of each type, for rules that use it.
enum RuleModels {
    static let tables: [TableSpec] = [
        TableSpec(
            "Item",
            columns: [
                ColumnSpec("_id", .objectId), ColumnSpec("owner", .string), ColumnSpec("team", .string, optional: true),
                ColumnSpec("age", .int), ColumnSpec("level", .int, optional: true),
                ColumnSpec("score", .double, optional: true),
                ColumnSpec("rate", .float), ColumnSpec("price", .decimal128, optional: true),
                ColumnSpec("at", .timestamp, optional: true), ColumnSpec("flag", .bool, optional: true),
                ColumnSpec("ref", .uuid, optional: true), ColumnSpec("blob", .data, optional: true),
                ColumnSpec("oid", .objectId, optional: true), ColumnSpec("any", .mixed),
                ColumnSpec("tags", .string, collection: .list), ColumnSpec("marks", .int, collection: .set),
                ColumnSpec("notes", .string, optional: true, collection: .list),
                ColumnSpec("names", .string, collection: .dictionary),
                ColumnSpec("friend", .link, optional: true, target: "Person"),
                ColumnSpec("friends", .link, collection: .list, target: "Person"),
                ColumnSpec("address", .link, optional: true, target: "Address"),
                ColumnSpec("addresses", .link, collection: .list, target: "Address"),
                ColumnSpec("AND", .string, optional: true), ColumnSpec("a b\"c", .string, optional: true),
            ],
            primaryKey: "_id"
        ),
        TableSpec("Person", columns: [ColumnSpec("_id", .objectId), ColumnSpec("name", .string)], primaryKey: "_id"),
        TableSpec(
            "Address",
            columns: [
                ColumnSpec("city", .string, optional: true), ColumnSpec("zip", .int),
                ColumnSpec("labels", .string, collection: .list),
            ],
            isEmbedded: true
        ),
    ]

    static let schema = RuleSchema(tables)
    static let key = ObjectId("65a1b2c3d4e5f60718293a4b")!
    static let ids = (0..<4).map { ObjectId("65a1b2c3d4e5f60718293a\($0)0")! }
    static let uuids = (1...3).map { UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)")! }
    /// Some of them look like queries, expansions or paths.
    static let words = [
        "", "red", "blue", "Zoë", "Zoe\u{308}", "\" OR TRUEPREDICATE OR \"", "' || TRUEPREDICATE || '", "$0", "%@",
        "%%true",
        "%%user.id", "\\\" == \\\"", "a\u{0}b\n\t", "owner", "NULL", "🦊",
    ]

    /// A document as the seed's pages have it, as what the server merges: the key is the object's name, and not among the contents.
    static func contents(_ document: BSONDocument, of className: String = "Item") -> [SyncString: MergedContent] {
        let table = schema.table(className)!
        var contents: [SyncString: MergedContent] = [:]
        for (name, value) in document {
            guard name != table.primaryKey, let column = table.columns.first(where: { $0.name == name }) else {
                continue
            }
            contents[SyncString(name)] = content(value, column)
        }
        return contents
    }

    private static func content(_ value: BSONValue, _ column: ColumnSpec) -> MergedContent {
        switch (column.collection, value) {
        case (.list, .array(let elements)): return .list(elements.map { single($0, column) })
        case (.set, .array(let elements)):
            var set: [SetElement: SyncValue] = [:]
            for element in elements {
                if case .value(let value) = single(element, column), let key = SetElement(value) { set[key] = value }
            }
            return .set(set)
        case (.dictionary, .document(let entries)):
            return .dictionary(
                Dictionary(
                    entries.map { (SyncString($0.key), single($0.value, column)) },
                    uniquingKeysWith: { first, _ in first }
                )
            )
        default: return single(value, column)
        }
    }

    private static func single(_ value: BSONValue, _ column: ColumnSpec) -> MergedContent {
        switch (column.type, value) {
        case (.link, .document(let document)): return .embedded(contents(document, of: column.target!))
        case (.link, .objectId(let id)): return .value(.link(ObjectName(SyncString(column.target!), .objectId(id))))
        case (.float, .double(let number)): return .value(.float(Float(number)))
        case (_, .array), (_, .document): return .value(.list([]))
        default: return .value(plain(value))
        }
    }

    static func plain(_ value: BSONValue) -> SyncValue {
        switch value {
        case .bool(let value): .bool(value)
        case .int32(let value): .int(Int64(value))
        case .int64(let value): .int(value)
        case .double(let value): .double(value)
        case .decimal128(let value): .decimal128(value)
        case .string(let value): .string(SyncString(value))
        case .objectId(let value): .objectId(value)
        case .datetime(let value):
            .date(
                Timestamp(seconds: value.milliseconds / 1000, nanoseconds: Int32(value.milliseconds % 1000) * 1_000_000)
            )
        case .binary(let value): value.uuid.map { .uuid($0) } ?? .data(value.data)
        default: .null
        }
    }
}
