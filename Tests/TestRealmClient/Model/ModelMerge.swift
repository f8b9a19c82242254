import FreeholdRealmWire

/// A changeset of the merge, with its place in the order.
struct ModelEntry: Hashable, Sendable {
    var changeset: Changeset
    var order: ChangeOrder

    init(_ instructions: [Instruction], timestamp: UInt64, ident: UInt64) {
        changeset = Changeset(instructions)
        order = ChangeOrder(timestamp: timestamp, ident: ident)
    }

    init(_ changeset: Changeset, order: ChangeOrder) {
        self.changeset = changeset
        self.order = order
    }
}

/// The instructions that remain of each changeset after a merge.
struct ModelMergeResult: Hashable {
    /// The new forms of the local changesets.
    var local: [[Instruction]]
    /// The instructions that the client applies.
    var incoming: [[Instruction]]
}

/// The merge of concurrent changesets, exactly as the page of rules describes it (section 2), without any optimization.
struct ModelMerge {
    /// The rules that do nothing. Tests use this to show that each rule is noticed.
    var disabled: Set<MergeRule> = []
    /// How often each rule changed or removed an instruction.
    private(set) var effects: [MergeRule: Int] = [:]

    init(disabled: Set<MergeRule> = []) { self.disabled = disabled }

    /// The instructions in one slot of a changeset: one, none if it was removed, or more if others were inserted before it.
    private typealias Slot = [ModelItem]

    /// Merges changesets that have the same base (section 2.2).
    mutating func merge(local: [ModelEntry], incoming: [ModelEntry]) throws -> ModelMergeResult {
        var locals = local.map(Self.slots)
        var incomings = incoming.map(Self.slots)
        for entry in locals.indices {
            for slot in locals[entry].indices {
                // The major instruction. One that another rule inserts before it meets no further instruction.
                try meetAll(
                    &locals[entry][slot],
                    order: local[entry].order,
                    incoming: &incomings,
                    orders: incoming.map(\.order)
                )
            }
        }
        return ModelMergeResult(
            local: locals.map { $0.flatMap { $0.map(\.instruction) } },
            incoming: incomings.map { $0.flatMap { $0.map(\.instruction) } }
        )
    }

    private static func slots(of entry: ModelEntry) -> [Slot] {
        entry.changeset.instructions.enumerated().map { number, instruction in
            [ModelItem(instruction: instruction, raw: entry.changeset.rawForms[number])]
        }
    }

    private mutating func meetAll(
        _ major: inout Slot,
        order: ChangeOrder,
        incoming: inout [[Slot]],
        orders: [ChangeOrder]
    ) throws {
        for entry in incoming.indices {
            for slot in incoming[entry].indices {
                var number = 0
                while number < incoming[entry][slot].count {
                    guard let local = major.last else { return }
                    let other = incoming[entry][slot][number]
                    let result = try meet(
                        ModelMeeting(local: local, incoming: other, localOrder: order, incomingOrder: orders[entry])
                    )
                    major.replaceSubrange((major.count - 1)..., with: result.local)
                    incoming[entry][slot].replaceSubrange(number...number, with: result.incoming)
                    number += result.incoming.count
                    if result.local.isEmpty { return }
                }
            }
        }
    }

    /// Two instructions that meet, each with its order.
    private struct ModelMeeting {
        var local: ModelItem
        var incoming: ModelItem
        var localOrder: ChangeOrder
        var incomingOrder: ChangeOrder
    }

    private mutating func meet(_ meeting: ModelMeeting) throws -> (local: [ModelItem], incoming: [ModelItem]) {
        var (local, incoming) = (meeting.local, meeting.incoming)
        // a. The nested rule, with the instruction of the shorter path as the outer one.
        let (localLength, incomingLength) = (local.instruction.modelPathLength, incoming.instruction.modelPathLength)
        if localLength < incomingLength {
            let result = try nested(outer: local.instruction, inner: incoming.instruction)
            guard let outer = result.outer, let inner = result.inner else {
                return (Self.items(result.outer, local), Self.items(result.inner, incoming))
            }
            (local.instruction, incoming.instruction) = (outer, inner)
        } else if incomingLength < localLength {
            let result = try nested(outer: incoming.instruction, inner: local.instruction)
            guard let outer = result.outer, let inner = result.inner else {
                return (Self.items(result.inner, local), Self.items(result.outer, incoming))
            }
            (local.instruction, incoming.instruction) = (inner, outer)
        }
        // b. The pair rule, with the instruction of the larger tag as the left one.
        let localIsLeft = local.instruction.tag >= incoming.instruction.tag
        let (left, right) = localIsLeft ? (local, incoming) : (incoming, local)
        let row = MergeRule.table[Int(left.instruction.tag)]
        guard let rule = row[Int(right.instruction.tag)], !disabled.contains(rule) else { return ([local], [incoming]) }
        var pair = ModelPair(
            left: left.instruction,
            right: right.instruction,
            leftOrder: localIsLeft ? meeting.localOrder : meeting.incomingOrder,
            rightOrder: localIsLeft ? meeting.incomingOrder : meeting.localOrder,
            leftRaw: left.raw,
            rightRaw: right.raw
        )
        try pair.apply(rule)
        if pair.left != left.instruction || pair.right != right.instruction { effects[rule, default: 0] += 1 }
        let first = Self.items(pair.left, left)
        let second = pair.insertedBeforeRight.map { ModelItem(instruction: $0) } + Self.items(pair.right, right)
        return localIsLeft ? (first, second) : (second, first)
    }

