import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Clients and a server as processes with networks between them. All are killed at random, clocks are wrong, connections break or stall; what the
/// clients say goes through `CausalChecker`. `FREEHOLD_SEED` repeats the order of events (not the machine's timing); `FREEHOLD_SOAK` makes it last.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct HistoryTests {
    @Test func `clients that are killed, cut off and an hour late see a causal history, and nothing is lost or doubled`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 40)
        print("HistoryTests: FREEHOLD_SEED=\(seed)")
        var random = SeededSteps(seed)
        let world = try await HistoryWorld(clients: 3, &random)
        for _ in 0..<(environment["FREEHOLD_SOAK"] == nil ? 40 : 2_000) { try await world.event(&random) }
        let checker = try await world.finish()
        print("HistoryTests: \(checker.transactions) transactions")
        #expect(checker.violations.isEmpty, "seed \(seed)")
        #expect(checker.transactions > 10, "seed \(seed)")
    }
}

struct SeededSteps {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next(_ bound: UInt64) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((bits ^ bits >> 31) % bound)
    }
}

/// The processes, and what is between them.
private final class HistoryWorld {
    private let folder: TestFolder
    private let files: TestFolder
    private var server: ServerProcess
    private let port: Int
    private var proxies: [CuttingProxy] = []
    private var clients: [ClientProcess] = []
    private let heard: Heard

    /// What the clients say.
    private final class Heard: Sendable {
        struct State {
            var checker: CausalChecker
            var opened: Set<Int> = []
            var uploads = 0
            var ends = 0
        }
        let state: Mutex<State>

        init(_ clients: Int) { state = Mutex(State(checker: CausalChecker(clients: clients))) }

        func take(_ line: String, _ client: Int) {
            state.withLock { state in
                state.checker.take(line, of: client)
                if line == "O" { state.opened.insert(client) }
                if line == "U" { state.uploads += 1 }
                if line.hasPrefix("F ") { state.ends += 1 }
            }
        }
    }

    init(clients count: Int, _ random: inout SeededSteps) async throws {
        folder = try ServerProcess.folder()
        files = try TestFolder()
        server = try ServerProcess(folder.path, ["--development"])
        port = server.port
        heard = Heard(count)
        for _ in 0..<count { proxies.append(try await CuttingProxy(to: port)) }
        for index in 0..<count { clients.append(try client(index, &random)) }
        // Passwords take their time; whoever is logged in stays so.
        await until { $0.opened.count == count }
    }

    private func client(_ index: Int, _ random: inout SeededSteps) throws -> ClientProcess {
        let heard = heard
        return try ClientProcess(
            [
                "http://127.0.0.1:\(proxies[index].port)", "\(files.path)/\(index)", "\(index)", "\(proxies.count)",
                "\(random.next(1 << 30))",
            ],
            clockShift: [0, 0, -3_600, 3_600][random.next(4)]
        ) { heard.take($0, index) }
    }

    func event(_ random: inout SeededSteps) async throws {
        try await Task.sleep(for: .milliseconds(random.next(400)))
        let index = random.next(UInt64(clients.count))
        switch random.next(10) {
        case 0, 1:
            await clients[index].end()
            clients[index] = try client(index, &random)
        case 2, 3:
            await server.end(SIGKILL)
            try await Task.sleep(for: .milliseconds(random.next(200)))
            server = try ServerProcess(folder.path, port: port, ["--development"])
        case 4, 5: proxies[index].cutAll()
        case 6: proxies[index].set(CuttingProxy.Behaviour(cut: 1 + random.next(5_000), piece: 1 + random.next(500)))
        case 7: proxies[index].set(CuttingProxy.Behaviour(isStalled: true))
        case 8: proxies[index].set(CuttingProxy.Behaviour(isDown: true))
        default: proxies[index].set(CuttingProxy.Behaviour())
        }
    }

    /// Everything works again, until all have everything.
    func finish() async throws -> CausalChecker {
        for proxy in proxies { proxy.set(CuttingProxy.Behaviour()) }
        for client in clients { client.send("upload") }
        await until { $0.uploads == self.clients.count }
        for client in clients { client.send("finish") }
        await until { $0.ends == self.clients.count }
        for client in clients { await client.end() }
        await server.end(SIGTERM)
        for proxy in proxies { await proxy.close() }
        return heard.state.withLock { state in
            state.checker.finish()
            return state.checker
        }
    }

    private func until(_ isDone: (Heard.State) -> Bool) async {
        for _ in 0..<6_000 {
            if heard.state.withLock({ isDone($0) }) { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
