import Foundation
import FreeholdEngine
import FreeholdSyncCore

/// Random commits of a Freehold file, whose journal is read as a client reads it.
struct FileHistory {
    let database: Database
    var random: SeededRandom
    var fresh: Int64 = 0

    static func problems(seed: UInt64) throws -> [String] {
        let folder = NSTemporaryDirectory() + "freehold-sync-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var history = FileHistory(
            database: try Database.open(at: folder + "/journal.realm"),
            random: SeededRandom(seed: seed)
        )
        try history.prepare()
        return try history.run()
    }

    private func prepare() throws {
        let transaction = try database.beginWrite()
        try transaction.applySchema([
            TableSpec(
                "Address",
                columns: [ColumnSpec("street", .int), ColumnSpec("rooms", .int, collection: .list)],
                isEmbedded: true
            ),
            TableSpec(
                "Thing",
                columns: [
                    ColumnSpec("_id", .int), ColumnSpec("f", .int), ColumnSpec("any", .mixed),
                    ColumnSpec("list", .int, collection: .list), ColumnSpec("tags", .int, collection: .set),
                    ColumnSpec("map", .int, collection: .dictionary),
                    ColumnSpec("friends", .link, collection: .list, target: "Thing"),
                    ColumnSpec("home", .link, optional: true, target: "Address"),
                    ColumnSpec("homes", .link, collection: .list, target: "Address"),
                ],
                primaryKey: "_id"
            ),
        ])
        _ = try transaction.keepImages(of: transaction.schema.table(named: "Thing")!)
        try transaction.addJournalCursor("sync")
        _ = try transaction.commit()
    }

    private mutating func run() throws -> [String] {
        var problems: [String] = []
        var before = try database.snapshot()
        var position = before.journalCursors[0].position
        for step in 0..<40 where problems.isEmpty {
            let transaction = try database.beginWrite()
            for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(transaction) }
            let after = try transaction.commit()
            while let entry = try after.journalEntry(at: position) {
                position = entry.next
                let commit = try FileCommit(entry, schema: after.schema)
                var objects = Self.objects(before)
                for (name, image) in commit.before where objects[name] != image {
                    problems.append("commit \(step): \(name) was \(objects[name] ?? [:]), not \(image)")
                }
                for edit in commit.edits { try edit.apply(to: &objects[edit.object]) }
                if Self.plain(objects) != Self.plain(Self.objects(after)) {
                    problems.append("commit \(step): \(commit.edits) makes \(objects), not \(Self.objects(after))")
                }
            }
            before = after
        }
        return problems
    }

    private typealias Objects = [ObjectName: [SyncString: MergedContent]]

    private static func objects(_ view: Snapshot) -> Objects {
        let (table, contents) = (view.schema.table(named: "Thing")!, FileContents(view))
        var objects: Objects = [:]
        for key in view.keys(table) { objects[contents.name(table.id, key)!] = contents.contents(table, key) }
        return objects
    }

    private static func plain(_ objects: Objects) -> [ObjectName: [SyncString: Content]] {
        objects.mapValues { Content.withoutEmpty($0.mapValues(Content.init)) }
    }

    private mutating func value() -> Value {
        fresh += 1
        return .int(fresh)
    }

    private mutating func edit(_ transaction: WriteTransaction) throws {
        let table = transaction.schema.table(named: "Thing")!
        let address = transaction.schema.table(named: "Address")!
        func column(_ name: String) -> Column { table.column(named: name)! }
        let id = Value.int(.random(in: 1...4, using: &random))
        guard let key = transaction.find(primaryKey: id, in: table) else {
            let key = try transaction.create(table, primaryKey: id)
            try transaction.set(column("f"), key, to: value())
            try transaction.listInsert(column("list"), key, at: 0, values: [value(), value()])
            return
        }
        switch Int.random(in: 0..<16, using: &random) {
        case 0: try transaction.set(column("f"), key, to: value())
        case 1: try transaction.increment(column("f"), key, by: 3)
        case 2: _ = try transaction.setInsert(column("tags"), key, value: .int(.random(in: 0...3, using: &random)))
        case 3: _ = transaction.setRemove(column("tags"), key, value: .int(.random(in: 0...3, using: &random)))
        case 4: try transaction.dictionarySet(column("map"), key, forKey: random.chance(50) ? "a" : "b", to: value())
        case 5: _ = transaction.dictionaryRemove(column("map"), key, forKey: "a")
        case 6:
            let dictionary = NestedDictionary([NestedDictionary.Entry("x", value())])
            try transaction.set(column("any"), key, to: random.chance(50) ? .dictionary(dictionary) : value())
        case 7: transaction.delete(table, key)
        case 8, 9:
            let other = Value.int(.random(in: 1...4, using: &random))
            let count = transaction.listCount(column("friends"), key)
            let friend = transaction.find(primaryKey: other, in: table) ?? key
            try transaction.listInsert(
                column("friends"),
                key,
                at: .random(in: 0...count, using: &random),
                values: [.link(friend)]
            )
        case 10:
            let count = transaction.listCount(column("friends"), key)
            if count > 1 { try transaction.listMove(column("friends"), key, from: 0, to: count - 1) }
            if count > 2 { try transaction.listRemove(column("friends"), key, at: 1) }
        case 11 where random.chance(30): transaction.listClear(column("friends"), key)
        case 12:
            let home = try transaction.create(address)
            try transaction.set(address.column(named: "street")!, home, to: value())
            if random.chance(50) {
                try transaction.set(column("home"), key, to: .link(home))
            } else {
                try transaction.listInsert(column("homes"), key, at: 0, values: [.link(home)])
            }
        case 13:
            if case .link(let home) = transaction.value(column("home"), key) {
                try transaction.set(address.column(named: "street")!, home, to: value())
                try transaction.listInsert(address.column(named: "rooms")!, home, at: 0, values: [value()])
            }
        case 14:
            if case .link(let home)? = transaction.listValues(column("homes"), key).last {
                try transaction.listInsert(address.column(named: "rooms")!, home, at: 0, values: [value(), value()])
            }
        default:
            let count = transaction.listCount(column("list"), key)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where count > 0: try transaction.listRemove(column("list"), key, at: count / 2)
            case 1 where count > 1: try transaction.listMove(column("list"), key, from: count - 1, to: 0)
            case 2 where count > 0: try transaction.listSet(column("list"), key, at: 0, to: value())
            default: try transaction.listInsert(column("list"), key, at: count / 2, values: [value(), value()])
            }
        }
    }
}
