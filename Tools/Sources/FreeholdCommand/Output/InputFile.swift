import ArgumentParser
import Foundation
import Freehold

/// The source of an import: a file, or standard input.
struct InputFile: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file rather than standard input.", valueName: "path"),
        completion: .file()
    )
    var input: String?

    /// Returns a closure that returns the next bytes, and shows progress on a terminal.
    func reader() throws -> () throws -> Data {
        guard let input else { return try Self.standardInput("name a file with --input, or pipe one in") }
        let size = (try? FileManager.default.attributesOfItem(atPath: input))?[.size] as? Int
        return Self.reader(try open(input), input, size: size)
    }

    private func open(_ path: String) throws -> FileHandle {
        try FileOptions.requireFile(path)
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw Failure(.noPermission, "\(path): the file can't be read: \(String(cString: strerror(errno)))")
        }
        return file
    }

    static func standardInput(_ remedy: String = "give it as an argument, or pipe it in") throws -> () throws -> Data {
        if isatty(0) == 1 { throw ValidationError("Nothing is given: \(remedy).") }
        return reader(.standardInput, "standard input", size: nil)
    }

    /// Returns a closure that creates closures like ``reader()``, each of which starts at the beginning.
    ///
    /// The data of a pipe is copied to a file without a name, which is deleted at the end of the process.
    func repeatedReader() throws -> () throws -> () throws -> Data {
        let file = try input.map { try open($0) } ?? Self.copy()
        let name = input ?? "standard input"
        // A pipe may have a name, too.
        let isSeekable = lseek(file.fileDescriptor, 0, SEEK_SET) == 0
        let source = isSeekable ? file : try Self.copy(of: Self.reader(file, name, size: nil), name)
        let size = Int(lseek(source.fileDescriptor, 0, SEEK_END))
        return {
            lseek(source.fileDescriptor, 0, SEEK_SET)
            return Self.reader(source, name, size: size)
        }
    }

    private static func copy() throws -> FileHandle {
        try copy(of: try standardInput("name a file with --input, or pipe one in"), "standard input")
    }

    private static func copy(of read: () throws -> Data, _ name: String) throws -> FileHandle {
        var path = Array((NSTemporaryDirectory() + "/freehold-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw Failure(
                .io,
                "\(name) can't be kept in \(NSTemporaryDirectory()): \(String(cString: strerror(errno)))"
            )
        }
        unlink(path)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        while case let data = try read(), !data.isEmpty {
            do { try file.write(contentsOf: data) } catch { throw Failure(.io, "\(name) can't be kept: \(error)") }
        }
        return file
    }

    private static func reader(_ file: FileHandle, _ name: String, size: Int?) -> () throws -> Data {
        var done = 0
        return {
            let data: Data
            do {
                data = try file.read(upToCount: 64 * 1024) ?? Data()
            } catch {
                throw Failure(.io, "\(name): \(error)")
            }
            done += data.count
            Progress.show(
                size.map { "\(Units.bytes(done)) of \(Units.bytes($0))" } ?? "\(Units.bytes(done)) read"
            )
            return data
        }
    }
}
