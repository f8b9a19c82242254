import FreeholdEngine

extension FileNodes {
    typealias Entries = [(key: String, value: Value)]

    /// Returns all entries of a dictionary, in the order of the file.
    ///
    /// - Parameter isOld: A Boolean value that indicates whether it has the layout of formats up to 22.
    func dictionary(_ ref: UInt64?, depth: Int, isOld: Bool) throws(RealmFileError) -> Entries {
        var entries: Entries = []
        try forEachEntries(ref, depth: depth, isOld: isOld) { (part) throws(RealmFileError) in entries += part }
        return entries
    }

    /// Calls the body with the entries of a dictionary, a part at a time.
    ///
    /// - Parameter isOld: See `dictionary`.
    func forEachEntries(
        _ ref: UInt64?,
        depth: Int,
        isOld: Bool,
        _ body: (Entries) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        guard let ref else { return }
        try checkNesting(depth, at: ref)
        if isOld {
            try forEachOldEntries(ref, depth, body: body)
        } else {
            try forEachNewEntries(ref, depth, body: body)
        }
    }

    private static let keyForm = LeafForm(type: .string, isNullable: false)

    /// Reads a tree like that of a table, with a column of keys and one of values. A third column, which isn't needed
    /// here, leads from the first of several entries whose keys have the same hash to the remaining ones.
    private func forEachOldEntries(
        _ ref: UInt64,
        _ depth: Int,
        body: (Entries) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        try forEachCluster(ref, isTable: false) { (cluster) throws(RealmFileError) in
            let n = cluster.keys.count
            guard n > 0 else { return }
            var keys: [Value] = []
            try readWhole(try cluster.column(0), Self.keyForm, expected: n, into: &keys)
            var done = 0
            try forEachValues(try cluster.column(1), depth, expected: n) { (values) throws(RealmFileError) in
                try body(entries(keys[done..<(done + values.count)], values))
                done += values.count
            }
        }
    }

    /// Reads two trees, of keys and of values, whose leaves may have different sizes.
    private func forEachNewEntries(
        _ ref: UInt64,
        _ depth: Int,
        body: (Entries) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        let node = try refs(ref)
        let (keysRef, valuesRef) = (node.ref(0), node.ref(1))
        var leaves: [UInt64] = []
        if let keysRef { try forEachLeaf(keysRef) { (leaf) throws(RealmFileError) in leaves.append(leaf) } }
        var (keys, used, next) = ([Value](), 0, 0)
        func unequal() -> RealmFileError {
            .damaged("a dictionary hasn't as many keys as values", at: Int(clamping: ref))
        }
        if let valuesRef {
            try forEachLeaf(valuesRef) { (leaf) throws(RealmFileError) in
                try forEachValues(leaf, depth, expected: nil) { (values) throws(RealmFileError) in
                    keys.removeFirst(used)
                    used = values.count
                    while keys.count < values.count {
                        guard next < leaves.count else { throw unequal() }
                        try readWhole(leaves[next], Self.keyForm, expected: nil, into: &keys)
                        next += 1
                    }
                    try body(entries(keys[..<used], values))
                }
            }
        }
        guard used == keys.count else { throw unequal() }
        // The remaining leaves must be empty.
        for leaf in leaves[next...] {
            var rest: [Value] = []
            try readWhole(leaf, Self.keyForm, expected: nil, into: &rest)
            guard rest.isEmpty else { throw unequal() }
        }
    }

    private func forEachValues(
        _ leaf: UInt64,
        _ depth: Int,
        expected: Int?,
        body: ([Value]) throws(RealmFileError) -> Void
    ) throws(RealmFileError) {
        var next: Int? = 0
        while let first = next {
            var values: [Value] = []
            next = try readMixed(leaf, depth: depth, expected: expected, from: first, into: &values)
            try body(values)
        }
    }

    private func entries(_ keys: ArraySlice<Value>, _ values: [Value]) -> Entries {
        zip(keys, values).map { key, value in
            if case .string(let name) = key { (name, value) } else { ("", value) }
        }
    }
}
