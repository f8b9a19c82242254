extension String {
    /// Creates a text from bytes, or returns nil if they aren't UTF-8.
    ///
    /// `String(validating:as:)` does the same, but it isn't specialised for buffers and takes several times as long.
    init?(strict bytes: UnsafeBufferPointer<UInt8>) {
        var highBits: UInt8 = 0
        for byte in bytes { highBits |= byte }
        self.init(decoding: bytes, as: UTF8.self)
        // Invalid bytes were replaced, so the text differs.
        if highBits >= 0x80 {
            guard utf8.count == bytes.count, utf8.elementsEqual(bytes) else { return nil }
        }
    }
}

/// Returns a Boolean value that indicates whether both texts have the same UTF-8. Swift's `==` also treats composed and
/// decomposed letters as equal.
func sameText(_ a: String, _ b: String) -> Bool {
    let fast = a.utf8.withContiguousStorageIfAvailable { x in
        b.utf8.withContiguousStorageIfAvailable { y in x.count == y.count && x.elementsEqual(y) }
    }
    if case .some(.some(let result)) = fast { return result }
    return a.utf8.elementsEqual(b.utf8)
}

/// A text that is compared by its UTF-8, as the key of a hash table.
struct ExactText: Hashable {
    let text: String

    static func == (a: ExactText, b: ExactText) -> Bool { sameText(a.text, b.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(exact: text) }
}

extension Hasher {
    /// Hashes the UTF-8. Swift's own hash is equal for all compositions of a letter, so thousands of different keys
    /// could be made to collide.
    mutating func combine(exact text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)
    }
}
