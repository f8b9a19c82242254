import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// When a client ends a connection because the server doesn't answer.
struct KeepAliveTests {
    /// A machine whose file answers at once, and the time.
    private struct Device {
        var machine: ClientMachine
        var store = MemoryClientStore()
        var random = SeededRandom(seed: 1)
        var now: Int64 = 1_000_000
        var timers: [ClientTimer: Int64] = [:]
        var sent: [ClientMessage] = []
        var isClosed = false

        init() { machine = ClientMachine(ClientConfiguration(app: "a", token: AccessToken("t"))) }

        mutating func handle(_ event: ClientEvent) throws {
            var events = [event]
            while !events.isEmpty {
                for action in machine.handle(events.removeFirst(), now: now, random: &random) {
                    switch action {
                    case .send(let message): sent.append(message)
                    case .close: isClosed = true
                    case .setTimer(let timer, let at): timers[timer] = at
                    case .clearTimer(let timer): timers[timer] = nil
                    case .store(let request):
                        events.append(.stored(try store.perform(request, now: now, random: &random)))
                    case .connect, .report: break
                    }
                }
            }
        }

        /// Lets time pass until the next time of a ping.
        mutating func passToPing() throws {
            now = try require(timers[.ping])
            timers[.ping] = nil
            try handle(.timer(.ping))
        }

        var pings: Int { sent.count { if case .ping = $0 { true } else { false } } }
    }

    private func boundDevice() throws -> Device {
        var device = Device()
        try device.handle(.started)
        try device.handle(.connectionOpened)
        try device.handle(.received(.welcome(Welcome(serverTime: device.now, credit: 1 << 20)), bytes: 0))
        let bound = Bound(schema: .accepted, epoch: 7, acknowledged: 0, start: .nothing)
        try device.handle(.received(.bound(1, bound), bytes: 0))
        return device
    }

    @Test func `bytes that move keep a connection while the answer to a ping is outstanding`() throws {
        var device = try boundDevice()
        try device.passToPing()
        for _ in 0..<20 {
            try device.handle(.progressed)
            try device.passToPing()
        }
        expect(!device.isClosed)
        expectEqual(device.pings, 1)
        // Messages are bytes as well.
        try device.handle(.received(.credit(1, bytes: 10), bytes: 0))
        try device.passToPing()
        expect(!device.isClosed)
        // After the late answer, pings continue.
        guard case .ping(let ping)? = device.sent.last(where: { if case .ping = $0 { true } else { false } }) else {
            return expect(false)
        }
        let pong = Pong(deviceTime: ping.deviceTime, serverTime: ping.deviceTime)
        try device.handle(.received(.pong(pong), bytes: 0))
        try device.passToPing()
        expectEqual(device.pings, 2)
    }

    @Test func `silence ends a connection while the answer to a ping is outstanding`() throws {
        var device = try boundDevice()
        try device.passToPing()
        try device.handle(.progressed)
        try device.passToPing()
        expect(!device.isClosed)
        try device.passToPing()
        expect(device.isClosed)
        expect(device.timers[.reconnect] != nil)
    }

    @Test func `a client waits for a late welcome as long as bytes move`() throws {
        var device = Device()
        try device.handle(.started)
        try device.handle(.connectionOpened)
        try device.handle(.progressed)
        try device.passToPing()
        expect(!device.isClosed)
        try device.passToPing()
        expect(device.isClosed)
    }
}
