import Foundation
import ServerTestRandom
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The network between the clients and the server of `HistoryTests`.
protocol HistoryNetwork: AnyObject {
    /// The program with arguments that runs other programs in this network. Empty if no program is necessary.
    var launcher: [String] { get }
    var serverFlags: [String] { get }
    /// Prepares the folder. An implementation may mount a disk there that contains the folder's files.
    func mount(_ folder: String) throws
    func start(clients: Int, server port: Int) async throws
    func address(_ client: Int) -> String
    /// Makes a client's connection to the server worse or better.
    func disturb(_ client: Int, _ random: inout SeededRandom) throws
    func heal(_ client: Int) throws
    func stop() async
}

extension HistoryNetwork {
    func mount(_ folder: String) {}
    func stop() async {}
}

/// A process that keeps namespaces of Linux alive.
final class NamespaceHolder {
    private let process = Process()
    private let input = Pipe()
    private let flags: String

    static func isAllowed(_ flags: String, _ setUp: String) -> Bool {
        #if os(Linux)
            (try? run(["unshare", "-r\(flags)", "sh", "-c", "\(setUp) && nsenter --version"])) == 0
        #else
            false
        #endif
    }

    @discardableResult static func run(_ command: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - flags: `n` for a network namespace, `m` for a mount namespace.
    ///   - setUp: The shell command that sets the namespaces up.
    init(_ flags: String, _ setUp: String) throws {
        self.flags = flags
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-r\(flags)", "sh", "-c", "\(setUp) && echo ready && cat"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try #require(!output.fileHandleForReading.availableData.isEmpty)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The program with arguments that runs other programs in the namespaces.
    var launcher: [String] {
        ["nsenter", "-t", "\(process.processIdentifier)", "-U", "-\(flags)", "--preserve-credentials"]
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// A proxy for each client that cuts, splits, delays and refuses connections.
final class ProxyNetwork: HistoryNetwork {
    private var proxies: [CuttingProxy] = []

    var launcher: [String] { [] }
    var serverFlags: [String] { [] }

    func start(clients: Int, server port: Int) async throws {
        for _ in 0..<clients { proxies.append(try await CuttingProxy(to: port)) }
    }

    func address(_ client: Int) -> String { "http://127.0.0.1:\(proxies[client].port)" }

    func disturb(_ client: Int, _ random: inout SeededRandom) {
        switch random.below(7) {
        case 0, 1: proxies[client].cutAll()
        case 5: proxies[client].set(CuttingProxy.Behaviour(bytesPerSecond: 2_000 + random.below(30_000)))
        case 2: proxies[client].set(CuttingProxy.Behaviour(cut: 1 + random.below(5_000), piece: 1 + random.below(500)))
        case 3: proxies[client].set(CuttingProxy.Behaviour(isStalled: true))
        case 4: proxies[client].set(CuttingProxy.Behaviour(isDown: true))
        default: heal(client)
        }
    }

    func heal(_ client: Int) { proxies[client].set(CuttingProxy.Behaviour()) }

    func stop() async { for proxy in proxies { await proxy.close() } }
}

/// A network namespace of Linux, in which each client has its own address for the server. A routing rule drops the
/// packets to or from that address.
final class NetworkNamespace: HistoryNetwork {
    private let holder: NamespaceHolder
    private var port = 0
    private var isCut: Set<Int> = []

    private static let setUp = "ip link set lo up && ip rule add pref 10 lookup local && ip rule del pref 0"
    static let isAllowed = NamespaceHolder.isAllowed("n", setUp)

    init() throws { holder = try NamespaceHolder("n", Self.setUp) }

    var launcher: [String] { holder.launcher }
    var serverFlags: [String] { ["--host", "0.0.0.0"] }

    func start(clients: Int, server port: Int) { self.port = port }

    private func host(_ client: Int) -> String { "127.0.0.\(100 + client)" }
    func address(_ client: Int) -> String { "http://\(host(client)):\(port)" }

    func disturb(_ client: Int, _ random: inout SeededRandom) throws {
        if isCut.contains(client) { return try heal(client) }
        isCut.insert(client)
        try rule("add", client)
    }

    func heal(_ client: Int) throws { if isCut.remove(client) != nil { try rule("del", client) } }

    private func rule(_ verb: String, _ client: Int) throws {
        let status = try NamespaceHolder.run(
            launcher + ["ip", "rule", verb, "pref", "5", "to", host(client), "blackhole"]
        )
        #expect(status == 0)
    }

    func stop() async { holder.end() }
}

/// A small disk for the server and all clients that is full at times.
final class SmallDisk: HistoryNetwork {
    private var holder: NamespaceHolder?
    private var folder = ""
    private var port = 0
    private var isFull = false

    static let isAllowed = NamespaceHolder.isAllowed("m", "mount -t tmpfs -o size=1m tmpfs /mnt")

    var launcher: [String] { holder?.launcher ?? [] }
    var serverFlags: [String] { [] }

    func mount(_ folder: String) throws {
        self.folder = folder
        let copy = folder + ".copy"
        holder = try NamespaceHolder(
            "m",
            "cp -a \(folder) \(copy) && mount -t tmpfs -o size=48m tmpfs \(folder) && cp -a \(copy)/. \(folder)/ && rm -r \(copy)"
        )
    }

    func start(clients: Int, server port: Int) { self.port = port }
    func address(_ client: Int) -> String { "http://127.0.0.1:\(port)" }

    func disturb(_ client: Int, _ random: inout SeededRandom) throws {
        if isFull { return try heal(client) }
        isFull = true
        #expect(try NamespaceHolder.run(launcher + ["sh", "-c", "cat /dev/zero > \(folder)/filler"]) != 0)
    }

    func heal(_ client: Int) throws {
        isFull = false
        #expect(try NamespaceHolder.run(launcher + ["rm", "-f", "\(folder)/filler"]) == 0)
    }

    func stop() async { holder?.end() }
}
