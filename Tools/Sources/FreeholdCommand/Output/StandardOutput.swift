import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The destination of a command's data: standard output, in chunks.
final class StandardOutput {
    /// Commands run on the main thread only.
    nonisolated(unsafe) static let shared = StandardOutput()

    private var buffer: [UInt8] = []
    private static let limit = 64 * 1024
    /// Another destination, while the output of a shell is a file.
    private var other: ((Data) throws -> Void)?

    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.limit { try flush() }
    }

    func write(_ data: Data) throws {
        buffer.append(contentsOf: data)
        if buffer.count >= Self.limit { try flush() }
    }

    func write(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.limit { try flush() }
    }

    func line(_ text: String) throws { try write(text + "\n") }

    /// Redirects the data to another destination, or to standard output for nil.
    func redirect(to other: ((Data) throws -> Void)?) throws {
        try flush()
        self.other = other
    }

    var isRedirected: Bool { other != nil }

    /// Discards the data that hasn't been written.
    func discard() { buffer.removeAll(keepingCapacity: true) }

    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        // A user that interrupts a long output doesn't need the remaining data.
        try Task.checkCancellation()
        if let other { return buffer.isEmpty ? () : try other(Data(buffer)) }
        var start = 0
        while start < buffer.count {
            let count = buffer.withUnsafeBytes {
                Self.writeOut($0.baseAddress! + start, $0.count - start)
            }
            if count >= 0 {
                start += count
                continue
            }
            if errno == EINTR { continue }
            if errno == EPIPE { Self.endQuietly() }
            throw Failure(.io, "standard output: \(String(cString: strerror(errno)))")
        }
    }

    private static func writeOut(_ start: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(1, start, count)
        #elseif canImport(Musl)
            Musl.write(1, start, count)
        #else
            Darwin.write(1, start, count)
        #endif
    }

    /// Ends the process after the end of the reader. If the corresponding signal is ignored, the process ends as if it
    /// weren't.
    private static func endQuietly() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }
}

enum StandardError {
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// The targets of file descriptors.
enum Terminal {
    static var isInput: Bool { isatty(0) == 1 }
    static var isOutput: Bool { isatty(1) == 1 }
    static var isError: Bool { isatty(2) == 1 }

    /// The number of columns if standard output is a terminal, or nil otherwise.
    static var width: Int? {
        guard isOutput, !StandardOutput.shared.isRedirected else { return nil }
        var size = winsize()
        if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }
}

/// A line of progress on standard error, if it is a terminal.
enum Progress {
    nonisolated(unsafe) private static var isShown = false
    nonisolated(unsafe) private static var last = DispatchTime(uptimeNanoseconds: 0)

    /// Shows a text, at most ten times per second.
    static func show(_ text: @autoclosure () -> String) {
        guard Terminal.isError else { return }
        let now = DispatchTime.now()
        guard now.uptimeNanoseconds &- last.uptimeNanoseconds > 100_000_000 else { return }
        last = now
        isShown = true
        StandardError.write("\r\u{1B}[K\(text())")
    }

    static func clear() {
        if isShown { StandardError.write("\r\u{1B}[K") }
        isShown = false
    }
}
