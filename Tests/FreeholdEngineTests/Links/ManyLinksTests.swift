import Foundation
import Testing

@testable import FreeholdEngine

/// More changes of links in one transaction than are gathered, and than fit into its memory.
struct ManyLinksTests {
    /// The usual run gathers fewer links, and stores as many times more.
    private static let limit = TestBudget.cases(1 << 17, soak: BacklinkChanges.logLimit)
    private static let count = TestBudget.cases(3_500, soak: 28_000)
    private static let links = 40

    @Test(arguments: ["list", "set", "dictionary", "mixed"])
    func `every link and its inverse are stored`(_ name: String) throws {
        let folder = TemporaryFolder()
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.memoryBudget = 1 << 20
        let database = try Database.open(at: folder.file(), options: options)
        let transaction = try database.beginWrite()
        transaction.linkLogLimit = Self.limit
        try transaction.applySchema([
            TableSpec(
                "Item",
                columns: [
                    ColumnSpec("list", .link, collection: .list, target: "Item"),
                    ColumnSpec("set", .link, collection: .set, target: "Item"),
                    ColumnSpec("dictionary", .link, optional: true, collection: .dictionary, target: "Item"),
                    ColumnSpec("mixed", .mixed, optional: true),
                ]
            )
        ])
        let table = try require(transaction.schema.table(named: "Item"))
        let column = try require(table.column(named: name))
        let keys = (0..<Self.count).map { _ in transaction.createKeyless(table) }
        expect(Self.count * Self.links > Self.limit)
        for (i, key) in keys.enumerated() {
            let targets = (0..<Self.links).map { keys[(i * 7919 + $0 * 613) % Self.count] }
            switch column.collection {
            case .list: try transaction.listAppend(column, key, values: targets.map { .link($0) })
            case .set: _ = try transaction.setInsert(column, key, values: targets.map { .link($0) })
            case .dictionary:
                let entries = targets.enumerated().map { ("k\($0)", Value.link($1)) }
                try transaction.dictionaryAssign(column, key, entries: entries)
            case .none:
                let values = targets.map { Value.objectLink(ObjectLink(tableID: table.id, key: $0)) }
                try transaction.set(column, key, to: .list(NestedList(values)))
            }
        }
        let snapshot = try transaction.commit()
        expectEqual(snapshot.verify(), [])
        let inverses = keys.reduce(0) { $0 + snapshot.allBacklinks(table, $1).count }
        expectEqual(inverses, Self.count * Self.links)
    }
}
