import Dispatch
import Foundation
import FreeholdStudio

/// The main function of a program that serves a page until the user ends it.
package enum StudioRun {
    /// Opens the port, prints the page's address, opens it in the browser, and ends at Control-C or some time after the last page was closed.
    ///
    /// - Parameters:
    ///   - page: A folder with the files of the page, or `nil` for the embedded files.
    ///   - stays: A Boolean value that indicates whether the program continues to run without an open page.
    ///   - folder: A folder that other users can't read.
    package static func run(
        _ host: some StudioHost,
        port: Int,
        page: String?,
        opensBrowser: Bool,
        stays: Bool,
        folder: PrivateFolder
    ) async throws {
        let (end, source) = AsyncStream<Void>.makeStream()
        let idle = IdleEnd(stays ? nil : 600) { source.yield() }
        let server = try await StudioServer.start(
            host,
            port: port,
            page: page,
            report: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
            pages: { idle.note(pages: $0) }
        )
        // `FileHandle` writes the line immediately, also to a pipe. `print` would buffer it.
        FileHandle.standardOutput.write(Data((server.address + "\n").utf8))
        if opensBrowser { Browser.open(server.address, in: folder) }
        let signals = Signals { source.yield() }
        for await _ in end { break }
        signals.cancel()
        await server.close()
    }
}

/// A folder for copies and uploads, which other users can't read.
package struct PrivateFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("\(NSTemporaryDirectory())/freehold-studio-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StudioError(.io, "The folder for temporary files can't be created.")
        }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A timer that ends the program some time after the last page was closed. Any thread may use it.
final class IdleEnd: @unchecked Sendable {
    // It is Sendable because its variables are used on its queue only.
    private let queue = DispatchQueue(label: "freehold.studio.idle")
    private let seconds: Int?
    private let end: @Sendable () -> Void
    private var generation = 0

    /// - Parameter seconds: The time, or `nil` if the program doesn't end.
    init(_ seconds: Int?, end: @escaping @Sendable () -> Void) {
        (self.seconds, self.end) = (seconds, end)
        note(pages: 0)
    }

    func note(pages: Int) {
        queue.async { [self] in
            generation += 1
            guard let seconds, pages == 0 else { return }
            let current = generation
            queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in if generation == current { end() } }
        }
    }
}

/// A watch for signals, which calls a closure after Control-C and when the system requests the end of the program.
final class Signals: @unchecked Sendable {
    // It is Sendable because its variable isn't changed.
    private let sources: [any DispatchSourceSignal]

    init(_ body: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.activate()
            return source
        }
    }

    func cancel() { for source in sources { source.cancel() } }
}
