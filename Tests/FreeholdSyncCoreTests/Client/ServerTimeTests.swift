import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// The offset that a client keeps after it received the server's time.
struct ServerTimeTests {
    /// Returns the offset that a client keeps after a round trip to a server.
    ///
    /// - Parameters:
    ///   - ahead: The server's time minus the device's, in milliseconds.
    ///   - there: The time of the message to the server.
    ///   - back: The time of the answer.
    private func offset(ahead: Int64, there: Int64, back: Int64) throws -> Int64 {
        var (machine, store) = (
            ClientMachine(ClientConfiguration(app: "a", token: AccessToken("t"))), MemoryClientStore()
        )
        var (random, now) = (SeededRandom(seed: 1), Int64(1_000_000))
        func handle(_ event: ClientEvent) throws {
            var events = [event]
            while !events.isEmpty {
                for case .store(let request) in machine.handle(events.removeFirst(), now: now, random: &random) {
                    events.append(.stored(try store.perform(request, now: now, random: &random)))
                }
            }
        }
        try handle(.started)
        try handle(.connectionOpened)
        let time = now + there + ahead
        now += there + back
        try handle(.received(.welcome(Welcome(serverTime: time, credit: 1 << 20)), bytes: 0))
        return store.data.state.offset
    }

    @Test(arguments: [(0, 0), (400, 0), (0, 400), (3_000, 20)])
    func `a right clock isn't changed, even if a connection is slow in one direction`(there: Int64, back: Int64) throws
    {
        expectEqual(try offset(ahead: 0, there: there, back: back), 0)
        expectEqual(try offset(ahead: -3, there: there, back: back), 0)
    }

    @Test(arguments: [Int64(3_600_000), -3_600_000, 500, -500])
    func `a wrong clock is corrected to within half a round trip`(ahead: Int64) throws {
        for (there, back) in [(0, 0), (100, 0), (0, 100), (70, 30)] as [(Int64, Int64)] {
            let error = try offset(ahead: ahead, there: there, back: back) - ahead
            expect(abs(error) <= (there + back) / 2, "\(there), \(back): \(error)")
        }
    }
}
