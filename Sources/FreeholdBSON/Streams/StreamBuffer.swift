/// The part of a stream that is in memory.
struct StreamBuffer {
    private var bytes: [UInt8] = []
    /// The range of the bytes that haven't been consumed yet.
    private var start = 0
    private var end = 0
    private(set) var isAtEnd = false
    /// The position in the stream of the first byte that hasn't been consumed yet.
    private(set) var offset = 0
    private let pieceSize: Int
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int

    init(pieceSize: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.pieceSize = pieceSize
        self.read = read
    }

    /// The number of available bytes.
    var count: Int { end - start }

    subscript(index: Int) -> UInt8 { bytes[start + index] }

    /// Reads until the number of bytes is available, or the stream ends.
    mutating func fill(_ wanted: Int) throws {
        while count < wanted, !isAtEnd { try readPiece() }
    }

    /// Reads one more piece. At the end of the stream, no bytes are added.
    mutating func readPiece() throws {
        guard !isAtEnd else { return }
        makeRoom()
        let (place, size) = (end, pieceSize)
        let got = try bytes.withUnsafeMutableBytes { buffer in
            try read(UnsafeMutableRawBufferPointer(rebasing: buffer[place..<place + size]))
        }
        precondition(0...pieceSize ~= got, "A source gave more than it was asked for.")
        end += got
        isAtEnd = got == 0
    }

    /// Makes space for a piece. The remaining bytes are moved to the front after the same number was consumed, so each
    /// byte moves once on average.
    private mutating func makeRoom() {
        guard bytes.count - end < pieceSize else { return }
        if start >= count, start > 0 {
            bytes.withUnsafeMutableBytes { buffer in
                let left = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                buffer.copyMemory(from: left)
            }
            (start, end) = (0, count)
        }
        guard bytes.count - end < pieceSize else { return }
        bytes += [UInt8](repeating: 0, count: max(end + pieceSize, 2 * bytes.count) - bytes.count)
    }

    mutating func take(_ count: Int) {
        start += count
        offset += count
    }

    func slice(_ count: Int) -> [UInt8] { Array(bytes[start..<start + count]) }

    func withBytes<T>(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
    }
}
