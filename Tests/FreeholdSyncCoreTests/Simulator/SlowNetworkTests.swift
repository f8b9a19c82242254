import Foundation
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Large transactions over slow networks, in virtual time: what matters is how long they take beside the ideal time, in which all bytes go once.
struct SlowNetworkTests {
    /// 16 KiB a second, 2 % of the packets lost, and a cut every 20 seconds.
    static let bad = SlowWorld.Network(bytesPerSecond: 16 << 10, loss: 2, cut: 20_000_000)

    static func thing(_ key: Int64) -> ObjectName { ObjectName("Thing", .int(key)) }

    /// A photo of bytes that no other one has, so that nothing is folded.
    static func photo(_ key: Int64, _ bytes: Int) -> LocalEdit {
        var data = Data("\(key)".utf8)
        data.append(Data(repeating: UInt8(truncatingIfNeeded: key), count: bytes - data.count))
        return .create(thing(key), ["photo": .value(.data(data))], defaults: [])
    }

    static func small(_ keys: Range<Int64>) -> [LocalEdit] { keys.map { photo($0, 1_000) } }

    /// The bytes of a transaction, and the ideal time for them.
    static let bytes = TestBudget.cases(1 << 20, soak: 10 << 20)
    static var ideal: Double { Double(bytes) / Double(16 << 10) }

    private func world(_ seed: UInt64 = 1, slow: SlowWorld.Network = bad) throws -> SlowWorld {
        var world = SlowWorld(seed: seed)
        world.add(slow)
        world.add(.fast)
        _ = try require(world.seconds(within: 60) { $0.devices.allSatisfy { $0.store.data.state.cursor != nil } })
        return world
    }

    @Test func `one large object arrives in both directions within one and a half times the ideal time`() throws {
        var world = try world()
        world.commit([Self.photo(1, Self.bytes)], 0)
        world.commit([Self.photo(2, Self.bytes)], 1)
        let up = world.seconds(within: Self.ideal * 1.5) {
            $0.store.contents(of: SlowWorld.stream)[Self.thing(1)] != nil
        }
        print("SlowNetworkTests: up \(up ?? -1) s of \(Self.ideal) s, \(world.devices[0].connections) connections")
        expectEqual(world.problems, [])
        expect(up != nil)
        // It began at the same time, so it may take what is left.
        let rest = Self.ideal * 1.5 - (up ?? 0)
        let down = world.seconds(within: max(rest, 1)) { $0.devices[0].store.data.objects[Self.thing(2)] != nil }
        print("SlowNetworkTests: down \((up ?? 0) + (down ?? -1)) s of \(Self.ideal) s")
        expectEqual(world.problems, [])
        expect(down != nil)
        expect(world.devices[0].connections > 3)
    }

    @Test func `one transaction of many objects arrives in both directions within one and a half times the ideal time`()
        throws
    {
        var world = try world()
        let count = Int64(Self.bytes / 1_000)
        world.commit(Self.small(0..<count), 0)
        world.commit(Self.small(100_000..<100_000 + count), 1)
        let both = world.seconds(within: Self.ideal * 1.5) { world in
            world.store.contents(of: SlowWorld.stream)[Self.thing(0)] != nil
                && world.devices[0].store.data.objects[Self.thing(100_000)] != nil
        }
        print("SlowNetworkTests: both \(both ?? -1) s of \(Self.ideal) s")
        expectEqual(world.problems, [])
        expect(both != nil)
        // No transaction is torn.
        expectEqual(world.devices[0].store.data.objects.count, Int(2 * count))
    }

