import Foundation
import Synchronization

/// A run of the built command, with its output and its exit status.
struct Run: Sendable {
    let status: Int32
    let output: String
    let error: String
    /// A Boolean value that indicates whether a signal ended the command. `status` is then the number of the signal.
    let wasSignalled: Bool

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The executable, which SwiftPM builds beside the tests.
    static var executable: URL {
        get throws {
            #if os(Linux)
                let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
                let folders = [own]
            #else
                let folders = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            #endif
            for folder in folders {
                let url = folder.appendingPathComponent("freehold")
                if FileManager.default.isExecutableFile(atPath: url.path) { return url }
            }
            throw Failure(description: "freehold isn't in \(folders.map(\.path))")
        }
    }

    /// Runs the command to its end. Both outputs are files, because a pipe could become full.
    static func freehold(_ arguments: String..., input: Data? = nil) throws -> Run {
        try freehold(arguments, input: input)
    }

    static func freehold(_ arguments: [String], input: Data? = nil) throws -> Run {
        try run(executable, arguments, input: input)
    }

    private static let helps = Mutex<[String: Run]>([:])

    /// Returns the help of a command, or of the whole command for an empty name. The first call for a name runs the command.
    static func help(_ command: String) throws -> Run {
        if let known = helps.withLock({ $0[command] }) { return known }
        let run = try freehold(command.isEmpty ? ["--help"] : ["help", command])
        helps.withLock { $0[command] = run }
        return run
    }

    /// Runs a command line of the system's shell. `$F` stands for the command.
    static func shell(_ line: String) throws -> Run {
        try run(URL(fileURLWithPath: "/bin/bash"), ["-c", "F='\(executable.path)'; \(line)"], input: nil)
    }

    #if os(Linux)
        /// Runs the command with a terminal of `columns` columns as its outputs. Returns the text that the terminal received.
        static func terminal(columns: UInt16, _ arguments: String...) throws -> String {
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // The requests TIOCSPTLCK and TIOCGPTN, whose macros Swift doesn't import.
            var (locked, number): (Int32, Int32) = (0, 0)
            guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
                throw Failure(description: "there is no terminal: \(String(cString: strerror(errno)))")
            }
            let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            guard terminal >= 0, ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else {
                throw Failure(description: "the terminal has no size: \(String(cString: strerror(errno)))")
            }
            // The output fits in the buffer of the terminal.
            let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
            defer { close(input) }
            _ = try wait(executable.path, arguments, descriptors: [input, terminal, terminal])
            close(terminal)
            var bytes = [UInt8](repeating: 0, count: 64 * 1024)
            var sent: [UInt8] = []
            while case let count = read(master, &bytes, bytes.count), count > 0 { sent += bytes[..<count] }
            close(master)
            return String(decoding: sent, as: UTF8.self)
        }
    #endif

    private static func run(_ executable: URL, _ arguments: [String], input: Data?) throws -> Run {
        try withFolder { folder in
            let (inputFile, outputFile, errorFile) = (folder + "/in", folder + "/out", folder + "/err")
            for file in [inputFile, outputFile, errorFile] { try Data().write(to: URL(fileURLWithPath: file)) }
            if let input { try input.write(to: URL(fileURLWithPath: inputFile)) }
            let descriptors = [
                open(inputFile, O_RDONLY | O_CLOEXEC), open(outputFile, O_WRONLY | O_CLOEXEC),
                open(errorFile, O_WRONLY | O_CLOEXEC),
            ]
            defer { for descriptor in descriptors { close(descriptor) } }
            let status = try wait(executable.path, arguments, descriptors: descriptors)
            let signal = status & 0x7f
            return Run(
                status: signal == 0 ? (status >> 8) & 0xff : signal,
                output: try String(contentsOfFile: outputFile, encoding: .utf8),
                error: try String(contentsOfFile: errorFile, encoding: .utf8),
                wasSignalled: signal != 0
            )
        }
    }

    /// Restores the handling of these signals. A process that runs tests in the background may ignore them, and
    /// commands would inherit that.
    static let takesInterrupts: Void = {
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
    }()

    /// Runs a program to its end with these descriptors as its input and outputs. Foundation's `Process` isn't used, because
    /// it waits in a run loop, and a thread of the tests may not have one. Returns the status that `waitpid` reports.
    private static func wait(_ path: String, _ arguments: [String], descriptors: [Int32]) throws -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        Self.takesInterrupts
        var child = pid_t()
        let code = posix_spawn(&child, path, &actions, nil, &words, environ)
        guard code == 0 else { throw Failure(description: "posix_spawn: \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// Calls the closure with a folder that is removed afterwards.
func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}
