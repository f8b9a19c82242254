extension InlineList {
    var valuesStart: Int { 4 + (bytes[0] & 0x80 != 0 ? (count + 7) >> 3 : 0) }

    /// Returns whether every accessor stays inside the bytes.
    static func isWellFormed(_ bytes: UnsafeRawBufferPointer, type: ColumnType, isOptional: Bool) -> Bool {
        guard bytes.count >= 4, bytes.count <= limit else { return false }
        let list = InlineList(bytes, type: type)
        let hasNulls = bytes[0] & 0x80 != 0
        let width = Int(bytes[0] & 0x7f)
        let start = list.valuesStart
        guard bytes[1] == 0, list.count >= 1, list.count <= maximumCount, !hasNulls || isOptional, start <= bytes.count
        else { return false }
        let room = bytes.count - start
        switch type {
        case .int, .link:
            guard width == 1 || width == 2 || width == 4 || width == 8, room == list.count * width else { return false }
            return type == .int || (0..<list.count).allSatisfy { list.int($0) >= 0 }
        case .bool: return width == 1 && room == list.count
        case .float: return width == 4 && room == list.count * 4
        case .double: return width == 8 && room == list.count * 8
        case .timestamp:
            guard width == 12, room == list.count * 12 else { return false }
            return (0..<list.count).allSatisfy {
                (0..<1_000_000_000).contains(bytes.loadUnaligned(fromByteOffset: start + $0 * 12 + 8, as: Int32.self))
            }
        case .objectId: return width == 12 && room == list.count * 12
        case .decimal128, .uuid: return width == 16 && room == list.count * 16
        case .string, .data, .mixed:
            guard width == 0, room >= list.count * 2 else { return false }
            let total = (0..<list.count).reduce(0) {
                $0 + Int(bytes.loadUnaligned(fromByteOffset: start + $1 * 2, as: UInt16.self))
            }
            return room == list.count * 2 + total
        }
    }
}
