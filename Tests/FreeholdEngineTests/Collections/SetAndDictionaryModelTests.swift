import Foundation
import Testing

@testable import FreeholdEngine

/// Random edits of sets and dictionaries of every type, compared with plain Swift ones.
struct SetAndDictionaryModelTests {
    struct Run: CustomStringConvertible, Sendable {
        let seed: UInt64
        let span: Int
        let budget: Int
        var description: String { "seed \(seed), span \(span), budget \(budget)" }
    }

    static let runs: [Run] = {
        // A soak sets it to repeat one seed.
        let runs = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_RUNS"] ?? "")
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return (first..<first + (EngineModelTests.isSoak ? runs ?? 300 : 6)).map { seed in
            let spans = [3, 1000, 4, 16, 1, 65]
            return Run(seed: seed, span: spans[Int(seed % 6)], budget: seed % 3 == 0 ? 20_000 : 64 << 20)
        }
    }()

    @Test(arguments: runs) func `random edits of sets and dictionaries have the same result as on plain ones`(
        _ run: Run
    ) throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.clusterSpan = run.span
        options.memoryBudget = run.budget
        options.mapSize = 1 << 30
        var driver = try SetAndDictionaryDriver(seed: run.seed, path: folder.file(), options: options)
        if EngineModelTests.isSoak { driver.largest = 4000 }
        try driver.run(transactions: EngineModelTests.isSoak ? 30 : 5, edits: EngineModelTests.isSoak ? 150 : 45)
        expect(driver.problems.isEmpty, "\(run): \(driver.problems.prefix(20).joined(separator: "\n"))")
    }
}

struct SetAndDictionaryDriver {
    var random: RandomEngine
    var model = SetAndDictionaryModel()
    let path: String
    let options: Database.Options
    var database: Database
    var kept: [(Snapshot, SetAndDictionaryModel)] = []
    var problems: [String] = []
    var largest = 600

    init(seed: UInt64, path: String, options: Database.Options) throws {
        random = RandomEngine(seed: seed)
        self.path = path
        self.options = options
        database = try Database.open(at: path, options: options)
        let transaction = try database.beginWrite()
        var columns: [ColumnSpec] = []
        for type in ColumnType.allCases {
            for (suffix, kind) in [("Set", CollectionKind.set), ("Map", .dictionary)] {
                for isOptional in type == .link || type == .mixed ? [false] : [false, true] {
                    let name = "\(type)\(suffix)\(isOptional ? "Optional" : "")"
                    let target = type == .link ? "Thing" : nil
                    columns.append(ColumnSpec(name, type, optional: isOptional, collection: kind, target: target))
                }
            }
        }
        try transaction.applySchema([
            TableSpec("Owner", columns: columns), TableSpec("Thing", columns: [ColumnSpec("number", .int)]),
        ])
        _ = try transaction.commit()
    }

    private mutating func check(_ found: [String], _ what: String) {
        problems += found.map { "\(what): \($0)" }
    }

    mutating func run(transactions: Int, edits: Int) throws {
        for _ in 0..<transactions where problems.isEmpty {
            try transaction(random.below(edits) + 1)
            guard random.chance(20) else { continue }
            kept = []
            database = try Database.open(at: path, options: options)
            check(model.differences(from: try database.snapshot()), "reopened")
        }
        for (snapshot, old) in kept { check(old.differences(from: snapshot), "kept version \(snapshot.version)") }
    }

    private mutating func transaction(_ edits: Int) throws {
        let before = model
        let transaction = try database.beginWrite()
        for _ in 0..<edits { try edit(transaction) }
        if random.chance(50) { check(model.differences(from: transaction), "before commit") }
        if random.chance(15) {
            transaction.cancel()
            model = before
            check(model.differences(from: try database.snapshot()), "after cancel")
            return
        }
        let base = transaction.base.version
        let snapshot = try transaction.commit()
        check(model.differences(from: snapshot), "version \(snapshot.version)")
        check(snapshot.verify(), "verify of version \(snapshot.version)")
        if snapshot.version != base {
            let table = snapshot.schema.table(named: "Owner")!
            check(
                model.problems(of: snapshot.changes(ofVersion: snapshot.version), from: before, table),
                "record of \(snapshot.version)"
            )
        }
        if random.chance(30) { kept.append((snapshot, model)) }
        if kept.count > 3 {
            let (old, oldModel) = kept.remove(at: random.below(kept.count))
            check(oldModel.differences(from: old), "kept version \(old.version)")
        }
    }

    private mutating func edit(_ transaction: WriteTransaction) throws {
        let owners = transaction.schema.table(named: "Owner")!
        let things = transaction.schema.table(named: "Thing")!
        switch random.below(100) {
        case 0..<4:
            model.owners[try transaction.create(owners).raw] = SetAndDictionaryModel.Row()
        case 4..<12:
            for _ in 0...random.below(random.chance(20) ? 60 : 6) {
                model.things.insert(try transaction.create(things).raw)
            }
        case 12..<14:
            guard let key = model.owners.keys.sorted().randomElement(using: &random.generator) else { return }
            transaction.delete(owners, ObjectKey(key))
            model.owners[key] = nil
        case 14:
            let keys = model.things.sorted().filter { _ in random.chance(60) }.map { ObjectKey($0) }
            transaction.delete(things, keys)
            for key in keys { model.deleteThing(key.raw) }
        case 15:
            guard random.chance(20) else { return }
            transaction.deleteAll(things)
            for key in model.things { model.deleteThing(key) }
        case 16..<20:
            guard let key = model.things.sorted().randomElement(using: &random.generator) else { return }
            transaction.delete(things, ObjectKey(key))
            model.deleteThing(key)
        default:
            guard let raw = model.owners.keys.sorted().randomElement(using: &random.generator) else { return }
            let column = random.pick(owners.columns)
            if column.collection == .set {
                try editSet(transaction, column, ObjectKey(raw))
            } else {
                try editDictionary(transaction, column, ObjectKey(raw))
            }
        }
    }

