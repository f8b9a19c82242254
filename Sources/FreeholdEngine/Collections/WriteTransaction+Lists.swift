/// The place of a list that is being edited: the buffer and slot of its leaf, and the form of its elements.
struct ListPlace {
    let buffer: LeafBuffer
    let slot: Int
    let type: ColumnType
    let isOptional: Bool
    let blobs: UInt32
}

extension WriteTransaction {
    // MARK: Public editing

    /// Inserts values before the i-th element. If `i` is the count, they are appended.
    /// - Throws: like `set`, and `.invalidArgument` for an index out of bounds. The transaction is unchanged then.
    /// - Complexity: O(log n), plus the size of one chunk.
    public func listInsert(
        _ column: Column,
        _ key: ObjectKey,
        at i: Int,
        values: [Value]
    ) throws(EngineError) {
        try checkList(column, key, values: values)
        try checkBounds(column, i, in: 0...listCount(column, key))
        guard !values.isEmpty else { return }
        try checkOwners(column, key, added: values)
        splice(column, key, range: i..<i, with: values)
        note(column, key, operation: .insert(at: i, count: values.count))
    }

    public func listInsert(_ column: Column, _ key: ObjectKey, at i: Int, value: Value) throws(EngineError) {
        try listInsert(column, key, at: i, values: [value])
    }

    public func listAppend(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        try listInsert(column, key, at: listCount(column, key), values: values)
    }

    /// Appends a link without checks. The caller has checked that the column is a list of links and that both objects exist.
    package func listAppend(_ column: Column, _ key: ObjectKey, link target: ObjectKey) {
        spillIfOverBudget()
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        // An appended element doesn't move hidden elements.
        if columns._withUnsafeGuaranteedRef({ $0.hasHiddenLinks }) {
            journal?.unshown(column, key, links: hiddenLinks(column, key), in: self)
        }
        let at = buffer._withUnsafeGuaranteedRef { appendInPlace(target, $0, slot: slot) }
        guard let at else {
            let count = listCount(column, key)
            splice(column, key, range: count..<count, with: [.link(target)])
            note(column, key, operation: .insert(at: count, count: 1))
            return
        }
        columns._withUnsafeGuaranteedRef {
            let changes = $0.backlinks ?? openBacklinks($0)
            changes.add(target: target.raw, origin: key.raw, delta: 1)
            if $0.ownsTargets { ownershipChanged(column, target, by: 1) }
            if changes.pending.count > linkLogLimit { settleBacklinks(column) }
        }
        note(column, key, operation: .insert(at: at, count: 1))
    }

    /// Appends a plain value to a small list in its encoded form. The checks of the general function aren't necessary in this case.
    ///
    /// - Precondition: the object exists.
    /// - Returns: false, without changes, if the caller has to use `listInsert`.
    package func listAppendInline(_ column: Column, _ key: ObjectKey, value: Value) -> Bool {
        guard column.collection == .list, value.type == column.type, column.type != .link, column.type != .mixed,
            !column.hasIndex
        else { return false }
        spillIfOverBudget()
        let (cluster, slot) = locate(key)
        let (columns, buffer) = openLeaf(column, cluster)
        if columns._withUnsafeGuaranteedRef({ $0.hasHiddenLinks }) { return false }
        let at: Int? = buffer._withUnsafeGuaranteedRef { buffer in
            if buffer.isReference(slot) { return nil }
            let count = InlineList(buffer.bytes(slot), type: column.type).count
            let isDone = spliceInline(
                buffer,
                slot,
                type: column.type,
                range: count..<count,
                with: CollectionOfOne(value)
            )
            return isDone ? count : nil
        }
        guard let at else { return false }
        note(column, key, operation: .insert(at: at, count: 1))
        return true
    }

