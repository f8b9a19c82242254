extension IndexNode {
    /// Returns whether every accessor stays inside the bytes.
    static func isWellFormed(_ bytes: UnsafeRawBufferPointer, level: Int) -> Bool {
        let header = level == 0 ? headerSize : headerSize + 8
        guard bytes.count >= header, bytes[7] == format, Int(bytes[0]) == level else { return false }
        let (suffixWidth, keyWidth, childWidth) = (Int(bytes[1]), Int(bytes[2]), Int(bytes[3]))
        let count = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
        func isWidth(_ width: Int) -> Bool { width == 8 || width == 4 || width == 2 || width <= 1 }
        let prefixLength = Int(bytes[6])
        guard count > 0, isWidth(keyWidth), isWidth(childWidth), level > 0 || childWidth == 0 else { return false }
        let isVariable = suffixWidth == offsetsWidth
        if !isVariable {
            // No entry is empty or longer than the maximum length, and no two entries are the same.
            guard (1...IndexTree.maximumLength).contains(prefixLength + suffixWidth),
                count == 1 || suffixWidth + keyWidth > 0
            else { return false }
        }
        let offsets = header + count * (keyWidth + childWidth)
        let prefix = offsets + (isVariable ? 2 * (count + 1) : 0)
        let suffixes = prefix + prefixLength
        guard suffixes <= bytes.count, prefixLength <= IndexTree.maximumLength else { return false }
        guard isVariable else { return bytes.count == suffixes + count * suffixWidth }
        var last = 0
        for i in 0...count {
            let offset = Int(bytes.loadUnaligned(fromByteOffset: offsets + 2 * i, as: UInt16.self))
            if i == 0 {
                guard offset == 0 else { return false }
            } else {
                guard offset >= last, (1...IndexTree.maximumLength).contains(prefixLength + offset - last) else {
                    return false
                }
            }
            last = offset
        }
        return bytes.count == suffixes + last + tailPadding
    }
}
