import BenchMachine
import Foundation
import FreeholdEngine

/// The cost of links to missing objects, compared with links to existing ones, and the size of hidden columns.
final class PlaceholderFigures {
    private(set) var rows: [(name: String, unit: String, values: [Double])] = []
    private let count: Int
    private let folder: String

    init(count: Int, folder: String, repeats: Int) {
        self.count = count
        self.folder = folder
        for _ in 0..<repeats {
            walk(withPlaceholders: false)
            walk(withPlaceholders: true)
            link()
            list(10_000)
            hidden()
        }
        for row in rows { progress("\(row.name): \(figure(median(row.values))) \(row.unit)") }
    }

    private func note(_ name: String, unit: String, value: Double) {
        let i =
            rows.firstIndex { $0.name == name }
            ?? {
                rows.append((name, unit, []))
                return rows.count - 1
            }()
        rows[i].values.append(value)
    }

    private func time<R>(_ name: String, _ operations: Int, body: () throws -> R) -> R {
        let start = ContinuousClock.now
        let result = try! body()
        note(name, unit: "ns", value: (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations))
        return result
    }

    private static let specs = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("dog", .link, target: "Dog"),
                ColumnSpec("dogs", .link, collection: .list, target: "Dog"),
            ],
            primaryKey: "id"
        ), TableSpec("Dog", columns: [ColumnSpec("id", .int), ColumnSpec("age", .int)], primaryKey: "id"),
    ]

    private func database() throws -> Database {
        let path = folder + "/placeholders.realm"
        _ = try Database.deleteFiles(at: path)
        let database = try Database.open(at: path)
        let transaction = try database.beginWrite()
        try transaction.applySchema(Self.specs)
        _ = try transaction.commit()
        return database
    }

    /// People with one dog each. The dogs are created in another order.
    private func link() {
        let database = try! database()
        for isThere in [true, false] {
            let first = isThere ? 0 : count
            let what = isThere ? "an existing object" : "a missing one, commit included"
            if isThere {
                let transaction = try! database.beginWrite()
                let dog = transaction.schema.table(named: "Dog")!
                for i in 0..<count { _ = try! transaction.create(dog, primaryKey: .int(Int64(i))) }
                _ = try! transaction.commit()
            }
            time("a person with a link to \(what)", count) {
                let transaction = try database.beginWrite()
                let (person, dog) = (
                    transaction.schema.table(named: "Person")!, transaction.schema.table(named: "Dog")!
                )
                for i in first..<first + count {
                    let key = try transaction.create(person, primaryKey: .int(Int64(i)))
                    let id = first + (i &* 7919) % count
                    try transaction.setStored(
                        person.columns[1],
                        key,
                        to: .link(try transaction.reference(to: dog, primaryKey: .int(Int64(id))))
                    )
                }
                _ = try transaction.commit()
            }
        }
        time("create such an object, commit included", count) {
            let transaction = try database.beginWrite()
            let dog = transaction.schema.table(named: "Dog")!
            for i in count..<2 * count { _ = try transaction.create(dog, primaryKey: .int(Int64(i))) }
            _ = try transaction.commit()
        }
        check(try! database.snapshot(), people: 2 * count)
    }

    private func check(_ snapshot: Snapshot, people: Int) {
        let (person, dog) = (snapshot.schema.table(named: "Person")!, snapshot.schema.table(named: "Dog")!)
        let linked = snapshot.keys(person).count { snapshot.readLink(person.columns[1], $0) != nil }
        precondition(linked == people && snapshot.placeholderCount(dog) == 0, "links got lost")
    }

    /// A list of links whose objects are created one commit after the other, and all at once.
    private func list(_ length: Int) {
        let database = try! database()
        time("an element of a list of \(length) links to such objects", length) {
            let transaction = try database.beginWrite()
            let (person, dog) = (transaction.schema.table(named: "Person")!, transaction.schema.table(named: "Dog")!)
            let key = try transaction.create(person, primaryKey: .int(0))
            var links: [Value] = []
            for i in 0..<length { links.append(.link(try transaction.reference(to: dog, primaryKey: .int(Int64(i))))) }
            try transaction.storedListAssign(person.columns[2], key, values: links)
            _ = try transaction.commit()
        }
        func come(_ ids: Range<Int>) throws {
            let transaction = try database.beginWrite()
            let dog = transaction.schema.table(named: "Dog")!
            for i in ids { _ = try transaction.create(dog, primaryKey: .int(Int64(i))) }
            _ = try transaction.commit(durably: false)
        }
        time("create one of its objects, in a commit of its own", 20) { for i in 0..<20 { try come(i..<i + 1) } }
        time("create all others, each", length - 20) { try come(20..<length) }
    }

    /// The same reads in a file without placeholders, and in one with some in each class.
    private func walk(withPlaceholders: Bool) {
        let database = try! database()
        let transaction = try! database.beginWrite()
        let (person, dog) = (transaction.schema.table(named: "Person")!, transaction.schema.table(named: "Dog")!)
        for i in 0..<count { _ = try! transaction.create(dog, primaryKey: .int(Int64(i))) }
        for i in 0..<count {
            let key = try! transaction.create(person, primaryKey: .int(Int64(i)))
            let isMissing = withPlaceholders && i % 100 == 0
            let id = Int64(isMissing ? count + i : i)
            let link = Value.link(try! transaction.reference(to: dog, primaryKey: .int(id)))
            try! transaction.setStored(person.columns[1], key, to: link)
            try! transaction.storedListAssign(person.columns[2], key, values: [link, link, link])
        }
        let snapshot = try! transaction.commit()
        let what = withPlaceholders ? ", every hundredth leads nowhere" : ""
        let keys = snapshot.keys(person)
        var sum = 0
        for _ in 0..<2 {
            sum = 0
            for key in keys { sum += snapshot.readLink(person.columns[1], key) == nil ? 0 : 1 }
        }
        time("read a to-one link\(what)", count * 5) {
            for _ in 0..<5 { for key in keys { sum += snapshot.readLink(person.columns[1], key) == nil ? 0 : 1 } }
        }
        time("read a list's count and first link\(what)", count) {
            for key in keys where snapshot.listCount(person.columns[2], key) > 0 {
                sum += Int(truncatingIfNeeded: snapshot.listLink(person.columns[2], key, at: 0).raw)
            }
        }
        let isOld = RowQuery(
            table: person,
            predicate: .comparison(PropertyPath(columns: [person.columns[2], dog.columns[1]]), .equal, .int(0))
        )
        time("a condition on a list's objects\(what)", count) { sum += isOld.keys(in: snapshot).count }
        precondition(sum != 0)
    }

    /// Versions in a hidden column, after compaction.
    private func hidden() {
        var sizes: [Int] = []
        for isHidden in [false, true] {
            do {
                let database = try database()
                let transaction = try database.beginWrite()
                var dog = transaction.schema.table(named: "Dog")!
                for i in 0..<count {
                    let key = try transaction.create(dog, primaryKey: .int(Int64(i)))
                    transaction.setInt(dog.columns[1], key, to: Int64(i % 20))
                }
                if isHidden {
                    let version = try transaction.addHiddenColumn(ColumnSpec("version", .int), to: dog)
                    dog = transaction.schema.table(named: "Dog")!
                    for (i, key) in transaction.keys(dog).enumerated() {
                        transaction.setInt(version, key, to: 1_000_000 + Int64((i &* 7919) % count / 50))
                    }
                }
                _ = try transaction.commit()
            } catch {
                fatalError("\(error)")
            }
            let path = folder + "/placeholders.realm"
            _ = try! Database.compact(at: path)
            sizes.append((try! FileManager.default.attributesOfItem(atPath: path))[.size] as! Int)
        }
        note("a version in a hidden column", unit: "bytes", value: Double(sizes[1] - sizes[0]) / Double(count))
    }

    var markdown: String {
        var lines = [
            "## Placeholders and hidden columns", "",
            "The engine, \(grouped(count)) objects; medians. \"Such objects\" are missing: links to them are kept, and not shown.",
            "", "| | |", "|---|---:|",
        ]
        for row in rows { lines.append("| \(row.name) | \(figure(median(row.values))) \(row.unit) |") }
        return lines.joined(separator: "\n")
    }
}
