import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Messages of apps of three versions on one store.
struct SchemaLensTests {
    private let dog = ObjectName("Dog", 1)
    private let hound = ObjectName("Hound", 1)
    private let ann = ObjectName("Person", 7)

    private func lens(_ claim: UInt64) throws -> SchemaLens { try require(VersionModels.versions().lens(for: claim)) }

    private func shown(_ claim: UInt64, _ fields: [ConfirmedField], of name: ObjectName? = nil) throws
        -> [ConfirmedField]
    {
        let batch = ClassBatch(
            className: (name ?? dog).className,
            objects: [ObjectUpdate(1, .whole(version: 1, born: 1, fields))]
        )
        guard case .whole(_, _, let fields)? = try lens(claim).down([batch]).first?.objects[0].content else {
            return []
        }
        return fields
    }

    private func one(_ claim: UInt64, _ property: SyncString, _ content: ConfirmedContent) throws -> [ConfirmedField] {
        try shown(claim, [ConfirmedField(property, content)]).filter { $0.content != .value(.string("none")) }
            .filter { $0 != ConfirmedField("weight", .value(.double(1.5))) || property == "weight" }
    }

    // MARK: Down

    @Test func `downloads have the version's names, and omit classes and properties outside of it`() throws {
        let fields = [
            ConfirmedField("age", .value(3)), ConfirmedField("breed", .value("Basset")),
            ConfirmedField("name", .value("Rex")),
            ConfirmedField("nick", .value("R")), ConfirmedField("nick_2", .value(9)),
            ConfirmedField("weight", .value(.double(2))),
        ]
        try expectEqual(shown(0, fields).map(\.name), ["age", "name", "nick", "weight"])
        try expectEqual(shown(2, fields).map(\.name), ["age", "breed", "title", "weight"])
        try expectEqual(shown(5, fields).map(\.name), ["age", "breed", "nick", "title", "weight"])
        try expectEqual(shown(5, fields).first { $0.name == "nick" }?.content, .value(9))
        expect(try shown(2, [], of: ObjectName("Cat", 1)).isEmpty)
        try expectEqual(
            lens(2).down([ClassBatch(className: "Cat", objects: []), ClassBatch(className: "Dog", objects: [])])
                .map(\.className),
            ["Hound"]
        )
    }

    @Test func `numbers are shown in the version's type`() throws {
        let shown: [(SyncValue, int: SyncValue, double: SyncValue)] = [
            (5, 5, .double(5)), (.double(5.9), 5, .double(5.9)), (.double(-5.9), -5, .double(-5.9)),
            (.double(.nan), 0, .double(.nan)), (.double(1e300), .int(.max), .double(1e300)),
            (.double(-.infinity), .int(.min), .double(-.infinity)), (.double(-0.5), 0, .double(-0.5)),
        ]
        for (stored, int, double) in shown {
            try expectEqual(one(0, "age", .value(stored)), [ConfirmedField("age", .value(int))])
            try expectEqual(one(2, "age", .value(stored)), [ConfirmedField("age", .value(double))])
        }
        let marks = ConfirmedContent.list([ElementRun([.value(1), .value(.double(2.5)), .value(.null)])])
        try expectEqual(
            one(0, "marks", marks),
            [
                ConfirmedField("marks", .list([ElementRun([.value(1), .value(2), .value(.null)])]))
            ]
        )
        try expectEqual(
            one(2, "marks", marks),
            [
                ConfirmedField(
                    "marks",
                    .list([ElementRun([.value(.double(1)), .value(.double(2.5)), .value(.double(0))])])
                )
            ]
        )
        // The version that has it whole and optional.
        try expectEqual(one(5, "age", .value(.null)), [ConfirmedField("age", .value(.null))])
        try expectEqual(one(5, "age", .value(.double(7.5))), [ConfirmedField("age", .value(7))])
    }

    @Test(arguments: [
        (ColumnType.float, SyncValue.double(0.1), SyncValue.float(0.1)), (.float, .int(16_777_217), .float(16_777_216)),
        (.decimal128, .int(.max), .decimal128(Decimal128(Int64.max))), (.int, .decimal128("12.9"), 12),
        (.int, .decimal128("-1E40"), .int(.min)), (.double, .float(1.5), .double(1.5)),
    ])
    func `numbers of all types are shown`(_ type: ColumnType, _ stored: SyncValue, _ shown: SyncValue) {
        expectEqual(NumberLens(type: type).shown(stored), shown)
    }

