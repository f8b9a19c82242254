/// The part of a synchronized realm's history about changes that haven't been sent.
struct ClientHistory {
    let top: FileTop

    init(_ top: FileTop) { self.top = top }

    /// Returns the number of changes, or nil if the history is damaged or in an unknown form.
    func unsentChanges(_ nodes: FileNodes) -> Int? {
        guard (10...12).contains(top.historySchemaVersion), let ref = top.history else { return nil }
        nodes.refill()
        return try? count(nodes, ref)
    }

    /// Returns the number of local changes (with the origin 0) that aren't empty and that were made after the last one
    /// sent.
    private func count(_ nodes: FileNodes, _ ref: UInt64) throws(RealmFileError) -> Int {
        let root = try nodes.refs(ref)
        let sent = root.number(7) ?? 0
        guard let changesRef = root.ref(13), let originsRef = root.ref(16) else { return 0 }
        var areOwn: [Bool] = []
        try nodes.forEachLeaf(originsRef) { (leaf) throws(RealmFileError) in
            let origins = try nodes.ints(leaf)
            for i in 0..<(try nodes.count(origins.count, nil, at: origins.offset)) {
                areOwn.append(origins.int(i) == 0)
            }
        }
        var saySomething: [Bool] = []
        try nodes.forEachLeaf(changesRef) { (ref) throws(RealmFileError) in
            let leaf = try nodes.byteLeaf(ref, isText: false) { () in nil }
            for i in 0..<(try nodes.count(leaf.count, nil, at: Int(clamping: ref))) {
                saySomething.append(try !nodes.isEmpty(leaf, i))
            }
        }
        let first = Int64(clamping: top.version) - Int64(saySomething.count)
        var count = 0
        for (i, (says, isOwn)) in zip(saySomething, areOwn).enumerated() where says && isOwn {
            if first + Int64(i) + 1 > sent { count += 1 }
        }
        return count
    }
}
