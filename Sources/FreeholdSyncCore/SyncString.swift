internal import FreeholdEngine

/// A text that is compared, hashed and ordered by its UTF-8 bytes.
///
/// `String` treats "é" as one scalar and "é" as two scalars as equal. Keys of objects and dictionaries, and elements of
/// sets, are compared by bytes instead, so that all clients agree on which values are equal.
public struct SyncString: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let string: String

    public init(_ string: String) { self.string = string }
    public init(stringLiteral value: String) { string = value }

    public static func == (a: SyncString, b: SyncString) -> Bool {
        let isSame = a.string.utf8.withContiguousStorageIfAvailable { a in
            b.string.utf8.withContiguousStorageIfAvailable { b in a.isSame(as: b) }
        }
        if case .some(.some(let isSame)) = isSame { return isSame }
        return a.string.utf8.elementsEqual(b.string.utf8)
    }

    public static func < (a: SyncString, b: SyncString) -> Bool { Value.compareBytes(a.string, with: b.string) < 0 }

    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = string.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in string.utf8 { hasher.combine(byte) } }
        hasher.combine(0xFF as UInt8)
    }

    /// Returns the hash of the text: see `WordHasher`.
    public func _rawHashValue(seed: Int) -> Int {
        var hasher = WordHasher(seed: seed)
        hasher.combine(self)
        return hasher.finished()
    }

    public var description: String { string }
}