    @Test func `a required property is never shown as null`() throws {
        try expectEqual(one(0, "weight", .value(.null)), [ConfirmedField("weight", .value(.null))])
        try expectEqual(one(2, "weight", .value(.null)), [ConfirmedField("weight", .value(.double(1.5)))])
        try expectEqual(shown(2, []).map(\.name), ["weight"])
        try expectEqual(shown(0, []), [ConfirmedField("nick", .value("none"))])
        let name = [ConfirmedField("name", .value(.null))]
        try expectEqual(shown(0, name, of: ann), [ConfirmedField("name", .value("nobody"))])
        try expectEqual(shown(2, name, of: ann), name)
        // In collections: a list keeps its places, a set has no element for null.
        let map = ConfirmedContent.dictionary([ConfirmedEntry("a", .value(.null)), ConfirmedEntry("b", .value(1))])
        try expectEqual(
            one(2, "map", map),
            [
                ConfirmedField("map", .dictionary([ConfirmedEntry("a", .value(0)), ConfirmedEntry("b", .value(1))]))
            ]
        )
        try expectEqual(one(2, "tags", .set([.null, "x"])), [ConfirmedField("tags", .set(["x"]))])
        try expectEqual(one(0, "tags", .set([.null, "x"])), [ConfirmedField("tags", .set([.null, "x"]))])
    }

    @Test func `embedded objects, links and mixed values are translated at any depth`() throws {
        let made = Made(version: 3, number: 9)
        let home = ConfirmedContent.embedded(
            ConfirmedInstance(
                made: made,
                fields: [ConfirmedField("street", .value("S")), ConfirmedField("zip", .value(.null))]
            )
        )
        let house = ConfirmedContent.embedded(
            ConfirmedInstance(
                made: made,
                fields: [ConfirmedField("road", .value("S")), ConfirmedField("zip", .value(0))]
            )
        )
        try expectEqual(one(2, "home", home), [ConfirmedField("house", house)])
        let run = ElementRun(made: made, isFalling: true, [home, home])
        try expectEqual(
            one(2, "places", .list([run])),
            [
                ConfirmedField("places", .list([ElementRun(made: made, isFalling: true, [house, house])]))
            ]
        )
        try expectEqual(one(2, "owner", .value(.link(ann))), [ConfirmedField("keeper", .value(.link(ann)))])
        let cat = SyncValue.link(ObjectName("Cat", 1))
        let mixed = SyncValue.list([.link(dog), cat, .dictionary(SyncDictionary([("x", .link(dog))]))])
        let expected = SyncValue.list([.link(hound), .null, .dictionary(SyncDictionary([("x", .link(hound))]))])
        try expectEqual(one(2, "any", .value(mixed)), [ConfirmedField("any", .value(expected))])
        try expectEqual(one(0, "any", .value(mixed)), [ConfirmedField("any", .value(mixed))])
    }

    @Test func `differences are translated at any depth`() throws {
        func difference(_ claim: UInt64, _ fields: [FieldDifference]) throws -> [FieldDifference] {
            let update = ObjectUpdate(1, .difference(version: 2, base: 1, fields))
            let batches = try lens(claim).down([ClassBatch(className: "Dog", objects: [update])])
            guard case .difference(2, 1, let fields)? = batches.first?.objects.first?.content else { return [] }
            return fields
        }
        let inner = [FieldDifference("street", .whole(.value("S"))), FieldDifference("zip", .whole(.value(.null)))]
        let shown = [FieldDifference("road", .whole(.value("S"))), FieldDifference("zip", .whole(.value(0)))]
        try expectEqual(
            difference(2, [FieldDifference("home", .instance(inner))]),
            [
                FieldDifference("house", .instance(shown))
            ]
        )
        let list = ListDifference(
            pieces: [.kept(start: 0, count: 1), .new(ElementRun([.value(.null)]))],
            edits: [.init(index: 0, content: .whole(.value(4)))]
        )
        let doubles = ListDifference(
            pieces: [.kept(start: 0, count: 1), .new(ElementRun([.value(.double(0))]))],
            edits: [.init(index: 0, content: .whole(.value(.double(4))))]
        )
        try expectEqual(
            difference(2, [FieldDifference("marks", .list(list))]),
            [FieldDifference("marks", .list(doubles))]
        )
        let places = ListDifference(
            pieces: [.kept(start: 0, count: 1)],
            edits: [.init(index: 0, content: .instance(inner))]
        )
        let roads = ListDifference(
            pieces: [.kept(start: 0, count: 1)],
            edits: [.init(index: 0, content: .instance(shown))]
        )
        try expectEqual(
            difference(2, [FieldDifference("places", .list(places))]),
            [FieldDifference("places", .list(roads))]
        )
        let tags = SetDifference(removed: [.null], inserted: ["x", .null])
        try expectEqual(
            difference(2, [FieldDifference("tags", .set(tags))]),
            [
                FieldDifference("tags", .set(SetDifference(inserted: ["x"])))
            ]
        )
        let map = DictionaryDifference(removed: ["z"], changed: [.init("a", .whole(.value(.null)))])
        let whole = DictionaryDifference(removed: ["z"], changed: [.init("a", .whole(.value(0)))])
        try expectEqual(
            difference(2, [FieldDifference("map", .dictionary(map))]),
            [
                FieldDifference("map", .dictionary(whole))
            ]
        )
        let nested = [NestedDifference(path: ["x"], value: .link(dog)), NestedDifference(path: ["y"], value: nil)]
        let named = [NestedDifference(path: ["x"], value: .link(hound)), NestedDifference(path: ["y"], value: nil)]
        try expectEqual(
            difference(2, [FieldDifference("any", .nested(nested))]),
            [FieldDifference("any", .nested(named))]
        )
        // The version advances, even if the change isn't visible.
        try expectEqual(difference(2, [FieldDifference("nick", .whole(.value("x")))]), [])
        try expectEqual(
            difference(
                0,
                [FieldDifference("name", .whole(.value("x"))), FieldDifference("breed", .whole(.value("x")))]
            ).map(\.name),
            ["name"]
        )
    }

