import Foundation
import Testing

@testable import FreeholdEngine

/// Random graphs whose links have random delete rules, compared with a plain search.
@Suite("Delete rules of random graphs") struct RandomDeleteRuleTests {
    /// One link, by the objects at its ends.
    private struct Edge {
        let column: Column
        let origin: ObjectLink
        let target: ObjectLink
    }

    static let seeds: [UInt64] = {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return Array(first..<first + UInt64(TestBudget.cases(12, soak: 600)))
    }()

    private func specs(_ random: inout RandomEngine) -> [TableSpec] {
        let names = ["A", "B", "C"]
        var specs = names.map { TableSpec($0, columns: [ColumnSpec("n", .int)]) }
        let kinds: [CollectionKind] = [.none, .list, .set, .dictionary]
        for i in 0..<7 {
            let from = random.below(3)
            let isMixed = random.chance(20)
            let rules: [DeleteRule] = [.nullify, .cascade, .cascade, random.chance(50) ? .deny : .nullify]
            var column = ColumnSpec(
                "c\(i)",
                isMixed ? .mixed : .link,
                collection: random.pick(kinds),
                target: isMixed ? nil : random.pick(names)
            )
            if column.collection == .dictionary { column.isOptional = true }
            column.rules = DeleteRules(targets: random.pick(rules), origins: isMixed ? .nullify : random.pick(rules))
            specs[from].columns.append(column)
        }
        return specs
    }

    @Test(arguments: seeds) func `a deletion has the effects that a plain search predicts`(_ seed: UInt64) throws {
        let folder = TemporaryFolder()
        var random = RandomEngine(seed: seed)
        var options = Database.Options()
        options.clusterSpan = [3, 1000, 16, 1][Int(seed % 4)]
        options.mapSize = 1 << 30
        let database = try Database.open(at: folder.file(), options: options)
        var transaction = try database.beginWrite()
        try transaction.applySchema(specs(&random))
        let tables = transaction.schema.tables
        var living: [ObjectLink] = []
        for _ in 0..<80 {
            let table = random.pick(tables)
            living.append(ObjectLink(tableID: table.id, key: try transaction.create(table)))
        }
        var edges: [Edge] = []
        for _ in 0..<random.below(90) {
            let table = random.pick(tables)
            guard table.columns.count > 1 else { continue }
            let column = random.pick(Array(table.columns.dropFirst()))
            let origins = living.filter { $0.tableID == table.id }
            let targets = column.type == .mixed ? living : living.filter { $0.tableID == column.targetTableID }
            if origins.isEmpty || targets.isEmpty { continue }
            let (origin, target) = (random.pick(origins), random.pick(targets))
            let value: Value =
                switch column.type {
                case .mixed where column.collection == .none:
                    .list(NestedList([.int(1), .objectLink(target)]))
                case .mixed: .objectLink(target)
                default: .link(target.key)
                }
            switch column.collection {
            case .none:
                try transaction.set(column, origin.key, to: value)
                edges.removeAll { $0.column === column && $0.origin == origin }
            case .list: try transaction.listAppend(column, origin.key, values: [value])
            case .set: _ = try transaction.setInsert(column, origin.key, value: value)
            case .dictionary: try transaction.dictionarySet(column, origin.key, forKey: "k\(edges.count)", to: value)
            }
            edges.append(Edge(column: column, origin: origin, target: target))
        }
        _ = try transaction.commit()
        var follower = try JournalFollower(database)
        transaction = try database.beginWrite()
        for _ in 0..<14 where !living.isEmpty {
            if random.chance(30) {
                let snapshot = try transaction.commit()
                expect(snapshot.verify().isEmpty, "seed \(seed)")
                let differences = try follower.differences(from: snapshot)
                try require(differences == [], "seed \(seed)")
                transaction = try database.beginWrite()
            }
            var chosen: Set<ObjectLink> = []
            let table = random.pick(tables)
            for link in living where link.tableID == table.id && random.chance(random.chance(20) ? 90 : 10) {
                chosen.insert(link)
            }
            let going = closure(chosen, edges)
            let isDenied = edges.contains {
                ($0.column.rules.targets == .deny && going.contains($0.origin) && !going.contains($0.target))
                    || ($0.column.rules.origins == .deny && going.contains($0.target) && !going.contains($0.origin))
            }
            let keys = chosen.map(\.key).sorted()
            do throws(EngineError) {
                try transaction.checkDeletable(table, keys)
                expect(!isDenied, "seed \(seed)")
            } catch {
                expect(isDenied && error.code == .deletionDenied, "seed \(seed): \(error)")
                continue
            }
            if keys.count == 1 { transaction.delete(table, keys[0]) } else { transaction.delete(table, keys) }
            living.removeAll { going.contains($0) }
            edges.removeAll { going.contains($0.origin) || going.contains($0.target) }
            for table in tables {
                var found: [ObjectKey] = []
                transaction.forEachKey(table) { found.append($0) }
                let expected = living.filter { $0.tableID == table.id }.map(\.key).sorted()
                expectEqual(found, expected, "seed \(seed), table \(table)")
            }
        }
        let snapshot = try transaction.commit()
        expect(snapshot.verify().isEmpty, "seed \(seed)")
        try expectEqual(follower.differences(from: snapshot), [], "seed \(seed)")
    }

    private func closure(_ start: Set<ObjectLink>, _ edges: [Edge]) -> Set<ObjectLink> {
        var going = start
        var count = -1
        while count != going.count {
            count = going.count
            for edge in edges {
                if edge.column.rules.targets == .cascade, going.contains(edge.origin) { going.insert(edge.target) }
                if edge.column.rules.origins == .cascade, going.contains(edge.target) { going.insert(edge.origin) }
            }
        }
        return going
    }
}
