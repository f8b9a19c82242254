// Iteration over the elements of collections, without an array. Each `body` returns whether to continue. Each function returns whether `body` always
// returned true.

extension DataView {
    func forEachElement(_ column: Column, _ key: ObjectKey, body: (Value) -> Bool) -> Bool {
        withList(column, key) { forEachValue(of: $0, type: column.type, isOptional: column.isOptional, body) }
    }

    func forEachDictionaryKey(_ column: Column, _ key: ObjectKey, body: (Value) -> Bool) -> Bool {
        withDictionary(column, key) { forEachValue(of: $0.keys, type: .string, isOptional: false, body) }
    }

    /// Calls `body` with the targets of a collection of links, except nulls.
    func forEachLink(_ column: Column, _ key: ObjectKey, body: (ObjectKey) -> Bool) -> Bool {
        withList(column, key) { forEachLink(of: $0, body) }
    }

    @inline(__always)
    func forEachLink(of list: StoredList, _ body: (ObjectKey) -> Bool) -> Bool {
        switch list {
        case .inline(let inline):
            for i in 0..<inline.count where !inline.isNull(i) {
                if !body(ObjectKey(inline.int(i))) { return false }
            }
            return true
        case .large(let tree):
            return forEachSlot(of: tree, .link, isOptional: false) { leaf, slot in
                if leaf.isNull(slot) { return true }
                let stored = leaf.int(slot)
                return stored == 0 || body(ObjectKey(stored - 1))
            }
        }
    }

    func forEachBacklink(_ origin: Column, _ target: ObjectKey, body: (ObjectKey) -> Bool) -> Bool {
        if origin.type == .mixed {
            return withMixedRun(origin, target) { list, run in
                run.allSatisfy { body(MixedOrigin(int(of: list, at: $0, type: .int)).key) }
            }
        }
        return withBacklinks(origin, target) { list in
            switch list {
            case .inline(let inline): (0..<inline.count).allSatisfy { body(ObjectKey(inline.int($0))) }
            case .large(let tree): forEachSlot(of: tree, .int, isOptional: false) { body(ObjectKey($0.int($1))) }
            }
        }
    }

    func forEachValue(of list: StoredList, type: ColumnType, isOptional: Bool, _ body: (Value) -> Bool) -> Bool {
        switch list {
        case .inline(let inline):
            switch type {
            // The positions of these elements are known only after the lengths of all previous ones.
            case .string, .data, .mixed:
                return inline.forEachBytes { bytes in
                    body(bytes.map { FieldCoding.bytesValue(type, $0) } ?? .null)
                }
            default: return (0..<inline.count).allSatisfy { body(inline.value($0)) }
            }
        case .large(let tree):
            return forEachSlot(of: tree, type, isOptional: isOptional) { leaf, slot in
                body(value(type, leaf, slot: slot, isOptional: isOptional, blobs: tree.segment))
            }
        }
    }

    private func forEachSlot(
        of tree: CountedTree,
        _ type: ColumnType,
        isOptional: Bool,
        _ body: (Leaf, Int) -> Bool
    ) -> Bool {
        var goesOn = true
        tree.forEachChunk(from: 0, in: self) { chunk, _, count in
            let leaf = self.chunk(chunk, count, of: tree, type: type, isOptional: isOptional)
            if leaf.isBlank { return goesOn }
            for slot in 0..<count where goesOn { goesOn = body(leaf, slot) }
            return goesOn
        }
        return goesOn
    }
}
