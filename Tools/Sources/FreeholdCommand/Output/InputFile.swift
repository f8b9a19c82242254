import ArgumentParser
import Foundation
import Freehold

/// Where an import comes from: a file, or standard input.
struct InputFile: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file rather than standard input.", valueName: "path"),
        completion: .file()
    )
    var input: String?

    /// A closure that gives the next bytes, with progress where somebody is looking.
    func reader() throws -> () throws -> Data {
        let file: FileHandle
        var size: Int?
        if let input {
            try FileOptions.requireFile(input)
            guard let opened = FileHandle(forReadingAtPath: input) else {
                throw Failure(.noPermission, "\(input): the file can't be read: \(String(cString: strerror(errno)))")
            }
            file = opened
            size = (try? FileManager.default.attributesOfItem(atPath: input))?[.size] as? Int
        } else {
            if isatty(0) == 1 {
                throw ValidationError("Nothing is given: name a file with --input, or pipe one in.")
            }
            file = .standardInput
        }
        let name = input ?? "standard input"
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
