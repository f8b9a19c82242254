import Testing

@testable import FreeholdEngine

/// Descriptions of executed queries.
struct ExplainTests {
    private static func database() throws -> Snapshot {
        var options = Database.Options()
        options.mapSize = 1 << 30
        let database = try Database.inMemory(identifier: "explain", options: options)
        let write = try database.beginWrite()
        try write.applySchema([
            TableSpec(
                "Person",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: true),
                    ColumnSpec("age", .int, indexed: true), ColumnSpec("score", .double), ColumnSpec("city", .string),
                    ColumnSpec("dog", .link, optional: true, target: "Dog"),
                ],
                primaryKey: "id",
                compounds: [CompoundIndexSpec(["city", "age"])]
            ), TableSpec("Dog", columns: [ColumnSpec("name", .string, indexed: true)]),
        ])
        let person = write.schema.table(named: "Person")!
        let dog = write.schema.table(named: "Dog")!
        let dogs = try (0..<500).map { i in
            let key = try write.create(dog)
            try write.set(dog.columns[0], key, to: .string("dog \(i)"))
            return key
        }
        for i in 0..<20_000 {
            let key = try write.create(person, primaryKey: .int(Int64(i)))
            try write.set(person.columns[1], key, to: .string("name \(i % 5000)"))
            write.setInt(person.columns[2], key, to: Int64(i % 100))
            write.setDouble(person.columns[3], key, to: Double(i))
            try write.set(person.columns[4], key, to: .string("city \(i % 40)"))
            write.setLink(person.columns[5], key, to: dogs[i % 500])
        }
        return try write.commit()
    }

    private static let snapshot = Result { try database() }

    @Test func `each shape of a query describes its work`() throws {
        let snapshot = try Self.snapshot.get()
        let table = snapshot.schema.table(named: "Person")!
        func path(_ name: String) -> PropertyPath { PropertyPath(table.column(named: name)!) }
        let dogName = PropertyPath(columns: [
            table.column(named: "dog")!, snapshot.schema.table(named: "Dog")!.columns[0],
        ])
        let some = (0..<50).map { Value.string("name \($0 * 7)") }
        let all: [(RowQuery, String)] = [
            (RowQuery(table: table, predicate: .comparison(path("score"), .less, .double(10))), "scan of 'Person'"),
            (RowQuery(table: table, predicate: .comparison(path("id"), .equal, .int(3))), "index on 'Person.id'"),
            (
                RowQuery(table: table, predicate: .comparison(path("name"), .equal, .string("name 7"))),
                "index on 'Person.name'"
            ),
            (
                RowQuery(table: table, predicate: .string(path("name"), .beginsWith, pattern: "name 77")),
                "index on 'Person.name'"
            ),
            (RowQuery(table: table, predicate: .oneOf(path("name"), some)), "index on 'Person.name'"),
            (
                // Half of the table: quicker scanned.
                RowQuery(table: table, predicate: .comparison(path("age"), .less, .int(50))), "scan of 'Person'"
            ),
            (
                RowQuery(
                    table: table,
                    predicate: .and([
                        .comparison(path("name"), .equal, .string("name 7")),
                        .comparison(path("score"), .greater, .double(6000)),
                    ])
                ), "index on 'Person.name'|conditions on the rows found"
            ),
            (
                RowQuery(
                    table: table,
                    predicate: .or([
                        .comparison(path("name"), .equal, .string("name 7")), .comparison(path("id"), .equal, .int(3)),
                    ])
                ), "union|  index on 'Person.name'|  index on 'Person.id'"
            ),
            (
                RowQuery(
                    table: table,
                    predicate: .and([
                        .comparison(path("city"), .equal, .string("city 3")),
                        .between(path("age"), lower: .int(40), upper: .int(45)),
                    ])
                ), "index on 'Person.(city, age)'"
            ),
            (
                RowQuery(table: table, predicate: .comparison(dogName, .equal, .string("dog 3"))),
                "links of 'Person.dog' followed back|  index on 'Dog.name'"
            ),
            (
                RowQuery(table: table, sort: [SortKey(path("name"))], limit: 10),
                "order of the index on 'Person.name'|limit"
            ),
            (
                RowQuery(
                    table: table,
                    predicate: .comparison(path("city"), .equal, .string("city 3")),
                    sort: [SortKey(path("age"), ascending: false)],
                    limit: 10
                ), "order of the index on 'Person.(city, age)'|limit"
            ),
            (
                RowQuery(
                    table: table,
                    predicate: .comparison(path("name"), .equal, .string("name 7")),
                    sort: [SortKey(path("score"), ascending: false)],
                    limit: 2
                ), "index on 'Person.name'|sort by 'score descending'|limit"
            ),
        ]
        for (query, expected) in all {
            let plan = query.explain(in: snapshot)
            let lines = plan.description.split(separator: "\n").dropLast().map { $0.prefix { $0 != ":" } }
            expectEqual(lines.joined(separator: "|"), expected)
            expectEqual(plan.matches, query.keys(in: snapshot).count)
            var scan = query
            scan.choice = .scan
            expectEqual(scan.keys(in: snapshot), query.keys(in: snapshot))
            // The query notes the indexes that the plan names.
            let uses = IndexUses()
            (scan.uses, scan.choice) = (uses, query.choice)
            _ = scan.keys(in: snapshot)
            let noted = uses.indexes.map { index in
                let names = index.columns.joined(separator: ", ")
                return index.columns.count == 1 ? "\(index.table).\(names)" : "\(index.table).(\(names))"
            }
            let read = plan.steps.filter { $0.operation == .index || $0.operation == .indexOrder }.map(\.subject)
            expectEqual(Set(noted), Set(read), "\(expected)")
        }
    }

    @Test func `the examined rows are counted`() throws {
        let snapshot = try Self.snapshot.get()
        let table = snapshot.schema.table(named: "Person")!
        func explain(_ predicate: Predicate) -> QueryPlan {
            RowQuery(table: table, predicate: predicate).explain(in: snapshot)
        }
        let scan = explain(.comparison(PropertyPath(table.columns[3]), .less, .double(10)))
        expect(scan.examined == 20_000 && scan.matches == 10)
        let index = explain(.comparison(PropertyPath(table.columns[1]), .equal, .string("name 7")))
        expect(index.examined == 4 && index.matches == 4 && index.steps[0].estimate == 4)
        expect(
            index.description.hasPrefix(
                "index on 'Person.name': about 4 expected, 4 looked at, 4 found\n4 objects, 4 rows looked at, "
            )
        )
        var limited = RowQuery(
            table: table,
            predicate: .comparison(PropertyPath(table.columns[3]), .greater, .double(10))
        )
        limited.stages.append(.limit(5))
        // One cluster was enough.
        expectEqual(limited.explain(in: snapshot).examined, 1000)
    }
}
