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
        var areOwn: [Bool] = []
        try forEachLeaf(originsRef, LeafForm(type: .int, isNullable: false), nodes) { values in
            for value in values { areOwn.append(value == .int(0)) }
        }
        var saySomething: [Bool] = []
        try forEachLeaf(changesRef, LeafForm(type: .data, isNullable: true), nodes) { values in
            for value in values {
                if case .data(let bytes) = value {
                    saySomething.append(!bytes.isEmpty)
                } else {
                    saySomething.append(false)
                }
            }
        }
        let first = Int64(clamping: top.version) - Int64(saySomething.count)
        var count = 0
        for (i, (says, isOwn)) in zip(saySomething, areOwn).enumerated() where says && isOwn {
            if first + Int64(i) + 1 > sent { count += 1 }
        }
        return count
    }

    private func forEachLeaf(
        _ ref: UInt64,
        _ form: LeafForm,
        _ nodes: FileNodes,
        _ body: ([Value]) -> Void
    ) throws(RealmFileError) {
        try nodes.forEachLeaf(ref) { (leaf) throws(RealmFileError) in
            var values: [Value] = []
            try nodes.read(leaf, form, expected: nil, into: &values)
            body(values)
        }
    }
}
