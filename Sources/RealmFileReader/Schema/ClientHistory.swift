import FreeholdEngine

/// What a synchronized realm's history says of changes that haven't been sent.
struct ClientHistory {
    let top: FileTop

    init(_ top: FileTop) { self.top = top }

    /// Nil if the history is of a form that isn't known, or damaged.
    func unsentChanges(_ nodes: FileNodes) -> Int? {
        guard (10...12).contains(top.historySchemaVersion), let ref = top.history else { return nil }
        return try? count(nodes, ref)
    }

    /// Changes that were made here (their origin is 0), that say something, and that came after the last one sent.
    private func count(_ nodes: FileNodes, _ ref: UInt64) throws(RealmFileError) -> Int {
        let root = try nodes.refs(ref)
        let sent = root.number(7) ?? 0
        guard let changesRef = root.ref(13), let originsRef = root.ref(16) else { return 0 }
        var origins: [Value] = []
        try nodes.forEachLeaf(originsRef) { (leaf) throws(RealmFileError) in
            try nodes.read(leaf, LeafForm(type: .int, isNullable: false), expected: nil, into: &origins)
        }
        var changes: [Value] = []
        try nodes.forEachLeaf(changesRef) { (leaf) throws(RealmFileError) in
            try nodes.read(leaf, LeafForm(type: .data, isNullable: true), expected: nil, into: &changes)
        }
        let first = Int64(clamping: top.version) - Int64(changes.count)
        var count = 0
        for (i, (change, origin)) in zip(changes, origins).enumerated() where origin == .int(0) {
            guard case .data(let bytes) = change, !bytes.isEmpty, first + Int64(i) + 1 > sent else { continue }
            count += 1
        }
        return count
    }
}
