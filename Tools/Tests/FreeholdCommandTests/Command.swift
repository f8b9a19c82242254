import Foundation

/// A run of the built command: what it printed and how it ended.
struct Run: Sendable {
    let status: Int32
    let output: String
    let error: String
    /// Whether a signal ended it, whose number `status` is then.
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

    /// Runs the command to its end, with both outputs in files, so that none of them can fill a pipe.
    static func freehold(_ arguments: String..., input: Data? = nil) throws -> Run {
        try freehold(arguments, input: input)
    }

    static func freehold(_ arguments: [String], input: Data? = nil) throws -> Run {
        try run(executable, arguments, input: input)
    }

    /// Runs a shell's command line in which `$F` is the command.
    static func shell(_ line: String) throws -> Run {
        try run(URL(fileURLWithPath: "/bin/bash"), ["-c", "F='\(executable.path)'; \(line)"], input: nil)
    }

    private static func run(_ executable: URL, _ arguments: [String], input: Data?) throws -> Run {
        try withFolder { folder in
            let (inputFile, outputFile, errorFile) = (folder + "/in", folder + "/out", folder + "/err")
            for file in [inputFile, outputFile, errorFile] { try Data().write(to: URL(fileURLWithPath: file)) }
            if let input { try input.write(to: URL(fileURLWithPath: inputFile)) }
            let process = Process()
            process.executableURL = executable
            process.arguments = arguments
            process.standardInput = FileHandle(forReadingAtPath: inputFile)
            process.standardOutput = FileHandle(forWritingAtPath: outputFile)
            process.standardError = FileHandle(forWritingAtPath: errorFile)
            try process.run()
            process.waitUntilExit()
            return Run(
                status: process.terminationStatus,
                output: try String(contentsOfFile: outputFile, encoding: .utf8),
                error: try String(contentsOfFile: errorFile, encoding: .utf8),
                wasSignalled: process.terminationReason == .uncaughtSignal
            )
        }
    }
}

/// A folder that goes when the block is over.
func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}
