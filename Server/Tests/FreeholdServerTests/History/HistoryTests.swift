import Foundation
import ServerTestRandom
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Clients and a server in processes of their own. They are killed at random, clocks are wrong, and connections break
/// or stall. `CausalChecker` checks the reports of the clients. `FREEHOLD_SEED` repeats the order of events, but not
/// the timing of the machine. `FREEHOLD_SOAK` lengthens the test.
@Suite(.serialized, .timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct HistoryTests {
    private func history(_ network: some HistoryNetwork) async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? TestSeed.random(in: 0..<1 << 40)
        print("HistoryTests: FREEHOLD_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let world = try await HistoryWorld(clients: 3, network, &random)
        for _ in 0..<(environment["FREEHOLD_SOAK"] == nil ? 15 : 1_000) { try await world.event(&random) }
        let checker = try await world.finish()
        print("HistoryTests: \(checker.transactions) transactions")
        #expect(checker.violations.isEmpty, "seed \(seed)")
        #expect(checker.transactions > 10, "seed \(seed)")
    }

    @Test
    func `clients that are killed, cut off and an hour late see a causal history, and nothing is lost or doubled`()
        async throws
    { try await history(ProxyNetwork()) }

    /// Packets are dropped silently: no connection is refused or reset.
    @Test(
        .enabled(
            if: NetworkNamespace.isAllowed,
            "This user may not make network namespaces, or has no unshare, nsenter and ip."
        )
    )
    func `clients behind partitions that lose packets without a word`() async throws {
        try await history(NetworkNamespace())
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "This user may not mount, or has no unshare and nsenter."))
    func `a server and clients whose disk is full now and then`() async throws { try await history(SmallDisk()) }
}

/// The processes of a test.
private final class HistoryWorld<Network: HistoryNetwork> {
    private let folder: TestFolder
    private let network: Network
    private var server: ServerProcess
    private let count: Int
    private var clients: [ClientProcess] = []
    private let heard: Heard

    init(clients count: Int, _ network: Network, _ random: inout SeededRandom) async throws {
        (self.count, self.network, heard) = (count, network, Heard(count))
        folder = try ServerProcess.folder()
        try network.mount(folder.path)
        let made = [
            ["app", "create", folder.path, "history", "--email-password", "auto-confirm", "--access", "everyone"],
            ["app", "set", folder.path, "history", "--adopt-schemas", "on"],
        ]
        for command in made { #expect(try ServerProcess.run(command, launcher: network.launcher).status == 0) }
        server = try ServerProcess(folder.path, network.serverFlags, launcher: network.launcher)
        try await network.start(clients: count, server: server.port)
        for index in 0..<count { clients.append(try client(index, &random)) }
        // Computing the hashes of passwords takes time. Clients stay logged in after this.
        await until { $0.opened.count == count }
    }

    private func client(_ index: Int, _ random: inout SeededRandom) throws -> ClientProcess {
        let heard = heard
        return try ClientProcess(
            [
                network.address(index), "\(folder.path)/clients/\(index)", "\(index)", "\(count)",
                "\(random.below(1 << 30))",
            ],
            clockShift: [0, 0, -3_600, 3_600][random.below(4)],
            launcher: network.launcher
        ) { heard.take($0, index) }
    }

    func event(_ random: inout SeededRandom) async throws {
        try await Task.sleep(for: .milliseconds(random.below(400)))
        let index = random.below(count)
        switch random.below(10) {
        case 0, 1:
            await clients[index].end()
            clients[index] = try client(index, &random)
        case 2, 3:
            let port = server.port
            await server.end(SIGKILL)
            try await Task.sleep(for: .milliseconds(random.below(200)))
            do {
                server = try ServerProcess(folder.path, port: port, network.serverFlags, launcher: network.launcher)
            } catch {
                // On a full disk, the server may report the error and end.
                for index in 0..<count { try network.heal(index) }
                server = try ServerProcess(folder.path, port: port, network.serverFlags, launcher: network.launcher)
            }
        default: try network.disturb(index, &random)
        }
    }

    /// Repairs everything, and waits until all clients have everything.
    func finish() async throws -> CausalChecker {
        for index in 0..<count { try network.heal(index) }
        for client in clients { client.send("upload") }
        await until { $0.uploads == self.count }
        for client in clients { client.send("finish") }
        await until { $0.ends == self.count }
        for client in clients { await client.end() }
        await server.end(SIGTERM)
        await network.stop()
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

/// The reports of the clients.
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