    private mutating func element(_ column: Column) -> Value? {
        if column.type == .link {
            if column.collection == .dictionary, random.chance(15) { return .null }
            return model.things.sorted().randomElement(using: &random.generator).map { .link(ObjectKey($0)) }
        }
        while true {
            let value = random.value(column.type, optional: column.isOptional)
            guard column.collection == .set else { return value }
            switch value {
            case .list, .dictionary: continue
            default: return value
            }
        }
    }

    private mutating func elements(_ column: Column) -> [Value] {
        let isLong = LeafBuffer.kind(of: column.type) == .bytes
        let n = random.chance(75) ? random.below(6) : random.below(isLong ? largest / 10 : largest)
        if column.type == .int, n > 6 {
            let start = Int64(random.below(3000))
            return (0..<n).map { .int(start + Int64($0 * 7919 % (2 * n))) }
        }
        return (0..<n).compactMap { _ in element(column) }
    }

    private mutating func editSet(_ transaction: WriteTransaction, _ column: Column, _ key: ObjectKey) throws {
        var set = model.owners[key.raw]!.sets[column.index] ?? []
        func isSame(_ a: Value) -> (Value) -> Bool { { Value.compare(a, with: $0) == 0 } }
        let roll = random.below(20)
        switch roll {
        case 0..<6:
            guard let value = element(column) else { return }
            let isNew = !set.contains(where: isSame(value))
            try expectEqual(transaction.setInsert(column, key, value: value), isNew)
            if isNew { set.append(value) }
        case 6..<9:
            guard let value = random.chance(80) ? set.randomElement(using: &random.generator) : element(column) else {
                return
            }
            let isThere = set.contains(where: isSame(value))
            expectEqual(transaction.setRemove(column, key, value: value), isThere)
            set.removeAll(where: isSame(value))
        case 9..<12:
            let values = elements(column)
            let before = set.count
            for value in values where !set.contains(where: isSame(value)) { set.append(value) }
            try expectEqual(transaction.setInsert(column, key, values: values), set.count - before)
        case 12..<14, 14..<16:
            let isRemoval = roll < 14
            let values = elements(column) + set.filter { _ in random.chance(40) }
            let before = set.count
            set.removeAll { value in values.contains(where: isSame(value)) == isRemoval }
            let gone =
                isRemoval
                ? transaction.setRemove(column, key, values: values)
                : transaction.setIntersect(column, key, values: values)
            expectEqual(gone, before - set.count)
        case 16..<19:
            let values = random.chance(50) ? elements(column) : set.filter { _ in random.chance(99) } + elements(column)
            try transaction.setAssign(column, key, values: values)
            set = []
            for value in values {
                if let i = set.firstIndex(where: isSame(value)) { set[i] = value } else { set.append(value) }
            }
        default:
            transaction.listClear(column, key)
            set = []
        }
        model.owners[key.raw]!.sets[column.index] = set
    }

    private mutating func name() -> String {
        switch random.below(12) {
        case 0: return ""
        // No two values are equal in Swift but have different bytes.
        case 1: return random.pick(["é", "日本", "a$b", "\0", "🐕"])
        case 2: return String(repeating: "n", count: 1990 + random.below(20))
        default: return "key \(random.below(150))"
        }
    }

    private mutating func editDictionary(_ transaction: WriteTransaction, _ column: Column, _ key: ObjectKey) throws {
        var dictionary = model.owners[key.raw]!.dictionaries[column.index] ?? [:]
        if column.type == .int, random.chance(30) {
            let name = dictionary.keys.sorted().randomElement(using: &random.generator) ?? name()
            let amount = Int64(random.below(9)) - 4
            var sum: Int64?
            if case .int(let old)? = dictionary[name] { sum = old &+ amount }
            try expectEqual(transaction.dictionaryIncrement(column, key, forKey: name, by: amount), sum)
            if let sum { model.owners[key.raw]!.dictionaries[column.index]![name] = .int(sum) }
            return
        }
        switch random.below(20) {
        case 0..<8:
            guard let value = element(column) else { return }
            let name = name()
            try transaction.dictionarySet(column, key, forKey: name, to: value)
            dictionary[name] = value
        case 8..<12:
            let isMember = random.chance(80)
            let name = isMember ? dictionary.keys.sorted().randomElement(using: &random.generator) ?? name() : name()
            expectEqual(transaction.dictionaryRemove(column, key, forKey: name), (dictionary[name] != nil))
            dictionary[name] = nil
        case 12..<15:
            let entries = elements(column).enumerated().map { (i, value) in
                (key: random.chance(30) ? name() : "m\(i * 7919 % 2000)", value: value)
            }
            try transaction.dictionaryMerge(column, key, entries: entries)
            for entry in entries { dictionary[entry.key] = entry.value }
        case 15..<19:
            var entries = elements(column).map { (key: name(), value: $0) }
            if random.chance(50) { entries = dictionary.map { ($0.key, $0.value) } + entries }
            try transaction.dictionaryAssign(column, key, entries: entries)
            dictionary = [:]
            for entry in entries { dictionary[entry.key] = entry.value }
        default:
            if random.chance(50) {
                transaction.dictionaryClear(column, key)
            } else {
                transaction.listClear(column, key)
            }
            dictionary = [:]
        }
        model.owners[key.raw]!.dictionaries[column.index] = dictionary
    }
}
