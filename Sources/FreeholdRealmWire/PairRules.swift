/// The rules for two instructions about one class, field, object or place. R1 to R27 are the numbers in `docs/realm-protocol.md`.
enum PairRules {
    /// Applies the rule of two instructions. The left one has the greater tag, or is the client's own if the tags are equal.
    ///
    /// - Returns: An instruction that has to be inserted before the right one, or `nil`.
    static func apply(left: inout MergeSlot, right: inout MergeSlot) throws(MergeError) -> MergeSlot? {
        guard let first = left.instruction, let second = right.instruction else { return nil }
        switch first {
        case .addTable, .eraseTable: try tables(&left, &right)
        case .addColumn(let spec):
            if case .eraseTable(let name) = second, spec.target == name {
                // R8
                left.instruction = nil
                let erased = Instruction.eraseColumn(table: spec.table, field: spec.field)
                var slot = MergeSlot(erased, order: right.order, entry: right.entry)
                slot.instruction = erased
                return slot
            }
            try columns(&left, &right)
        case .eraseColumn: try columns(&left, &right)
        case .createObject, .eraseObject: objects(&left, &right)
        case .update, .addInteger: try values(&left, &right)
        case .arrayInsert: try inserts(&left, &right)
        case .arrayMove: try moves(&left, &right)
        case .arrayErase: try erases(&left, &right)
        case .clear: clears(&left, &right)
        case .setInsert, .setErase: sets(&left, &right)
        }
        return nil
    }

    // MARK: Classes, fields, objects

    private static func tables(_ left: inout MergeSlot, _ right: inout MergeSlot) throws(MergeError) {
        switch (left.instruction!, right.instruction!) {
        case (.addTable(let first), .addTable(let second)) where first.name == second.name:
            // R1
            guard first == second else { throw MergeError(.stopsSession, "Two definitions of a class differ") }
            remove(&left, &right)
        case (.eraseTable(let first), .addTable(let second)) where first == second.name:
            // R2
            right.instruction = nil
        case (.eraseTable(let first), .eraseTable(let second)) where first == second:
            // R3
            remove(&left, &right)
        default: break
        }
    }

    private static func columns(_ left: inout MergeSlot, _ right: inout MergeSlot) throws(MergeError) {
        switch (left.instruction!, right.instruction!) {
        case (.addColumn(let first), .addColumn(let second))
        where first.table == second.table && first.field == second.field:
            // R9
            guard first == second else { throw MergeError(.stopsSession, "Two definitions of a field differ") }
            remove(&left, &right)
        case (.eraseColumn(let table, let field), .update(let path, _, _))
        where path.object.table == table && path.field == field:
            // R10
            right.instruction = nil
        case (.eraseColumn(let table, let field), .addColumn(let spec))
        where spec.table == table && spec.field == field:
            // R11
            right.instruction = nil
        case (.eraseColumn, .eraseColumn) where left.instruction == right.instruction:
            // R12
            remove(&left, &right)
        default: break
        }
    }

    private static func objects(_ left: inout MergeSlot, _ right: inout MergeSlot) {
        switch (left.instruction!, right.instruction!) {
        case (.eraseObject(let first), .createObject(let second)) where first == second:
            // R4
            right.instruction = nil
        case (.eraseObject(let first), .eraseObject(let second)) where first == second:
            // R5
            removeEarlier(&left, &right)
        default: break
        }
    }

    // MARK: Values

    private static func values(_ left: inout MergeSlot, _ right: inout MergeSlot) throws(MergeError) {
        guard case .update(let path, let value, _) = right.instruction! else { return }
        switch left.instruction! {
        case .update(let other, let otherValue, _) where other == path:
            // R6
            guard left.instruction!.priorSize == right.instruction!.priorSize else { throw sizeError }
            if (otherValue == .object) != (value == .object) {
                if value == .object { right.instruction = nil } else { left.instruction = nil }
            } else if value == otherValue, value == .list || value == .dictionary {
                return
            } else if left.instruction!.isDefault != right.instruction!.isDefault {
                if right.instruction!.isDefault { right.instruction = nil } else { left.instruction = nil }
            } else {
                removeEarlier(&left, &right)
            }
        case .addInteger(let other, let amount) where other == path:
            // R7
            guard right.order < left.order || right.instruction!.isDefault else { return left.instruction = nil }
            switch value {
            case .null: return
            case .int(let number):
                guard case .update(_, _, let mark) = right.instruction! else { return }
                right.instruction = .update(at: path, value: .int(number &+ amount), mark: mark)
            default: left.instruction = nil
            }
        default: return
        }
    }

    private static func clears(_ left: inout MergeSlot, _ right: inout MergeSlot) {
        guard case .clear(let path, let kind) = left.instruction! else { return }
        switch right.instruction! {
        case .update(let other, let value, _) where other == path:
            // R22
            if (kind == .list && value == .list) || (kind == .dictionary && value == .dictionary) { return }
            removeEarlier(&left, &right)
        case .addInteger(let other, _) where other == path:
            // R23
            right.instruction = nil
        case .clear(let other, _) where other == path:
            // R24
            removeEarlier(&left, &right)
        default: return
        }
    }

    private static func sets(_ left: inout MergeSlot, _ right: inout MergeSlot) {
        guard let path = left.instruction!.path, path == right.instruction!.path else { return }
        switch (left.instruction!, right.instruction!) {
        case (_, .clear):
            // R25
            left.instruction = nil
        case (.setInsert(_, let value), .setInsert(_, let other)), (.setErase(_, let value), .setInsert(_, let other)):
            // R26
            if value.isSame(as: other) { removeEarlier(&left, &right) }
        case (.setErase(_, let value), .setErase(_, let other)):
            // R27
            if isRawEqual(value, of: left.form, other, of: right.form) { removeEarlier(&left, &right) }
        default: return
        }
    }

    /// Compares two values by the places of their content, if the places are known.
    private static func isRawEqual(
        _ first: Payload,
        of form: Changeset.RawForm?,
        _ second: Payload,
        of otherForm: Changeset.RawForm?
    ) -> Bool {
        guard first.tag == second.tag else { return false }
        guard let form, let otherForm else { return first.isSame(as: second) }
        return form == otherForm
    }

    // MARK: Removal

    static func remove(_ first: inout MergeSlot, _ second: inout MergeSlot) {
        first.instruction = nil
        second.instruction = nil
    }

    static func removeEarlier(_ left: inout MergeSlot, _ right: inout MergeSlot) {
        if left.order < right.order { left.instruction = nil } else { right.instruction = nil }
    }

    static var sizeError: MergeError {
        MergeError(.stopsSession, "The sizes or positions of two list changes disagree")
    }

    static var keyError: MergeError {
        MergeError(.terminatesClient, "One change regards a value as a list, and another one as a dictionary")
    }
}
