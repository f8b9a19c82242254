/// The part of a stream that is in memory.
struct StreamBuffer {
    private var bytes: [UInt8] = []
    /// What isn't taken yet lies here.
    private var start = 0
    private var end = 0
    private(set) var isAtEnd = false
    /// The place in the stream of the first byte that isn't taken yet.
    private(set) var offset = 0
    private let pieceSize: Int
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int

    init(pieceSize: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.pieceSize = pieceSize
        self.read = read
    }

    /// How many bytes are there.
    var count: Int { end - start }

    subscript(index: Int) -> UInt8 { bytes[start + index] }

    /// Reads until so many bytes are there, or the stream ends.
    mutating func fill(_ wanted: Int) throws {
        while count < wanted, !isAtEnd { try readPiece() }
    }

    /// Reads one piece more. Nothing more is there if it was the end.
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

    /// Room for a piece. What is left moves to the front once as much was taken, so that each byte moves once on average.
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
