// The rules for two changes of one list.

extension PairRules {
    /// The positions and sizes in two list instructions. They are written to the instructions at the end of the rule.
    private struct Numbers {
        /// The positions of both instructions in the list.
        var left: UInt32
        var right: UInt32
        /// The positions after a move, or 0.
        var leftTarget: UInt32
        var rightTarget: UInt32
        /// The sizes of the list before each instruction.
        var leftSize: UInt32
        var rightSize: UInt32

        /// Returns `nil` if the instructions are about different lists.
        init?(_ first: Instruction, _ second: Instruction) throws(MergeError) {
            guard let path = first.path, let other = second.path, path.isSameContainer(as: other) else { return nil }
            guard let left = path.lastIndex else { return nil }
            guard let right = other.lastIndex, let leftSize = first.priorSize, let rightSize = second.priorSize else {
                throw PairRules.keyError
            }
            (self.left, self.right, self.leftSize, self.rightSize) = (left, right, leftSize, rightSize)
            (leftTarget, rightTarget) = (first.target ?? 0, second.target ?? 0)
        }

        func write(_ first: inout MergeSlot, _ second: inout MergeSlot) {
            Self.write(&first, (left, leftTarget, leftSize))
            Self.write(&second, (right, rightTarget, rightSize))
        }

        private static func write(_ slot: inout MergeSlot, _ numbers: (index: UInt32, target: UInt32, size: UInt32)) {
            guard var instruction = slot.instruction else { return }
            if instruction.lastIndex != numbers.index { instruction.setLastIndex(numbers.index) }
            if instruction.priorSize != numbers.size { instruction.priorSize = numbers.size }
            if let target = instruction.target, target != numbers.target { instruction.target = numbers.target }
            if instruction != slot.instruction { slot.instruction = instruction }
        }

        func check(_ condition: Bool) throws(MergeError) { if !condition { throw PairRules.sizeError } }
    }

    static func inserts(_ left: inout MergeSlot, _ right: inout MergeSlot) throws(MergeError) {
        guard var now = try numbers(left, right) else { return }
        switch right.instruction! {
        case .update:
            // R13
            try now.check(now.leftSize == now.rightSize && now.left <= now.leftSize && now.right < now.rightSize)
            now.rightSize = try now.rightSize.raised()
            if now.right >= now.left { now.right += 1 }
        case .arrayInsert:
            // R14
            try now.check(now.leftSize == now.rightSize && now.left <= now.leftSize && now.right <= now.rightSize)
            now.leftSize = try now.leftSize.raised()
            now.rightSize = try now.rightSize.raised()
            if now.left > now.right || (now.left == now.right && right.order < left.order) {
                now.left += 1
            } else {
                now.right += 1
            }
        default: return
        }
        now.write(&left, &right)
    }

    static func moves(_ left: inout MergeSlot, _ right: inout MergeSlot) throws(MergeError) {
        guard var now = try numbers(left, right) else { return }
        switch right.instruction! {
        case .update:
            // R15
            try now.check(now.left < now.leftSize && now.right < now.rightSize)
            if now.right == now.left {
                now.right = now.leftTarget
            } else {
                if now.right > now.left { now.right -= 1 }
                if now.right >= now.leftTarget { now.right = try now.right.raised() }
            }
        case .arrayInsert:
            // R16
            now.leftSize = try now.leftSize.raised()
            if now.right > now.left { now.right -= 1 } else { now.left = try now.left.raised() }
            if now.right < now.leftTarget || (now.right == now.leftTarget && left.order < right.order) {
                now.leftTarget = try now.leftTarget.raised()
            } else {
                now.right = try now.right.raised()
            }
        case .arrayMove: return try twoMoves(&left, &right, numbers: &now)
        default: return
        }
        now.write(&left, &right)
    }

    /// R17
    private static func twoMoves(
        _ left: inout MergeSlot,
        _ right: inout MergeSlot,
        numbers now: inout Numbers
    ) throws(MergeError) {
        try now.check(
            now.leftSize == now.rightSize && max(now.left, now.right, now.leftTarget, now.rightTarget) < now.leftSize
        )
        let isLeftEarlier = left.order < right.order
        if now.left == now.right {
            if isLeftEarlier {
                now.right = now.leftTarget
                left.instruction = nil
                if now.right == now.rightTarget { right.instruction = nil }
            } else {
                now.left = now.rightTarget
                right.instruction = nil
                if now.left == now.leftTarget { left.instruction = nil }
            }
            return now.write(&left, &right)
        }
        if now.left > now.right { now.left -= 1 } else { now.right -= 1 }
        if now.leftTarget > now.right { now.leftTarget -= 1 } else { now.right += 1 }
        if now.left < now.rightTarget { now.rightTarget -= 1 } else { now.left += 1 }
        if now.leftTarget < now.rightTarget || (now.leftTarget == now.rightTarget && isLeftEarlier) {
            now.rightTarget += 1
        } else {
            now.leftTarget += 1
        }
        if now.left == now.leftTarget { left.instruction = nil }
        if now.right == now.rightTarget { right.instruction = nil }
        now.write(&left, &right)
    }

    static func erases(_ left: inout MergeSlot, _ right: inout MergeSlot) throws(MergeError) {
        guard var now = try numbers(left, right) else { return }
        switch right.instruction! {
        case .update:
            // R18
            try now.check(now.leftSize == now.rightSize && now.left < now.leftSize && now.right < now.rightSize)
            now.rightSize -= 1
            if now.right == now.left { right.instruction = nil } else if now.right > now.left { now.right -= 1 }
        case .arrayInsert:
            // R19
            try now.check(now.leftSize == now.rightSize && now.left < now.leftSize && now.right <= now.rightSize)
            now.leftSize = try now.leftSize.raised()
            now.rightSize -= 1
            if now.right <= now.left { now.left += 1 } else { now.right -= 1 }
        case .arrayMove:
            // R20
            try now.check(
                now.leftSize == now.rightSize && now.left < now.leftSize && now.right < now.rightSize
                    && now.rightTarget < now.rightSize
            )
            now.rightSize -= 1
            if now.left == now.right {
                now.left = now.rightTarget
                right.instruction = nil
            } else {
                if now.left > now.right { now.left -= 1 } else { now.right -= 1 }
                if now.left >= now.rightTarget { now.left += 1 } else { now.rightTarget -= 1 }
                if now.right == now.rightTarget { right.instruction = nil }
            }
        case .arrayErase:
            // R21
            try now.check(now.leftSize == now.rightSize && max(now.left, now.right) < now.leftSize)
            now.leftSize -= 1
            now.rightSize -= 1
            if now.left == now.right {
                remove(&left, &right)
            } else if now.left > now.right {
                now.left -= 1
            } else {
                now.right -= 1
            }
        default: return
        }
        now.write(&left, &right)
    }

    /// Returns the positions and sizes of both, or `nil` if they change different lists.
    private static func numbers(_ left: MergeSlot, _ right: MergeSlot) throws(MergeError) -> Numbers? {
        switch right.instruction! {
        case .update, .arrayInsert, .arrayMove, .arrayErase: try Numbers(left.instruction!, right.instruction!)
        default: nil
        }
    }
}
