import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

/// Random objects that are created and deleted, also as placeholders, compared with a model of pairs of class and key.
struct RandomPlaceholderTests {
    private let folder = TemporaryFolder()

    private typealias Model = PlaceholderModel
    private typealias Item = PlaceholderModel.Item

    private struct Driver {
        var model = Model()
        var random: SeededRandom
        var next: Int64 = 1
        let ids: Int64 = 12

        mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }
        mutating func chance(_ p: Double) -> Bool { Double.random(in: 0..<1, using: &random) < p }

        mutating func name(_ table: String) -> Model.Name {
            Model.Name(table: table, id: Int64.random(in: 0..<ids, using: &random))
        }

        /// A number that is unique among all elements.
        mutating func number() -> Item {
            next += 1
            return .int(next)
        }

        mutating func mixed(depth: Int = 0) -> Item {
            switch Int.random(in: 0..<(depth < 2 ? 6 : 4), using: &random) {
            case 0: return .null
            case 1: return number()
            case 2, 3: return .link(name(pick(["A", "B"])))
            case 4: return .list((0..<Int.random(in: 0...4, using: &random)).map { _ in mixed(depth: depth + 1) })
            default:
                var entries: [String: Item] = [:]
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    entries[pick(["x", "y", "z"])] = mixed(depth: depth + 1)
                }
                return .dictionary(entries)
            }
        }

        /// Returns a value that the property accepts.
        mutating func item(_ column: Column, _ schema: DatabaseSchema) -> Item {
            if column.type == .link { return .link(name(schema.table(id: column.targetTableID!)!.name)) }
            if column.collection == .set { return chance(0.5) ? number() : .link(name(pick(["A", "B"]))) }
            return mixed()
        }

        // MARK: Values

        func key(_ name: Model.Name, _ transaction: WriteTransaction) -> ObjectKey? {
            transaction.find(
                primaryKey: Model.primaryKey(name),
                in: transaction.schema.table(named: name.table)!
            )
        }

        /// Returns the value in the form that calls for stored content expect.
        func value(_ item: Item, _ column: Column, _ transaction: WriteTransaction) throws -> Value {
            switch item {
            case .null: return .null
            case .int(let number): return .int(number)
            case .link(let name):
                let table = transaction.schema.table(named: name.table)!
                let key = try transaction.reference(to: table, primaryKey: Model.primaryKey(name))
                return column.type == .link ? .link(key) : .objectLink(ObjectLink(tableID: table.id, key: key))
            case .list(let items):
                return .list(NestedList(try items.map { try value($0, column, transaction) }))
            case .dictionary(let entries):
                return .dictionary(
                    NestedDictionary(try entries.map { .init($0.key, try value($0.value, column, transaction)) })
                )
            }
        }

        // MARK: Steps

        mutating func step(_ transaction: WriteTransaction) throws {
            transaction.resolvePlaceholders()
            switch Int.random(in: 0..<20, using: &random) {
            case 0, 1, 2:
                let new = name(pick(["A", "B"]))
                guard model.objects[new] == nil else { return }
                _ = try transaction.create(
                    transaction.schema.table(named: new.table)!,
                    primaryKey: Model.primaryKey(new)
                )
                model.create(new)
                transaction.resolvePlaceholders()
            case 3:
                guard let old = model.objects.keys.sorted().randomElement(using: &random) else { return }
                transaction.delete(transaction.schema.table(named: old.table)!, key(old, transaction)!)
                model.delete(old)
            case 4, 5:
                guard let old = model.objects.keys.sorted().randomElement(using: &random) else { return }
                try transaction.deleteLeavingPlaceholder(
                    transaction.schema.table(named: old.table)!,
                    key(old, transaction)!
                )
                model.objects[old] = nil
            case 6 where chance(0.1):
                let table = transaction.schema.table(named: "A")!
                let gone = model.objects.keys.filter { $0.table == "A" }.sorted().prefix(while: { _ in chance(0.9) })
                transaction.delete(table, gone.map { key($0, transaction)! })
                for name in gone { model.delete(name) }
            default: try edit(transaction)
            }
        }

        mutating func edit(_ transaction: WriteTransaction) throws {
            guard let name = model.objects.keys.sorted().randomElement(using: &random) else { return }
            let table = transaction.schema.table(named: name.table)!
            let object = key(name, transaction)!
            let column = pick(Array(table.columns.dropFirst(2)))
            let content = model.objects[name]![column.name]!
            let isStored = chance(0.5)
            /// Returns a value with existing objects only, as users assign it.
            func shownItem() -> Item {
                var item = self.item(column, transaction.schema)
                for _ in 0..<50 where model.shown(item) != item { item = self.item(column, transaction.schema) }
                return model.shown(item) == item ? item : .null
            }
            switch content {
            case .single(let old):
                if column.type == .mixed, !isStored, chance(0.6) {
                    try editNested(column, object, name, old, transaction)
                    return
                }
                let new = chance(0.2) ? .null : isStored ? item(column, transaction.schema) : shownItem()
                model.objects[name]![column.name] = .single(new)
                if isStored {
                    try transaction.setStored(column, object, to: value(new, column, transaction))
                } else {
                    try transaction.set(column, object, to: value(new, column, transaction))
                }
            case .list(let old):
                let items = (0..<pick([1, 2, 3])).map { _ in shownItem() }
                let new =
                    try isStored
                    ? editStored(column, object, old, transaction)
                    : editShown(column, object, old, items, transaction)
                model.objects[name]![column.name] = .list(new)
            case .set(var items):
                let item = isStored ? item(column, transaction.schema) : shownItem()
                if item == .null { return }
                let value = try value(item, column, transaction)
                switch Int.random(in: 0..<6, using: &random) {
                case 0..<3:
                    items.insert(item)
                    if isStored {
                        try transaction.storedSetInsert(column, object, values: [value])
                    } else {
                        try transaction.setInsert(column, object, value: value)
                    }
                case 3 where isStored:
                    items.remove(item)
                    try transaction.storedSetRemove(column, object, values: [value])
                case 3:
                    items.remove(item)
                    transaction.setRemove(column, object, value: value)
                case 4 where isStored:
                    items = [item]
                    try transaction.storedSetAssign(column, object, values: [value])
                case 4:
                    items = items.filter { model.isHidden($0) }.union([item])
                    try transaction.setAssign(column, object, values: [value])
                default:
                    items = items.filter { model.isHidden($0) }
                    transaction.listClear(column, object)
                }
                model.objects[name]![column.name] = .set(items)
            case .dictionary(var entries):
                let entry = pick(["a", "b", "c", "d"])
                let item = isStored ? item(column, transaction.schema) : shownItem()
                let value = try value(item, column, transaction)
                switch Int.random(in: 0..<7, using: &random) {
                case 0..<4:
                    entries[entry] = item
                    if isStored {
                        try transaction.storedDictionarySet(column, object, forKey: entry, to: value)
                    } else {
                        try transaction.dictionarySet(column, object, forKey: entry, to: value)
                    }
                case 4 where isStored:
                    entries[entry] = nil
                    transaction.storedDictionaryRemove(column, object, forKey: entry)
                case 4:
                    if entries[entry].map({ !model.isHidden($0) }) == true { entries[entry] = nil }
                    transaction.dictionaryRemove(column, object, forKey: entry)
                case 5 where isStored:
                    entries = [entry: item]
                    try transaction.storedDictionaryAssign(column, object, entries: [(entry, value)])
                case 5:
                    entries = entries.filter { model.isHidden($0.value) }
                    entries[entry] = item
                    try transaction.dictionaryAssign(column, object, entries: [(entry, value)])
                default:
                    entries = entries.filter { model.isHidden($0.value) }
                    transaction.dictionaryClear(column, object)
                }
                model.objects[name]![column.name] = .dictionary(entries)
            }
        }

        private mutating func editStored(
            _ column: Column,
            _ key: ObjectKey,
            _ old: [Item],
            _ transaction: WriteTransaction
        ) throws -> [Item] {
            var new = old
            let items = (0..<Int.random(in: 1...3, using: &random)).map { _ in item(column, transaction.schema) }
            let values = try items.map { try value($0, column, transaction) }
            let i = Int.random(in: 0...old.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                new.insert(contentsOf: items, at: i)
                try transaction.storedListInsert(column, key, at: i, values: values)
            case 4 where i < old.count:
                new[i] = items[0]
                try transaction.storedListSet(column, key, at: i, to: values[0])
            case 5 where i < old.count:
                let to = Int.random(in: 0..<old.count, using: &random)
                new.insert(new.remove(at: i), at: to)
                try transaction.storedListMove(column, key, from: i, to: to)
            case 6 where chance(0.3):
                new = items
                try transaction.storedListAssign(column, key, values: values)
            default:
                let end = Int.random(in: i...old.count, using: &random)
                new.removeSubrange(i..<end)
                try transaction.storedListRemove(column, key, range: i..<end)
            }
            return new
        }

        private mutating func editShown(
            _ column: Column,
            _ key: ObjectKey,
            _ old: [Item],
            _ items: [Item],
            _ transaction: WriteTransaction
        ) throws -> [Item] {
            let items = items.filter { $0 != .null || column.type == .mixed }
            if items.isEmpty { return old }
            let values = try items.map { try value($0, column, transaction) }
            let places = model.places(old)
            let i = Int.random(in: 0...places.count, using: &random)
            switch Int.random(in: 0..<11, using: &random) {
            case 0..<3:
                try transaction.listInsert(column, key, at: i, values: values)
                return model.insert(items, at: i, in: old)
            case 3 where column.type == .link:
                guard case .link(let target) = values[0] else { return old }
                transaction.listAppend(column, key, link: target)
                return old + [items[0]]
            case 4 where i < places.count:
                try transaction.listSet(column, key, at: i, to: values[0])
                var new = old
                new[places[i]] = items[0]
                return new
            case 5 where i < places.count:
                let to = Int.random(in: 0..<places.count, using: &random)
                try transaction.listMove(column, key, from: i, to: to)
                if i == to { return old }
                var rest = old
                let moved = rest.remove(at: places[i])
                return model.insert([moved], at: to, in: rest)
            case 8 where i < places.count:
                let j = Int.random(in: 0..<places.count, using: &random)
                try transaction.listSwap(column, key, at: i, and: j)
                var new = old
                new.swapAt(places[i], places[j])
                return new
            case 6 where chance(0.3):
                try transaction.listAssign(column, key, values: values)
                return old.filter { model.isHidden($0) } + items
            case 7:
                let order = Array(places.indices).shuffled(using: &random)
                transaction.listReorder(column, key, positions: order)
                var new = old
                for (i, from) in order.enumerated() { new[places[i]] = old[places[from]] }
                return new
            default:
                let end = Int.random(in: i...places.count, using: &random)
                try transaction.listRemove(column, key, range: i..<end)
                return model.remove(i..<end, from: old)
            }
        }

        /// Sets and removes entries, appends to lists, at any depth of a mixed value.
        private mutating func editNested(
            _ column: Column,
            _ key: ObjectKey,
            _ name: Model.Name,
            _ old: Item,
            _ transaction: WriteTransaction
        ) throws {
            var nested: [Value] = []
            let root = transaction.value(column, key)
            root.forEachNested { nested.append($0) }
            guard let chosen = nested.randomElement(using: &random), let id = chosen.nestedID else { return }
            let (entry, number) = (pick(["x", "y", "z"]), number())
            let removes = chance(0.3)
            let new = try value(number, column, transaction)
            var place = NestedSubscript.property
            try transaction.updateNested(column, key, id: id, near: &place) { value in
                switch value {
                case .list(var list):
                    list.values.append(new)
                    value = .list(list)
                case .dictionary(var dictionary):
                    dictionary[entry] = removes ? nil : new
                    value = .dictionary(dictionary)
                default: break
                }
            }
            /// The same by the position among all nested collections.
            var counter = -1
            let wanted = nested.firstIndex { $0.nestedID == id }!
            func edited(_ item: Item, _ shown: Value) -> Item {
                switch (item, shown) {
                case (.list(let items), .list(let list)):
                    counter += 1
                    let isThis = counter == wanted
                    let inner = zip(items, list.values).map { edited($0, $1) }
                    return .list(isThis ? inner + [number] : inner)
                case (.dictionary(let entries), .dictionary(let dictionary)):
                    counter += 1
                    let isThis = counter == wanted
                    var out = entries
                    for shown in dictionary.entries { out[shown.key] = edited(entries[shown.key]!, shown.value) }
                    if isThis { out[entry] = removes ? nil : number }
                    return .dictionary(out)
                default: return item
                }
            }
            model.objects[name]![column.name] = .single(edited(old, root))
        }
    }

    // MARK: Observers

    /// Collections and queries that are followed from version to version.
    private struct Followers {
        struct Collection {
            let column: Column
            let key: ObjectKey
            var observed: ObservedCollection
        }

        var collections: [Collection] = []
        var queries: [ObservedQuery] = []

        static func queries(_ schema: DatabaseSchema) -> [RowQuery] {
            let a = schema.table(named: "A")!
            let b = schema.table(named: "B")!
            func column(_ table: Table, _ name: String) -> Column { table.column(named: name)! }
            let links = Operand.count(PropertyPath(column(a, "list")))
            return [
                RowQuery(table: a, predicate: .comparison(PropertyPath(column(a, "one")), .equal, .null)),
                RowQuery(table: a, predicate: .comparison(PropertyPath(column(a, "one")), .notEqual, .null)),
                RowQuery(
                    table: b,
                    predicate: .operands(.count(PropertyPath(column(b, "map"))), .greater, .constant(.int(1)))
                ),
                RowQuery(table: a, predicate: .operands(links, .greater, .constant(.int(2)))),
                RowQuery(
                    table: a,
                    predicate: .comparison(
                        PropertyPath(columns: [column(a, "one"), column(b, "n")]),
                        .equal,
                        .int(0)
                    )
                ),
            ]
        }

        mutating func add(_ snapshot: Snapshot, _ random: inout SeededRandom) {
            if queries.isEmpty { queries = Self.queries(snapshot.schema).map { ObservedQuery($0, in: snapshot) } }
            guard collections.count < 6, let table = snapshot.schema.tables.randomElement(using: &random),
                let key = snapshot.keys(table).randomElement(using: &random)
            else { return }
            let column = table.column(named: ["list", "anys", "set", "anySet"].randomElement(using: &random)!)!
            collections.append(
                Collection(column: column, key: key, observed: ObservedCollection(column, of: key, in: snapshot))
            )
        }

        mutating func advance(to snapshot: Snapshot, _ feed: ChangeFeed) throws {
            for i in queries.indices {
                let old = queries[i]
                let changes = feed.changes(from: old.snapshot, to: snapshot)
                let told = queries[i].advance(to: snapshot, changes) ?? CollectionChanges()
                let new = old.query.keys(in: snapshot)
                expectEqual(Self.replay(told, Array(old.keys), new), new)
                expectEqual(Array(queries[i].keys), new)
            }
            for i in collections.indices.reversed() {
                let (column, key) = (collections[i].column, collections[i].key)
                let old = collections[i].observed.snapshot
                let changes = feed.changes(from: old, to: snapshot)
                let told = collections[i].observed.advance(to: snapshot, changes) ?? CollectionChanges()
                guard snapshot.contains(snapshot.schema.table(of: column), key) else {
                    collections.remove(at: i)
                    continue
                }
                let new = snapshot.listValues(column, key)
                expectEqual(Self.replay(told, old.listValues(column, key), new), new)
            }
        }

        private static func replay<T>(_ told: CollectionChanges, _ old: [T], _ new: [T]) -> [T] {
            var out = old
            for (i, to) in zip(told.modifications, told.modificationsNew) where to < new.count { out[i] = new[to] }
            for i in told.deletions.reversed() { out.remove(at: i) }
            for i in told.insertions where i <= out.count && i < new.count { out.insert(new[i], at: i) }
            return out
        }
    }

    private func open() throws -> Database {
        var options = Database.Options()
        options.clusterSpan = 4
        options.memoryBudget = 1 << 16
        return try Database.open(at: folder.file("placeholders.realm"), options: options)
    }

    @Test(arguments: 0..<6)
    func `objects come and go, and links to them are what the model says`(run: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? TestSeed.random(in: 0 ... .max)
        print("seed \(seed)")
        var driver = Driver(random: SeededRandom(seed: seed))
        var database = try open()
        var followers = Followers()
        var other = SeededRandom(seed: seed &+ 1)
        do {
            let transaction = try database.beginWrite()
            try transaction.applySchema(Model.specs)
            _ = try transaction.commit()
        }
        for round in TestBudget.range("RandomPlaceholderTests", usual: 30, soak: 2000) {
            let saved = driver.model
            let transaction = try database.beginWrite()
            for _ in 0..<driver.pick([1, 3, 30]) { try driver.step(transaction) }
            if driver.chance(0.3) {
                transaction.resolvePlaceholders()
                expectEqual(
                    transaction.placeholderModel(isStored: true),
                    driver.model.objects,
                    "seed \(seed) round \(round)"
                )
                expectEqual(
                    transaction.placeholderModel(isStored: false),
                    driver.model.objects.mapValues { $0.mapValues(driver.model.shown) }
                )
            }
            if driver.chance(0.1) {
                transaction.cancel()
                driver.model = saved
                continue
            }
            let snapshot = try transaction.commit()
            let problems = snapshot.verify()
            expectEqual(problems, [], "seed \(seed) round \(round)")
            for isStored in [true, false] {
                let found = snapshot.placeholderModel(isStored: isStored)
                let model = driver.model
                let wanted = isStored ? model.objects : model.objects.mapValues { $0.mapValues(model.shown) }
                for (name, contents) in wanted where found[name] != contents {
                    for (property, content) in contents where found[name]?[property] != content {
                        let has = found[name]?[property].map { "\($0)" } ?? "nothing"
                        Issue.record(
                            "\(name).\(property) is \(has), not \(content), stored: \(isStored), seed \(seed), round \(round)"
                        )
                    }
                }
                try require(found.count == wanted.count && found == wanted)
            }
            try followers.advance(to: snapshot, ChangeFeed(database))
            followers.add(snapshot, &other)
            if driver.chance(0.1) { database = try open() }
            if !problems.isEmpty { return }
        }
    }
}
