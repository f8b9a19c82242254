import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client in a process of its own: `SyncChild`.
final class ClientProcess: @unchecked Sendable {
    // Not changed after the initializer.
    private let process = Process()
    private let input = Pipe()
    private let ended: AsyncStream<Void>

    static let program = ServerProcess.program.deletingLastPathComponent().appendingPathComponent("SyncChild")

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - launcher: The program that runs the client, as in `ServerProcess`.
    ///   - variables: Additional environment variables of the process.
    ///   - take: A block that takes each line of the output, on another thread.
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
            // An incomplete line of a killed client is ignored.
            end.finish()
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func send(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Sends a signal to the process, and waits until its end and until `take` has had all lines.
    func end(_ signal: Int32 = SIGKILL) async {
        kill(process.processIdentifier, signal)
        for await _ in ended {}
        process.waitUntilExit()
    }
}
