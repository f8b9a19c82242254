import Foundation
import FreeholdEngine
import TestScript

/// Uses a damaged file in every possible way.
///
/// `damage PATH FOLDER FIRST LAST`: damages a copy of the file for each seed, and prints the results. The last line of
/// the output shows where the process ended, if it did: `SEED STAGE` begins a stage, `= RESULT` ends it.
struct DamageProbe {
    let path: String

    /// In `read` nothing can throw: damage may end the process there, with a message.
    enum Stage: String, CaseIterable { case check, copy, write, read }

    static func run(_ path: String, folder: String, seeds: Range<UInt64>, _ say: (String) -> Void) throws {
        // The first stage of the first seed. Earlier stages have already been tried.
        var stages = Stage.allCases[...]
        if let name = getenv("DAMAGE_FROM"), let from = Stage(rawValue: String(cString: name)) {
            stages = Stage.allCases.drop { $0 != from }
        }
        let original = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        for seed in seeds {
            var bytes = original
            var damager = Damager(seed: seed)
            let what = damager.damage(&bytes)
            for stage in stages {
                say("\(seed) \(stage.rawValue) \(what)")
                let file = "\(folder)/\(seed)-\(stage.rawValue)"
                try Data(bytes).write(to: URL(fileURLWithPath: file))
                alarm(20)
                say("= \(DamageProbe(path: file).result(of: stage))")
                alarm(0)
                for suffix in ["", "-lock", ".writer", ".copy", ".copy-lock", ".copy.writer"] {
                    unlink(file + suffix)
                }
            }
            stages = Stage.allCases[...]
        }
    }

    private func result(of stage: Stage) -> String {
        do {
            switch stage {
            case .check: return try check()
            case .copy: return try copy()
            case .write: return try write()
            case .read: return try read()
            }
        } catch let error as EngineError {
            return "error \(error.code.rawValue)"
        } catch {
            return "error \(error)"
        }
    }

    private func open() throws -> Database { try Database.open(at: path, options: DamageSample.options()) }

    private func check() throws -> String {
        let problems = try open().snapshot().verify()
        return problems.isEmpty ? "fine" : "reported"
    }

    private func copy() throws -> String {
        do {
            let snapshot = try open().snapshot()
            try snapshot.copy(to: path + ".copy")
            _ = try Database.open(at: path + ".copy", options: DamageSample.options()).snapshot().verify()
        }
        _ = try Database.compact(at: path)
        return "fine"
    }

    /// Changes all kinds of values, and deletes.
    private func write() throws -> String {
        let database = try open()
        for round in 0..<3 {
            let t = try database.beginWrite()
            for table in t.schema.tables where !table.isEmbedded {
                var keys: [ObjectKey] = []
                for cluster in 0..<4 {
                    for slot in 0..<12 {
                        let key = ObjectKey(Int64(cluster * 40 + slot * 3 + round))
                        if t.contains(table, key) { keys.append(key) }
                    }
                }
                for (i, key) in keys.enumerated() {
                    for column in table.columns { try change(column, key, i + round, t) }
                }
                if let key = table.primaryKey {
                    let value: Value = key.type == .int ? .int(Int64(5000 + round)) : .string("new \(round)")
                    if t.find(primaryKey: value, in: table) == nil { _ = try t.create(table, primaryKey: value) }
                }
                if round == 1 { t.delete(table, Array(keys.prefix(5))) }
                if round == 2 { t.delete(table, Array(keys.suffix(keys.count / 2))) }
            }
            _ = try t.commit()
        }
        let migration = try database.beginWrite()
        try migration.applySchema(
            DamageSample.tables + [TableSpec("More", columns: [ColumnSpec("x", .int)])],
            userVersion: 2
        )
        for table in migration.schema.tables where table.name == "Dog" { migration.deleteAll(table) }
        _ = try migration.commit()
        return try database.snapshot().verify().isEmpty ? "fine" : "reported"
    }

