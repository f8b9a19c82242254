import FreeholdRealmWire

// Section 2.4, rules R1 to R12: classes, objects and values.

extension ModelPair {
    /// R1.
    mutating func addTableAddTable() throws {
        guard case .addTable(let first) = left, case .addTable(let second) = right, first.name == second.name else {
            return
        }
        try must((first.kind == .embedded) == (second.kind == .embedded), "R1: kinds differ")
        try must(first.kind == second.kind, "R1: one is asymmetric")
        if first.kind != .embedded { try must(first.primaryKey == second.primaryKey, "R1: keys differ") }
        removeBoth()
    }

    /// R2.
    mutating func eraseTableAddTable() {
        guard case .eraseTable(let name) = left, case .addTable(let spec) = right, spec.name == name else { return }
        right = nil
    }

    /// R3.
    mutating func eraseTableEraseTable() {
        if left == right { removeBoth() }
    }

    /// R4.
    mutating func eraseObjectCreateObject() {
        if left?.object == right?.object { right = nil }
    }

    /// R5.
    mutating func eraseObjectEraseObject() {
        if left?.object == right?.object { removeEarlier() }
    }

    /// R6.
    mutating func updateUpdate() throws {
        guard hasSamePath, case .update(_, let first, let firstMark) = left,
            case .update(_, let second, let secondMark) = right
        else { return }
        if case .element(let firstSize) = firstMark, case .element(let secondSize) = secondMark {
            try must(firstSize == secondSize, "R6: sizes differ")
        }
        if first.tag != second.tag {
            if first == .object { return left = nil }
            if second == .object { return right = nil }
        } else if first == .list || first == .dictionary {
            return
        }
        if case .field(let firstIsDefault) = firstMark, case .field(let secondIsDefault) = secondMark,
            firstIsDefault != secondIsDefault
        {
            if firstIsDefault { left = nil } else { right = nil }
            return
        }
        removeEarlier()
    }

    /// R7.
    mutating func addIntegerUpdate() {
        guard hasSamePath, case .addInteger(_, let amount) = left, case .update(let path, let value, let mark) = right
        else { return }
        guard leftIsLater || mark == .field(isDefault: true) else { return left = nil }
        switch value {
        case .null: break
        case .int(let number): right = .update(at: path, value: .int(number &+ amount), mark: mark)
        default: left = nil
        }
    }

    /// R8.
    mutating func addColumnEraseTable() {
        guard case .addColumn(let column) = left, case .eraseTable(let name) = right, column.kind == .link,
            column.target == name
        else { return }
        left = nil
        insertedBeforeRight = [.eraseColumn(table: column.table, field: column.field)]
    }

    /// R9.
    mutating func addColumnAddColumn() throws {
        guard case .addColumn(let first) = left, case .addColumn(let second) = right, first.table == second.table,
            first.field == second.field
        else { return }
        try must(first.kind == second.kind, "R9: types differ")
        try must(first.isNullable == second.isNullable, "R9: nullability differs")
        try must(first.collection == second.collection, "R9: collections differ")
        if first.kind == .link { try must(first.target == second.target, "R9: targets differ") }
        removeBoth()
    }

    /// R10.
    mutating func eraseColumnUpdate() {
        guard case .eraseColumn(let table, let field) = left, case .update(let path, _, _) = right,
            path.object.table == table, path.field == field
        else { return }
        right = nil
    }

    /// R11.
    mutating func eraseColumnAddColumn() {
        guard case .eraseColumn(let table, let field) = left, case .addColumn(let column) = right,
            column.table == table, column.field == field
        else { return }
        right = nil
    }

    /// R12.
    mutating func eraseColumnEraseColumn() {
        if left == right { removeBoth() }
    }

    /// R22.
    mutating func clearUpdate() throws {
        guard hasSamePath, case .clear(_, let kind) = left, case .update(_, let value, _) = right else { return }
        if kind == .list, value == .list { return }
        if kind == .dictionary, value == .dictionary { return }
        removeEarlier()
    }

    /// R23.
    mutating func clearAddInteger() {
        if hasSamePath { right = nil }
    }

    /// R24.
    mutating func clearClear() {
        if hasSamePath { removeEarlier() }
    }

    /// R25: an insertion into a set, or a removal, and a clear.
    mutating func setClear() {
        if hasSamePath { left = nil }
    }

    /// R26: an insertion into a set, and an insertion or removal of the same value.
    mutating func setInsertSame() {
        guard hasSamePath, let first = left?.modelSetValue, let second = right?.modelSetValue, first.isSame(as: second)
        else { return }
        removeEarlier()
    }

    /// R27. The client compares raw forms here (Q2).
    mutating func setEraseSetErase() {
        guard hasSamePath, let first = left?.modelSetValue, let second = right?.modelSetValue, first.tag == second.tag
        else { return }
        let isEqual =
            if let leftRaw, let rightRaw { leftRaw == rightRaw } else { first.isSame(as: second) }
        if isEqual { removeEarlier() }
    }
}

extension Instruction {
    /// The value that the instruction inserts into a set or removes from it.
    fileprivate var modelSetValue: Payload? {
        switch self {
        case .setInsert(_, let value), .setErase(_, let value): value
        default: nil
        }
    }
}
