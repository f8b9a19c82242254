import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import FreeholdSyncRules

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Rules become queries that the engine understands, and that find the objects which the server's matcher shows.
struct EngineRulesTests {
    @Test func `with random rules, the engine finds the objects that the matcher shows`() throws {
        var rules = RandomRules(random: SeededRandom(test: "rules in the engine"))
        let database = try Database.inMemory(identifier: UUID().uuidString)
        let documents = (0..<60).map { _ in rules.filledDocument() }
        let keys = try Self.fill(database, documents)
        let snapshot = try database.snapshot()
        let table = try require(snapshot.schema.table(named: "Item"))
        let names = try documents.indices.map { ObjectName("Item", .objectId(try Self.id($0))) }
        for _ in TestBudget.range("EngineRulesTests", usual: 150, soak: 20_000) {
            let source = rules.expression()
            let user = rules.user()
            let condition = try RuleExpression(source)
                .condition(for: user, className: "Item", schema: RuleModels.schema)
            let schema = ConditionSchema(RuleModels.tables)
            let matcher = try QueryMatcher().compile("Item", SyncString(condition.text), in: schema)
            do {
                let found = Set(try RowQuery(condition.text, of: table, in: snapshot).keys(in: snapshot))
                for (index, key) in keys.enumerated() {
                    let document = documents[index]
                    let isShown = matcher.matches(names[index], RuleModels.contents(document))
                    expectEqual(found.contains(key), isShown, "\(source)\n\(condition)\n\(document)")
                    if found.contains(key) != isShown { return }
                }
            } catch {
                Issue.record("\(source)\n\(condition)\n\(error)")
                return
            }
        }
    }

    /// The key of an object. The rules contain the first ones.
    private static func id(_ index: Int) throws -> ObjectId {
        if index < RuleModels.ids.count { return RuleModels.ids[index] }
        return try require(ObjectId(String(repeating: "0", count: 20) + String(1000 + index)))
    }

    private static func fill(_ database: Database, _ documents: [BSONDocument]) throws -> [ObjectKey] {
        let transaction = try database.beginWrite()
        try transaction.applySchema(RuleModels.tables)
        let schema = transaction.schema
        let people = try require(schema.table(named: "Person"))
        let items = try require(schema.table(named: "Item"))
        let addresses = try require(schema.table(named: "Address"))
        var persons: [ObjectId: ObjectKey] = [:]
        for id in RuleModels.ids { persons[id] = try transaction.create(people, primaryKey: .objectId(id)) }
        func value(_ value: BSONValue, _ column: Column) throws -> Value {
            switch (column.type, value) {
            case (.link, .objectId(let id)): return .link(persons[id]!)
            case (.link, .document(let document)):
                let key = try transaction.create(addresses)
                try put(document, addresses, key)
                return .link(key)
            case (.float, .double(let number)): return .float(Float(number))
            default: return try require(Value(rule: value))
            }
        }
        func put(_ document: BSONDocument, _ table: Table, _ key: ObjectKey) throws {
            for (name, content) in document where name != "_id" {
                let column = try require(table.columns.first { $0.name == name })
                switch (column.collection, content) {
                case (.list, .array(let elements)):
                    try transaction.listAppend(column, key, values: elements.map { try value($0, column) })
                case (.set, .array(let elements)):
                    _ = try transaction.setInsert(column, key, values: elements.map { try value($0, column) })
                case (.dictionary, _), (_, .null): break
                case (_, _) where column.type == .link:
                    guard case .link(let target) = try value(content, column) else { break }
                    transaction.setLink(column, key, to: target)
                default: try transaction.set(column, key, to: value(content, column))
                }
            }
        }
        var keys: [ObjectKey] = []
        for (index, document) in documents.enumerated() {
            let key = try transaction.create(items, primaryKey: .objectId(id(index)))
            try put(document, items, key)
            keys.append(key)
        }
        _ = try transaction.commit()
        return keys
    }
}

extension RandomRules {
    /// A document in which only what is optional is missing, as a file has it.
    mutating func filledDocument() -> BSONDocument {
        var document = document()
        document["_id"] = .objectId(ObjectId("000000000000000000000001")!)
        if document["owner"] == nil { document["owner"] = "" }
        if document["age"] == nil { document["age"] = 0 }
        if document["rate"] == nil { document["rate"] = .double(0) }
        return document
    }
}
