import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A world runs twice, with other forbidden data the second time. The user must receive the same bytes, except for the
/// hashes of cursors, which are salted (sync-design.md, section 12).
struct NoLeakTests {
    private let things = (0..<6 as Range<Int64>).map { ObjectName("Thing", .int($0)) }

    /// The app of the user: the schema's old version, or a new one that has other names and lacks `g`.
    enum App: CaseIterable {
        case old, new

        var query: [ClassQuery] {
            [ClassQuery(className: self == .old ? "Thing" : "Item", condition: "TRUEPREDICATE")]
        }
        var version: UInt64 { self == .old ? 0 : SimulatedVersions.number }

        func name(_ thing: ObjectName) -> ObjectName { ObjectName(query[0].className, thing.key) }
        func property(_ name: SyncString) -> SyncString { self == .new && name == "f" ? "first" : name }

        /// No role shows `list`, `g`, or objects with 1 for `mail`. In the new app, the schema hides `g`.
        var roles: [SimulatedRole] {
            let hidden: Set<SyncString> = self == .old ? ["g", "list"] : ["list"]
            return [
                SimulatedRole(hiddenMail: 1, hiddenFields: hidden),
                SimulatedRole(hiddenMail: 1, hiddenFields: hidden, deletes: false),
                SimulatedRole(hiddenMail: 1, hiddenFields: hidden.union(["f"]), creates: false, deletes: false),
                SimulatedRole(hiddenMail: 1, hiddenFields: hidden, fixedFields: ["f"], deletes: false),
            ]
        }
    }

    private func set(_ name: ObjectName, _ property: SyncString, _ value: Int64) -> Change {
        .set(Place(name, property), .int(value), .real)
    }

    /// Returns work of a user with all rights. Only values that other users can't see differ between the two runs.
    private func changes(
        _ name: ObjectName,
        _ step: Int64,
        isThere: Bool,
        isOther: Bool,
        _ random: inout SeededRandom
    ) -> [Change] {
        let hidden = Int64.random(in: 0...1_000, using: &random) + (isOther ? 5_000 : 0)
        let isHidden = name.key < PrimaryKey.int(3)
        let shown = isHidden ? hidden : step
        let kind = Int.random(in: 0..<6, using: &random)
        guard isThere else {
            let fields = [
                NewField("mail", .value(.int(isHidden ? 1 : 0))), NewField("g", .value(.int(hidden))),
                NewField("f", .value(.int(shown))),
                NewField("list", .list(first: 1, [.int(hidden), .int(hidden + 1)])),
            ]
            return [.create(name, fields)]
        }
        switch kind {
        case 0: return [set(name, "g", hidden)]
        case 1:
            let gap = Gap(after: nil, before: nil)
            return [.insert(Place(name, "list"), gap, first: UInt64(step) * 100, [.int(hidden)])]
        case 2: return [set(name, "f", shown)]
        case 3: return [set(name, "g", hidden), set(name, "f", shown)]
        case 4: return [.clearList(Place(name, "list"), hidden: [])]
        default: return [.delete(name, .edit)]
        }
    }

    private func play(_ seed: UInt64, _ app: App, isOther: Bool) throws -> (said: [[UInt8]], refusals: Int) {
        var random = SeededRandom(seed: seed)
        let roles = SimulatedRoles()
        var bench = ServerBench(seed: seed, matcher: QueryMatcher()) { configuration in
            configuration.apps["app"]?.rights = { user, _ in roles[user] }
            configuration.apps["app"]?.judge = { SimulatedVersions.judge($0) }
        }
        roles["ben"] = app.roles[0]
        let ann = bench.add(App.old.query)
        let claim = SchemaClaim(version: app.version, hash: .empty)
        let ben = bench.add(app.query, user: "ben", claim: claim, isRecording: true)
        var alive: [ObjectName: StreamVersion] = [:]
        for step in 1...80 as ClosedRange<Int64> {
            let name = things.randomElement(using: &random)!
            bench.now += 1_000
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                bench.disconnect(ben)
                if random.chance(50) { roles["ben"] = app.roles.randomElement(using: &random)! }
                bench.connect(ben)
            case 1:
                roles["ben"] = app.roles.randomElement(using: &random)!
                bench.run(.rightsChanged(random.chance(50) ? ["ben"] : nil))
            case 2, 3:
                // The user also writes hidden objects, because it may guess their keys.
                let own = app.name(name)
                let seen = bench.clients[ben].objects[own].map { [own: $0.version] } ?? [:]
                let change =
                    random.chance(50)
                    ? Change.delete(own, .edit) : set(own, app.property("f"), step)
                bench.commit(ben, [change], seen)
                alive = alive.filter { bench.clients[ann].objects[$0.key] != nil }
            default:
                let changes = changes(name, step, isThere: alive[name] != nil, isOther: isOther, &random)
                bench.commit(ann, changes, alive)
                alive[name] = bench.clients[ann].objects[name]?.version
            }
        }
        expect(bench.clients.flatMap(\.mistakes).isEmpty && bench.clients.flatMap(\.faults).isEmpty)
        let codec = MessageCodec()
        let said = try bench.clients[ben].received.map { try codec.encode($0.withoutHashes) }
        return (said, bench.clients[ben].refusals.count)
    }

    @Test(arguments: App.allCases, CodecSeeds.seeds("NoLeakTests", count: 6, soak: 2_000))
    func `messages to a user don't depend on hidden data`(_ app: App, _ seed: UInt64) throws {
        let (first, second) = (try play(seed, app, isOther: false), try play(seed, app, isOther: true))
        expect(first.said.count > 20)
        let place = zip(first.said, second.said).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        expect(place == nil && first.said.count == second.said.count, "message \(place ?? -1)")
        expectEqual(first.refusals, second.refusals)
    }
}

extension ServerMessage {
    /// Without what is random, and different in each world.
    var withoutHashes: ServerMessage {
        func plain(_ cursor: Cursor) -> Cursor { Cursor(epoch: cursor.epoch, version: cursor.version, hash: .empty) }
        switch self {
        case .changes(let session, var changes):
            changes.from = plain(changes.from)
            changes.to = plain(changes.to)
            return .changes(session, changes)
        case .bootstrapBegin(let session, var begin):
            begin.cursor = plain(begin.cursor)
            return .bootstrapBegin(session, begin)
        case .bootstrapChunk(let session, var chunk):
            chunk.position = BootstrapPosition(
                cursor: plain(chunk.position.cursor),
                queryVersion: chunk.position.queryVersion,
                last: chunk.position.last
            )
            return .bootstrapChunk(session, chunk)
        case .bootstrapEnd(let session, var end):
            end.cursor = plain(end.cursor)
            return .bootstrapEnd(session, end)
        default: return self
        }
    }
}
