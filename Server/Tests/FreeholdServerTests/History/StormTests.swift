import Foundation
import ServerTestRandom
import Synchronization
import Testing

#if PostgreSQL
    import PostgresProcess
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Clients and a server in processes of their own. They are killed, connections are cut, stalled and slow, and the
/// clients' files are replaced with earlier copies.
///
/// At the end all clients are equal, the counter is the number of transactions, and collections contain each element
/// once. Each transaction with a confirmed upload exists. `FREEHOLD_SEED` repeats the order of events. `FREEHOLD_SOAK`
/// lengthens the test.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct StormTests {
    @Test func `devices agree after a storm, and each transaction counts once`() async throws {
        try await run(StormStore())
    }

    #if PostgreSQL
        @Test(.needsPostgresServer)
        func `devices agree after a storm at two servers on a database that stops, and each transaction counts once`()
            async throws
        {
            let postgres = try await onThread { try PostgresServer() }
            let database = try TestDatabase(postgres)
            var store = StormStore(flags: database.flags, servers: 2)
            store.restart = {
                try await onThread {
                    try postgres.stop(.immediate)
                    try postgres.start()
                }
            }
            store.check = { try database.expectSound($0) }
            try await run(store)
        }
    #endif

    private func run(_ store: StormStore) async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? TestSeed.random(in: 0..<1 << 40)
        var random = SeededRandom(seed: seed)
        let storm = try await Storm(clients: 3, store, &random)
        let count = environment["FREEHOLD_SOAK"] == nil ? 14 : 1_000
        // The short storm also has each kind of event.
        let kinds = store.restart == nil ? 12 : 14
        for index in 0..<count {
            let kind = index < 7 ? index : index < 9 ? index + kinds - 9 : random.below(kinds)
            try await storm.event(kind, &random)
        }
        let result = await storm.finish()
        try store.check?(storm.folder)
        print("StormTests: FREEHOLD_SEED=\(seed), \(count) events, \(result.summary)")
        #expect(result.problems.isEmpty, "seed \(seed)")
        #expect(result.acknowledged.count > 0, "seed \(seed)")
    }

    /// The reports of the clients.
    struct Result {
        var opened: Set<Int> = []
        var haveBoard: Set<Int> = []
        var uploads = 0
        fileprivate(set) var problems: [String] = []
        /// The transactions that were begun.
        fileprivate(set) var begun: Set<String> = []
        /// The transactions whose upload was confirmed to a client.
        fileprivate(set) var acknowledged: Set<String> = []
        /// The transactions of each client's file whose upload wasn't confirmed.
        fileprivate var committed: [Set<String>]
        fileprivate var asked: [Set<String>?]
        fileprivate var ends: [String?]
        fileprivate var counts: [String: Int] = [:]

        fileprivate init(clients: Int) {
            committed = Array(repeating: [], count: clients)
            asked = Array(repeating: nil, count: clients)
            ends = Array(repeating: nil, count: clients)
        }

        var hasEnded: Bool { !ends.contains(nil) }
        var summary: String {
            let events = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return "\(begun.count) transactions, \(acknowledged.count) acknowledged; \(events)"
        }

        fileprivate mutating func take(_ line: String, _ client: Int) {
            let name = String(line.dropFirst(2))
            switch line.first {
            case "O": opened.insert(client)
            case "B": haveBoard.insert(client)
            case "I": begun.insert(name)
            case "C": committed[client].insert(name)
            case "Q": asked[client] = committed[client]
            case "A": acknowledge(asked[client] ?? [], client)
            case "U":
                uploads += 1
                acknowledge(committed[client], client)
            case "F": ends[client] = name
            case "E": break
            default: problems.append("client \(client): \(line)")
            }
        }

        private mutating func acknowledge(_ names: Set<String>, _ client: Int) {
            acknowledged.formUnion(names)
            committed[client].subtract(names)
            asked[client] = nil
        }

        fileprivate mutating func check() {
            guard let end = ends[0] else { return problems.append("client 0 never came to an end") }
            for (client, other) in ends.enumerated() where other != end {
                problems.append("client \(client) shows \(other ?? "nothing"), and client 0 \(end)")
            }
            let parts = end.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.split(separator: " ").map(String.init)
            }
            guard parts.count == 5 else { return problems.append("client 0 shows \(end)") }
            let list = parts[1]
            if parts[0] != ["\(list.count)"] { problems.append("the counter is \(parts[0]) of \(list.count)") }
            if list.sorted() != Set(list).sorted() { problems.append("the list has an element twice: \(list)") }
            if list.sorted() != parts[2] { problems.append("the set is \(parts[2]) and the list \(list)") }
            if list.sorted() != parts[3] { problems.append("the objects are \(parts[3]) and the list \(list)") }
            let lost = acknowledged.subtracting(list)
            if !lost.isEmpty { problems.append("uploaded transactions are lost: \(lost.sorted())") }
            let invented = Set(list).subtracting(begun)
            if !invented.isEmpty { problems.append("nobody began \(invented.sorted())") }
        }
    }
}

/// The store of the servers in a storm: by default the files of one server.
private struct StormStore {
    var flags: [String] = []
    var servers = 1
    /// Stops the database of the servers, and starts it.
    var restart: (() async throws -> Void)?
    /// Checks the store at the end.
    var check: ((TestFolder) throws -> Void)?
}

/// The processes of a test.
private final class Storm {
    let folder: TestFolder
    private let store: StormStore
    private var servers: [ServerProcess] = []
    private var proxies: [CuttingProxy] = []
    private var clients: [ClientProcess] = []
    private var hasBackup: Set<Int> = []
    private let heard: Heard

