/// The state of a table that `SnapshotCheck` found.
struct TableCheck {
    var state = TableState()
    var counts: [UInt16] = []
    /// The presence bitmaps, by cluster.
    var presence: [Int: [UInt64]] = [:]

    func liveSlots(_ cluster: Int, span: Int) -> [Int] {
        guard cluster < counts.count else { return [] }
        if let bits = presence[cluster] { return (0..<span).filter { bits[$0 >> 6] >> UInt64($0 & 63) & 1 != 0 } }
        if counts[cluster] & TableCache.presenceFlag != 0 { return [] }
        return Array(0..<min(span, Int(counts[cluster])))
    }

    func contains(_ key: Int64, span: Int) -> Bool {
        guard key >= 0, key / Int64(span) < counts.count else { return false }
        let (cluster, slot) = (Int(key) / span, Int(key) % span)
        if let bits = presence[cluster] { return bits[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }
        return counts[cluster] & TableCache.presenceFlag == 0 && slot < Int(counts[cluster])
    }
}

extension SnapshotCheck {
    func checkTable(_ table: Table) -> TableCheck {
        let name = "Table '\(table.name)'"
        var check = TableCheck()
        if let bytes = claimIfStored(table.firstSegment, 0, subject: name) {
            guard let state = TableState.decode(bytes), state.isPlausible else {
                report("\(name): its state is damaged.")
                return check
            }
            if state.encoded().count != bytes.count { report("\(name): its state has a wrong length.") }
            check.state = state
        }
        let perBlock = TableCache.clustersPerBlock
        let (clusters, overflow) = Int(check.state.nextKey).addingReportingOverflow(span - 1)
        let blocks = store.numbers(in: table.firstSegment + 2)
        guard !overflow, clusters / span <= blocks.count * perBlock else {
            report("\(name): the counts of its \(clusters / span) clusters are missing.")
            return check
        }
        check.counts = counts(table, name, clusters: clusters / span)
        for cluster in check.counts.indices { checkPresence(table, name, cluster: cluster, check: &check) }
        let total = check.counts.reduce(0) { $0 + Int($1 & ~TableCache.presenceFlag) }
        if total != check.state.count {
            report("\(name): it has \(total) objects, its state says \(check.state.count).")
        }
        for id in check.state.columns.keys
        where id != Table.mixedInverseID && !table.storedColumns.contains(where: { $0.id == id })
            && !table.compounds.contains(where: { $0.entries.id == id })
        {
            report("\(name): its state mentions a column \(id) that doesn't exist.")
        }
        store.forget()
        return check
    }

    private func counts(_ table: Table, _ name: String, clusters: Int) -> [UInt16] {
        var out: [UInt16] = []
        while out.count < clusters {
            let number = UInt64(out.count / TableCache.clustersPerBlock)
            let wanted = min(TableCache.clustersPerBlock, clusters - out.count)
            let bytes = claim(table.firstSegment + 2, number, subject: "\(name), counts")
            if let bytes, bytes.count != 2 * wanted {
                report("\(name): block \(number) of its counts has \(bytes.count) bytes, not \(2 * wanted).")
            }
            for i in 0..<wanted {
                let isThere = bytes.map { 2 * i + 2 <= $0.count } ?? false
                out.append(isThere ? bytes!.loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self) : 0)
            }
        }
        return out
    }

    private func checkPresence(_ table: Table, _ name: String, cluster: Int, check: inout TableCheck) {
        let live = Int(check.counts[cluster] & ~TableCache.presenceFlag)
        let keys = min(span, Int(check.state.nextKey) - cluster * span)
        if live > keys { report("\(name): cluster \(cluster) has \(live) objects of \(keys).") }
        guard check.counts[cluster] & TableCache.presenceFlag != 0 else { return }
        guard let bytes = claim(table.firstSegment + 1, UInt64(cluster), subject: "\(name), presence") else { return }
        let words = (span + 63) >> 6
        guard bytes.count == 8 * words else {
            report("\(name): the presence bitmap of cluster \(cluster) has \(bytes.count) bytes.")
            return
        }
        let bits = (0..<words).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
        let set = (0..<64 * words).filter { bits[$0 >> 6] >> UInt64($0 & 63) & 1 != 0 }
        if set.count != live { report("\(name): cluster \(cluster) has \(set.count) objects, its count says \(live).") }
        if live == 0 { report("\(name): the empty cluster \(cluster) has a presence bitmap.") }
        if let last = set.last, last >= keys {
            report("\(name): cluster \(cluster) has an object in slot \(last) to come.")
        }
        check.presence[cluster] = bits
    }
}
