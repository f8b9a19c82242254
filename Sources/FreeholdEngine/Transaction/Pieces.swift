#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Byte strings that may be longer than a value can be. They are stored as pieces in a list of data.
extension DataView {
    /// Returns the bytes of the pieces of a row.
    ///
    /// - Complexity: O(bytes)
    package func pieces(_ column: Column, _ key: ObjectKey) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in listValues(column, key) {
            if case .data(let data) = piece { bytes.append(contentsOf: data) }
        }
        return bytes
    }
}

extension WriteTransaction {
    /// Replaces the pieces of a row by pieces of other bytes.
    package func setPieces(_ column: Column, _ key: ObjectKey, to bytes: [UInt8]) throws(EngineError) {
        try listAssign(column, key, values: bytes.pieces)
    }

    /// Appends bytes to the pieces of a row.
    package func appendPieces(_ column: Column, _ key: ObjectKey, bytes: [UInt8]) throws(EngineError) {
        try listAppend(column, key, values: bytes.pieces)
    }
}

extension [UInt8] {
    /// The bytes as values that a column can store.
    fileprivate var pieces: [Value] {
        stride(from: 0, to: count, by: 1 << 20).map { .data(Data(self[$0..<Swift.min($0 + 1 << 20, count)])) }
    }
}
