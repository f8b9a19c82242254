import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is between clients and a server of `HistoryTests`.
protocol HistoryNetwork: AnyObject {
    /// Runs programs in it.
    var launcher: [String] { get }
    var serverFlags: [String] { get }
    func start(clients: Int, server port: Int) async throws
    func address(_ client: Int) -> String
    /// Makes a client's way to the server worse, or better.
    func disturb(_ client: Int, _ random: inout SeededSteps) throws
    func heal(_ client: Int) throws
    func stop() async
}

/// A proxy for each client, which cuts, splits, stalls and refuses.
final class ProxyNetwork: HistoryNetwork {
    private var proxies: [CuttingProxy] = []

    var launcher: [String] { [] }
    var serverFlags: [String] { [] }

    func start(clients: Int, server port: Int) async throws {
        for _ in 0..<clients { proxies.append(try await CuttingProxy(to: port)) }
    }

    func address(_ client: Int) -> String { "http://127.0.0.1:\(proxies[client].port)" }

    func disturb(_ client: Int, _ random: inout SeededSteps) {
        switch random.next(6) {
        case 0, 1: proxies[client].cutAll()
        case 2: proxies[client].set(CuttingProxy.Behaviour(cut: 1 + random.next(5_000), piece: 1 + random.next(500)))
        case 3: proxies[client].set(CuttingProxy.Behaviour(isStalled: true))
        case 4: proxies[client].set(CuttingProxy.Behaviour(isDown: true))
        default: heal(client)
        }
    }

    func heal(_ client: Int) { proxies[client].set(CuttingProxy.Behaviour()) }

    func stop() async { for proxy in proxies { await proxy.close() } }
}

/// A network namespace of Linux, in which each client has an address of its own for the server. A rule of routing makes packets to or from it vanish.
final class NetworkNamespace: HistoryNetwork {
    private let holder = Process()
    private let input = Pipe()
    private var port = 0
    private var isCut: Set<Int> = []

    private static let setUp = "ip link set lo up && ip rule add pref 10 lookup local && ip rule del pref 0"

    static let isAllowed: Bool = {
        #if os(Linux)
            (try? run(["unshare", "-rn", "sh", "-c", "\(setUp) && nsenter --version"])) == 0
        #else
            false
        #endif
    }()

    @discardableResult private static func run(_ command: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    init() throws {
        let output = Pipe()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["unshare", "-rn", "sh", "-c", "\(Self.setUp) && echo ready && cat"]
        (holder.standardInput, holder.standardOutput) = (input, output)
        try holder.run()
        try #require(!output.fileHandleForReading.availableData.isEmpty)
    }

    deinit { if holder.isRunning { kill(holder.processIdentifier, SIGKILL) } }

    var launcher: [String] { ["nsenter", "-t", "\(holder.processIdentifier)", "-U", "-n", "--preserve-credentials"] }
    var serverFlags: [String] { ["--host", "0.0.0.0"] }

    func start(clients: Int, server port: Int) { self.port = port }

    private func host(_ client: Int) -> String { "127.0.0.\(100 + client)" }
    func address(_ client: Int) -> String { "http://\(host(client)):\(port)" }

    func disturb(_ client: Int, _ random: inout SeededSteps) throws {
        if isCut.contains(client) { return try heal(client) }
        isCut.insert(client)
        try rule("add", client)
    }

    func heal(_ client: Int) throws { if isCut.remove(client) != nil { try rule("del", client) } }

    private func rule(_ verb: String, _ client: Int) throws {
        let status = try Self.run(launcher + ["ip", "rule", verb, "pref", "5", "to", host(client), "blackhole"])
        #expect(status == 0)
    }

    func stop() async {
        try? input.fileHandleForWriting.close()
        holder.waitUntilExit()
    }
}
