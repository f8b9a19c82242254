/// The different strings of a column whose leaves contain positions in them.
enum EnumeratedStrings {
    case read([String?])
    /// Strings that are too large to be kept, and are read from the file.
    indirect case stored(ByteLeaf)

    var count: Int {
        switch self {
        case .read(let values): values.count
        case .stored(let leaf): leaf.count
        }
    }
}

extension FileNodes {
    /// The maximum number of strings that are kept for each column, and the maximum number of their bytes.
    private static let keptStrings = 65_536
    private static let keptStringBytes = 4 << 20

    func enumeratedStrings(_ ref: UInt64) throws(RealmFileError) -> EnumeratedStrings {
        if let known = enumerations[ref] {
            guard case .stored = known else { return known }
            // The memory of the leaf may have been freed.
            return .stored(
                try uncounted { () throws(RealmFileError) in try byteLeaf(ref, isText: true) { () in nil } }
            )
        }
        let leaf = try byteLeaf(ref, isText: true) { () in nil }
        // All strings except one have at least one byte.
        guard leaf.count <= file.count else {
            throw .damaged("a list of different strings is too long", at: Int(clamping: ref))
        }
        var values: [String?] = []
        var size = 0
        for i in 0..<leaf.count {
            let value = try bytes(leaf, i, isText: true)
            size += value?.count ?? 0
            if i == Self.keptStrings || size > Self.keptStringBytes {
                enumerations[ref] = .stored(leaf)
                return .stored(leaf)
            }
            values.append(value.map { string($0) })
        }
        enumerations[ref] = .read(values)
        return .read(values)
    }

    /// - Precondition: `0 <= i < values.count`
    func string(_ values: EnumeratedStrings, _ i: Int) throws(RealmFileError) -> String? {
        switch values {
        case .read(let values): return values[i]
        case .stored(let leaf):
            // Many objects can have the same string, which the file contains once.
            let bytes = try uncounted { () throws(RealmFileError) in try self.bytes(leaf, i, isText: true) }
            return bytes.map { string($0) }
        }
    }
}
