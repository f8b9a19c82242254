/// A dictionary in its stored form: its keys in ascending order of bytes, and its values in the order of the keys.
///
/// ```
/// empty:  no bytes
/// small:  u16 bytes of the key list · key list · value list, both as an `InlineList`; at most 1,000 bytes in all
/// large:  a reference of 24 bytes: root of the keys' counted tree, count, root of the values'
/// ```
package struct StoredDictionary {
    let keys: StoredList
    let values: StoredList

    static let referenceSize = 24

    /// - Parameter bytes: the bytes of a slot that isn't a reference.
    init(inline bytes: UnsafeRawBufferPointer, type: ColumnType) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard bytes.count >= 2 else {
            keys = .inline(InlineList(none, type: .string))
            values = .inline(InlineList(none, type: type))
            return
        }
        let split = 2 + Int(bytes.loadUnaligned(as: UInt16.self))
        keys = .inline(InlineList(UnsafeRawBufferPointer(rebasing: bytes[2..<split]), type: .string))
        values = .inline(InlineList(UnsafeRawBufferPointer(rebasing: bytes[split...]), type: type))
    }

    init(reference bytes: UnsafeRawBufferPointer, blobs: UInt32) {
        let count = Int(bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        keys = .large(CountedTree(segment: blobs, root: bytes.loadUnaligned(as: UInt64.self), count: count))
        values = .large(
            CountedTree(segment: blobs, root: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self), count: count)
        )
    }

    /// Returns `nil` if the dictionary doesn't fit inline.
    static func encode(keys: [Value], values: [Value], type: ColumnType) -> [UInt8]? {
        if keys.isEmpty { return [] }
        guard let keyBytes = InlineList.encode(keys, type: .string),
            let valueBytes = InlineList.encode(values, type: type),
            2 + keyBytes.count + valueBytes.count <= InlineList.limit
        else { return nil }
        return [UInt8(keyBytes.count & 0xFF), UInt8(keyBytes.count >> 8)] + keyBytes + valueBytes
    }

    /// The maximum number of bytes that `splice` writes.
    static let room = 2 + 2 * InlineList.limit

    /// Writes a small dictionary with a replaced range of its entries, in the same form as `encode`.
    ///
    /// - Parameters:
    ///   - keys: the new keys, or `nil` if the keys remain.
    ///   - out: memory for `room` bytes that doesn't overlap the dictionary.
    /// - Returns: the number of bytes, or `nil` if `InlineList.splice` returns `nil` or the result wouldn't fit inline.
    func splice(
        _ range: Range<Int>,
        keys newKeys: [Value]?,
        values newValues: [Value],
        to out: UnsafeMutableRawPointer
    ) -> Int? {
        guard case .inline(let keys) = keys, case .inline(let values) = values else { return nil }
        guard let keySize = keys.splice(newKeys == nil ? 0..<0 : range, with: newKeys ?? [], to: out + 2) else {
            return nil
        }
        if keySize == 0 { return 0 }
        guard let valueSize = values.splice(range, with: newValues, to: out + 2 + keySize),
            2 + keySize + valueSize <= InlineList.limit
        else { return nil }
        out.storeBytes(of: UInt16(keySize).littleEndian, as: UInt16.self)
        return 2 + keySize + valueSize
    }

    /// Returns the error for an invalid key, or `nil` for a valid one.
    ///
    /// A key must not contain a dot or begin with a dollar sign, because both have a meaning in the names of nested fields.
    package static func problem(withKey key: String) -> EngineError? {
        if key.utf8.first == UInt8(ascii: "$") {
            return EngineError(.invalidArgument, "The key '\(key)' begins with '$': a dictionary's keys can't.")
        }
        if key.utf8.contains(UInt8(ascii: ".")) {
            return EngineError(.invalidArgument, "The key '\(key)' has a '.': a dictionary's keys can't.")
        }
        if key.utf8.count > FieldCoding.maximumString {
            return EngineError(
                .limitExceeded,
                "A dictionary's key has \(key.utf8.count) bytes; the limit is \(FieldCoding.maximumString)."
            )
        }
        return nil
    }
}