    @Test func `keys, sums and positions of messages are translated`() throws {
        let lens = try lens(2)
        let cursor = Cursor(epoch: 1, version: 2, hash: .empty)
        let chunk = BootstrapChunk(
            classes: [ClassBatch(className: "Dog", objects: [ObjectUpdate(1, .erased)])],
            covers: [KeyRange(className: "Cat"), KeyRange(className: "Dog", after: 1, through: 2)],
            position: BootstrapPosition(cursor: cursor, queryVersion: 1, last: dog)
        )
        guard case .bootstrapChunk(_, let down)? = lens.down(.bootstrapChunk(1, chunk)) else {
            Issue.record("no chunk")
            return
        }
        expectEqual(down.classes.map(\.className), ["Hound"])
        expectEqual(down.covers, [KeyRange(className: "Hound", after: 1, through: 2)])
        expectEqual(down.position.last, hound)
        expectEqual(lens.up(down.position), chunk.position)
        var cats = chunk
        cats.position.last = ObjectName("Cat", 3)
        expect(lens.down(.bootstrapChunk(1, cats)) == nil)

        let sums = ["Cat", "Dog", "Person"].map { ClassChecksum(className: $0, count: 1, sum: 2) }
        let end = BootstrapEnd(
            cursor: cursor,
            queryVersion: 1,
            clock: .zero,
            checksums: Checksums(view: 4, classes: sums)
        )
        guard case .bootstrapEnd(_, let shown)? = lens.down(.bootstrapEnd(1, end)) else {
            Issue.record("no end")
            return
        }
        expectEqual(shown.checksums.classes.map(\.className), ["Hound", "Person"])
        expectEqual(shown.checksums.view, 4)
        let restored = Ack(first: 1, versions: [2], clock: .zero, restored: chunk.classes)
        guard case .ack(_, let ack)? = lens.down(.ack(1, restored)) else {
            Issue.record("no ack")
            return
        }
        expectEqual(ack.restored.map(\.className), ["Hound"])
        // Batches are in the order of the app's names.
        let both = [ClassBatch(className: "Dog", objects: []), ClassBatch(className: "Bird", objects: [])]
        expectEqual(lens.down(both).map(\.className), ["Bird", "Hound"])
    }

    @Test func `an app with the stored names and types needs no lens`() throws {
        expect(try SchemaVersions(VersionModels.first).lens(for: 0) == nil)
        let added = try SchemaVersions(VersionModels.first).pushing(
            VersionModels.first + [TableSpec("Bird", columns: [ColumnSpec("_id", .int)], primaryKey: "_id")],
            as: 1
        )
        .versions
        let newest = try require(added.lens(for: 1))
        expect(newest.map.isPlain)
        let message = ServerMessage.changes(
            1,
            Changes(
                from: Cursor(epoch: 1, version: 1, hash: .empty),
                to: Cursor(epoch: 1, version: 2, hash: .empty),
                clock: .zero,
                classes: [ClassBatch(className: "Dog", objects: [])]
            )
        )
        expectEqual(newest.down(message), message)
        // The push doesn't change how existing objects are shown.
        expectEqual(newest.shown, 0)
        expectEqual(added.lens(for: 0)?.shown, 0)
        expect(try lens(2).shown != 0)
        expect(try lens(0).shown != 0)
    }

    // MARK: There and back

    @Test func `an uploaded change is downloaded unchanged`() throws {
        var random = SeededRandom(test: "up and down")
        for _ in 0..<50 * soak {
            var chain = RandomVersionChain(random: random)
            for _ in 0..<3 { try chain.push() }
            for index in chain.versions.versions.indices {
                let version = chain.versions.versions[index]
                guard let lens = chain.versions.lens(for: version.number) else { continue }
                for table in version.tables where !table.isEmbedded {
                    let name = ObjectName(SyncString(table.name), 1)
                    let fields = chain.fields(of: table, in: version)
                    let commit = Commit(
                        number: 1,
                        clock: .zero,
                        base: 0,
                        schemaVersion: version.number,
                        changes: [.create(name, fields)]
                    )
                    let lensed = lens.up(commit, [])
                    try require(lensed.malformed.isEmpty)
                    guard case .create(let stored, let up) = lensed.commit.changes[0] else { continue }
                    let author = Author(stamp: Stamp(clock: .zero, ident: FileIdent(rawValue: 1)), version: 1, seen: 0)
                    func whole(_ name: ObjectName, _ fields: [NewField]) -> [ClassBatch] {
                        [
                            ClassBatch(
                                className: name.className,
                                objects: [ObjectUpdate(1, MergedObject(fields, author).whole)]
                            )
                        ]
                    }
                    expectEqual(lens.down(whole(stored, up)), whole(name, fields))
                }
            }
            random = chain.random
        }
    }
}
