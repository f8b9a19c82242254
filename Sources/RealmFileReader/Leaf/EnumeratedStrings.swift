extension FileNodes {
    /// The list of different strings of a column whose leaves hold positions in it.
    func enumeratedStrings(_ ref: UInt64) throws(RealmFileError) -> [String?] {
        if let read = enumerations[ref] { return read }
        let leaf = try byteLeaf(ref, isText: true) { () in nil }
        // All but one are longer than nothing.
        guard leaf.count <= file.count else {
            throw .damaged("a list of different strings is too long", at: Int(clamping: ref))
        }
        var values: [String?] = []
        for i in 0..<leaf.count { values.append(try bytes(leaf, i, isText: true).map { string($0) }) }
        enumerations[ref] = values
        return values
    }
}
