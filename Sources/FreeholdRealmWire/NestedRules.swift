/// The merge rules for two instructions of which one, the outer one, is about a value that contains the place of the other one, the inner one.
enum NestedRules {
    /// Applies the rule of the outer instruction, which has the shorter path.
    static func apply(outer: inout MergeSlot, inner: inout MergeSlot) throws(MergeError) {
        guard let outside = outer.instruction, let inside = inner.instruction else { return }
        switch outside {
        case .eraseTable(let name):
            if inside.table == name { inner.instruction = nil }
        case .eraseObject(let object):
            if inside.path?.object == object { inner.instruction = nil }
        case .update(let path, let value, _):
            guard value != .object, let other = inside.path, path.isPrefix(of: other) else { return }
            switch (value, other.elements[path.elements.count]) {
            case (.list, .index), (.dictionary, .name): return
            default: inner.instruction = nil
            }
        case .addInteger(let path, _), .clear(let path, _):
            if let other = inside.path, path.isPrefix(of: other) { inner.instruction = nil }
        case .arrayInsert(let path, _, _):
            guard let (depth, index) = try position(of: inside, in: path) else { return }
            if index >= path.lastIndex! { inner.instruction!.setIndex(try index.raised(), at: depth) }
        case .arrayMove(let path, let target, _):
            guard let (_, index) = try position(of: inside, in: path) else { return }
            // The official client changes the start of the move, although the inner place should change. The server has to do the same.
            var start = path.lastIndex!
            if start == index {
                start = target
            } else {
                if start > index { start -= 1 }
                if start >= target { start = try start.raised() }
            }
            if start != path.lastIndex! { outer.instruction!.setLastIndex(start) }
        case .arrayErase(let path, _):
            guard let other = inside.path else { return }
            if path.isPrefix(of: other) {
                inner.instruction = nil
            } else if let (depth, index) = try position(of: inside, in: path), index > path.lastIndex! {
                inner.instruction!.setIndex(index - 1, at: depth)
            }
        case .addTable, .createObject, .addColumn, .eraseColumn, .setInsert, .setErase: return
        }
    }

    /// Returns the index of the element of the outer list that contains the inner place, and its position in the inner path.
    private static func position(
        of inner: Instruction,
        in outer: WirePath
    ) throws(MergeError) -> (depth: Int, index: UInt32)? {
        guard outer.lastIndex != nil, let other = inner.path, outer.isContainerPrefix(of: other) else { return nil }
        let depth = outer.elements.count - 1
        guard case .index(let index) = other.elements[depth] else {
            throw MergeError(.stopsSession, "One change regards a value as a list, and another one as a dictionary")
        }
        return (depth, index)
    }
}

extension UInt32 {
    /// Returns the next number.
    func raised() throws(MergeError) -> UInt32 {
        guard self < .max else { throw MergeError(.stopsSession, "A position or size is too large") }
        return self + 1
    }
}
