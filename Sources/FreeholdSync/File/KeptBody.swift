#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The bytes of sync in a row of a hidden table, of any size.
///
/// A value of a column has at most about 16 MiB. Smaller bodies are stored in the column `body`. Larger ones are stored
/// in the list `pieces`, and `body` is empty then. No body is empty itself.
enum KeptBody {
    static let columns = [ColumnSpec("body", .data), ColumnSpec("pieces", .data, collection: .list)]
    /// The maximum number of bytes in one value.
    static let valueBytes = 8 << 20

    static func bytes(_ row: ObjectKey, of table: Table, in view: DataView) throws -> [UInt8] {
        guard let body = table.column(named: "body"), case .data(let data) = view.value(body, row) else {
            throw SyncFileError(.damaged, "The data of sync is missing.")
        }
        // Files of earlier versions of the library have no pieces.
        guard data.isEmpty, let pieces = table.column(named: "pieces") else { return [UInt8](data) }
        return view.pieces(pieces, row)
    }

    static func set(_ bytes: [UInt8], _ row: ObjectKey, of table: Table, in write: WriteTransaction) throws {
        guard let body = table.column(named: "body"), let pieces = table.column(named: "pieces") else { return }
        let fits = bytes.count <= valueBytes
        try write.set(body, row, to: .data(fits ? Data(bytes) : Data()))
        if !fits || write.listCount(pieces, row) > 0 { try write.setPieces(pieces, row, to: fits ? [] : bytes) }
    }

    static func decode<T>(
        _ row: ObjectKey,
        of table: Table,
        in view: DataView,
        _ read: (UnsafeRawBufferPointer) throws(CodecError) -> T
    ) throws -> T {
        try decode(bytes(row, of: table, in: view), read)
    }

    static func decode<T>(_ bytes: [UInt8], _ read: (UnsafeRawBufferPointer) throws(CodecError) -> T) throws -> T {
        try bytes.withUnsafeBytes { raw in
            do {
                return try read(raw)
            } catch let error as CodecError {
                let code: SyncFileError.Code = error.code == .unsupported ? .unsupported : .damaged
                throw SyncFileError(code, "What sync keeps can't be read: \(error)")
            }
        }
    }
}
