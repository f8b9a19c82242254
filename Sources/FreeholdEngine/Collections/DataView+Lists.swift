/// A list in its stored form: inline in the slot of its object, or in chunks under a counted tree.
enum StoredList {
    case inline(InlineList)
    case large(CountedTree)
}

extension DataView {
    /// Calls `body` with the list of an object, or with the values of its dictionary. The bytes are valid during the call.
    func withList<R>(_ column: Column, _ key: ObjectKey, body: (StoredList) -> R) -> R {
        if column.collection == .dictionary { return withDictionary(column, key) { body($0.values) } }
        var (cluster, slot) = locate(key)
        if let buffer = unretainedBuffer(column, cluster: cluster) {
            return buffer._withUnsafeGuaranteedRef {
                withEntry($0, slot, type: column.type, blobs: column.segment(.blobs), body: body)
            }
        }
        let leaf = locatedLeaf(column, cluster: cluster, slot: &slot)
        return withEntry(leaf, slot, type: column.type, blobs: column.segment(.blobs), body: body)
    }

    /// Calls `body` with the list of the origins of a link column's links to a target.
    func withBacklinks<R>(_ column: Column, _ target: ObjectKey, body: (StoredList) -> R) -> R {
        settleBacklinks(column)
        var (cluster, slot) = locate(target)
        let blobs = column.segment(.backlinkBlobs)
        if let buffer = backlinkBuffer(column, cluster: cluster) {
            return withEntry(buffer, slot, type: .int, blobs: blobs, body: body)
        }
        return withEntry(
            backlinkLeaf(column, cluster: cluster, slot: &slot),
            slot,
            type: .int,
            blobs: blobs,
            body: body
        )
    }

    private func backlinkLeaf(_ column: Column, cluster: Int, slot: inout Int) -> Leaf? {
        guard let address = block(column.segment(.backlinkLeaf), UInt64(cluster))?.baseAddress else { return nil }
        let found = Leaf(address)
        guard found.isSplit else { return slot < found.count ? found : nil }
        let span = Leaf.partSpan(clusterSpan: clusterSpan, partsLog2: found.partsLog2)
        let number = UInt64(cluster) << 6 | UInt64(slot / span)
        guard let part = block(column.segment(.backlinkParts), number)?.baseAddress else { return nil }
        slot %= span
        let leaf = Leaf(part)
        return slot < leaf.count ? leaf : nil
    }

    func withEntry<R>(
        _ buffer: LeafBuffer,
        _ slot: Int,
        type: ColumnType,
        blobs: UInt32,
        body: (StoredList) -> R
    ) -> R {
        if buffer.isReference(slot) {
            let r = buffer.reference(slot)
            return body(.large(CountedTree(segment: blobs, root: r.block, count: Int(r.length))))
        }
        return body(.inline(InlineList(buffer.bytes(slot), type: type)))
    }

    func withEntry<R>(
        _ leaf: Leaf?,
        _ slot: Int,
        type: ColumnType,
        blobs: UInt32,
        body: (StoredList) -> R
    ) -> R {
        guard let leaf else {
            return body(.inline(InlineList(UnsafeRawBufferPointer(start: nil, count: 0), type: type)))
        }
        if leaf.isReference(slot) {
            let r = leaf.reference(slot)
            return body(.large(CountedTree(segment: blobs, root: r.block, count: Int(r.length))))
        }
        return body(.inline(InlineList(leaf.bytes(slot), type: type)))
    }

    func count(of list: StoredList) -> Int {
        switch list {
        case .inline(let inline): inline.count
        case .large(let tree): tree.count
        }
    }

    func value(of list: StoredList, at i: Int, type: ColumnType, isOptional: Bool) -> Value {
        switch list {
        case .inline(let inline): return inline.value(i)
        case .large(let tree):
            guard let place = tree.locate(i, in: self) else {
                return FieldCoding.defaultValue(type, isOptional: isOptional)
            }
            let slot = i - place.start
            let leaf = chunk(place.chunk, place.count, slot: slot, of: tree, type: type, isOptional: isOptional)
            return value(type, leaf, slot: i - place.start, isOptional: isOptional, blobs: tree.segment)
        }
    }

    func values(of list: StoredList, type: ColumnType, isOptional: Bool) -> [Value] {
        switch list {
        case .inline(let inline): return inline.values()
        case .large(let tree):
            var out: [Value] = []
            tree.forEachChunk(from: 0, in: self) { chunk, start, count in
                if start == 0 { out.reserveCapacity(tree.count) }
                let leaf = self.chunk(chunk, count, of: tree, type: type, isOptional: isOptional)
                for slot in 0..<count {
                    out.append(value(type, leaf, slot: slot, isOptional: isOptional, blobs: tree.segment))
                }
                return true
            }
            return out
        }
    }

    /// Returns the raw numbers of a list of integers or links (the keys of the targets).
    func ints(of list: StoredList, type: ColumnType) -> [Int64] {
        var out: [Int64] = []
        switch list {
        case .inline(let inline):
            out.reserveCapacity(inline.count)
            inline.appendInts(to: &out)
        case .large(let tree):
            let offset: Int64 = type == .link ? 1 : 0
            tree.forEachChunk(from: 0, in: self) { chunk, start, count in
                if start == 0 { out.reserveCapacity(tree.count) }
                let leaf = self.chunk(chunk, count, of: tree, type: type, isOptional: false)
                if leaf.isBlank { return false }
                for slot in 0..<count { out.append(leaf.int(slot) - offset) }
                return true
            }
        }
        return out
    }

