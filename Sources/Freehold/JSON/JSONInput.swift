import Foundation

/// An input that delivers bytes in chunks, with the current position.
struct JSONInput {
    /// A closure that returns the next bytes, or no bytes at the end.
    private let next: () throws -> Data
    private var chunk: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private(set) var line = 1
    /// The number of bytes of the text before the chunk, and before the line.
    private var chunkStart = 0
    private var lineStart = 0

    static let chunkSize = 64 * 1024

    init(_ next: @escaping () throws -> Data) { self.next = next }

    var place: JSONPlace { JSONPlace(line: line, column: chunkStart + position - lineStart + 1) }

    /// Returns the next byte without consuming it, or nil at the end.
    mutating func peek() throws(JSONError) -> UInt8? {
        if position < chunk.count { return chunk[position] }
        return try fill() ? chunk[position] : nil
    }

    /// Consumes one byte that was peeked.
    mutating func advance() {
        if chunk[position] == 0x0A {
            line += 1
            lineStart = chunkStart + position + 1
        }
        position += 1
    }

    /// Appends bytes up to the next quote, backslash or control character in a string.
    mutating func takePlainBytes(_ bytes: inout [UInt8]) {
        let start = position
        var end = start
        while end < chunk.count, chunk[end] >= 0x20, chunk[end] != 0x22, chunk[end] != 0x5C { end += 1 }
        bytes.append(contentsOf: chunk[start..<end])
        position = end
    }

    private mutating func fill() throws(JSONError) -> Bool {
        if isAtEnd { return false }
        let data: Data
        do {
            data = try next()
        } catch {
            throw JSONError(.io, "the input can't be read: \(error)", at: place)
        }
        chunkStart += chunk.count
        chunk = [UInt8](data)
        position = 0
        isAtEnd = chunk.isEmpty
        return !isAtEnd
    }
}

extension JSONInput {
    /// Opens a file for reading.
    static func open(_ url: URL) throws(JSONError) -> FileHandle {
        do {
            return try FileHandle(forReadingFrom: url)
        } catch {
            throw JSONError(.io, "\(url.path) can't be opened: \(error)")
        }
    }

    init(_ data: Data) {
        var offset = data.startIndex
        self.init {
            let end = min(offset + JSONInput.chunkSize, data.endIndex)
            defer { offset = end }
            return data[offset..<end]
        }
    }

    init(_ file: FileHandle) {
        self.init { try file.read(upToCount: JSONInput.chunkSize) ?? Data() }
    }

    /// Creates an input from a stream, which is opened if necessary.
    init(_ stream: InputStream) {
        self.init {
            if stream.streamStatus == .notOpen { stream.open() }
            var bytes = [UInt8](repeating: 0, count: JSONInput.chunkSize)
            let count = stream.read(&bytes, maxLength: bytes.count)
            if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
            return Data(bytes[..<count])
        }
    }
}
