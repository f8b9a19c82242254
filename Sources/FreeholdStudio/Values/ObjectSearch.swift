import Foundation
import FreeholdEngine

/// The search of the palette: classes by name, and objects by key, by full text and by the beginning of their title.
struct ObjectSearch {
    let view: Snapshot
    let facts: SchemaFacts

    private static let most = 50
    private static let mostInClass = 10

    func results(_ text: String, in className: String?) throws -> StudioJSON {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, text.utf8.count <= 1_000 else { return [] }
        let tables = try className.map { [try facts.table($0)] } ?? view.schema.tables
        var found: [StudioJSON] = []
        var known: Set<String> = []
        func add(_ table: Table, _ key: ObjectKey, _ note: String) {
            guard found.count < Self.most, known.insert("\(table.id):\(key.raw)").inserted else { return }
            found.append([
                "kind": "object", "class": .string(table.name), "key": .int(key.raw),
                "title": .text(facts.title(table, key, in: view)), "note": .string(note),
            ])
        }
        if className == nil {
            let names = tables.map(\.name).filter { $0.localizedCaseInsensitiveContains(text) }
            found = names.prefix(Self.mostInClass).map { ["kind": "class", "class": .string($0)] }
        }
        let reader = TypedText(view: view, facts: facts)
        for table in tables {
            guard let column = table.primaryKey, let value = try? reader.value(text, for: column) else { continue }
            if let key = view.find(primaryKey: value, in: table) { add(table, key, column.name) }
        }
        for table in tables where !table.isEmbedded && found.count < Self.most {
            for column in table.columns where column.collection == .none {
                for key in objects(text, column, table) { add(table, key, column.name) }
            }
        }
        return .array(found)
    }

    /// Returns objects by an index, or, in small classes, by the beginning of their title.
    private func objects(_ text: String, _ column: Column, _ table: Table) -> [ObjectKey] {
        let condition: FreeholdEngine.Predicate
        switch column.type {
        case .string where column.indexKind == .fullText || column.indexKind == .fullTextLatin1:
            let path = "\(NamedPath([.name(column.name)]).text) TEXT $0"
            let query = try? RowQuery(path + " LIMIT(\(Self.mostInClass))", [.string(text)], of: table, in: view)
            return query?.keys(in: view) ?? []
        case .string where column.isIndexed || column === facts.titleColumn(table):
            condition = .string(PropertyPath(column), .beginsWith, pattern: text, ignoringCase: true)
        case .objectId:
            guard let id = ObjectId(text as String), column.isIndexed else { return [] }
            condition = .comparison(PropertyPath(column), .equal, .objectId(id))
        case .uuid:
            guard let id = UUID(uuidString: text), column.isIndexed else { return [] }
            condition = .comparison(PropertyPath(column), .equal, .uuid(id))
        default: return []
        }
        return RowQuery(table: table, predicate: condition, limit: Self.mostInClass).keys(in: view)
    }
}
