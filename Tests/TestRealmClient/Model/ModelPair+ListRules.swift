import FreeholdRealmWire

// Section 2.4, rules R13 to R21: lists.

/// The numbers of a list instruction: `i`, `t` and `ps` of the rules.
struct ModelEdit {
    var index: Int
    /// The destination of a move, or -1.
    var target: Int
    var size: Int
    var isRemoved = false
}

extension Instruction {
    /// The numbers of an instruction whose path ends in an index, or `nil`.
    fileprivate var modelEdit: ModelEdit? {
        guard let index = path?.lastIndex.map(Int.init) else { return nil }
        switch self {
        case .update(_, _, .element(let size)), .arrayInsert(_, _, let size), .arrayErase(_, let size):
            return ModelEdit(index: index, target: -1, size: Int(size))
        case .arrayMove(_, let target, let size): return ModelEdit(index: index, target: Int(target), size: Int(size))
        default: return nil
        }
    }

    /// Returns the instruction with other numbers, or `nil` if it is removed.
    fileprivate func replacing(_ edit: ModelEdit) -> Instruction? {
        guard !edit.isRemoved else { return nil }
        var path = path!
        path.elements[path.elements.count - 1] = .index(UInt32(edit.index))
        let size = UInt32(edit.size)
        switch self {
        case .update(_, let value, _): return .update(at: path, value: value, mark: .element(priorSize: size))
        case .arrayInsert(_, let value, _): return .arrayInsert(at: path, value: value, priorSize: size)
        case .arrayErase: return .arrayErase(at: path, priorSize: size)
        case .arrayMove: return .arrayMove(at: path, target: UInt32(edit.target), priorSize: size)
        default: preconditionFailure("Not an instruction about an element")
        }
    }
}

extension ModelPair {
    /// Returns the pair with other numbers if both instructions are in the same container.
    private func edited(_ body: (inout ModelEdit, inout ModelEdit) throws -> Void) throws -> ModelPair {
        guard hasSameContainer else { return self }
        guard var first = left!.modelEdit, var second = right!.modelEdit else {
            throw ModelMergeError.assertion("An index meets a key")
        }
        try body(&first, &second)
        var pair = self
        (pair.left, pair.right) = (left!.replacing(first), right!.replacing(second))
        return pair
    }

    /// R13.
    mutating func insertUpdate() throws {
        self = try edited { l, r in
            try must(l.size == r.size && l.index <= l.size && r.index < r.size, "R13")
            r.size += 1
            if r.index >= l.index { r.index += 1 }
        }
    }

    /// R14.
    mutating func insertInsert() throws {
        self = try edited { l, r in
            try must(l.size == r.size, "R14")
            l.size += 1
            r.size += 1
            if l.index > r.index {
                l.index += 1
            } else if l.index < r.index {
                r.index += 1
            } else if leftIsEarlier {
                r.index += 1
            } else {
                l.index += 1
            }
        }
    }

    /// R15.
    mutating func moveUpdate() throws {
        self = try edited { l, r in
            try must(l.index < l.size && r.index < r.size, "R15")
            if r.index == l.index {
                r.index = l.target
            } else {
                if r.index > l.index { r.index -= 1 }
                if r.index >= l.target { r.index += 1 }
            }
        }
    }

    /// R16.
    mutating func moveInsert() throws {
        self = try edited { l, r in
            l.size += 1
            if r.index > l.index { r.index -= 1 } else { l.index += 1 }
            if r.index < l.target {
                l.target += 1
            } else if r.index > l.target {
                r.index += 1
            } else if leftIsEarlier {
                l.target += 1
            } else {
                r.index += 1
            }
        }
    }

    /// R17.
    mutating func moveMove() throws {
        self = try edited { l, r in
            try must(l.size == r.size && max(l.index, l.target, r.index, r.target) < l.size, "R17")
            if l.index == r.index {
                if leftIsEarlier {
                    r.index = l.target
                    l.isRemoved = true
                    r.isRemoved = r.index == r.target
                } else {
                    l.index = r.target
                    l.isRemoved = l.index == l.target
                    r.isRemoved = true
                }
                return
            }
            // 1
            if l.index > r.index { l.index -= 1 } else { r.index -= 1 }
            // 2
            if l.target > r.index { l.target -= 1 } else { r.index += 1 }
            // 3
            if l.index < r.target { r.target -= 1 } else { l.index += 1 }
            // 4
            if l.target < r.target {
                r.target += 1
            } else if l.target > r.target {
                l.target += 1
            } else if leftIsEarlier {
                r.target += 1
            } else {
                l.target += 1
            }
            // 5
            l.isRemoved = l.index == l.target
            r.isRemoved = r.index == r.target
        }
    }

    /// R18.
    mutating func eraseUpdate() throws {
        self = try edited { l, r in
            try must(l.size == r.size && l.index < l.size && r.index < r.size, "R18")
            r.size -= 1
            if r.index == l.index { r.isRemoved = true } else if r.index > l.index { r.index -= 1 }
        }
    }

    /// R19.
    mutating func eraseInsert() throws {
        self = try edited { l, r in
            try must(l.size == r.size && l.index < l.size && r.index <= r.size, "R19")
            l.size += 1
            r.size -= 1
            if r.index <= l.index { l.index += 1 } else { r.index -= 1 }
        }
    }

    /// R20.
    mutating func eraseMove() throws {
        self = try edited { l, r in
            try must(l.size == r.size && l.index < l.size && r.index < r.size, "R20")
            r.size -= 1
            if l.index == r.index {
                l.index = r.target
                r.isRemoved = true
                return
            }
            if l.index > r.index { l.index -= 1 } else { r.index -= 1 }
            if l.index >= r.target { l.index += 1 } else { r.target -= 1 }
            r.isRemoved = r.index == r.target
        }
    }

    /// R21.
    mutating func eraseErase() throws {
        self = try edited { l, r in
            try must(l.size == r.size && l.index < l.size && r.index < r.size, "R21")
            l.size -= 1
            r.size -= 1
            if l.index > r.index {
                l.index -= 1
            } else if l.index < r.index {
                r.index -= 1
            } else {
                (l.isRemoved, r.isRemoved) = (true, true)
            }
        }
    }
}
