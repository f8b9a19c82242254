import BenchMachine
import Foundation
import Freehold

/// What migrations cost: a file of the people at version 1 is opened with another schema, once for each kind of change.
struct MigrationFigures {
    private(set) var rows: [(name: String, nanoseconds: [Double])] = []
    private let count: Int

    private struct Change {
        let name: String
        var properties: [Property]
        var block: MigrationBlock?
    }

    init(count: Int, folder: String, repeats: Int) {
        self.count = count
        let url = URL(fileURLWithPath: folder).appendingPathComponent("migration.realm")
        for round in 0..<repeats {
            for (i, change) in Self.changes.enumerated() {
                remove(url)
                fill(url)
                if round == 0 { rows.append((change.name, [])) }
                rows[i].nanoseconds.append(migrate(url, change))
            }
        }
        remove(url)
        for row in rows { progress("migration, \(row.name): \(figure(median(row.nanoseconds))) ns an object") }
    }

    private static let properties = [
        Property("id", .int, primaryKey: true), Property("name", .string), Property("age", .int),
        Property("score", .double),
    ]

    private static var changes: [Change] {
        func changed(_ name: String, _ edit: (inout Property) -> Void) -> [Property] {
            properties.map { old in
                var property = old
                if old.name == name { edit(&property) }
                return property
            }
        }
        return [
            Change(name: "a property more", properties: properties + [Property("more", .string, optional: true)]),
            Change(name: "a property less", properties: properties.filter { $0.name != "score" }),
            Change(name: "an index more", properties: changed("name") { $0.isIndexed = true }),
            Change(name: "an Int made optional", properties: changed("age") { $0.isOptional = true }),
            Change(name: "another primary key", properties: changed("id") { $0.isPrimaryKey = false }),
            Change(
                name: "an Int becomes a String, in a block",
                properties: changed("age") { $0.type = .string },
                block: { migration, _ in
                    migration.enumerateObjects(ofType: "Person") { old, new in new!["age"] = "\(old!["age"] as! Int)" }
                }
            ),
        ]
    }

    private func configuration(_ url: URL, _ version: UInt64, properties: [Property]) -> Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: url, schemaVersion: version)
        configuration.schema = Schema([ObjectSchema("Person", properties: properties)])
        return configuration
    }

    private func fill(_ url: URL) {
        do {
            let realm = try Realm(configuration: configuration(url, 1, properties: Self.properties))
            try realm.write {
                for i in 0..<count {
                    let values: [String: Any] = ["id": i, "name": "Person number \(i)", "age": i % 100, "score": 0.5]
                    realm.dynamicCreate("Person", value: values)
                }
            }
        } catch {
            fail("migration: \(error)")
        }
    }

    private func migrate(_ url: URL, _ change: Change) -> Double {
        var new = configuration(url, 2, properties: change.properties)
        new.migrationBlock = change.block
        sync()
        let start = ContinuousClock.now
        do {
            try Realm.performMigration(for: new)
        } catch {
            fail("migration, \(change.name): \(error)")
        }
        return (ContinuousClock.now - start) / .nanoseconds(1) / Double(count)
    }

    private func remove(_ url: URL) {
        do { _ = try Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) } catch { fail("\(error)") }
    }

    var markdown: String {
        var lines = [
            """
            ## Migrations

            \(count) objects of four properties, opened with another schema; medians, an object. Includes the flush to the disk.

            | Change | ns |
            |---|---:|
            """
        ]
        for row in rows { lines.append("| \(row.name) | \(figure(median(row.nanoseconds))) |") }
        return lines.joined(separator: "\n")
    }
}
