import Foundation
import Freehold
import Testing

/// Tests of sums and groups of `query`, and of its Markdown output.
struct AggregateCommandTests {
    /// A file of sales with regions, amounts and dates. One sale has no region.
    private func withSales(_ body: (String) throws -> Void) throws {
        try withFolder { folder in
            let path = folder + "/s.realm"
            let region = ObjectSchema("Region", properties: [Property("name", .string, primaryKey: true)])
            let sale = ObjectSchema(
                "Sale",
                properties: [
                    Property("region", .object, objectClassName: "Region"), Property("amount", .int),
                    Property("price", .double, optional: true),
                    Property("cost", .decimal128), Property("at", .date, optional: true), Property("kind", .any),
                    Property("tags", .string, collection: .list),
                ]
            )
            var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
            configuration.schema = Schema([region, sale])
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    let names: [String?] = ["North", "South", "North", nil, "a|b\n*c*"]
                    for (i, name) in names.enumerated() {
                        let link: Any =
                            name.map { realm.dynamicCreate("Region", value: ["name": $0], update: .modified) }
                            ?? NSNull()
                        realm.dynamicCreate(
                            "Sale",
                            value: [
                                "region": link, "amount": i + 1, "price": i == 3 ? NSNull() : Double(i) + 0.5 as Any,
                                "cost": "0.10",
                                "at": Date(timeIntervalSince1970: Double(i) + 0.25), "kind": i < 2 ? 1 : "x" as Any,
                            ] as [String: Any]
                        )
                    }
                }
            }
            try body(path)
        }
    }

    @Test func `aggregates are of all objects that are found`() throws {
        try withSales { path in
            let run = try Run.freehold(
                "query",
                path,
                "Sale",
                "amount > 1",
                "--count",
                "--sum",
                "amount,cost",
                "--avg",
                "price",
                "--min",
                "at",
                "--max",
                "at",
                "--max",
                "price",
                "--format",
                "jsonl"
            )
            expectEqual(
                run.output,
                "{\"count\":4,\"sum(amount)\":14,\"sum(cost)\":\"0.40\",\"avg(price)\":2.8333333333333335,\"min(at)\":\"1970-01-01T00:00:01.25Z\",\"max(at)\":\"1970-01-01T00:00:04.25Z\",\"max(price)\":4.5}\n",
                "\(run)"
            )
            let none = try Run.freehold(
                "query",
                path,
                "Sale",
                "amount > 99",
                "--sum",
                "amount",
                "--avg",
                "amount",
                "--min",
                "price",
                "--format",
                "csv"
            )
            expectEqual(none.output, "sum(amount),avg(amount),min(price)\r\n0,,\r\n", "\(none)")
        }
    }

    @Test func `groups are of values along links, in their order or another`() throws {
        try withSales { path in
            let run = try Run.freehold("query", path, "Sale", "--group-by", "region.name", "--count", "--sum", "amount")
            expectEqual(
                run.output,
                """
                region.name  count  sum(amount)
                ───────────  ─────  ───────────
                null             1            4
                North            2            4
                South            1            2
                a|b\\n*c*         1            5

                """,
                "\(run)"
            )
            let sorted = try Run.freehold(
                "query",
                path,
                "Sale",
                "--group-by",
                "region.name",
                "--sum",
                "amount",
                "--sort",
                "sum(amount):desc,region.name",
                "--offset",
                "1",
                "--limit",
                "2",
                "--format",
                "csv"
            )
            expectEqual(sorted.output, "region.name,sum(amount)\r\n,4\r\nNorth,4\r\n", "\(sorted)")
            let links = try Run.freehold(
                "query",
                path,
                "Sale",
                "amount < 3",
                "--group-by",
                "region,kind",
                "--format",
                "jsonl"
            )
            expect(links.output.contains("{\"region\":\"North\",\"kind\":1,\"count\":1}"), "\(links)")
        }
    }

    @Test func `Markdown shows values as they are`() throws {
        try withSales { path in
            let groups = try Run.freehold(
                "query",
                path,
                "Sale",
                "amount > 3",
                "--group-by",
                "region.name",
                "--max",
                "at",
                "--format",
                "markdown"
            )
            expectEqual(
                groups.output,
                """
                | region.name | max(at) |
                | --- | --- |
                | null | 1970-01-01T00:00:03.25Z |
                | a\\|b<br>\\*c\\* | 1970-01-01T00:00:04.25Z |

                """,
                "\(groups)"
            )
            let rows = try Run.freehold(
                "query",
                path,
                "Sale",
                "SORT(amount DESC) LIMIT(1)",
                "--columns",
                "amount,cost,tags",
                "--format",
                "markdown"
            )
            expectEqual(
                rows.output,
                "| amount | cost | tags |\n| ---: | ---: | --- |\n| 5 | 0.10 | \\[\\] |\n",
                "\(rows)"
            )
            try expectEqual(
                Run.freehold("query", path, "Sale", "--count", "--format", "markdown").output,
                "| count |\n| ---: |\n| 5 |\n"
            )
        }
    }

    @Test func `a sum over 64 bits keeps its digits`() throws {
        try withFolder { folder in
            let path = folder + "/a.realm"
            try ToolFile.make(path)
            try ToolFile.write(path) { realm in
                for person in realm.objects(TMPerson.self).where({ $0.id < 3 }) { person.age = .max }
                realm.object(ofType: TMPerson.self, forPrimaryKey: 3)!.age = 1
            }
            let run = try Run.freehold("query", path, "TMPerson", "--sum", "age", "--format", "jsonl")
            expectEqual(run.output, "{\"sum(age)\":\"18446744073709551615\"}\n", "\(run)")
            let groups = try Run.freehold(
                "query",
                path,
                "TMPerson",
                "--group-by",
                "isActive",
                "--sum",
                "age",
                "--format",
                "csv"
            )
            expectEqual(
                groups.output,
                "isActive,sum(age)\r\nfalse,\"9223372036854775808\"\r\ntrue,9223372036854775807\r\n",
                "\(groups)"
            )
        }
    }

    @Test(
        arguments: [
            (["--sum", "nam"], 65, "Did you mean name?"), (["--sum", "name"], 65, "isn't a number"),
            (["--sum", "born"], 65, "isn't a number"),
            (["--min", "isActive"], 65, "number or date"), (["--sum", "scores"], 65, "isn't a number"),
            (["--avg", "pets.name"], 65, "isn't a link to one object"),
            (["--group-by", "tags"], 65, "no one value"), (["--group-by", "nme"], 65, "Did you mean name?"),
            (["--group-by", "name", "--sort", "agee"], 65, "no column 'agee'"),
            (["--group-by", "name", "--columns", "id"], 64, "--columns"),
            (["--sum", "age", "--sort", "age"], 64, "--group-by"), (["--sum", "age", "--explain"], 64, "--explain"),
            (["--sum", "age,age"], 64, "twice"), (["--group-by", "name,name"], 64, "twice"),
        ] as [([String], Int32, String)]
    )
    func `invalid aggregations are reported`(options: [String], status: Int32, part: String) throws {
        try withFolder { folder in
            try ToolFile.make(folder + "/a.realm")
            let run = try Run.freehold(["query", folder + "/a.realm", "TMPerson"] + options)
            expect(
                run.status == status && run.output == "" && run.error.contains(part) && !run.wasSignalled,
                "\(options): \(run)"
            )
        }
    }
}
