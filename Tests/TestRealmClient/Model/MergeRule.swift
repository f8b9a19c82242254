import FreeholdRealmWire

/// The rules of the merge, with their names on the page of rules.
enum MergeRule: String, CaseIterable, Hashable, Sendable {
    // Section 2.3, by the outer instruction.
    case nestedEraseTable, nestedEraseObject, nestedUpdate, nestedAddInteger, nestedInsert, nestedMove, nestedErase
    case nestedEraseShift, nestedClear
    // Section 2.4.
    case r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16, r17, r18, r19, r20, r21, r22, r23, r24
    case r25, r26, r27

    /// The table of section 2.4: the rule of each pair. Rows are the instruction with the larger tag, columns the other one, both
    /// in the order of their tags. A missing column has no rule.
    static let table: [[MergeRule?]] = [
        // AT   ET   CO   EO    U    AI   AC   EC    I    M    E    C    S+   S−
        [.r1],
        [.r2, .r3],
        [nil, nil, nil],
        [nil, nil, .r4, .r5],
        [nil, nil, nil, nil, .r6],
        [nil, nil, nil, nil, .r7, nil],
        [nil, .r8, nil, nil, nil, nil, .r9],
        [nil, nil, nil, nil, .r10, nil, .r11, .r12],
        [nil, nil, nil, nil, .r13, nil, nil, nil, .r14],
        [nil, nil, nil, nil, .r15, nil, nil, nil, .r16, .r17],
        [nil, nil, nil, nil, .r18, nil, nil, nil, .r19, .r20, .r21],
        [nil, nil, nil, nil, .r22, .r23, nil, nil, nil, nil, nil, .r24],
        [nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, .r25, .r26],
        [nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, .r25, .r26, .r27],
    ]
}

extension ModelPair {
    /// Changes both instructions by a pair rule.
    mutating func apply(_ rule: MergeRule) throws {
        switch rule {
        case .r1: try addTableAddTable()
        case .r2: eraseTableAddTable()
        case .r3: eraseTableEraseTable()
        case .r4: eraseObjectCreateObject()
        case .r5: eraseObjectEraseObject()
        case .r6: try updateUpdate()
        case .r7: addIntegerUpdate()
        case .r8: addColumnEraseTable()
        case .r9: try addColumnAddColumn()
        case .r10: eraseColumnUpdate()
        case .r11: eraseColumnAddColumn()
        case .r12: eraseColumnEraseColumn()
        case .r13: try insertUpdate()
        case .r14: try insertInsert()
        case .r15: try moveUpdate()
        case .r16: try moveInsert()
        case .r17: try moveMove()
        case .r18: try eraseUpdate()
        case .r19: try eraseInsert()
        case .r20: try eraseMove()
        case .r21: try eraseErase()
        case .r22: try clearUpdate()
        case .r23: clearAddInteger()
        case .r24: clearClear()
        case .r25: setClear()
        case .r26: setInsertSame()
        case .r27: setEraseSetErase()
        default: preconditionFailure("Not a pair rule")
        }
    }
}

/// An instruction of the merge, with the raw form of its value.
struct ModelItem: Hashable, Sendable {
    var instruction: Instruction
    var raw: Changeset.RawForm?
}

/// An error of the merge.
enum ModelMergeError: Error, Hashable {
    /// A bad merge: the client applies nothing, and its session stops.
    case badMerge(String)
    /// A failed assertion: the client is terminated.
    case assertion(String)
}

/// Two concurrent instructions, and the effects of a rule on them. `nil` is a removed instruction.
struct ModelPair {
    /// The instruction with the larger tag. For equal tags, the local one.
    var left: Instruction?
    var right: Instruction?
    let leftOrder: ChangeOrder
    let rightOrder: ChangeOrder
    let leftRaw: Changeset.RawForm?
    let rightRaw: Changeset.RawForm?
    /// The instructions that a rule inserted before the right one.
    var insertedBeforeRight: [Instruction] = []

    var leftIsEarlier: Bool { leftOrder < rightOrder }
    var leftIsLater: Bool { leftOrder > rightOrder }

    /// Removes the earlier one of the two.
    mutating func removeEarlier() {
        if leftIsEarlier { left = nil } else { right = nil }
    }

    mutating func removeBoth() { (left, right) = (nil, nil) }

    func must(_ condition: Bool, _ reason: String) throws {
        guard condition else { throw ModelMergeError.badMerge(reason) }
    }
}

// MARK: Comparisons (section 2.2)

extension ModelPair {
    /// A Boolean value that indicates whether both have the same path.
    var hasSamePath: Bool { left?.path != nil && left?.path == right?.path }

    /// A Boolean value that indicates whether both change elements of the same container.
    var hasSameContainer: Bool {
        guard let left = left?.path, let right = right?.path else { return false }
        return left.object == right.object && left.field == right.field && left.elements.count == right.elements.count
            && left.elements.dropLast() == right.elements.dropLast()
    }
}

extension WirePath {
    /// Returns a Boolean value that indicates whether this path is strictly shorter and the other one begins with it.
    func isModelPrefix(of other: WirePath) -> Bool {
        object == other.object && field == other.field && elements.count < other.elements.count
            && elements[...] == other.elements.prefix(elements.count)
    }

    /// Like `isModelPrefix(of:)`, except that the last element may differ, and that an empty path isn't a prefix.
    func isModelContainerPrefix(of other: WirePath) -> Bool {
        object == other.object && field == other.field && !elements.isEmpty && elements.count < other.elements.count
            && elements.dropLast() == other.elements.prefix(elements.count - 1)
    }
}

extension Instruction {
    /// The length of the path, by which the merge decides whether an instruction is nested in another one.
    var modelPathLength: Int {
        switch self {
        case .addTable, .eraseTable: 1
        case .addColumn, .eraseColumn, .createObject, .eraseObject: 2
        default: 3 + path!.elements.count
        }
    }

    /// The class that the instruction changes.
    var modelTable: WireText {
        switch self {
        case .addTable(let spec): spec.name
        case .eraseTable(let name): name
        case .addColumn(let column): column.table
        case .eraseColumn(let table, _): table
        default: object!.table
        }
    }
}
