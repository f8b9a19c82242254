import Foundation
import FreeholdEngine

/// Freehold's engine by table and column, without model objects.
final class EngineSubject: Subject {
    let layer = Layer.engine
    let data: Dataset
    let folder: String
    var kind = FileKind.people
    var database: Database!
    /// Kept between reads, dropped before a write so that no old version is pinned.
    private var current: Snapshot?

    var people: Table!
    var id, name, age, score, active, created: Column!
    var dogs: Table!
    var dogAge: Column!
    var dog, numbers, dogList: Column!
    private let options: Database.Options
    private let isJournalled: Bool

    init(_ data: Dataset, folder: String, options: Database.Options = .init(), isJournalled: Bool = false) {
        self.data = data
        self.folder = folder
        self.options = options
        self.isJournalled = isJournalled
    }

    var version: String { "this package" }

    func path(_ kind: FileKind) -> String { "\(folder)/\(layer.fileName)-\(kind.rawValue).realm" }

    var isKennel: Bool { kind == .kennel || kind == .linked || kind == .lists }

    func create(_ kind: FileKind) {
        close()
        for suffix in ["", "-lock", ".writer"] { unlink(path(kind) + suffix) }
        self.kind = kind
        attempt { () throws(EngineError) in
            database = try Database.open(at: path(kind), options: options)
            let transaction = try database.beginWrite()
            try transaction.applySchema(specs, userVersion: 0)
            if isJournalled { try transaction.addJournalCursor("bench") }
            _ = try transaction.commit()
        }
        findColumns()
    }

    private var specs: [TableSpec] {
        var columns = [
            ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: kind == .indexed), ColumnSpec("age", .int),
            ColumnSpec("score", .double), ColumnSpec("active", .bool), ColumnSpec("created", .timestamp),
        ]
        guard isKennel else { return [TableSpec("Person", columns: columns, primaryKey: "id")] }
        columns += [
            ColumnSpec("dog", .link, optional: true, target: "Dog"), ColumnSpec("numbers", .int, collection: .list),
            ColumnSpec("dogs", .link, collection: .list, target: "Dog"),
        ]
        return [
            TableSpec("Dog", columns: [ColumnSpec("id", .int), ColumnSpec("age", .int)], primaryKey: "id"),
            TableSpec("Person", columns: columns, primaryKey: "id"),
        ]
    }

    func open(_ kind: FileKind) {
        close()
        self.kind = kind
        attempt { () throws(EngineError) in database = try Database.open(at: path(kind), options: options) }
        findColumns()
    }

    private func findColumns() {
        let schema = view.schema
        people = schema.table(named: "Person")
        (id, name, age) = (people.column(named: "id"), people.column(named: "name"), people.column(named: "age"))
        (score, active) = (people.column(named: "score"), people.column(named: "active"))
        created = people.column(named: "created")
        if isKennel {
            dogs = schema.table(named: "Dog")
            dogAge = dogs.column(named: "age")
            (dog, numbers) = (people.column(named: "dog"), people.column(named: "numbers"))
            dogList = people.column(named: "dogs")
        }
    }

    func close() {
        current = nil
        database = nil
    }

    var view: Snapshot {
        if let current { return current }
        let snapshot = attempt { () throws(EngineError) in try database.snapshot() }
        current = snapshot
        return snapshot
    }

    @discardableResult
    func attempt<R>(_ body: () throws(EngineError) -> R) -> R {
        do throws(EngineError) {
            return try body()
        } catch {
            fail("Freehold's engine: \(error)")
        }
    }

    func transaction(_ body: (WriteTransaction) throws(EngineError) -> Void) {
        current = nil
        attempt { () throws(EngineError) in
            let transaction = try database.beginWrite()
            try body(transaction)
            current = try transaction.commit()
        }
    }

    /// Locals, as a program's hot loop would have them: the subject's properties would be retained at every use.
    private struct PersonColumns {
        let table: Table
        let name, age, score, active, created: Column

        @inline(__always)
        func insert(_ row: Row, _ transaction: WriteTransaction) throws(EngineError) {
            let key = try transaction.create(table, primaryKey: .int(row.id))
            transaction.setString(name, key, to: row.name)
            transaction.setInt(age, key, to: row.age)
            transaction.setDouble(score, key, to: row.score)
            transaction.setBool(active, key, to: row.active)
            let seconds = row.created / 1_000_000
            let nanoseconds = Int32(row.created % 1_000_000) * 1000
            try transaction.set(created, key, to: .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
        }
    }

    private var personColumns: PersonColumns {
        PersonColumns(table: people, name: name, age: age, score: score, active: active, created: created)
    }

    func insert(_ numbers: ArraySlice<Int>, perTransaction: Int) {
        let columns = personColumns
        let rows = data.rows
        var start = numbers.startIndex
        while start < numbers.endIndex {
            let end = min(start + perTransaction, numbers.endIndex)
            transaction { transaction throws(EngineError) in
                for number in numbers[start..<end] { try columns.insert(rows[number], transaction) }
            }
            start = end
        }
    }

    func insertGenerated(count: Int) {
        let columns = personColumns
        transaction { transaction throws(EngineError) in
            for number in 0..<count { try columns.insert(Row(number), transaction) }
        }
    }

    /// People beyond those of the data, in a transaction each.
    func insertMore(_ count: Int) {
        let columns = personColumns
        for number in 0..<count {
            transaction { transaction throws(EngineError) in
                try columns.insert(Row(data.count + number), transaction)
            }
        }
    }

    func countPeople() -> Int64 { Int64(view.count(people)) }

    func openAndReadOne(_ kind: FileKind, id: Int) -> Int64 {
        open(kind)
        let key = view.find(primaryKey: .int(Int64(id)), in: people)!
        let value = view.readInt(age, key)!
        close()
        return value
    }
}
