internal import FreeholdEngine

/// A text that is equal, hashed and ordered by its UTF-8 bytes.
///
/// `String` takes "é" in one scalar and "é" in two for the same. Keys of objects and of dictionaries, and elements of sets,
/// don't: two clients must never disagree on whether two things are one.
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

    public static func < (a: SyncString, b: SyncString) -> Bool { Value.compareBytes(a.string, b.string) < 0 }

    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = string.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in string.utf8 { hasher.combine(byte) } }
        hasher.combine(0xFF as UInt8)
    }

    /// See `WordHasher`.
    public func _rawHashValue(seed: Int) -> Int {
        var hasher = WordHasher(seed: seed)
        hasher.combine(self)
        return hasher.finished()
    }

    public var description: String { string }
}
