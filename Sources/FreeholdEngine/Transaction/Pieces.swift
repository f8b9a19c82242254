#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Bytes that may be more than a value can have: they lie in pieces in a list of data.
extension DataView {
    /// Returns the bytes that lie in the pieces of a row.
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
    /// Writes bytes as the pieces of a row, in place of those that it has.
    package func setPieces(_ column: Column, _ key: ObjectKey, _ bytes: [UInt8]) throws(EngineError) {
        try listAssign(column, key, bytes.pieces)
    }

    /// Writes bytes behind those that lie in the pieces of a row.
    package func appendPieces(_ column: Column, _ key: ObjectKey, _ bytes: [UInt8]) throws(EngineError) {
        try listAppend(column, key, bytes.pieces)
    }
}

extension [UInt8] {
    /// The bytes as values, each of which a column can hold.
    fileprivate var pieces: [Value] {
        stride(from: 0, to: count, by: 1 << 20).map { .data(Data(self[$0..<Swift.min($0 + 1 << 20, count)])) }
    }
}
