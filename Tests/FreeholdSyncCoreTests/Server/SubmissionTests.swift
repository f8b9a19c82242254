import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Changes of programs that have no file.
struct SubmissionTests {
    private let things = (0..<4 as Range<Int64>).map { ObjectName("Thing", .int($0)) }
    private static let query = [ClassQuery(className: "Thing", condition: "all")]

    private func submission(_ changes: [Change], user: SyncString = "ann", seen: [ObjectName: StreamVersion] = [:])
        -> ServerEvent
    {
        .submit(nextNumber(), Submission(stream: ServerBench.stream, user: user, changes: changes, seen: seen))
    }

    private final class Numbers { var last: SubmissionNumber = 0 }
    private let numbers = Numbers()
    private func nextNumber() -> SubmissionNumber {
        numbers.last += 1
        return numbers.last
    }

    private func create(_ name: ObjectName, _ number: Int64) -> Change {
        .create(name, [NewField("mail", .value(.int(number)))])
    }

    private func set(_ name: ObjectName, _ number: Int64) -> Change { .set(Place(name, "mail"), .int(number), .real) }

    @Test func `changes are durable when they are answered, and reach connected clients`() throws {
        var bench = ServerBench()
        let client = bench.add(Self.query)
        bench.run(submission([create(things[0], 5)]))
        guard case .done(let version, let refusals)? = bench.submitted[1] else {
            Issue.record("\(String(describing: bench.submitted[1]))")
            return
        }
        expectEqual(version, 1)
        expect(refusals.isEmpty)
        expectEqual(bench.clients[client].objects[things[0]]?.version, 1)
        bench.run(submission([set(things[0], 6), create(things[1], 7)]))
        expectEqual(bench.store.contents(of: ServerBench.stream)[things[0]]?.contents["mail"], .value(.int(6)))
        expectEqual(bench.clients[client].objects.count, 2)
        expect(bench.clients[client].mistakes.isEmpty)
    }

    @Test func `a submission needs no connected client`() {
        var bench = ServerBench()
        for number in 0..<20 as Range<Int64> {
            bench.run(submission([create(ObjectName("Thing", .int(number)), number)]))
        }
        expectEqual(bench.store.contents(of: ServerBench.stream).count, 20)
        expectEqual(bench.submitted.count, 20)
        // Another node continues.
        bench.killNode()
        bench.run(submission([set(things[0], 9)]))
        expectEqual(bench.store.contents(of: ServerBench.stream)[things[0]]?.contents["mail"], .value(.int(9)))
    }

    @Test func `rights are checked, and a user that may not bind may not submit`() {
        let roles = SimulatedRoles()
        var bench = ServerBench { configuration in
            configuration.apps["app"]?.rights = { user, _ in roles[user] }
            configuration.apps["app"]?.allows = { user, _ in user != "eve" }
        }
        roles["ben"] = SimulatedRole(fixedFields: ["mail"], deletes: false)
        bench.run(submission([create(things[0], 5), create(things[1], 6)]))
        bench.run(submission([set(things[0], 1), .delete(things[1], .edit)], user: "ben"))
        guard case .done(_, let refusals)? = bench.submitted[2] else {
            Issue.record("\(String(describing: bench.submitted[2]))")
            return
        }
        expectEqual(refusals.map(\.reason), [.forbidden, .forbidden])
        expectEqual(bench.store.contents(of: ServerBench.stream)[things[0]]?.contents["mail"], .value(.int(5)))
        bench.run(submission([set(things[0], 1)], user: "eve"))
        guard case .failed(.forbidden, _)? = bench.submitted[3] else {
            Issue.record("\(String(describing: bench.submitted[3]))")
            return
        }
    }

    @Test func `an edit of an older object loses to the newer one, like a device's edit`() {
        var bench = ServerBench()
        bench.run(submission([create(things[0], 5)]))
        bench.run(submission([.delete(things[0], .edit)]))
        bench.run(submission([create(things[0], 6)]))
        // It was another object that the author saw.
        bench.run(submission([set(things[0], 7)], seen: [things[0]: 1]))
        guard case .done(_, let refusals)? = bench.submitted[4] else {
            Issue.record("\(String(describing: bench.submitted[4]))")
            return
        }
        expectEqual(refusals.map(\.reason), [.objectGone])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `each is answered once, and done if it says so, whatever the store does`(
        _ seed: UInt64
    ) {
        var bench = ServerBench(seed: seed)
        (bench.failures, bench.lostAnswers) = (20, 50)
        var random = SeededRandom(seed: seed)
        var asked: [SubmissionNumber: ObjectName] = [:]
        for number in 1...60 as ClosedRange<Int64> {
            let name = ObjectName("Thing", .int(number))
            asked[UInt64(number)] = name
            bench.run(submission([create(name, number)]))
            if random.chance(30) { bench.tick() }
        }
        bench.failures = 0
        for _ in 0..<20 { bench.tick() }
        let there = bench.store.contents(of: ServerBench.stream)
        for (number, name) in asked {
            switch bench.submitted[number] {
            case .done: expect(there[name] != nil)
            case .failed(.transient, _): break
            default: Issue.record("\(number): \(String(describing: bench.submitted[number]))")
            }
        }
    }

    @Test func `answers that can't be requested any more are removed`() {
        var bench = ServerBench()
        for number in 0..<50 as Range<Int64> {
            bench.run(submission([create(ObjectName("Thing", .int(number)), number)]))
        }
        bench.now += 90 * 86_400_000
        for _ in 0..<2 { bench.run(.timer(.trim)) }
        let store = bench.store as? MemoryServerStore
        let kept = store?.kept(in: ServerBench.stream, of: [FileIdent(rawValue: 1)])
        expectEqual(kept?.answers.allSatisfy { $0 <= 1 }, true, "\(String(describing: kept))")
    }
}
