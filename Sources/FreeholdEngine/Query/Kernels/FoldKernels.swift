/// Kernels that fold the case of all bytes of a leaf.
enum FoldKernels {
    /// Writes the bytes to `out` with folded ASCII letters.
    /// - Returns: whether all bytes are ASCII.
    static func foldASCII(_ p: UnsafePointer<UInt8>, _ n: Int, into out: UnsafeMutablePointer<UInt8>) -> Bool {
        var seen: UInt8 = 0
        var i = 0
        while i < n {
            let byte = p[i]
            seen |= byte
            out[i] = byte | ((byte &- 65) < 26 ? 0x20 : 0)
            i &+= 1
        }
        return seen < 0x80
    }

    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        return seen < 0x80
    }
}