    private func change(_ column: Column, _ key: ObjectKey, _ i: Int, _ t: WriteTransaction) throws {
        if column.isPrimaryKey || t.schema.ownsTargets(column) { return }
        func sample() -> Value {
            switch column.type {
            case .bool: .bool(i % 2 == 0)
            case .int: .int(Int64(i) << 33)
            case .float: .float(Float(i))
            case .double: .double(Double(i))
            case .string: .string("value \(i)")
            case .data: .data(Data(repeating: 1, count: i % 2 == 0 ? 4000 : 4))
            case .timestamp: .timestamp(Timestamp(seconds: Int64(i), nanoseconds: 0))
            case .decimal128: .decimal128(Decimal128(i))
            case .objectId: .objectId(ObjectId())
            case .uuid: .uuid(UUID())
            case .link: .link(ObjectKey(Int64(i % 30)))
            case .mixed: .int(Int64(i))
            }
        }
        if column.type == .link {
            guard let target = column.targetTableID.flatMap({ t.schema.table(id: $0) }) else { return }
            if case .link(let key) = sample(), !t.contains(target, key) { return }
        }
        switch column.collection {
        case .none: try t.set(column, key, to: sample())
        case .list:
            let count = t.listCount(column, key)
            switch i % 4 {
            case 0: try t.listAppend(column, key, values: [sample(), sample()])
            case 1 where count > 0: try t.listRemove(column, key, at: count / 2)
            case 2 where count > 1: try t.listSet(column, key, at: count - 1, to: sample())
            default: try t.listInsert(column, key, at: count / 2, value: sample())
            }
        case .set:
            _ = try t.setInsert(column, key, value: sample())
            if i % 3 == 0 { _ = t.setRemove(column, key, value: .string("tag 1")) }
        case .dictionary:
            try t.dictionarySet(column, key, forKey: "key \(i)", to: sample())
            if i % 3 == 0 { _ = t.dictionaryRemove(column, key, forKey: "note 1") }
        }
    }

    private func read() throws -> String {
        let database = try open()
        let snapshot = try database.snapshot()
        var total = 0
        for table in snapshot.schema.tables {
            let keys = snapshot.keys(table)
            total += keys.count + snapshot.count(table)
            for key in keys {
                for column in table.columns { total += size(column, key, snapshot) }
                total += snapshot.allBacklinks(table, key).count
                if let primaryKey = table.primaryKey {
                    total += snapshot.find(primaryKey: snapshot.value(primaryKey, key), in: table) == key ? 1 : 0
                }
            }
            for predicate in try predicates(table) {
                total += RowQuery(table: table, predicate: predicate).count(in: snapshot)
            }
            for column in table.columns where column.collection == .none && column.type != .link {
                if column.type != .mixed {
                    total += RowQuery(table: table, sort: [SortKey(column)], limit: 20).keys(in: snapshot).count
                }
                if column.type == .int || column.type == .double {
                    _ = RowQuery(table: table).sum(of: column, in: snapshot)
                    _ = RowQuery(table: table).max(of: column, in: snapshot)
                }
            }
        }
        for version in 1...max(snapshot.version, 1) {
            total += snapshot.changes(ofVersion: version)?.tables.count ?? 0
        }
        return total > 0 ? "fine" : "empty"
    }

    private func size(_ column: Column, _ key: ObjectKey, _ snapshot: Snapshot) -> Int {
        switch column.collection {
        case .none:
            if case .link(let target) = snapshot.value(column, key), let id = column.targetTableID,
                let table = snapshot.schema.table(id: id)
            {
                return snapshot.value(table.columns[0], target).isNull ? 1 : 2
            }
            return snapshot.value(column, key).isNull ? 1 : 2
        case .list, .set:
            let count = snapshot.listCount(column, key)
            if count > 0 { _ = snapshot.listValue(column, key, at: count - 1) }
            if column.collection == .set { _ = snapshot.setIndex(column, key, of: .string("tag 1")) }
            return snapshot.listValues(column, key).count
        case .dictionary:
            _ = snapshot.dictionaryValue(column, key, forKey: "note 2")
            return snapshot.dictionaryEntries(column, key).count
        }
    }

    private func predicates(_ table: Table) throws -> [FreeholdEngine.Predicate] {
        var out: [FreeholdEngine.Predicate] = []
        for column in table.columns {
            let path = PropertyPath(column)
            switch column.type {
            case .int:
                out.append(.comparison(path, .greater, .int(3)))
                out.append(.comparison(path, .equal, .int(7)))
            case .string:
                out.append(.text(path, .contains, .string("1"), []))
                if column.collection == .none {
                    out.append(.comparison(path, .equal, .string("name 3")))
                    out.append(.text(path, .beginsWith, .string("na"), .ignoringCase))
                }
                if column.indexKind == .fullText {
                    out.append(.fullText(path, try FullTextQuery("some words", for: column)))
                }
            case .double: out.append(.comparison(path, .less, .double(2)))
            case .timestamp:
                out.append(.comparison(path, .greater, .timestamp(Timestamp(seconds: 20000, nanoseconds: 0))))
            case .mixed: out.append(.comparison(path, .equal, .int(7)))
            case .bool: out.append(.comparison(path, .equal, .bool(true)))
            case .data: out.append(.comparison(path, .equal, .data(Data([1]))))
            case .link: out.append(.comparison(path, .equal, .link(ObjectKey(1))))
            default: break
            }
        }
        return out
    }
}
