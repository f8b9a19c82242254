import Foundation
import Testing

@testable import FreeholdEngine

/// Companies with places, in a real database: of one class with an index and one without.
struct PlaceDatabase {
    let database: Database
    static let kinds = ["Plain", "Indexed"]

    init(_ name: String, span: Int = 16, indexed: Bool = true) throws {
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.clusterSpan = span
        database = try Database.inMemory(identifier: "places-\(name)-\(span)", options: options)
        let write = try database.beginWrite()
        try write.applySchema(Self.specs(indexed: indexed), userVersion: 1)
        _ = try write.commit()
    }

    static func specs(indexed: Bool) -> [TableSpec] {
        var specs: [TableSpec] = []
        for kind in kinds {
            specs.append(
                TableSpec(
                    "\(kind)Place",
                    columns: [
                        ColumnSpec("type", .string, optional: true),
                        ColumnSpec(
                            "coordinates",
                            .double,
                            collection: .list,
                            index: kind == "Indexed" && indexed ? .places : .none
                        ),
                    ],
                    isEmbedded: true
                )
            )
        }
        var columns = [ColumnSpec("name", .string), ColumnSpec("parent", .link, target: "Company")]
        for kind in kinds {
            columns += [
                ColumnSpec("location\(kind)", .link, target: "\(kind)Place"),
                ColumnSpec("branches\(kind)", .link, collection: .list, target: "\(kind)Place"),
                ColumnSpec("offices\(kind)", .link, collection: .dictionary, target: "\(kind)Place"),
            ]
        }
        specs.append(TableSpec("Company", columns: columns))
        return specs
    }

    /// Returns the name, the steps and the column of each path.
    static func paths(_ kind: String, _ schema: DatabaseSchema) -> [(String, PropertyPath)] {
        let company = schema.table(named: "Company")!
        func column(_ name: String) -> Column { company.column(named: name)! }
        let (location, branches, offices) = (
            column("location\(kind)"), column("branches\(kind)"), column("offices\(kind)")
        )
        let parent = column("parent")
        return [
            ("location", PropertyPath(location)),
            ("branches", PropertyPath(branches)),
            ("offices", PropertyPath(offices)),
            ("parent.location", PropertyPath([.link(parent)], location)),
            ("parent.branches", PropertyPath([.link(parent)], branches)),
            ("children.location", PropertyPath([.backlink(parent)], location)),
            ("children.parent.offices", PropertyPath([.backlink(parent), .link(parent)], offices)),
            ("ALL branches", PropertyPath([], branches, quantifier: .all)),
            ("NONE branches", PropertyPath([], branches, quantifier: .none)),
            ("NONE location", PropertyPath([], location, quantifier: .none)),
            ("ALL location", PropertyPath([], location, quantifier: .all)),
            ("branches[FIRST]", PropertyPath([], branches, subscripts: [.first])),
            ("branches[1]", PropertyPath([], branches, subscripts: [.index(1)])),
            ("branches[*]", PropertyPath([], branches, subscripts: [.all])),
            ("offices['x']", PropertyPath([], offices, subscripts: [.key("x")])),
        ]
    }

    static func columns(_ kind: String, _ schema: DatabaseSchema) -> GeoColumns {
        GeoColumns(schema.table(named: "\(kind)Place")!)!
    }

    /// Fills a place's row.
    static func fill(
        _ write: WriteTransaction,
        _ kind: String,
        _ key: ObjectKey,
        type: String?,
        _ coordinates: [Double]
    ) throws {
        let columns = columns(kind, write.schema)
        try write.set(columns.type, key, to: type.map { .string($0) } ?? .null)
        try write.listAssign(columns.coordinates, key, values: coordinates.map { .double($0) })
    }

    /// Makes the same place of both kinds and links to them.
    func addPlaces(
        _ write: WriteTransaction,
        type: String?,
        _ coordinates: [Double],
        _ link: (_ kind: String, _ place: ObjectKey) throws -> Void
    ) throws {
        for kind in Self.kinds {
            let key = try write.create(write.schema.table(named: "\(kind)Place")!)
            try Self.fill(write, kind, key, type: type, coordinates)
            try link(kind, key)
        }
    }
}

