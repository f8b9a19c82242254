#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension DocumentStreamReader {
    /// Creates a reader of the documents of a file, which stays open during the life of the reader.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - format: The format. If it is `nil`, it is determined from the first bytes.
    ///   - options: The options for reading.
    /// - Throws: `FileFailure` if the file can't be opened.
    public init(
        file path: String,
        _ format: DocumentFormat? = nil,
        options: DocumentStreamOptions = DocumentStreamOptions()
    ) throws(FileFailure) {
        let file = try ReadableFile(path)
        self.init(format, options: options) { try file.read(into: $0) }
    }
}

/// The reason why a file can't be read.
public struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    /// The error number of the system (`errno`).
    public let code: Int32

    public var description: String { "\(path): \(String(cString: strerror(code)))" }
}

private final class ReadableFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(FileFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
        while true {
            #if canImport(Glibc)
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            guard errno == EINTR else { throw FileFailure(path: path, code: errno) }
        }
    }
}
