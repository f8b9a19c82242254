import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Replaces the process by the program `freehold-studio`, which serves the page. It is a program of its own, because it needs a web server, which the
/// other commands don't.
struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Shows files in the browser, also while other programs write them.",
        discussion: """
            The page is served on this machine only. Nothing of a file changes without --write. The command is the program \
            freehold-studio, which 'make install-studio' installs beside this one; 'freehold studio --help' prints its options.

            EXAMPLES:
              freehold studio app.realm
              freehold studio app.realm --write
            """
    )

    static let program = "freehold-studio"

    @Argument(parsing: .captureForPassthrough, help: "Files and options of freehold-studio.") var arguments: [String] =
        []

    func run() throws {
        let paths = Self.candidates(ProcessInfo.processInfo.environment["PATH"], own: Self.ownPath)
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
            throw Failure(
                .noInput,
                "the program \(Self.program) isn't installed: neither beside this command nor in a folder of PATH. Build it by 'make studio'."
            )
        }
        var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        pointers.append(nil)
        execv(path, &pointers)
        throw Failure(.failure, "\(path) can't be started: \(String(cString: strerror(errno)))")
    }

    private static var ownPath: String? {
        let linked = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return linked ?? Bundle.main.executablePath
    }

    /// Returns the paths at which the program is expected: beside this command, then in the folders of `PATH`.
    static func candidates(_ searched: String?, own: String?) -> [String] {
        let beside = own.map { ($0 as NSString).deletingLastPathComponent }
        let folders = (searched ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return ([beside].compactMap { $0 } + folders).map { $0 + "/" + program }
    }
}
