import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Changes of apps of three versions, and names that have no way in.
struct SchemaLensUpTests {
    private let dog = ObjectName("Dog", 1)
    private let hound = ObjectName("Hound", 1)
    private let ann = ObjectName("Person", 7)

    private func lens(_ claim: UInt64) throws -> SchemaLens { try require(VersionModels.versions().lens(for: claim)) }

    /// Returns the translation of an uploaded change, or `nil` if it is malformed.
    private func up(_ claim: UInt64, _ change: Change) throws -> Change? {
        let commit = Commit(number: 1, clock: .zero, base: 0, schemaVersion: claim, changes: [change])
        let lensed = try lens(0).up(commit, [])
        return lensed.malformed.isEmpty ? lensed.commit.changes[0] : nil
    }

    @Test func `changes are uploaded under stored names`() throws {
        let place = Place(hound, "house").instance(.confirmed).property("road")
        try expectEqual(
            up(2, .set(place, "x", .real)),
            .set(Place(dog, "home").instance(.confirmed).property("street"), "x", .real)
        )
        let inList = Place(hound, "places").element(.own(3)).instance(.own(3)).property("road")
        try expectEqual(
            up(5, .set(inList, "x", .byDefault)),
            .set(Place(dog, "places").element(.own(3)).instance(.own(3)).property("street"), "x", .byDefault)
        )
        let address = SyncValue.embedded(EmbeddedValue(number: 4, fields: [NewField("road", .value("R"), .byDefault)]))
        let stored = SyncValue.embedded(EmbeddedValue(number: 4, fields: [NewField("street", .value("R"), .byDefault)]))
        let creation = Change.create(
            hound,
            [
                NewField("title", .value("T")), NewField("places", .list(first: 4, [address])),
                NewField("keeper", .value(.link(ann))),
            ]
        )
        try expectEqual(
            up(2, creation),
            .create(
                dog,
                [
                    NewField("name", .value("T")), NewField("places", .list(first: 4, [stored])),
                    NewField("owner", .value(.link(ann))),
                ]
            )
        )
        try expectEqual(up(2, .delete(hound, .cascade(of: hound))), .delete(dog, .cascade(of: dog)))
        try expectEqual(up(5, .set(Place(hound, "nick"), 3, .real)), .set(Place(dog, "nick_2"), 3, .real))
        let mixed = SyncValue.dictionary(SyncDictionary([("x", .list([.link(hound)]))]))
        try expectEqual(
            up(2, .set(Place(hound, "any").nested("a"), mixed, .real)),
            .set(Place(dog, "any").nested("a"), .dictionary(SyncDictionary([("x", .list([.link(dog)]))])), .real)
        )
        // A number is uploaded as it was written.
        try expectEqual(up(2, .set(Place(hound, "age"), .double(1), .real)), .set(Place(dog, "age"), .double(1), .real))
        try expectEqual(up(0, .set(Place(dog, "age"), 1, .real)), .set(Place(dog, "age"), 1, .real))
        // Hidden elements of a set are kept.
        try expectEqual(
            up(2, .clearSet(Place(hound, "tags"), hidden: [])),
            .clearSet(Place(dog, "tags"), hidden: [.null])
        )
        try expectEqual(up(0, .clearSet(Place(dog, "tags"), hidden: [])), .clearSet(Place(dog, "tags"), hidden: []))
    }

    @Test func `an increment counts from the value that its author is shown`() throws {
        func fills(_ claim: UInt64, _ place: Place) throws -> [Int: SyncValue] {
            let commit = Commit(number: 1, clock: .zero, base: 0, schemaVersion: claim, changes: [.increment(place, 1)])
            return try lens(0).up(commit, []).fills
        }
        try expectEqual(fills(0, Place(dog, "age")), [0: 0])
        try expectEqual(fills(5, Place(hound, "age")), [:])
        try expectEqual(fills(2, Place(hound, "map").entry("a")), [0: 0])
        try expectEqual(fills(0, Place(dog, "map").entry("a")), [:])
        try expectEqual(fills(2, Place(hound, "any").nested("a")), [:])
        try expectEqual(fills(2, Place(hound, "house").instance(.confirmed).property("zip")), [0: 0])
    }

    @Test func `names outside of a version can't be uploaded`() throws {
        let hostile: [(UInt64, Change)] = [
            // Stored names, and names of other versions.
            (2, .set(Place(dog, "name"), "x", .real)), (2, .set(Place(hound, "name"), "x", .real)),
            (2, .set(Place(hound, "nick"), "x", .real)), (0, .set(Place(dog, "breed"), "x", .real)),
            (0, .set(Place(dog, "nick_2"), 1, .real)), (5, .set(Place(hound, "nick_2"), 1, .real)),
            (2, .create(ObjectName("Cat", 1), [])), (0, .create(ObjectName("Bird", 1), [])),
            (2, .delete(ObjectName("Cat", 1), .edit)), (2, .delete(hound, .cascade(of: dog))),
            (2, .create(hound, [NewField("nick", .value("x"))])),
            (
                2,
                .set(
                    Place(hound, "house"),
                    .embedded(EmbeddedValue(number: 1, fields: [NewField("street", .value("x"))])),
                    .real
                )
            ),
            (2, .set(Place(hound, "any"), .link(ObjectName("Cat", 1)), .real)),
            (2, .insert(Place(hound, "places"), Gap(after: nil, before: nil), first: 1, [.list([.link(dog)])])),
            // Places without a target.
            (2, .set(Place(hound, []), "x", .real)), (2, .set(Place(hound, "title").property("x"), "x", .real)),
            (2, .set(Place(hound, "title").instance(.confirmed).property("street"), "x", .real)),
            (2, .set(Place(hound, "house").property("road"), "x", .real)),
            (2, .set(Place(hound, "house").instance(.confirmed), "x", .real)),
            (2, .set(Place(hound, [.element(.own(1))]), "x", .real)),
            (2, .set(Place(ObjectName("Address", 1), "road"), "x", .real)), (2, .create(ObjectName("Address", 1), [])),
            (2, .set(Place(hound, "any").nested("x"), .embedded(EmbeddedValue(number: 1, fields: [])), .real)),
        ]
        for (claim, change) in hostile { expect(try up(claim, change) == nil, "\(change)") }
        // The other changes of the commit are kept, and this one is replaced by a change without an effect.
        let commit = Commit(
            number: 1,
            clock: .zero,
            base: 0,
            seen: [dog: 1, hound: 2],
            schemaVersion: 2,
            changes: [.set(Place(hound, "nick"), "x", .real), .set(Place(hound, "title"), "y", .real)]
        )
        let lensed = try lens(0).up(commit, [])
        expectEqual(lensed.malformed, [0])
        expectEqual(lensed.commit.changes[0].object.className, "$.Hound")
        expectEqual(lensed.commit.changes[1], .set(Place(dog, "name"), "y", .real))
        expectEqual(lensed.commit.seen, [dog: 2])
        expectEqual(lensed.refused(0, nil), commit.changes[0])
        let lens = try lens(2)
        expect(lens.up(className: "Dog") == nil)
        expect(lens.up(className: "Address") == nil)
        expectEqual(lens.up(className: "Hound"), "Dog")
    }
}
