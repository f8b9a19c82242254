import FreeholdBSON
import FreeholdEngine
import Foundation

/// The classes of an app of a server, in the form of the classes of an empty file. They are used to parse and complete the queries of the page, and
/// to parse values that the user types.
final class DocumentClasses: Sendable {
    let app: String
    let facts: SchemaFacts
    /// A snapshot of the empty file.
    let view: Snapshot
    /// The answer of the server from which the classes were read.
    let text: String

    /// - Parameter text: The server's answer to `classes`.
    /// - Throws: `StudioError` if the answer doesn't describe classes that a file could have.
    init(_ text: String) throws {
        let body = try BSONDocument(extendedJSON: text)
        guard case .string(let app)? = body["app"], case .array(let classes)? = body["classes"] else {
            throw StudioError(.failed, "The answer isn't that of a sync server.")
        }
        self.app = app
        self.text = text
        let specs = try classes.map { try Self.spec($0) }
        let names = Set(specs.map(\.name))
        let database = try Database.inMemory(identifier: "freehold-studio-classes-\(UUID().uuidString)")
        let write = try database.beginWrite()
        try write.applySchema(
            specs.map { spec in
                var spec = spec
                // The answer has a bounded number of classes. A link to a class that it doesn't have is left out.
                spec.columns.removeAll { $0.type == .link && !names.contains($0.target ?? "") }
                return spec
            }
        )
        view = try write.commit()
        facts = SchemaFacts(view)
    }

    private static func spec(_ value: BSONValue) throws -> TableSpec {
        guard case .document(let document) = value, case .string(let name)? = document["name"],
            case .string(let kind)? = document["kind"], case .array(let properties)? = document["properties"]
        else { throw StudioError(.failed, "The answer isn't that of a sync server.") }
        let key = document["key"]?.stringValue
        return TableSpec(
            name,
            columns: try properties.map { try column($0) },
            primaryKey: key,
            isEmbedded: kind == "embedded",
            isAsymmetric: kind == "asymmetric"
        )
    }

    private static func column(_ value: BSONValue) throws -> ColumnSpec {
        guard case .document(let fields) = value, case .string(let name)? = fields["name"],
            case .string(let typeName)? = fields["type"],
            let type = ColumnType.allCases.first(where: { "\($0)" == typeName }),
            case .string(let collectionName)? = fields["collection"],
            let collection = [CollectionKind.none, .list, .set, .dictionary].first(where: { "\($0)" == collectionName })
        else { throw StudioError(.failed, "The answer has a property that this version of Studio doesn't know.") }
        return ColumnSpec(
            name,
            type,
            optional: fields["optional"] == .bool(true),
            collection: collection,
            target: fields["target"]?.stringValue
        )
    }

    /// Returns the class with a name, and its key.
    ///
    /// - Throws: `StudioError` for an unknown class, and for an embedded class.
    func documents(_ name: String) throws(StudioError) -> (table: Table, key: Column) {
        let table = try facts.table(name)
        guard !table.isEmbedded, let key = table.primaryKey else {
            throw StudioError(.invalid, "The class '\(name)' has no documents of its own.")
        }
        return (table, key)
    }

    func target(_ column: Column) -> Table? { column.targetTableID.flatMap { view.schema.table(id: $0) } }

    /// The classes in the form of messages. The server has no counts of documents.
    var json: StudioJSON {
        .array(
            view.schema.tables.map { table in
                guard case .object(let members) = ClassFacts.json(table, in: view, facts) else { return .null }
                return .object(members.map { $0.key == "count" ? .init("count", .null) : $0 })
            }
        )
    }

    /// Returns the field of documents that has a property: `_id` for the key.
    static func field(_ column: Column) -> String { column.isPrimaryKey ? "_id" : column.name }

    /// Returns the title of a document, or `nil` if its class has no property for titles, or the value is missing or empty.
    func title(_ table: Table, _ document: BSONDocument) -> String? {
        guard let column = facts.titleColumn(table), case .string(let text)? = document[Self.field(column)],
            !text.isEmpty
        else { return nil }
        let scalars = text.unicodeScalars
        guard scalars.count > ValueLimits.title else { return text }
        return String(String.UnicodeScalarView(scalars.prefix(ValueLimits.title))) + "…"
    }
}
