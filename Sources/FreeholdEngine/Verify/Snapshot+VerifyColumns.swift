extension SnapshotCheck {
    func checkColumn(_ column: Column, _ table: Table, check: TableCheck) {
        let subject = "Column '\(table.name).\(column.name)'"
        let state = check.state.columns[column.id] ?? .init()
        let blobs = BlockBounds(segment: column.segment(.blobs), next: state.nextBlob, subject: subject)
        var rows = IndexedRows(column)
        let isSearched = column.hasIndex || column.isPrimaryKey
        for cluster in check.counts.indices {
            let live = check.liveSlots(cluster, span: span)
            guard !live.isEmpty else { continue }
            let found = leaves(
                column.segment(.leaf),
                parts: column.segment(.parts),
                cluster: cluster,
                type: column.type,
                isList: column.collection != .none,
                isOptional: column.isOptional,
                subject: "\(subject), cluster \(cluster)"
            )
            for slot in live {
                let key = Int64(cluster * span + slot)
                let cell = CheckedCell(blobs: blobs, key: key)
                let place = found?.locate(slot)
                if column.collection != .none {
                    guard let place,
                        let found = checkList(place.leaf, place.slot, of: column, at: cell)
                    else { continue }
                    if column.indexKind == .places { rows.addPlace(found, key) }
                    continue
                }
                let missing = FieldCoding.defaultValue(column.type, isOptional: column.isOptional)
                guard
                    let value = place.map({ value(column.type, $0.leaf, slot: $0.slot, at: cell) })
                        ?? missing
                else {
                    continue
                }
                if case .link(let target) = value { note(target.raw, of: column, from: cell) }
                if column.type == .mixed { noteMixed([value], of: column, from: cell) }
                if column.isInCompound { compoundValues[column.id, default: [:]][key] = value }
                if isSearched, let twin = rows.add(value, key) {
                    report("\(subject): O\(key) and O\(twin) both have the primary key \(value).")
                }
            }
            store.forget()
        }
        if isSearched {
            checkIndex(column, state, rows: rows, subject: subject)
        } else if state.indexRoot != 0 || state.indexHeight != 0 || state.indexCount != 0 {
            report("\(subject): it isn't indexed and has an index.")
        }
        store.forget()
    }

    private func note(_ target: Int64, of column: Column, from cell: CheckedCell) {
        guard let table = column.targetTableID.flatMap({ tables[$0] }), table.contains(target, span: span) else {
            report("\(cell.subject): it links to O\(target), which doesn't exist.")
            return
        }
        links[column.firstSegment, default: [:]][target, default: []].append(cell.key)
    }

    // MARK: Lists

    /// - Returns: the elements of a list or set, or `nil` if they can't be read.
    private func checkList(_ leaf: Leaf, _ slot: Int, of column: Column, at cell: CheckedCell) -> [Value]? {
        if column.collection == .dictionary {
            guard let found = dictionary(leaf, slot, of: column, at: cell) else { return nil }
            if column.type == .mixed { noteMixed(found, of: column, from: cell) }
            guard column.type == .link else { return nil }
            for case .link(let target) in found { note(target.raw, of: column, from: cell) }
            return nil
        }
        let found = list(leaf, slot, of: ElementType(column), at: cell)
        if column.collection == .set, let found { checkOrder(found, at: cell) }
        if column.type == .mixed, let found { noteMixed(found, of: column, from: cell) }
        guard column.type == .link, let found else { return found }
        for case .link(let target) in found { note(target.raw, of: column, from: cell) }
        if found.contains(.null) { report("\(cell.subject): a null link in a list or set.") }
        return found
    }

    /// Returns a list's elements and reports errors. The result is `nil` if the elements can't be read.
    private func list(_ leaf: Leaf, _ slot: Int, of elements: ElementType, at cell: CheckedCell) -> [Value]? {
        let bytes = leaf.bytes(slot)
        guard leaf.isReference(slot) else { return inlineList(bytes, of: elements, at: cell) }
        guard bytes.count == 16 else {
            report("\(cell.subject): a reference of \(bytes.count) bytes.")
            return nil
        }
        let reference = leaf.reference(slot)
        return treeList(reference.block, count: reference.length, of: elements, at: cell)
    }

    /// Returns the elements of a large list.
    func treeList(_ root: UInt64, count: UInt64, of elements: ElementType, at cell: CheckedCell) -> [Value]? {
        guard root >= 1, count >= 1, count <= Int64.max else {
            report("\(cell.subject): a list without elements has a tree.")
            return nil
        }
        let tree = CountedTree(segment: cell.blobs.segment, root: root, count: Int(count))
        let problems = tree.checkInvariants(in: store)
        for problem in problems { report("\(cell.subject): \(problem).") }
        var out: [Value] = []
        guard problems.isEmpty, walk(tree.root, of: elements, at: cell, into: &out) else { return nil }
        return out
    }

    private func walk(
        _ number: UInt64,
        of elements: ElementType,
        at cell: CheckedCell,
        into out: inout [Value]
    ) -> Bool {
        guard let node = CountedTreeNode.View(checking: bounded(cell.blobs, number, what: "a node of O\(cell.key)"))
        else {
            return false
        }
        var isSound = true
        for slot in 0..<node.count {
            let child = node.child(slot)
            if node.level > 0 {
                if !walk(child, of: elements, at: cell, into: &out) { isSound = false }
                continue
            }
            let subject = "\(cell.subject), chunk \(child)"
            guard let bytes = bounded(cell.blobs, child, what: "a chunk of O\(cell.key)"),
                let leaf = wellFormed(
                    bytes,
                    elements.type.rawValue,
                    limit: ChunkBuilder.maximumCount,
                    isOptional: elements.isOptional,
                    subject: subject
                )
            else {
                isSound = false
                continue
            }
            if leaf.count != node.count(slot) {
                report("\(subject): it has \(leaf.count) elements, its node says \(node.count(slot)).")
                isSound = false
                continue
            }
            for i in 0..<leaf.count {
                if let value = value(elements.type, leaf, slot: i, at: cell) {
                    out.append(value)
                } else {
                    isSound = false
                }
            }
        }
        return isSound
    }

    func inlineList(_ bytes: UnsafeRawBufferPointer, of elements: ElementType, at cell: CheckedCell) -> [Value]? {
        let type = elements.type
        if bytes.isEmpty { return [] }
        guard InlineList.isWellFormed(bytes, type: type, isOptional: elements.isOptional) else {
            report("\(cell.subject): its list is damaged.")
            return nil
        }
        let list = InlineList(bytes, type: type)
        var isSound = true
        if type == .string || type == .mixed {
            let lengths = UnsafeRawBufferPointer(rebasing: bytes[list.valuesStart...])
            var start = list.count * 2
            for i in 0..<list.count {
                let length = Int(lengths.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self))
                let element = UnsafeRawBufferPointer(rebasing: lengths[start..<start + length])
                if !list.isNull(i), checked(type, element, at: cell) == nil { isSound = false }
                start += length
            }
        }
        return isSound || type == .string ? list.values() : nil
    }

    // MARK: Inverse links

    func checkBacklinks(_ column: Column) {
        guard let target = column.targetTableID.flatMap({ schema.table(id: $0) }), let check = tables[target.id],
            let own = tables[column.tableID]
        else { return }
        let subject =
            column === target.mixedInverse
            ? "The inverse of mixed links to '\(target.name)'"
            : "The inverse of '\(schema.table(of: column).name).\(column.name)'"
        let state = own.state.columns[column.id] ?? .init()
        let blobs = BlockBounds(segment: column.segment(.backlinkBlobs), next: state.nextBacklinkBlob, subject: subject)
        let originType = ElementType(.int, isOptional: false)
        let expected = links[column.firstSegment] ?? [:]
        for cluster in check.counts.indices {
            let live = check.liveSlots(cluster, span: span)
            guard !live.isEmpty else { continue }
            let found = leaves(
                column.segment(.backlinkLeaf),
                parts: column.segment(.backlinkParts),
                cluster: cluster,
                type: .int,
                isList: true,
                isOptional: false,
                subject: "\(subject), cluster \(cluster)"
            )
            for slot in live {
                let key = Int64(cluster * span + slot)
                var origins: [Int64] = []
                if let place = found?.locate(slot) {
                    let cell = CheckedCell(blobs: blobs, key: key)
                    guard let list = list(place.leaf, place.slot, of: originType, at: cell) else { continue }
                    for case .int(let origin) in list { origins.append(origin) }
                }
                let wanted = (expected[key] ?? []).sorted()
                if origins != wanted {
                    report(
                        origins.sorted() == wanted
                            ? "\(subject) of O\(key): its origins aren't sorted."
                            : "\(subject) of O\(key): it has \(origins.count) origins, the links say \(wanted.count), or others."
                    )
                }
            }
            store.forget()
        }
    }
}
