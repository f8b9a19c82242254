#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
public import FreeholdSyncCore

/// The storage of a message that the server sends in parts.
extension FileClientTransaction {
    private var partRow: ObjectKey? { write.count(tables.parts) > 0 ? write.keys(tables.parts).first : nil }

    public func partial() throws -> PartialMessage? {
        guard let row = partRow, case .data(let data) = write.value(tables.parts.columns[0], row),
            case .int(let received) = write.value(tables.parts.columns[1], row)
        else { return nil }
        let message = try KeptBody.decode([UInt8](data), KeptBytes.parted)
        return PartialMessage(message: message, received: UInt64(bitPattern: received))
    }

    public mutating func keepPart(_ part: MessagePart) throws {
        let row: ObjectKey
        if let known = partRow {
            row = known
        } else {
            row = try write.create(tables.parts)
            try write.set(tables.parts.columns[0], row, to: .data(Data(KeptBytes.of(part.message))))
        }
        try write.set(tables.parts.columns[1], row, to: .int(Int64(bitPattern: part.end)))
        try write.appendPieces(tables.parts.columns[2], row, bytes: part.bytes)
    }

    public func keptBytes() throws -> [UInt8] { partRow.map { write.pieces(tables.parts.columns[2], $0) } ?? [] }

    public mutating func removeParts() throws {
        if let row = partRow { write.delete(tables.parts, row) }
    }
}
