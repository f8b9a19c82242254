import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import SyncWorlds

struct VocabularyTests {
    @Test func `a dictionary is sorted by the bytes of its keys, and the last of equal keys counts`() {
        var dictionary = SyncDictionary([("b", 1), ("\u{E9}", 2), ("a", 3), ("b", 4), ("e\u{301}", 5), ("", 6)])
        expectEqual(dictionary.entries.map(\.key), ["", "a", "b", "e\u{301}", "\u{E9}"])
        expectEqual(dictionary["b"], 4)
        expectEqual(dictionary["\u{E9}"], 2)
        dictionary["b"] = nil
        dictionary["c"] = 7
        expectEqual(dictionary.entries.map(\.key), ["", "a", "c", "e\u{301}", "\u{E9}"])
        expectEqual(dictionary, SyncDictionary(dictionary.entries.reversed().map { ($0.key, $0.value) }))
    }

    @Test func `values are equal to the bit`() {
        expect(SyncValue.double(0.0) != .double(-0.0))
        expectEqual(SyncValue.double(.nan), .double(.nan))
        expect(SyncValue.decimal128("1.0") != .decimal128("1.00"))
        expectEqual(Set([SyncValue.double(.nan), .double(.nan), .int(1), .double(1)]).count, 3)
        expect(SyncValue.string("\u{E9}") != .string("e\u{301}"))
    }

    @Test func `stamps are ordered by clock, then by file`() {
        let stamps = [(2, 1), (1, 2), (1, 1), (2, 0)].map {
            Stamp(clock: Clock(rawValue: $0.0), ident: FileIdent(rawValue: $0.1))
        }
        expectEqual(stamps.sorted(), [stamps[2], stamps[1], stamps[3], stamps[0]])
    }

    @Test func `a commit prints as a script`() {
        let place = Place(thing, "homes").entry("a").instance(.own(3)).property("rooms").element(.confirmed(2)).nested(
            "k"
        )
        let commit = Commit(
            number: 4,
            clock: Clock(milliseconds: 10, counter: 2),
            base: 7,
            seen: [thing: 6],
            changes: [
                .set(place, .dictionary(SyncDictionary([("x", .list([1, .null]))])), .byDefault),
                .delete(ObjectName("Child", "c"), .cascade(of: thing)),
                .clearList(list, hidden: [.own(1)]),
                .move(list, .confirmed(0), Gap(after: .own(2), before: nil), number: 5),
            ]
        )
        expectEqual(
            commit.description,
            """
            commit 4 at 10ms+2, base 7, schema 0, saw (Thing 1 at 6)
                Thing 1.homes{a}!3.rooms@[2]/k = {x: [1, null]} by default
                delete Child "c" because of Thing 1
                Thing 1.list clear sparing [own 1]
                Thing 1.list move [0] between own 2 and end, as 5
            """
        )
    }
}
