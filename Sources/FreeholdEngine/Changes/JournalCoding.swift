/// The encoding of values in journal entries. It is that of `MixedCoding`, and also has links of link columns, which don't contain a table.
enum JournalCoding {
    /// A tag in addition to those of `MixedCoding`.
    private static let linkTag: UInt8 = 18

    static func write(_ value: Value, to out: inout ByteWriter) {
        if case .link(let key) = value {
            out.u8(linkTag)
            out.signed(key.raw)
        } else {
            MixedCoding.write(value, to: &out)
        }
    }

    /// Returns `nil` if the bytes are damaged.
    static func read(_ r: inout ByteReader) -> Value? {
        guard let tag = r.peek() else { return nil }
        guard tag == linkTag else { return MixedCoding.read(&r, depth: 0) }
        _ = r.u8()
        return r.signed().map { .link(ObjectKey($0)) }
    }
}