struct PlaceQueryTests {
    /// Evaluates a path's quantifier on the values of the columns, row by row.
    private func naive(_ view: DataView, _ kind: String, _ path: PropertyPath, _ holds: (GeoPoint) -> Bool)
        -> [ObjectKey]
    {
        let columns = PlaceDatabase.columns(kind, view.schema)
        let reader = PathReader(view: view)
        reader.settle(path)
        return view.keys(view.schema.table(named: "Company")!).filter { company in
            path.quantifier.holds(reader.values(path, company)) { value in
                guard case .link(let place) = value, view.value(columns.type, place) == .string("Point") else {
                    return false
                }
                let numbers = view.listValues(columns.coordinates, place)
                guard numbers.count >= 2, case .double(let longitude) = numbers[0],
                    case .double(let latitude) = numbers[1],
                    let point = GeoPoint(latitude: latitude, longitude: longitude)
                else { return false }
                return holds(point)
            }
        }
    }

    private func check(_ view: DataView, _ random: inout RandomShapes, _ note: String) throws {
        let company = view.schema.table(named: "Company")!
        let circle = random.circle()
        let box = random.box()
        let (polygon, center) = random.polygon()
        let shapes: [(GeoShape, (GeoPoint) -> Bool)] = [
            (.circle(circle), { Naive.haversine(circle.center, $0) <= circle.radiusInRadians }),
            (.box(box), { Naive.contains(box, $0) }),
            (.polygon(polygon), { Naive.contains(polygon, around: center, $0) }),
        ]
        for (shape, holds) in shapes {
            for kind in PlaceDatabase.kinds {
                let columns = PlaceDatabase.columns(kind, view.schema)
                for (name, path) in PlaceDatabase.paths(kind, view.schema) {
                    let predicate = FreeholdEngine.Predicate.within(path, GeoTest(columns, in: shape))
                    let query = RowQuery(table: company, predicate: predicate)
                    let expected = naive(view, kind, path, holds)
                    expectEqual(query.keys(in: view), expected, "\(note): \(kind) \(name) in \(shape)")
                    for choice in [AccessPlan.Choice.indexes, .scan] {
                        let found = QuerySource(view, company, predicate: predicate, choice: choice).keys()
                        expectEqual(found, expected, "\(note): \(kind) \(name) in \(shape), \(choice)")
                    }
                    if let first = expected.first { expect(query.matches(first, in: view)) }
                }
            }
        }
    }

    private static func coordinates(_ random: inout RandomShapes) -> (type: String?, numbers: [Double]) {
        let p = random.point()
        switch random.below(14) {
        case 0: return ("point", [p.longitude, p.latitude])
        case 1: return (nil, [p.longitude, p.latitude])
        case 2: return ("Point", [p.longitude])
        case 3: return ("Point", [])
        case 4: return ("Point", [p.longitude, 91])
        case 5: return ("Point", [.nan, p.latitude])
        case 6: return ("Point", [p.longitude, p.latitude, 8848])
        case 7: return ("Point", [p.longitude, p.latitude] + Array(repeating: 1, count: 200))
        default: return ("Point", [p.longitude, p.latitude])
        }
    }