    @Test func `a first download arrives within one and a half times the ideal time`() throws {
        var world = SlowWorld(seed: 2)
        world.add(.fast)
        _ = try require(world.seconds(within: 60) { $0.devices[0].store.data.state.cursor != nil })
        let count = Int64(Self.bytes / 2_000)
        world.commit(Self.small(0..<count), 0)
        world.commit([Self.photo(100_000, Self.bytes / 2)], 0)
        _ = try require(
            world.seconds(within: 60) { $0.store.contents(of: SlowWorld.stream).count == Int(count) + 1 }
        )
        world.add(Self.bad)
        let done = world.seconds(within: Self.ideal * 1.5) { $0.devices[1].store.data.state.cursor != nil }
        print("SlowNetworkTests: first download \(done ?? -1) s of \(Self.ideal) s")
        expectEqual(world.problems, [])
        expect(
            done != nil,
            "\(world.devices[1].connections) connections, \(world.devices[1].bytesDown) B down, \(world.devices[1].store.data.state), \(world.devices[1].reports)"
        )
        expectEqual(world.devices[1].store.data.objects.count, Int(count) + 1)
    }

    @Test func `what comes behind a large transaction waits for it only`() throws {
        var world = try world()
        world.commit([Self.photo(1, Self.bytes / 2)], 1)
        for key in Int64(10)..<30 { world.commit(Self.small(key..<key + 1), 1) }
        world.commit([Self.photo(2, Self.bytes / 2)], 0)
        world.commit(Self.small(40..<41), 0)
        let done = world.seconds(within: Self.ideal * 1.5) { world in
            (Int64(10)..<30).allSatisfy { world.devices[0].store.data.objects[Self.thing($0)] != nil }
                && world.store.contents(of: SlowWorld.stream)[Self.thing(40)] != nil
        }
        expectEqual(world.problems, [])
        expect(done != nil)
    }

    @Test func `a device without parts on a slow network that isn't cut gets through`() throws {
        // Clients of earlier versions receive whole messages, which take longer than several pings.
        var world = SlowWorld(seed: 3)
        world.add(SlowWorld.Network(bytesPerSecond: 4 << 10)) { $0.takesParts = false }
        world.add(.fast)
        _ = try require(world.seconds(within: 60) { $0.devices.allSatisfy { $0.store.data.state.cursor != nil } })
        world.commit([Self.photo(1, 1 << 20)], 0)
        world.commit([Self.photo(2, 1 << 20)], 1)
        let done = world.seconds(within: 1_000) { world in
            world.store.contents(of: SlowWorld.stream)[Self.thing(1)] != nil
                && world.devices[0].store.data.objects[Self.thing(2)] != nil
        }
        expectEqual(world.problems, [])
        expect(done != nil)
        expectEqual(world.devices[0].connections, 1)
    }

    @Test func `a new client sends whole messages to a server that takes no parts`() throws {
        var world = SlowWorld(seed: 4) { $0.limits.commitBytes = 0 }
        world.add(.fast)
        world.add(.fast)
        _ = try require(world.seconds(within: 60) { $0.devices.allSatisfy { $0.store.data.state.cursor != nil } })
        world.commit([Self.photo(1, 1 << 20)], 0)
        let done = world.seconds(within: 100) { $0.devices[1].store.data.objects[Self.thing(1)] != nil }
        expectEqual(world.problems, [])
        expect(done != nil)
    }

    @Test func `a transaction that no server takes is handed to the app, and what follows arrives`() throws {
        var world = SlowWorld(seed: 5) { $0.limits.commitBytes = 200_000 }
        world.add(.fast)
        _ = try require(world.seconds(within: 60) { $0.devices[0].store.data.state.cursor != nil })
        world.commit([Self.photo(1, 300_000)], 0)
        world.commit([Self.photo(2, 100_000)], 0)
        world.commit([Self.photo(3, 199_000)], 0)
        let done = world.seconds(within: 100) { world in
            world.store.contents(of: SlowWorld.stream)[Self.thing(3)] != nil
                && world.devices[0].store.data.state.firstPending > world.devices[0].store.data.state.lastCommit
        }
        expectEqual(world.problems, [])
        expect(done != nil)
        let data = world.devices[0].store.data
        expect(world.store.contents(of: SlowWorld.stream)[Self.thing(2)] != nil)
        expectEqual(data.objects[Self.thing(1)] == nil, true)
        expectEqual(data.lost.count, 1)
        expect(world.devices[0].reports.contains { if case .fault(.tooLarge, _) = $0 { true } else { false } })
    }
}
