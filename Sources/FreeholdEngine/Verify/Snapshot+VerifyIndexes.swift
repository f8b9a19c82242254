/// The entries that an index must have, calculated from the rows.
struct IndexedRows {
    struct Entry: Hashable {
        let bytes: [UInt8]
        let key: Int64
    }

    private(set) var entries: Set<Entry> = []
    private var owners: [Value: Int64] = [:]
    private let isUnique: Bool
    private let type: ColumnType
    private let words: TextWords?

    init(_ column: Column) {
        isUnique = column.isPrimaryKey
        type = column.type
        words = column.indexKind.textMatching.map { TextWords($0) }
    }

    mutating func insert(_ bytes: [UInt8], _ key: Int64) { entries.insert(Entry(bytes: bytes, key: key)) }

    /// - Returns: the object that already has the same value, if values must be unique.
    mutating func add(_ value: Value, _ key: Int64) -> Int64? {
        if let words {
            for bytes in words.entries(value) { insert(bytes, key) }
            return nil
        }
        insert(OrderedEncoding.with(value, type) { Array($0) } ?? [], key)
        return isUnique ? owners.updateValue(key, forKey: value) : nil
    }
}

extension IndexedRows {
    /// - Parameter coordinates: a list of doubles, which may be a place.
    mutating func addPlace(_ coordinates: [Value], _ key: Int64) {
        guard coordinates.count >= 2, case .double(let longitude) = coordinates[0],
            case .double(let latitude) = coordinates[1],
            let entry = GeoCell.number(latitude: latitude, longitude: longitude)
        else { return }
        insert(OrderedEncoding.withInt(entry) { Array($0) }, key)
    }
}

extension SnapshotCheck {
    func checkIndex(_ column: Column, _ state: TableState.ColumnState, rows: IndexedRows, subject: String) {
        let blocks = BlockBounds(segment: column.segment(.index), next: state.nextIndex, subject: "\(subject), index")
        if state.indexRoot != 0 {
            guard (1...64).contains(state.indexHeight), walk(state.indexRoot, level: state.indexHeight - 1, blocks)
            else {
                return
            }
        }
        let tree = IndexTree(
            segment: blocks.segment,
            root: state.indexRoot,
            height: state.indexHeight,
            count: state.indexCount
        )
        let problems = tree.checkInvariants(in: store)
        for problem in problems { report("\(subject), index: \(problem).") }
        guard problems.isEmpty else { return }
        var found = 0
        tree.range(in: store) { bytes, key in
            found += 1
            if !rows.entries.contains(IndexedRows.Entry(bytes: Array(bytes), key: key)) {
                report("\(subject), index: it has an entry for O\(key) that doesn't match the object.")
            }
            return true
        }
        if found != rows.entries.count {
            report("\(subject), index: it has \(found) entries, not \(rows.entries.count).")
        }
    }

    /// - Precondition: the table's columns have been checked.
    func checkCompound(_ compound: CompoundColumnIndex, _ table: Table, check: TableCheck) {
        let subject = "Compound index '\(table.name)' (\(compound))"
        var rows = IndexedRows(compound.entries)
        var owners: [[Value]: Int64] = [:]
        for cluster in check.counts.indices {
            for slot in check.liveSlots(cluster, span: span) {
                let key = Int64(cluster * span + slot)
                let values = compound.columns.compactMap { compoundValues[$0.id]?[key] }
                guard values.count == compound.columns.count else { continue }
                var entry: [UInt8] = []
                for (value, column) in zip(values, compound.columns) {
                    CompoundEncoding.append(value, column.type, to: &entry)
                }
                CompoundEncoding.cut(&entry)
                rows.insert(entry, key)
                if compound.isUnique, !values.contains(where: { $0.isNull || $0.holdsNaN }),
                    let twin = owners.updateValue(key, forKey: values)
                {
                    report("\(subject): O\(key) and O\(twin) have the same values.")
                }
            }
        }
        checkIndex(compound.entries, check.state.columns[compound.entries.id] ?? .init(), rows: rows, subject: subject)
    }

    /// Claims the nodes. Returns false if one of them is missing or can't be read because of damage.
    private func walk(_ number: UInt64, level: Int, _ blocks: BlockBounds) -> Bool {
        guard let bytes = bounded(blocks, number, what: "a node") else { return false }
        guard IndexNode.isWellFormed(bytes, level: level) else {
            report("\(blocks.subject): node \(number) is damaged.")
            return false
        }
        guard level > 0 else { return true }
        let node = IndexNode(bytes.baseAddress!)
        var isSound = true
        for i in 0..<node.count where !walk(node.child(i), level: level - 1, blocks) { isSound = false }
        return isSound
    }
}