    private static func items(_ instruction: Instruction?, _ former: ModelItem) -> [ModelItem] {
        instruction.map { [ModelItem(instruction: $0, raw: former.raw)] } ?? []
    }
}

// MARK: Nested rules (section 2.3)

extension ModelMerge {
    private mutating func nested(
        outer: Instruction,
        inner: Instruction
    ) throws -> (outer: Instruction?, inner: Instruction?) {
        let (rule, result) = try Self.nestedResult(outer: outer, inner: inner)
        guard let rule, !disabled.contains(rule) else { return (outer, inner) }
        if result.outer != outer || result.inner != inner { effects[rule, default: 0] += 1 }
        return result
    }

    private typealias Nested = (rule: MergeRule?, result: (outer: Instruction?, inner: Instruction?))

    private static func nestedResult(outer: Instruction, inner: Instruction) throws -> Nested {
        let unchanged: Nested = (nil, (outer, inner))
        switch outer {
        case .eraseTable(let name):
            return inner.modelTable == name ? (.nestedEraseTable, (outer, nil)) : unchanged
        case .eraseObject(let object):
            return inner.path?.object == object ? (.nestedEraseObject, (outer, nil)) : unchanged
        case .update(let path, let value, _):
            guard value != .object, let innerPath = inner.path, path.isModelPrefix(of: innerPath) else {
                return unchanged
            }
            switch (value, innerPath.elements[path.elements.count]) {
            case (.list, .index), (.dictionary, .name): return unchanged
            default: return (.nestedUpdate, (outer, nil))
            }
        case .addInteger(let path, _):
            guard let innerPath = inner.path, path.isModelPrefix(of: innerPath) else { return unchanged }
            return (.nestedAddInteger, (outer, nil))
        case .clear(let path, _):
            guard let innerPath = inner.path, path.isModelPrefix(of: innerPath) else { return unchanged }
            return (.nestedClear, (outer, nil))
        case .arrayInsert(let path, _, _):
            guard let index = try innerIndex(outer: path, inner: inner) else { return unchanged }
            let shifted = index >= path.lastIndex! ? index + 1 : index
            return (.nestedInsert, (outer, replacing(inner, at: path.elements.count - 1, by: shifted)))
        case .arrayErase(let path, _):
            if let innerPath = inner.path, path.isModelPrefix(of: innerPath) { return (.nestedErase, (outer, nil)) }
            guard let index = try innerIndex(outer: path, inner: inner) else { return unchanged }
            let shifted = index > path.lastIndex! ? index - 1 : index
            return (.nestedEraseShift, (outer, replacing(inner, at: path.elements.count - 1, by: shifted)))
        case .arrayMove(var path, let target, let size):
            // The client exchanges the arguments here (Q1): the inner path stays, and the index of the move changes.
            guard let index = try innerIndex(outer: path, inner: inner) else { return unchanged }
            var from = path.lastIndex!
            if from == index {
                from = target
            } else {
                if from > index { from -= 1 }
                if from >= target { from += 1 }
            }
            path.elements[path.elements.count - 1] = .index(from)
            return (.nestedMove, (.arrayMove(at: path, target: target, priorSize: size), inner))
        case .addTable, .createObject, .addColumn, .eraseColumn, .setInsert, .setErase:
            return unchanged
        }
    }

    /// Returns the index with which the inner path steps into the list of the outer instruction, or `nil` if it doesn't.
    private static func innerIndex(outer: WirePath, inner: Instruction) throws -> UInt32? {
        guard let path = inner.path, outer.isModelContainerPrefix(of: path) else { return nil }
        guard case .index(let index) = path.elements[outer.elements.count - 1] else {
            throw ModelMergeError.badMerge("Inconsistent paths")
        }
        return index
    }

    private static func replacing(_ instruction: Instruction, at depth: Int, by index: UInt32) -> Instruction {
        var path = instruction.path!
        path.elements[depth] = .index(index)
        switch instruction {
        case .update(_, let value, let mark): return .update(at: path, value: value, mark: mark)
        case .addInteger(_, let amount): return .addInteger(at: path, amount: amount)
        case .arrayInsert(_, let value, let size): return .arrayInsert(at: path, value: value, priorSize: size)
        case .arrayMove(_, let target, let size): return .arrayMove(at: path, target: target, priorSize: size)
        case .arrayErase(_, let size): return .arrayErase(at: path, priorSize: size)
        case .clear(_, let kind): return .clear(at: path, kind: kind)
        case .setInsert(_, let value): return .setInsert(at: path, value: value)
        case .setErase(_, let value): return .setErase(at: path, value: value)
        default: return instruction
        }
    }
}
