import Foundation
import FreeholdBSON

/// Gives bytes in pieces of random sizes.
func source(_ bytes: [UInt8], _ random: SeededRandom, most: Int = 7) -> (UnsafeMutableRawBufferPointer) throws -> Int {
    var (position, random) = (0, random)
    return { buffer in
        let left = min(bytes.count - position, buffer.count)
        guard left > 0 else { return 0 }
        let count = Int.random(in: 1...min(left, most), using: &random)
        for index in 0..<count { buffer[index] = bytes[position + index] }
        position += count
        return count
    }
}

func reader(
    _ bytes: [UInt8],
    _ format: DocumentFormat? = nil,
    options: DocumentStreamOptions = DocumentStreamOptions(),
    seed: UInt64 = 1
) -> DocumentStreamReader {
    DocumentStreamReader(format, options: options, read: source(bytes, SeededRandom(seed: seed)))
}

extension DocumentStreamReader {
    /// Returns all remaining documents.
    mutating func rest() throws -> [BSONDocument] {
        var documents: [BSONDocument] = []
        while let document = try next() { documents.append(document) }
        return documents
    }
}

func written(_ documents: [BSONDocument], _ form: DocumentStreamWriter.Form, pieceSize: Int = 1 << 18) throws -> [UInt8]
{
    var bytes: [UInt8] = []
    var writer = DocumentStreamWriter(form, pieceSize: pieceSize) { bytes += $0 }
    for document in documents { try writer.write(document) }
    try writer.end()
    return bytes
}
