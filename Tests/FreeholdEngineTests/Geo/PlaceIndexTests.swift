import Foundation
import Testing

@testable import FreeholdEngine

/// The index of places follows every edit of the lists.
struct PlaceIndexTests {
    private func number(_ random: inout RandomShapes) -> Double {
        switch random.below(10) {
        case 0: [Double.nan, .infinity, -200, 91, 180, -180][random.below(6)]
        default: random.unit() * 180 - 90
        }
    }

    /// One edit of the list of coordinates, of whichever kind.
    private func edit(_ write: WriteTransaction, _ column: Column, _ key: ObjectKey, _ random: inout RandomShapes)
        throws
    {
        let count = write.listCount(column, key)
        func value(_ random: inout RandomShapes) -> Value { .double(number(&random)) }
        switch random.below(10) {
        case 0: try write.listInsert(column, key, at: random.below(count + 1), value: value(&random))
        case 1 where count > 0: try write.listSet(column, key, at: random.below(count), to: value(&random))
        case 2 where count > 0: try write.listRemove(column, key, at: random.below(count))
        case 3 where count > 1: try write.listMove(column, key, from: random.below(count), to: random.below(count))
        case 4 where count > 1: try write.listSwap(column, key, at: random.below(count), and: random.below(count))
        case 5: write.listClear(column, key)
        case 6: write.listReorder(column, key, positions: Array((0..<count).shuffled(using: &random.generator)))
        case 7:
            // Past the inline limit.
            try write.listInsert(
                column,
                key,
                at: random.below(count + 1),
                values: (0..<200).map { _ in value(&random) }
            )
        case 8 where count > 1:
            let first = random.below(count)
            try write.listRemove(column, key, range: first..<(first + random.below(count - first)))
        default: try write.listAssign(column, key, values: (0..<random.below(4)).map { _ in value(&random) })
        }
    }

    @Test(arguments: [(seed: 91, span: 4), (seed: 92, span: 16), (seed: 93, span: 100)] as [(seed: UInt64, span: Int)])
    func `random edits of lists, owners and schema leave a sound index`(_ shape: (seed: UInt64, span: Int)) throws {
        var random = RandomShapes(seed: shape.seed)
        let places = try PlaceDatabase("edits-\(shape.seed)", span: shape.span)
        for round in 0..<14 {
            let write = try places.database.beginWrite()
            if round % 5 == 3 || round % 5 == 4 {
                // The index is dropped, and built again from existing objects.
                try write.applySchema(PlaceDatabase.specs(indexed: round % 5 == 4))
            }
            let company = write.schema.table(named: "Company")!
            let place = write.schema.table(named: "IndexedPlace")!
            let columns = try require(GeoColumns(place))
            let (location, branches) = (
                company.column(named: "locationIndexed")!, company.column(named: "branchesIndexed")!
            )
            for _ in 0..<40 {
                let owners = write.keys(company)
                switch random.below(8) {
                case 0, 1:
                    let owner = try write.create(company)
                    let key = try write.create(place)
                    try PlaceDatabase.fill(write, "Indexed", key, type: "Point", [number(&random), number(&random)])
                    try write.set(location, owner, to: .link(key))
                case 2 where !owners.isEmpty:
                    let key = try write.create(place)
                    try write.listAppend(branches, owners[random.below(owners.count)], values: [.link(key)])
                    try edit(write, columns.coordinates, key, &random)
                // The place is removed with its link or with its owner.
                case 3 where !owners.isEmpty: write.setLink(location, owners[random.below(owners.count)], to: nil)
                case 4 where !owners.isEmpty: write.delete(company, owners[random.below(owners.count)])
                // The index includes places that were created earlier in this transaction.
                case 5 where columns.coordinates.indexKind == .places:
                    _ = write.searchTree(columns.coordinates)
                default:
                    let keys = write.keys(place)
                    if !keys.isEmpty {
                        try edit(write, columns.coordinates, keys[random.below(keys.count)], &random)
                    }
                }
            }
            if random.below(4) == 0 {
                let before = write.base.verify()
                write.cancel()
                expectEqual(before, [], "seed \(shape.seed) round \(round), rolled back")
                continue
            }
            if round == 10 { write.deleteAll(company) }
            let snapshot = try write.commit()
            expectEqual(snapshot.verify(), [], "seed \(shape.seed) round \(round)")
            guard columns.coordinates.indexKind == .places, let tree = snapshot.searchTree(columns.coordinates) else {
                continue
            }
            let expected = snapshot.keys(place).filter { snapshot.placeEntry(columns.coordinates, $0) != nil }
            var found: [Int64] = []
            tree.keys(in: snapshot) {
                found.append($0)
                return true
            }
            expectEqual(found.sorted(), expected.map(\.raw), "seed \(shape.seed) round \(round)")
        }
    }

    @Test func `verify reports a missing entry and an additional one`() throws {
        let places = try PlaceDatabase("damage")
        let write = try places.database.beginWrite()
        let company = write.schema.table(named: "Company")!
        let place = write.schema.table(named: "IndexedPlace")!
        let columns = try require(GeoColumns(place))
        for i in 0..<5 {
            let owner = try write.create(company)
            let key = try write.create(place)
            try PlaceDatabase.fill(write, "Indexed", key, type: "Point", [Double(i), 10])
            try write.set(company.column(named: "locationIndexed")!, owner, to: .link(key))
        }
        _ = write.searchTree(columns.coordinates)
        let entry = try require(write.placeEntry(columns.coordinates, ObjectKey(2)))
        write.index(columns.coordinates).changes.removeInt(entry, key: 2)
        write.index(columns.coordinates).changes.insertInt(77, key: 3)
        let problems = try write.commit().verify()
        expect(problems.contains { $0.contains("O3") && $0.contains("coordinates") })
        expect(!problems.isEmpty)
    }
}
