internal import CFreeholdShims
public import Foundation

/// A process of `freehold-testchild`, with pipes to its input and output.
///
/// It is started with `posix_spawn`, so that no other child inherits the pipes, and the end of its output is noticed
/// when it dies.
public final class ChildProcess {
    public let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var pending: [UInt8] = []
    private var status: Int32?

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// An executable that SwiftPM builds next to the tests.
    public static func path(of name: String) throws -> String {
        #if os(Linux)
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            let folders = [own]
        #else
            let folders = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        #endif
        for folder in folders {
            let path = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw Failure(description: "\(name) isn't in \(folders.map(\.path))")
    }

    /// Prevents that another child starts between the creation of a pipe and the mark that keeps it from being
    /// inherited.
    private static let starting = NSLock()

    public convenience init(_ arguments: [String], environment: [String: String] = [:]) throws {
        try self.init(executable: Self.path(of: "freehold-testchild"), arguments, environment: environment)
    }

    /// Starts any other program. Foundation's `Process` waits in a run loop, which a thread of the tests may not have.
    public init(executable path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        Self.starting.lock()
        defer { Self.starting.unlock() }
        var inputPipe: [Int32] = [-1, -1]
        var outputPipe: [Int32] = [-1, -1]
        try Self.makePipe(&inputPipe)
        try Self.makePipe(&outputPipe)
        var actions = FileActions()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, inputPipe[0], 0)
        posix_spawn_file_actions_adddup2(&actions, outputPipe[1], 1)
        defer { posix_spawn_file_actions_destroy(&actions) }

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var identifier = pid_t()
        let code = Self.withCStrings([path] + arguments) { argv in
            Self.withCStrings(variables) { envp in
                posix_spawn(&identifier, path, &actions, nil, argv, envp)
            }
        }
        close(inputPipe[0])
        close(outputPipe[1])
        input = inputPipe[1]
        output = outputPipe[0]
        self.identifier = identifier
        if code != 0 {
            status = 0
            throw Failure(description: "posix_spawn: \(String(cString: strerror(code)))")
        }
    }

    deinit {
        if status == nil {
            kill()
            _ = wait()
        }
        close(input)
        close(output)
    }

    public func kill() { _ = Foundation.kill(identifier, SIGKILL) }

    /// Waits for its end. - Returns: the exit code, or minus the signal that ended it.
    @discardableResult
    public func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
        let signal = raw & 0x7f
        let result = signal == 0 ? (raw >> 8) & 0xff : -signal
        status = result
        return result
    }

    /// The next line of its output, without the line's end; nil at the end of the output.
    public func readLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 1)
                return line
            }
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            pending += buffer[..<count]
        }
    }

    /// Returns every further line until the process ends.
    public func readLines() -> [String] {
        var lines: [String] = []
        while let line = readLine() { lines.append(line) }
        return lines
    }

    public func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(input, bytes, bytes.count)
    }

    // MARK: The C side

    #if canImport(Darwin)
        private typealias FileActions = posix_spawn_file_actions_t?
    #else
        private typealias FileActions = posix_spawn_file_actions_t
    #endif

    private static func makePipe(_ ends: inout [Int32]) throws {
        // The descriptors are marked at once, because other threads also start processes, which would inherit them.
        let code = fh_pipe(&ends)
        guard code == 0 else { throw Failure(description: "pipe: \(String(cString: strerror(code)))") }
    }

    private static func withCStrings<R>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// A temporary folder, removed together with the test.
public final class ChildFolder {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func file(_ name: String) -> String { "\(path)/\(name)" }
}
