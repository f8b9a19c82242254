extension String {
    /// The target of a request with one slash in place of each run of slashes in its path. The query isn't changed.
    ///
    /// Clients that join a base address with a slash at its end and a path with one at its beginning send such targets.
    public var withSingleSlashes: String {
        let bytes = utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var (path, wasSlash, isDouble) = ([UInt8](), false, false)
        for byte in bytes[..<end] {
            let isSlash = byte == UInt8(ascii: "/")
            if isSlash, wasSlash {
                isDouble = true
            } else {
                path.append(byte)
            }
            wasSlash = isSlash
        }
        return isDouble ? String(decoding: path, as: UTF8.self) + self[end...] : self
    }
}
