import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client as a process of its own: `SyncChild`.
final class ClientProcess: @unchecked Sendable {
    // Not changed after the initializer.
    private let process = Process()
    private let input = Pipe()
    private let ended: AsyncStream<Void>

    static let program = ServerProcess.program.deletingLastPathComponent().appendingPathComponent("SyncChild")

    /// - Parameters:
    ///   - launcher: as for `ServerProcess`.
    ///   - variables: more variables of its environment.
    ///   - take: hears each line of its output, from another thread.
    init(
        _ arguments: [String],
        clockShift seconds: Int = 0,
        launcher: [String] = [],
        variables: [String: String] = [:],
        take: @escaping @Sendable (String) -> Void
    ) throws {
        let output = Pipe()
        process.setCommand(launcher, Self.program, arguments)
        process.environment = ProcessInfo.processInfo.environment.merging(["FREEHOLD_CLOCK_SHIFT": "\(seconds)"]) { $1 }
            .merging(variables) { $1 }
        (process.standardOutput, process.standardInput) = (output, input)
        let (stream, end) = AsyncStream<Void>.makeStream()
        ended = stream
        let reader = output.fileHandleForReading
        try process.run()
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = reader.availableData
                if data.isEmpty { break }
                rest += data
                while let line = rest.firstIndex(of: 10) {
                    take(String(decoding: rest[rest.startIndex..<line], as: UTF8.self))
                    rest = rest[(line + 1)...]
                }
            }
            // Half a line of who was killed says nothing.
            end.finish()
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func send(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Kills it, and waits until all that it said is heard.
    func end(_ signal: Int32 = SIGKILL) async {
        kill(process.processIdentifier, signal)
        for await _ in ended {}
        process.waitUntilExit()
    }
}
