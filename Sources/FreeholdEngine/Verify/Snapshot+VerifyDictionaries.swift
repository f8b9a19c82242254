extension SnapshotCheck {
    /// Checks that the values of a set are in strictly ascending order.
    func checkOrder(_ values: [Value], at cell: CheckedCell) {
        for i in values.indices.dropFirst() where Value.compare(values[i - 1], with: values[i]) >= 0 {
            report("\(cell.subject): its set holds \(values[i]) behind \(values[i - 1]).")
            return
        }
        for value in values {
            switch value {
            case .list, .dictionary: report("\(cell.subject): its set holds a collection.")
            default: break
            }
        }
    }

    /// Returns a dictionary's values and reports errors. The result is `nil` if the values can't be read.
    func dictionary(_ leaf: Leaf, _ slot: Int, of column: Column, at cell: CheckedCell) -> [Value]? {
        guard let (keys, values) = parts(leaf, slot, of: column, at: cell) else { return nil }
        if keys.count != values.count {
            report("\(cell.subject): its dictionary has \(keys.count) keys and \(values.count) values.")
        }
        var last: String?
        for case .string(let name) in keys {
            if let problem = StoredDictionary.problem(withKey: name) {
                report("\(cell.subject): \(problem.message)")
            }
            if let last, Value.compareBytes(last, with: name) >= 0 {
                report("\(cell.subject): its dictionary has the key '\(name)' behind '\(last)'.")
                break
            }
            last = name
        }
        if !column.isOptional, column.type != .link, values.contains(.null) {
            report("\(cell.subject): a null in a dictionary of required values.")
        }
        return values
    }

    private func parts(
        _ leaf: Leaf,
        _ slot: Int,
        of column: Column,
        at cell: CheckedCell
    ) -> ([Value], [Value])? {
        let bytes = leaf.bytes(slot)
        let keyType = ElementType(.string, isOptional: false)
        if leaf.isReference(slot) {
            guard bytes.count == StoredDictionary.referenceSize else {
                report("\(cell.subject): a dictionary's reference of \(bytes.count) bytes.")
                return nil
            }
            let count = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            let keys = treeList(
                bytes.loadUnaligned(as: UInt64.self),
                count: count,
                of: keyType,
                at: cell
            )
            let values = treeList(
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                count: count,
                of: ElementType(column),
                at: cell
            )
            guard let keys, let values else { return nil }
            return (keys, values)
        }
        if bytes.isEmpty { return ([], []) }
        guard bytes.count >= 2, bytes.count <= InlineList.limit,
            2 + Int(bytes.loadUnaligned(as: UInt16.self)) <= bytes.count
        else {
            report("\(cell.subject): its dictionary is damaged.")
            return nil
        }
        let split = 2 + Int(bytes.loadUnaligned(as: UInt16.self))
        let keyBytes = UnsafeRawBufferPointer(rebasing: bytes[2..<split])
        let valueBytes = UnsafeRawBufferPointer(rebasing: bytes[split...])
        let valueType = ElementType(column.type, isOptional: column.isOptional || column.type == .link)
        guard let keys = inlineList(keyBytes, of: keyType, at: cell),
            let values = inlineList(valueBytes, of: valueType, at: cell)
        else { return nil }
        if keys.isEmpty { report("\(cell.subject): a dictionary without entries has bytes.") }
        return (keys, values)
    }
}
