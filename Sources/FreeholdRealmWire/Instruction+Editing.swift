// The parts of an instruction that the merge reads and changes.

extension Instruction {
    /// The number of steps from the root of the file to the place of the instruction.
    var pathLength: Int {
        switch self {
        case .addTable, .eraseTable: 1
        case .addColumn, .eraseColumn, .createObject, .eraseObject: 2
        default: 3 + (path?.elements.count ?? 0)
        }
    }

    /// The class that the instruction is about.
    var table: WireText {
        switch self {
        case .addTable(let spec): spec.name
        case .eraseTable(let name): name
        case .addColumn(let spec): spec.table
        case .eraseColumn(let table, _): table
        default: object!.table
        }
    }

    /// Replaces the path. Does nothing for an instruction without a path.
    mutating func setPath(_ path: WirePath) {
        switch self {
        case .update(_, let value, let mark): self = .update(at: path, value: value, mark: mark)
        case .addInteger(_, let amount): self = .addInteger(at: path, amount: amount)
        case .arrayInsert(_, let value, let size): self = .arrayInsert(at: path, value: value, priorSize: size)
        case .arrayMove(_, let target, let size): self = .arrayMove(at: path, target: target, priorSize: size)
        case .arrayErase(_, let size): self = .arrayErase(at: path, priorSize: size)
        case .clear(_, let kind): self = .clear(at: path, kind: kind)
        case .setInsert(_, let value): self = .setInsert(at: path, value: value)
        case .setErase(_, let value): self = .setErase(at: path, value: value)
        default: break
        }
    }

    /// The position in a list in which the path ends.
    var lastIndex: UInt32? { path?.lastIndex }

    /// Replaces the index at a position of the path.
    mutating func setIndex(_ index: UInt32, at depth: Int) {
        guard var path else { return }
        path.elements[depth] = .index(index)
        setPath(path)
    }

    mutating func setLastIndex(_ index: UInt32) {
        guard let path else { return }
        setIndex(index, at: path.elements.count - 1)
    }

    /// The size of the list before the instruction, if the instruction has one.
    var priorSize: UInt32? {
        get {
            switch self {
            case .update(_, _, .element(let size)), .arrayInsert(_, _, let size), .arrayMove(_, _, let size),
                .arrayErase(_, let size):
                size
            default: nil
            }
        }
        set {
            guard let size = newValue else { return }
            switch self {
            case .update(let path, let value, .element):
                self = .update(at: path, value: value, mark: .element(priorSize: size))
            case .arrayInsert(let path, let value, _): self = .arrayInsert(at: path, value: value, priorSize: size)
            case .arrayMove(let path, let target, _): self = .arrayMove(at: path, target: target, priorSize: size)
            case .arrayErase(let path, _): self = .arrayErase(at: path, priorSize: size)
            default: break
            }
        }
    }

    /// The position after a move.
    var target: UInt32? {
        get {
            guard case .arrayMove(_, let target, _) = self else { return nil }
            return target
        }
        set {
            guard case .arrayMove(let path, _, let size) = self, let target = newValue else { return }
            self = .arrayMove(at: path, target: target, priorSize: size)
        }
    }

    var isDefault: Bool {
        guard case .update(_, _, .field(let isDefault)) = self else { return false }
        return isDefault
    }
}

extension WirePath {
    /// Returns a Boolean value that indicates whether both name the same place, or two elements of one list.
    func isSameContainer(as other: WirePath) -> Bool {
        elements.count == other.elements.count && elements.dropLast() == other.elements.dropLast()
            && field == other.field && object == other.object
    }

    /// Returns a Boolean value that indicates whether the other place is inside this one.
    func isPrefix(of other: WirePath) -> Bool {
        elements.count < other.elements.count && other.elements.starts(with: elements) && field == other.field
            && object == other.object
    }

    /// Returns a Boolean value that indicates whether the other place is inside an element of the list in which this path ends.
    func isContainerPrefix(of other: WirePath) -> Bool {
        !elements.isEmpty && elements.count < other.elements.count
            && other.elements.starts(with: elements.dropLast()) && field == other.field && object == other.object
    }
}
