/// The values of journal entries as bytes: as `MixedCoding` writes them, and links of link columns, which name no table.
enum JournalCoding {
    /// Beside the tags of `MixedCoding`.
    private static let linkTag: UInt8 = 18

    static func write(_ value: Value, to out: inout ByteWriter) {
        if case .link(let key) = value {
            out.u8(linkTag)
            out.signed(key.raw)
        } else {
            MixedCoding.write(value, to: &out)
        }
    }

    /// Nil where the bytes are damaged.
    static func read(_ r: inout ByteReader) -> Value? {
        guard let tag = r.peek() else { return nil }
        guard tag == linkTag else { return MixedCoding.read(&r, depth: 0) }
        _ = r.u8()
        return r.signed().map { .link(ObjectKey($0)) }
    }
}
