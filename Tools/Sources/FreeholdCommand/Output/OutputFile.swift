import ArgumentParser
import Foundation
import Freehold

/// The destination of an export: a file that gets its name when it is complete, or standard output.
struct OutputFile: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file rather than standard output.", valueName: "path"),
        completion: .file()
    )
    var output: String?
    @Flag(help: "Replaces the output file if it exists.") var force = false

    func validate() throws {
        if force && output == nil { throw ValidationError("--force is about --output, which isn't given.") }
    }

    /// - Parameter body: A closure that writes with the closure that it receives, and returns a description of the
    ///   written data.
    func write(_ body: (@escaping (Data) throws -> Void) throws -> String) throws {
        guard let output else {
            _ = try body { try StandardOutput.shared.write($0) }
            return
        }
        let draft = try DraftFile(output, replaces: force)
        do {
            let text = try body { data in
                try draft.write(data)
                Progress.show("\(Units.bytes(draft.bytes)) written")
            }
            try draft.complete()
            Progress.clear()
            StandardError.write("\(output): \(text), \(Units.bytes(draft.bytes))\n")
        } catch {
            draft.discard()
            throw error
        }
    }
}

/// A file that gets its name when it is complete. A signal that ends the process before deletes it.
final class DraftFile {
    let path: String
    private(set) var bytes = 0
    private let url: URL
    private let draft: URL
    private let drafts: Drafts
    private let file: FileHandle

    /// Creates a draft.
    ///
    /// - Parameter replaces: A Boolean value that indicates whether a file of the name may exist already.
    /// - Throws: `Failure`.
    init(_ path: String, replaces: Bool) throws {
        self.path = path
        if !replaces && FileManager.default.fileExists(atPath: path) {
            throw Failure(.cantCreate, "\(path): there is such a file already; --force replaces it")
        }
        url = URL(fileURLWithPath: path)
        draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).draft")
        drafts = Drafts.begin(draft.path)
        guard FileManager.default.createFile(atPath: draft.path, contents: nil),
            let file = FileHandle(forWritingAtPath: draft.path)
        else {
            drafts.end()
            throw Failure(.cantCreate, "\(path): the file can't be made: \(String(cString: strerror(errno)))")
        }
        self.file = file
    }

    func write(_ data: Data) throws {
        do { try file.write(contentsOf: data) } catch { throw Failure(.io, "\(path): \(error)") }
        bytes += data.count
    }

    func complete() throws {
        defer { drafts.end() }
        do { try file.close() } catch { throw Failure(.io, "\(path): \(error)") }
        guard rename(draft.path, url.path) == 0 else {
            throw Failure(.cantCreate, "\(path): \(String(cString: strerror(errno)))")
        }
    }

    func discard() {
        try? FileManager.default.removeItem(at: draft)
        drafts.end()
    }
}