    @Test(
        arguments: [(seed: 81, span: 4), (seed: 82, span: 1000)] as [(seed: UInt64, span: Int)]
    )
    func `places are found along every kind of path, with and without index, in transactions and snapshots`(
        _ shape: (seed: UInt64, span: Int)
    ) throws {
        var random = RandomShapes(seed: shape.seed)
        let places = try PlaceDatabase("query-\(shape.seed)", span: shape.span)
        for round in 0..<2 {
            let write = try places.database.beginWrite()
            let table = write.schema.table(named: "Company")!
            func column(_ name: String) -> Column { table.column(named: name)! }
            for i in 0..<40 {
                let company = try write.create(table)
                try write.set(column("name"), company, to: .string("c\(round)-\(i)"))
                if random.below(3) > 0, let parent = write.keys(table).randomElement(using: &random.generator) {
                    try write.set(column("parent"), company, to: .link(parent))
                }
                if random.below(5) > 0 {
                    let (type, numbers) = Self.coordinates(&random)
                    try places.addPlaces(write, type: type, numbers) {
                        try write.set(column("location\($0)"), company, to: .link($1))
                    }
                }
                for _ in 0..<random.below(4) {
                    let (type, numbers) = Self.coordinates(&random)
                    try places.addPlaces(write, type: type, numbers) {
                        try write.listAppend(column("branches\($0)"), company, values: [.link($1)])
                    }
                }
                for name in ["x", "y"].prefix(random.below(3)) {
                    let (type, numbers) = Self.coordinates(&random)
                    try places.addPlaces(write, type: type, numbers) {
                        try write.dictionarySet(column("offices\($0)"), company, forKey: name, to: .link($1))
                    }
                }
            }
            for key in write.keys(table) where random.below(8) == 0 { write.delete(table, key) }
            if round == 1 { try check(write, &random, "seed \(shape.seed) round \(round), transaction") }
            let snapshot = try write.commit()
            expectEqual(snapshot.verify(), [])
            try check(snapshot, &random, "seed \(shape.seed) round \(round), snapshot")
        }
    }

    @Test func `an invalid shape in a predicate contains nothing`() throws {
        let places = try PlaceDatabase("invalid")
        let write = try places.database.beginWrite()
        let table = write.schema.table(named: "Company")!
        let company = try write.create(table)
        try places.addPlaces(write, type: "Point", [5, 5]) {
            try write.set(table.column(named: "location\($0)")!, company, to: .link($1))
        }
        let bowTie = try require(GeoPolygon(outerRing: [(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)]))
        for kind in PlaceDatabase.kinds {
            let columns = PlaceDatabase.columns(kind, write.schema)
            let path = PropertyPath(table.column(named: "location\(kind)")!)
            expectEqual(
                RowQuery(table: table, predicate: .within(path, GeoTest(columns, in: .polygon(bowTie)))).keys(
                    in: write
                ),
                []
            )
        }
    }

    @Test func `the index and a test of each of 34,006 cities find the same ones in circles`() throws {
        let places = try PlaceDatabase("world", span: 1000)
        let write = try places.database.beginWrite()
        let place = write.schema.table(named: "IndexedPlace")!
        let columns = try require(GeoColumns(place))
        let company = write.schema.table(named: "Company")!
        let location = company.column(named: "locationIndexed")!
        for city in WorldPlaces.all {
            let owner = try write.create(company)
            let key = try write.create(place)
            try write.set(columns.type, key, to: .string("Point"))
            try write.listAppend(columns.coordinates, key, values: [.double(city.longitude), .double(city.latitude)])
            try write.set(location, owner, to: .link(key))
        }
        let snapshot = try write.commit()
        for (center, kilometers) in [
            ((48.8567, 2.3508), 100.0), ((-17.7, 178.0), 600), ((90, 0), 2500), ((0, 0), 20_100),
        ] {
            let radius = try require(Distance.kilometers(kilometers))
            let circle = try require(GeoCircle(center: center, radius: radius))
            let found = RowQuery(
                table: company,
                predicate: .within(PropertyPath(location), GeoTest(columns, in: .circle(circle)))
            )
            .keys(in: snapshot)
            let expected = WorldPlaces.all.indices.filter {
                Naive.haversine(circle.center, WorldPlaces.all[$0]) <= circle.radiusInRadians
            }
            expectEqual(found.map { Int($0.raw) }, expected, "\(circle): \(found.count), \(expected.count)")
            let region = try require(GeoRegion(.circle(circle)))
            let access = try require(GeoAccess(columns, region, in: snapshot))
            expect(
                access.estimate >= found.count && access.estimate <= 2 * found.count + 200,
                "\(access.estimate) for \(found.count)"
            )
        }
    }
}