    func int(of list: StoredList, at i: Int, type: ColumnType) -> Int64 {
        switch list {
        case .inline(let inline): return inline.int(i)
        case .large(let tree):
            guard let place = tree.locate(i, in: self) else { return 0 }
            let slot = i - place.start
            let leaf = chunk(place.chunk, place.count, slot: slot, of: tree, type: type, isOptional: false)
            if leaf.isBlank { return 0 }
            return max(0, leaf.int(slot) &- (type == .link ? 1 : 0))
        }
    }

    // MARK: Public reading

    /// Returns the number of elements.
    /// - Complexity: O(1).
    public func listCount(_ column: Column, _ key: ObjectKey) -> Int {
        withList(column, key) { count(of: $0) }
    }

    /// Returns the i-th element. `i` must be within bounds.
    /// - Complexity: O(log n). O(i) for strings and data in small lists.
    public func listValue(_ column: Column, _ key: ObjectKey, at i: Int) -> Value {
        withList(column, key) { value(of: $0, at: i, type: column.type, isOptional: column.isOptional) }
    }

    /// Returns all elements.
    /// - Complexity: O(n).
    public func listValues(_ column: Column, _ key: ObjectKey) -> [Value] {
        withList(column, key) { values(of: $0, type: column.type, isOptional: column.isOptional) }
    }

    /// Returns the i-th target of a list of links.
    /// - Complexity: O(log n).
    public func listLink(_ column: Column, _ key: ObjectKey, at i: Int) -> ObjectKey {
        withList(column, key) { ObjectKey(int(of: $0, at: i, type: .link)) }
    }

    /// Returns the i-th target of a list of links and the number of elements. The key is `nil` if `i` is out of bounds.
    /// - Complexity: O(log n).
    package func listLink(_ column: Column, _ key: ObjectKey, ifAt i: Int) -> (key: ObjectKey?, count: Int) {
        withList(column, key) { list in
            let count = count(of: list)
            return (i >= 0 && i < count ? ObjectKey(int(of: list, at: i, type: .link)) : nil, count)
        }
    }

    /// Returns the targets of a list of links, or the targets of a dictionary's values that aren't null.
    /// - Complexity: O(n).
    public func listLinks(_ column: Column, _ key: ObjectKey) -> [ObjectKey] {
        if column.collection == .dictionary {
            return dictionaryValues(column, key).compactMap { if case .link(let target) = $0 { target } else { nil } }
        }
        return withList(column, key) { list in
            guard case .inline(let inline) = list else { return ints(of: list, type: .link).map { ObjectKey($0) } }
            let count = inline.count
            return [ObjectKey](unsafeUninitializedCapacity: count) { room, used in
                for i in 0..<count { (room.baseAddress! + i).initialize(to: ObjectKey(inline.int(i))) }
                used = count
            }
        }
    }

    /// Returns the first position of a value.
    /// - Complexity: O(n). In a set, O(log n).
    public func listIndex(_ column: Column, _ key: ObjectKey, of value: Value) -> Int? {
        if column.collection == .set { return setIndex(column, key, of: value) }
        if column.type == .link, column.collection == .list {
            guard case .link(let target) = value else { return nil }
            return withList(column, key) { ints(of: $0, type: .link).firstIndex(of: target.raw) }
        }
        if column.type == .mixed { return listValues(column, key).firstIndex { Value.areEqual($0, value) } }
        return listValues(column, key).firstIndex(of: value)
    }

    // MARK: Public reading of backlinks. Mixed columns are in the form of `Column.asBacklinkColumn(to:)`.

    /// Returns the number of links of a column to an object. A list that contains the object twice counts twice.
    /// - Complexity: O(1). For a mixed column, O(log n).
    public func backlinkCount(_ column: Column, _ target: ObjectKey) -> Int {
        if column.type == .mixed { return withMixedRun(column, target) { $1.count } }
        return withBacklinks(column, target) { count(of: $0) }
    }

    /// Returns the objects whose column links to an object, in ascending order of keys, once for each link.
    /// - Complexity: O(n).
    public func backlinks(_ column: Column, _ target: ObjectKey) -> [ObjectKey] {
        if column.type == .mixed {
            return withMixedRun(column, target) { list, run in
                run.map { MixedOrigin(int(of: list, at: $0, type: .int)).key }
            }
        }
        return withBacklinks(column, target) { ints(of: $0, type: .int).map { ObjectKey($0) } }
    }

    /// Returns the i-th element of `backlinks`.
    /// - Complexity: O(log n).
    public func backlink(_ column: Column, _ target: ObjectKey, at i: Int) -> ObjectKey {
        if column.type == .mixed {
            return withMixedRun(column, target) { list, run in
                MixedOrigin(int(of: list, at: run.lowerBound + i, type: .int)).key
            }
        }
        return withBacklinks(column, target) { ObjectKey(int(of: $0, at: i, type: .int)) }
    }
}
