import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Work from before the horizon (sync-design.md, section 8), as the simulator found it wrong.
struct OldWorkTests {
    private static let name = ScriptedWorld.name
    private static let list = Place(name, "list")

    /// A stream that two files write to.
    private struct Stream {
        var store = MemoryStore()
        private let merge = StreamMerge(MergeRules())
        private var numbers: [FileIdent: UInt64] = [:]

        mutating func commit(
            _ ident: FileIdent,
            _ seen: StreamVersion,
            _ changes: Change...,
            oldLists: [OldList]? = nil
        ) throws -> [RefusalReason] {
            numbers[ident, default: 0] += 1
            let commit = Commit(
                number: numbers[ident]!,
                clock: Clock(milliseconds: 1_000),
                base: seen,
                seen: seen > 0 ? [name: seen] : [:],
                changes: changes
            )
            return try merge.apply(commit, from: ident, oldLists: oldLists, now: 1_000, to: &store).refusals
                .map(\.reason)
        }

        var contents: [SyncString: MergedContent]? { store.objects[name]?.contents }
    }

    private static let (first, second) = (FileIdent(rawValue: 1), FileIdent(rawValue: 2))

    /// The second file has seen a and b, and not the elements that the first one inserted behind them. The list was
    /// rewritten since.
    private static func stream() throws -> Stream {
        var stream = Stream()
        _ = try stream.commit(first, 0, .create(name, [NewField("list", .list(first: 1, ["a", "b"]))]))
        _ = try stream.commit(first, 1, .insert(list, Gap(after: .own(2), before: nil), first: 3, ["c"]))
        _ = try stream.commit(first, 2, .set(Place(name, "f"), 1, .real))
        stream.store.trim(horizon: 3)
        return stream
    }

    private static let lists = [OldList(place: list, elements: ["a", "b"])]

    @Test func `a clear removes what its author saw, also in a list that was rewritten since`() throws {
        var stream = try Self.stream()
        try expectEqual(stream.commit(Self.second, 1, .clearList(Self.list, hidden: []), oldLists: Self.lists), [])
        expectEqual(stream.contents?["list"], .list([.value("c")]))
    }

    @Test func `an assignment removes it, too, and so does a clear of an empty list`() throws {
        var stream = try Self.stream()
        let assign = Change.assignList(
            Self.list,
            hidden: [.confirmed(1)],
            Gap(after: nil, before: nil),
            first: 1,
            ["x"]
        )
        try expectEqual(stream.commit(Self.second, 1, assign, oldLists: Self.lists), [])
        expectEqual(stream.contents?["list"]?.plainValue, .list(["b", "c", "x"]))
        let other = FileIdent(rawValue: 3)
        let empty = [OldList(place: Self.list, elements: [])]
        try expectEqual(stream.commit(other, 1, .clearList(Self.list, hidden: []), oldLists: empty), [])
        expectEqual(stream.contents?["list"]?.plainValue, .list(["b", "c", "x"]))
    }

    @Test func `an element that its author moved is kept under its new name`() throws {
        var stream = try Self.stream()
        let move = Change.move(Self.list, .confirmed(0), Gap(after: .confirmed(1), before: nil), number: 1)
        try expectEqual(stream.commit(Self.second, 1, move, oldLists: Self.lists), [])
        let clear = Change.clearList(Self.list, hidden: [.own(1)])
        try expectEqual(stream.commit(Self.second, 1, clear, oldLists: Self.lists), [])
        expectEqual(stream.contents?["list"]?.plainValue, .list(["a", "c"]))
    }

    @Test func `a clear removes its author's own elements, also those that no list names`() throws {
        var stream = try Self.stream()
        let insert = Change.insert(Self.list, Gap(after: .confirmed(0), before: .confirmed(1)), first: 1, ["x"])
        try expectEqual(stream.commit(Self.second, 1, insert, oldLists: Self.lists), [])
        try expectEqual(stream.commit(Self.second, 1, .clearList(Self.list, hidden: []), oldLists: Self.lists), [])
        expectEqual(stream.contents?["list"]?.plainValue, .list(["c"]))
    }

    @Test func `a clear of a dictionary inside an element keeps entries that its author didn't see`() throws {
        var stream = Stream()
        let element = SyncValue.embedded(
            EmbeddedValue(number: 2, fields: [NewField("map", .dictionary(SyncDictionary([("a", 1)])))])
        )
        _ = try stream.commit(Self.first, 0, .create(Self.name, [NewField("list", .list(first: 1, [element]))]))
        func map(_ element: ElementReference, _ instance: InstanceReference) -> [Place.Step] {
            [.property("list"), .element(element), .instance(instance), .property("map")]
        }
        let entry = Place(Self.name, map(.own(1), .own(2)) + [.entry("b")])
        _ = try stream.commit(Self.first, 1, .set(entry, 2, .real))
        _ = try stream.commit(Self.first, 2, .set(Place(Self.name, "f"), 1, .real))
        stream.store.trim(horizon: 3)
        // The second file saw b, and clears. c is newer.
        _ = try stream.commit(
            Self.first,
            3,
            .set(Place(Self.name, map(.own(1), .own(2)) + [.entry("c")]), 3, .real)
        )
        stream.store.trim(horizon: 4)
        let clear = Change.clearDictionary(Place(Self.name, map(.confirmed(0), .confirmed)), hidden: [])
        // The author's list has the element in its present state, so its content isn't compared with what the author
        // saw.
        let now = try require(
            stream.contents?["list"].flatMap { if case .list(let all) = $0 { all.first } else { nil } }
        )
        let lists = [OldList(place: Self.list, elements: [now.plainValue])]
        try expectEqual(stream.commit(Self.second, 2, clear, oldLists: lists), [])
        let after = try require(
            stream.contents?["list"].flatMap { if case .list(let all) = $0 { all.first } else { nil } }
        )
        guard case .embedded(let fields) = after else { Issue.record("no object"); return }
        expectEqual(fields["map"], .dictionary(["c": .value(3)]))
    }
}