    private final class Heard: Sendable {
        let result: Mutex<StormTests.Result>
        init(_ clients: Int) { result = Mutex(StormTests.Result(clients: clients)) }
    }

    init(clients count: Int, _ store: StormStore, _ random: inout SeededRandom) async throws {
        heard = Heard(count)
        self.store = store
        folder = try ServerProcess.folder()
        let made = [
            ["app", "create", folder.path, "history", "--email-password", "auto-confirm", "--access", "everyone"],
            ["app", "set", folder.path, "history", "--adopt-schemas", "on"],
        ]
        for command in made { #expect(try ServerProcess.run(command + store.flags).status == 0) }
        for _ in 0..<store.servers { servers.append(try ServerProcess(folder.path, store.flags)) }
        for index in 0..<count {
            proxies.append(try await CuttingProxy(to: servers[index % servers.count].port))
            clients.append(try client(index, &random))
        }
        // A client that starts from a file without the board would make a second board.
        try await until("see the board") { $0.haveBoard.count == count }
    }

    private func path(_ client: Int) -> String { "\(folder.path)/clients/\(client)" }
    private func backup(_ client: Int) -> String { "\(folder.path)/backups/\(client)" }

    private func client(_ index: Int, _ random: inout SeededRandom) throws -> ClientProcess {
        let heard = heard
        return try ClientProcess(
            [
                "http://127.0.0.1:\(proxies[index].port)", path(index), "\(index)", "\(proxies.count)",
                "\(random.below(1 << 30))", "storm",
            ],
            clockShift: [0, 0, -3_600, 3_600][random.below(4)]
        ) { line in heard.result.withLock { $0.take(line, index) } }
    }

    func event(_ kind: Int, _ random: inout SeededRandom) async throws {
        try await Task.sleep(for: .milliseconds(random.below(300)))
        let index = random.below(clients.count)
        switch kind {
        case 0, 7: try await restart(index, as: "kills of clients", &random) {}
        case 1, 8:
            try await restart(index, as: "backups", &random) {
                try copy(path(index), backup(index))
                hasBackup.insert(index)
            }
        case 2:
            let killed = index % servers.count
            let port = servers[killed].port
            await servers[killed].end(SIGKILL)
            servers[killed] = try ServerProcess(folder.path, port: port, store.flags)
            note("kills of a server")
        case 3:
            proxies[index].set(CuttingProxy.Behaviour(bytesPerSecond: 2_000 + random.below(30_000)))
            note("slow networks")
        case 4, 9:
            guard let index = hasBackup.sorted().dropFirst(random.below(max(hasBackup.count, 1))).first else { return }
            try await restart(index, as: "restores", &random) {
                try copy(backup(index), path(index))
                // Transactions that weren't uploaded, and that the copy doesn't contain, are lost.
                heard.result.withLock { ($0.committed[index], $0.asked[index]) = ([], nil) }
            }
        case 5:
            let behaviour = CuttingProxy.Behaviour(cut: 1 + random.below(5_000), piece: 1 + random.below(500))
            proxies[index].set(behaviour)
            note("cuts behind some bytes")
        case 6:
            proxies[index].set(CuttingProxy.Behaviour(isStalled: true))
            note("stalls")
        case 10:
            proxies[index].cutAll()
            note("cuts")
        case 12, 13:
            try await store.restart?()
            note("restarts of the database")
        default: proxies[index].set(CuttingProxy.Behaviour())
        }
    }

    private func note(_ what: String) { heard.result.withLock { $0.counts[what, default: 0] += 1 } }

    /// Kills a client, runs the body, and starts the client again.
    private func restart(
        _ index: Int,
        as what: String,
        _ random: inout SeededRandom,
        between body: () throws -> Void
    ) async throws {
        await clients[index].end()
        heard.result.withLock { $0.asked[index] = nil }
        try body()
        clients[index] = try client(index, &random)
        note(what)
    }

    /// Copies the files of a client's realms. The log-in stays the present one, because a refresh token is valid once.
    private func copy(_ from: String, _ to: String) throws {
        let files = FileManager.default
        let names = files.enumerator(atPath: from)?.compactMap { $0 as? String } ?? []
        for name in names where !name.split(separator: "/").contains("metadata") {
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: "\(from)/\(name)", isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            let target = URL(fileURLWithPath: "\(to)/\(name)")
            try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? files.removeItem(at: target)
            try files.copyItem(atPath: "\(from)/\(name)", toPath: target.path)
        }
    }

    /// Repairs everything, and waits until all clients have everything.
    func finish() async -> StormTests.Result {
        do {
            for proxy in proxies { proxy.set(CuttingProxy.Behaviour()) }
            for client in clients { client.send("upload") }
            let count = clients.count
            try await until("upload") { $0.uploads == count }
            for client in clients { client.send("finish") }
            try await until("end") { $0.hasEnded }
            // A server knows of the last work at another one after a moment.
            for _ in 0..<600 where servers.count > 1 && heard.result.withLock({ Set($0.ends).count > 1 }) {
                heard.result.withLock { $0.ends = Array(repeating: nil, count: count) }
                for client in clients { client.send("finish") }
                try await until("end") { $0.hasEnded }
                try await Task.sleep(for: .milliseconds(100))
            }
        } catch { heard.result.withLock { $0.problems.append("\(error)") } }
        for client in clients { await client.end() }
        for server in servers { await server.end(SIGTERM) }
        for proxy in proxies { await proxy.close() }
        return heard.result.withLock { result in
            result.check()
            return result
        }
    }

    private struct NotDone: Error { let what: String }

    private func until(_ what: String, _ isDone: (StormTests.Result) -> Bool) async throws {
        for _ in 0..<6_000 {
            if heard.result.withLock({ isDone($0) }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NotDone(what: "clients don't \(what)")
    }
}