    /// Returns the position of the new element, or `nil`, without changes, if the list has to be encoded again.
    @inline(__always)
    private func appendInPlace(_ target: ObjectKey, _ buffer: LeafBuffer, slot: Int) -> Int? {
        if buffer.isReference(slot) { return nil }
        let old = buffer.bytes(slot)
        let count = old.count < 4 ? 0 : InlineList(old, type: .link).count
        if count == 0 {
            return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { room in
                var raw = target.raw
                guard let size = InlineList.encodeInts(&raw, 1, to: room.baseAddress!) else { return nil }
                buffer.setBytes(slot, UnsafeRawBufferPointer(start: room.baseAddress!, count: size))
                return 0
            }
        }
        let width = Int(old[0])
        guard width == 1 || width == 2 || width == 4 || width == 8, target.raw >> Int64(width * 8 - 1) == 0,
            count < InlineList.maximumCount,
            old.count + width <= InlineList.limit
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: InlineList.limit, alignment: 8) { room in
            let p = room.baseAddress!
            p.copyMemory(from: old.baseAddress!, byteCount: old.count)
            p.storeBytes(of: UInt16(count + 1).littleEndian, toByteOffset: 2, as: UInt16.self)
            var raw = target.raw.littleEndian
            withUnsafeBytes(of: &raw) { (p + old.count).copyMemory(from: $0.baseAddress!, byteCount: width) }
            buffer.setBytes(slot, UnsafeRawBufferPointer(start: p, count: old.count + width))
            return count
        }
    }

    /// Replaces the i-th element.
    public func listSet(_ column: Column, _ key: ObjectKey, at i: Int, to value: Value) throws(EngineError) {
        try checkList(column, key, values: [value])
        try checkBounds(column, i, below: listCount(column, key))
        try checkOwners(column, key, added: [value]) { [listValue(column, key, at: i)] }
        splice(column, key, range: i..<(i + 1), with: [value])
        note(column, key, operation: .set(at: i))
        deleteOrphans()
    }

    /// Replaces the existing i-th element by a value that has been checked.
    func replaceElement(_ column: Column, _ key: ObjectKey, at i: Int, with value: Value) {
        splice(column, key, range: i..<(i + 1), with: [value])
        note(column, key, operation: .set(at: i))
    }

    /// Replaces all elements.
    public func listAssign(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        try checkList(column, key, values: values)
        try checkOwners(column, key, added: values) { listValues(column, key) }
        try assigning(column, of: key) { () throws(EngineError) in
            listClear(column, key, isRecorded: true)
            if !values.isEmpty {
                splice(column, key, range: 0..<0, with: values)
                note(column, key, operation: .insert(at: 0, count: values.count))
            }
            deleteOrphans()
        }
    }

    /// Makes edits that replace the content of a collection. The property counts as modified, even if the content is equal. An exact journal
    /// records the edits as one assignment. If two devices assign, the later assignment has to replace the other completely.
    ///
    /// - Complexity: O(n) in files with an exact journal, in addition to the edits.
    package func assigning(
        _ column: Column,
        of key: ObjectKey,
        _ edits: () throws(EngineError) -> Void
    ) throws(EngineError) {
        guard !column.isHidden, isOld(column, key) else { return try edits() }
        if let journal, journal.isExact, !journal.isNested {
            let hidden = hiddenLinks(column, key)
            try journal.withoutRecording(edits)
            journal.assigned(column, key, hidden: hidden, in: self)
        } else {
            try edits()
        }
        // If the content is equal, nothing else marks a change, but the transaction has to be committed.
        hasAssignments = true
        let (cluster, slot) = locate(key)
        columnOverlay(column).markModified(cluster: cluster, slot: slot)
    }

    public func listRemove(_ column: Column, _ key: ObjectKey, range: Range<Int>) throws(EngineError) {
        try checkList(column, key, values: [])
        let count = listCount(column, key)
        try checkBounds(column, range.lowerBound, in: 0...count)
        try checkBounds(column, range.upperBound, in: 0...count)
        guard !range.isEmpty else { return }
        splice(column, key, range: range, with: [])
        note(column, key, operation: .remove(at: range.lowerBound, count: range.count))
        deleteOrphans()
    }

    public func listRemove(_ column: Column, _ key: ObjectKey, at i: Int) throws(EngineError) {
        try checkBounds(column, i, below: listCount(column, key))
        try listRemove(column, key, range: i..<(i + 1))
    }

    /// Moves an element so that it ends at position `to`.
    public func listMove(_ column: Column, _ key: ObjectKey, from: Int, to: Int) throws(EngineError) {
        try checkList(column, key, values: [])
        let count = listCount(column, key)
        try checkBounds(column, from, below: count)
        try checkBounds(column, to, below: count)
        guard from != to else { return }
        let value = listValue(column, key, at: from)
        movingHiddenLinks(column, key, from: from, to: to) {
            splice(column, key, range: from..<(from + 1), with: [])
            splice(column, key, range: to..<to, with: [value])
        }
        note(column, key, operation: .move(from: from, to: to))
        deleteOrphans()
    }

    public func listSwap(_ column: Column, _ key: ObjectKey, at i: Int, and j: Int) throws(EngineError) {
        try checkList(column, key, values: [])
        let count = listCount(column, key)
        try checkBounds(column, i, below: count)
        try checkBounds(column, j, below: count)
        guard i != j else { return }
        let a = listValue(column, key, at: i)
        let b = listValue(column, key, at: j)
        swappingHiddenLinks(column, key, at: i, and: j) {
            splice(column, key, range: i..<(i + 1), with: [b])
            splice(column, key, range: j..<(j + 1), with: [a])
        }
        if let journal, journal.isExact, isOld(column, key) {
            journal.swapped(column, key, at: min(i, j), and: max(i, j), in: self)
            withoutRecording {
                note(column, key, operation: .set(at: i))
                note(column, key, operation: .set(at: j))
            }
        } else {
            note(column, key, operation: .set(at: i))
            note(column, key, operation: .set(at: j))
        }
        deleteOrphans()
    }

    public func listClear(_ column: Column, _ key: ObjectKey) {
        listClear(column, key, isRecorded: true)
        deleteOrphans()
    }

    func listClear(_ column: Column, _ key: ObjectKey, isRecorded: Bool) {
        if column.collection == .dictionary {
            dictionaryClear(column, key, isRecorded: isRecorded)
            return
        }
        let count = listCount(column, key)
        guard count > 0 else { return }
        if columnOverlay(column).hasHiddenLinks { moveHiddenLinks(column, key, range: 0..<count, with: 0) }
        spillIfOverBudget()
        let entry = column.hasIndex ? placeBefore(column, key) : nil
        let place = place(column, key)
        if column.type == .link || column.type == .mixed {
            let old = withEntry(place.buffer, place.slot, type: column.type, blobs: place.blobs) {
                values(of: $0, type: column.type, isOptional: column.isOptional)
            }
            linksChanged(column, key, removed: old, added: [])
        }
        freeLarge(place)
        place.buffer.setBytes(place.slot, UnsafeRawBufferPointer(start: nil, count: 0))
        if column.hasIndex { placeChanged(column, key, from: entry) }
        if isRecorded { note(column, key, operation: .clear(count: count)) }
    }

    /// Removes all occurrences of a target from a list of links.
    func listRemoveAll(_ column: Column, _ key: ObjectKey, of target: ObjectKey) {
        let links = listLinks(column, key)
        for i in links.indices.reversed() where links[i] == target {
            splice(column, key, range: i..<(i + 1), with: [])
            note(column, key, operation: .remove(at: i, count: 1))
        }
    }

    // MARK: Steps

    private func checkList(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        guard column.collection == .list else {
            throw EngineError(.invalidArgument, "'\(column.name)' isn't a list.")
        }
        guard contains(currentSchema.table(of: column), key) else { throw missingObject(column, key) }
        for value in values {
            if value.isNull, !column.isOptional {
                throw EngineError(.missingValue, "The list '\(column.name)' can't hold null.")
            }
            try checkElement(value, column)
        }
    }

    func checkBounds(_ column: Column, _ i: Int, below count: Int) throws(EngineError) {
        guard i >= 0, i < count else {
            throw EngineError(.invalidArgument, "Index \(i) is out of bounds of the list '\(column.name)' (\(count)).")
        }
    }

    private func checkBounds(_ column: Column, _ i: Int, in range: ClosedRange<Int>) throws(EngineError) {
        guard range.contains(i) else {
            throw EngineError(
                .invalidArgument,
                "Index \(i) is out of bounds of the list '\(column.name)' (\(range.upperBound))."
            )
        }
    }

    /// Records the edit of a collection. It is called after the edit, so that the new elements can be read.
    ///
    /// - Parameter gone: the removed values of a set, or the removed keys of a dictionary.
    func note(
        _ column: Column,
        _ key: ObjectKey,
        operation: ListEdit.Operation,
        gone: @autoclosure () -> [Value] = []
    ) {
        let columns = unmanagedOverlay(column)
        guard key.raw < columns._withUnsafeGuaranteedRef({ $0.firstNewKey }) else { return }
        journal?.edited(column, key, operation: operation, gone: gone, in: self)
        let (cluster, slot) = locate(key)
        columns._withUnsafeGuaranteedRef { $0.markModified(cluster: cluster, slot: slot) }
        let table = tables[column.tableID]!
        if table.listEdits.count < keptEdits {
            table.listEdits.append(ListEdit(column: column.id, key: key, operation: operation))
        } else {
            table.listEditsOverflow = true
        }
    }

    func place(_ column: Column, _ key: ObjectKey) -> ListPlace {
        let (cluster, slot) = locate(key)
        return ListPlace(
            buffer: writable(columnOverlay(column), cluster),
            slot: slot,
            type: column.type,
            isOptional: column.isOptional,
            blobs: column.segment(.blobs)
        )
    }

    /// Replaces a range of a list, and updates the inverse of links. All changes of lists use this function.
    func splice(_ column: Column, _ key: ObjectKey, range: Range<Int>, with values: [Value]) {
        if columnOverlay(column).hasHiddenLinks { moveHiddenLinks(column, key, range: range, with: values.count) }
        spillIfOverBudget()
        let entry = column.hasIndex ? placeBefore(column, key) : nil
        let place = place(column, key)
        if column.type == .link || column.type == .mixed {
            let old =
                range.isEmpty
                ? []
                : withEntry(place.buffer, place.slot, type: column.type, blobs: place.blobs) { list in
                    range.map { value(of: list, at: $0, type: column.type, isOptional: column.isOptional) }
                }
            linksChanged(column, key, removed: old, added: values)
        }
        splice(place, range, with: values)
        if column.hasIndex { placeChanged(column, key, from: entry) }
    }

    /// Replaces a range of a list without the inverse of links. It also edits the lists of backlinks.
    func splice(_ place: ListPlace, _ range: Range<Int>, with values: [Value]) {
        let count = withEntry(place.buffer, place.slot, type: place.type, blobs: place.blobs) { self.count(of: $0) }
        guard range.upperBound <= count else {
            return damaged(
                "a list or an inverse in segment \(place.blobs) has \(count) elements, not \(range.upperBound)"
            )
        }
        if place.buffer.isReference(place.slot) {
            spliceLarge(place, range, with: values)
            return
        }
        if spliceInline(place.buffer, place.slot, type: place.type, range: range, with: values) { return }
        var all = InlineList(place.buffer.bytes(place.slot), type: place.type).values()
        all.replaceSubrange(range, with: values)
        storeInlineOrLarge(place, all)
    }

    /// Replaces a range of an inline list in its encoded form.
    /// - Returns: false, without changes, if the list has to be encoded again, or doesn't fit inline.
    private func spliceInline(
        _ buffer: LeafBuffer,
        _ slot: Int,
        type: ColumnType,
        range: Range<Int>,
        with values: some Collection<Value>
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: InlineList.limit, alignment: 8) { room in
            let old = InlineList(buffer.bytes(slot), type: type)
            guard let size = old.splice(range, with: values, to: room.baseAddress!) else { return false }
            buffer.setBytes(slot, UnsafeRawBufferPointer(start: room.baseAddress!, count: size))
            return true
        }
    }

    /// Stores an inline list of integers.
    /// - Returns: false if it doesn't fit inline.
    func putInts(_ place: ListPlace, _ ints: UnsafePointer<Int64>, count: Int) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: InlineList.limit, alignment: 8) { room in
            guard let size = InlineList.encodeInts(ints, count, to: room.baseAddress!) else { return false }
            place.buffer.setBytes(place.slot, UnsafeRawBufferPointer(start: room.baseAddress!, count: size))
            return true
        }
    }

    private func storeInlineOrLarge(_ place: ListPlace, _ values: [Value]) {
        if let bytes = InlineList.encode(values, type: place.type) {
            bytes.withUnsafeBytes { place.buffer.setBytes(place.slot, $0) }
        } else {
            makeLarge(place, values)
        }
    }

    private func makeLarge(_ place: ListPlace, _ values: [Value]) {
        let tree = makeTree(place, values)
        storeReference(place.buffer, place.slot, block: tree.root, length: UInt64(tree.count))
    }

    func makeTree(_ place: ListPlace, _ values: [Value]) -> CountedTree {
        var builder = ChunkBuilder(type: place.type, isOptional: place.isOptional)
        add(values, to: &builder, place)
        let chunks = put(builder.finish(), place.blobs)
        return CountedTree.make(segment: place.blobs, chunks: chunks, in: self)
    }

    private func add(_ values: [Value], to builder: inout ChunkBuilder, _ place: ListPlace) {
        for value in values {
            let (buffer, slot) = builder.next(byteCount: FieldCoding.byteCount(value, place.type))
            store(value, place.type, in: buffer, slot: slot, blobs: place.blobs)
        }
    }

    private func put(_ chunks: [LeafBuffer], _ segment: UInt32) -> [(block: UInt64, count: Int)] {
        chunks.map { chunk in
            let number = allocateBlock(segment)
            putBlock(segment, number, owned: chunk.encodedWhole()!)
            return (number, chunk.count)
        }
    }

    // MARK: Large lists

    private func spliceLarge(_ place: ListPlace, _ range: Range<Int>, with values: [Value]) {
        let reference = place.buffer.reference(place.slot)
        if spliceOpen(place, root: reference.block, count: Int(reference.length), range, with: values) { return }
        var tree = CountedTree(segment: place.blobs, root: reference.block, count: Int(reference.length))
        if range.count == tree.count {
            freeLarge(place)
            place.buffer.setBytes(place.slot, UnsafeRawBufferPointer(start: nil, count: 0))
            if !values.isEmpty { storeInlineOrLarge(place, values) }
            return
        }
        spliceTree(&tree, place, range: range, with: values)
        if tree.count <= 32, !range.isEmpty {
            let all = self.values(of: .large(tree), type: place.type, isOptional: place.isOptional)
            if let bytes = InlineList.encode(all, type: place.type) {
                freeTree(tree, place)
                bytes.withUnsafeBytes { place.buffer.setBytes(place.slot, $0) }
                return
            }
        }
        storeReference(place.buffer, place.slot, block: tree.root, length: UInt64(tree.count))
    }

    /// Replaces part of a large list without changing its slot.
    /// - Precondition: the resulting list isn't empty.
    func spliceTree(_ tree: inout CountedTree, _ place: ListPlace, range: Range<Int>, with values: [Value]) {
        guard tree.isCounted(in: self), range.upperBound <= tree.count else {
            return damaged("a list in segment \(place.blobs) hasn't \(tree.count) elements")
        }
        var left = range.count
        var pending = values
        while left > 0 || !pending.isEmpty {
            let index = min(range.lowerBound, tree.count - 1)
            guard let found = tree.locate(index, in: self), !isDamaged else { return }
            let offset = range.lowerBound - found.start
            let removed = min(left, max(0, found.count - offset))
            guard offset <= found.count, removed > 0 || !pending.isEmpty else {
                return damaged("a list in segment \(place.blobs) hasn't \(tree.count) elements")
            }
            rebuild(
                &tree,
                place,
                with: ChunkSplice(found: found, replaced: offset..<(offset + removed), values: pending)
            )
            if isDamaged { return }
            left -= removed
            pending = []
        }
    }

    /// Replaces part of one chunk. If the result doesn't fit into one chunk, it is divided into several.
    private func rebuild(
        _ tree: inout CountedTree,
        _ place: ListPlace,
        with splice: ChunkSplice
    ) {
        let found = splice.found
        let replaced = splice.replaced
        let values = splice.values
        guard let old = loadChunk(place, found.chunk, count: found.count) else { return }
        var weight = ChunkBuilder.weight(of: old, place.type, without: replaced)
        for value in values {
            weight += ChunkBuilder.weight(place.type, byteCount: FieldCoding.byteCount(value, place.type))
        }
        let count = found.count - replaced.count + values.count
        if count > 0, count <= ChunkBuilder.maximumCount, weight <= ChunkBuilder.maximumWeight {
            rebuildInPlace(&tree, place, with: splice, chunk: old, weight: weight)
            return
        }
        let isAppend = replaced.lowerBound == found.count && found.start + found.count == tree.count
        var builder = ChunkBuilder(
            type: place.type,
            isOptional: place.isOptional,
            even: isAppend ? nil : (count, weight)
        )
        func keep(_ slots: Range<Int>) {
            for slot in slots {
                let (buffer, to) = builder.next(byteCount: old.kind == .bytes ? old.bytes(slot).count : 0)
                buffer.copySlot(to, from: old, slot)
            }
        }
        keep(0..<replaced.lowerBound)
        add(values, to: &builder, place)
        keep(replaced.upperBound..<found.count)
        if old.kind == .bytes {
            for slot in replaced where !old.isNull(slot) && old.isReference(slot) {
                freeLong(old, slot, segment: place.blobs)
            }
        }
        let made = builder.finish()
        var chunks: [(block: UInt64, count: Int)] = []
        for (i, chunk) in made.enumerated() {
            let number = i == 0 ? found.chunk : allocateBlock(place.blobs)
            putBlock(place.blobs, number, owned: chunk.encodedWhole()!)
            chunks.append((number, chunk.count))
        }
        if made.isEmpty { removeBlock(place.blobs, found.chunk) }
        tree.replace(chunkAt: found.start, with: chunks, in: self)
    }

    /// Replaces part of one chunk if the result fits into it.
    private func rebuildInPlace(
        _ tree: inout CountedTree,
        _ place: ListPlace,
        with splice: ChunkSplice,
        chunk: LeafBuffer,
        weight: Int
    ) {
        let found = splice.found
        let replaced = splice.replaced
        if chunk.kind == .bytes {
            for slot in replaced where !chunk.isNull(slot) && chunk.isReference(slot) {
                freeLong(chunk, slot, segment: place.blobs)
            }
        }
        chunk.replaceSlots(replaced, withDefaults: splice.values.count)
        for (i, value) in splice.values.enumerated() {
            store(value, place.type, in: chunk, slot: replaced.lowerBound + i, blobs: place.blobs)
        }
        let open = OpenChunk(
            found.chunk,
            of: tree,
            start: found.start,
            buffer: chunk,
            weight: weight,
            counted: found.count,
            in: self
        )
        self.open(open)
        tree.countBehind(by: chunk.count - found.count)
    }

    /// Returns `nil` if the chunk is damaged.
    private func loadChunk(_ place: ListPlace, _ number: UInt64, count: Int) -> LeafBuffer? {
        let tree = CountedTree(segment: place.blobs)
        let leaf = chunk(number, count, of: tree, type: place.type, isOptional: place.isOptional)
        if leaf.isBlank { return nil }
        // The capacity allows edits in place.
        let buffer = LeafBuffer(
            type: place.type,
            isList: false,
            isOptional: place.isOptional,
            capacity: max(count, ChunkBuilder.maximumCount)
        )
        buffer.load(leaf)
        return buffer
    }

    /// Frees the blocks that a list uses outside of its slot.
    func freeLarge(_ place: ListPlace) {
        guard place.buffer.isReference(place.slot) else { return }
        let reference = place.buffer.reference(place.slot)
        freeTree(CountedTree(segment: place.blobs, root: reference.block, count: Int(reference.length)), place)
    }

    /// Frees the blocks of a large list.
    /// - Complexity: O(chunks). For strings and data, O(n).
    func freeTree(_ tree: CountedTree, _ place: ListPlace) {
        var tree = tree
        var chunks: [(UInt64, Int)] = []
        tree.forEachChunk(from: 0, in: self) { chunk, _, count in
            chunks.append((chunk, count))
            return true
        }
        if LeafBuffer.kind(of: place.type) == .bytes {
            for (chunk, count) in chunks {
                guard let old = loadChunk(place, chunk, count: count) else { continue }
                for slot in 0..<count where !old.isNull(slot) && old.isReference(slot) {
                    freeLong(old, slot, segment: place.blobs)
                }
            }
        }
        tree.removeAll(in: self) { _ in }
        for (chunk, _) in chunks { removeBlock(place.blobs, chunk) }
    }
}

/// The replacement of elements of one chunk of a large list.
private struct ChunkSplice {
    /// The chunk, the position of its first element in the list, and the number of its elements.
    let found: (chunk: UInt64, start: Int, count: Int)
    /// The positions of the removed elements in the chunk.
    let replaced: Range<Int>
    /// The inserted elements.
    let values: [Value]
}
