import ArgumentParser
import Foundation
import Freehold

/// Where an export goes: a file that appears when it is complete, or standard output.
struct OutputFile: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file rather than standard output.", valueName: "path"),
        completion: .file()
    )
    var output: String?
    @Flag(help: "Replaces the output file if it is there.") var force = false

    func validate() throws {
        if force && output == nil { throw ValidationError("--force is about --output, which isn't given.") }
    }

    /// - Parameter body: writes with the closure that it is given, and says what it has written.
    func write(_ body: (@escaping (Data) throws -> Void) throws -> String) throws {
        guard let output else {
            _ = try body { try StandardOutput.shared.write($0) }
            return
        }
        if !force && FileManager.default.fileExists(atPath: output) {
            throw Failure(.cantCreate, "\(output): there is such a file already; --force replaces it")
        }
        let url = URL(fileURLWithPath: output)
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).draft")
        let drafts = Drafts.begin(draft.path)
        defer { drafts.end() }
        guard FileManager.default.createFile(atPath: draft.path, contents: nil),
            let file = FileHandle(forWritingAtPath: draft.path)
        else {
            throw Failure(.cantCreate, "\(output): the file can't be made: \(String(cString: strerror(errno)))")
        }
        do {
            var bytes = 0
            let text = try body { data in
                do { try file.write(contentsOf: data) } catch { throw Failure(.io, "\(output): \(error)") }
                bytes += data.count
                Progress.show("\(Units.bytes(bytes)) written")
            }
            try file.close()
            guard rename(draft.path, url.path) == 0 else {
                throw Failure(.cantCreate, "\(output): \(String(cString: strerror(errno)))")
            }
            Progress.clear()
            StandardError.write("\(output): \(text), \(Units.bytes(bytes))\n")
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
    }
}
