import Foundation
import Testing

/// The compilers and interpreters of this machine. Missing ones are skipped, and the test reports that.
enum Tool: String, CaseIterable {
    case swiftc, clang, node, tsc, javac, java
    case cpp = "g++"

    var path: String? { Self.paths[self] }

    /// The paths of the installed ones.
    private static let paths: [Tool: String] = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        var paths: [Tool: String] = [:]
        for tool in Tool.allCases {
            let candidates = folders.map { $0 + "/" + tool.rawValue }
            paths[tool] = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        }
        return paths
    }()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs it to its end, with both outputs in one file, so that none can fill a pipe.
    func run(_ arguments: [String], in folder: String) throws -> (status: Int32, output: String) {
        guard let path else { throw Failure(description: "\(rawValue) isn't installed") }
        return try Self.run(path, arguments, in: folder)
    }

    static func run(_ path: String, _ arguments: [String], in folder: String) throws -> (status: Int32, output: String)
    {
        let outputFile = folder + "/output-of-\(URL(fileURLWithPath: path).lastPathComponent)"
        let output = open(outputFile, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer {
            close(output)
            close(input)
        }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in [input, output, output].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        // Files have names of every script.
        let others = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LC_") && $0.key != "LANG" }
        let variables = others.map { "\($0.key)=\($0.value)" } + ["LC_ALL=C.UTF-8"]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for word in environment { free(word) } }
        var child = pid_t()
        let code = posix_spawn(&child, path, &actions, nil, &words, &environment)
        guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let text = try String(decoding: Data(contentsOf: URL(fileURLWithPath: outputFile)), as: UTF8.self)
        return (status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f, text)
    }

    /// Runs the tool, and expects success without messages.
    func expectSuccess(_ arguments: [String], in folder: String, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let result = try run(arguments, in: folder)
        expectEqual(
            result.status,
            0,
            "\(rawValue) ended with \(result.status): \(result.output.prefix(4_000))",
            sourceLocation: sourceLocation
        )
    }
}

extension Trait where Self == ConditionTrait {
    static func needs(_ tools: Tool...) -> Self {
        let missing = tools.filter { $0.path == nil }.map(\.rawValue)
        return .enabled(if: missing.isEmpty, "\(missing.joined(separator: ", ")) isn't installed")
    }
}

/// Calls a block with a temporary folder, and removes the folder afterwards.
func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

/// Writes a file, with the folders that it needs.
func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
}
