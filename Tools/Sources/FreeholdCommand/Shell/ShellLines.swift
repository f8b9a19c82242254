import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The lines of a script, with one command each. A backslash at the end of a line continues it on the next.
struct ShellLines {
    private let next: () throws -> Data
    private var chunk = Data()
    private var isAtEnd = false
    /// The number of the line that was read last. If it was continued, it is the first one.
    private(set) var number = 0
    private var read = 0

    /// The largest length of a line.
    static let limit = 64 << 20

    init(_ next: @escaping () throws -> Data) { self.next = next }

    /// Creates the lines of an open file. Each line is returned as soon as it is available, because its writer may wait
    /// for the answer.
    init(_ descriptor: Int32, _ name: String) {
        self.init {
            var bytes = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = Self.systemRead(descriptor, &bytes)
                if count >= 0 { return Data(bytes[..<count]) }
                if errno != EINTR { throw Failure(.io, "\(name): \(String(cString: strerror(errno)))") }
            }
        }
    }

    private static func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, &bytes, bytes.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, &bytes, bytes.count)
        #else
            Darwin.read(descriptor, &bytes, bytes.count)
        #endif
    }

    /// - Throws: `Failure` for data that isn't text.
    mutating func line() throws -> String? {
        guard var text = try piece() else { return nil }
        number = read
        while text.hasSuffix("\\"), let more = try piece() { text = text.dropLast() + " " + more }
        return text
    }

    private mutating func piece() throws -> String? {
        var bytes = Data()
        while true {
            if let end = chunk.firstIndex(of: 0x0A) {
                bytes += chunk[..<end]
                chunk = chunk[end...].dropFirst()
                break
            }
            bytes += chunk
            chunk = isAtEnd ? Data() : try next()
            if chunk.isEmpty {
                isAtEnd = true
                if bytes.isEmpty { return nil }
                break
            }
            guard bytes.count < Self.limit else { throw Failure(.data, "line \(read + 1) is too long") }
        }
        read += 1
        if bytes.last == 0x0D { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.data, "line \(read): these bytes aren't UTF-8")
        }
        return text
    }
}
