/// Elements of lists without nulls as Swift values, without creating a `Value` for each.
extension DataView {
    /// Returns the i-th element of a list of integers, or `nil` if `i` is out of bounds, and the number of elements.
    /// - Complexity: O(log n).
    package func listInt(_ column: Column, _ key: ObjectKey, ifAt i: Int) -> (value: Int64?, count: Int) {
        withList(column, key) { list in
            let count = count(of: list)
            guard i >= 0, i < count else { return (nil, count) }
            switch list {
            case .inline(let inline): return (inline.int(i), count)
            case .large(let tree):
                guard let place = tree.locate(i, in: self) else { return (0, count) }
                let slot = i - place.start
                let leaf = chunk(place.chunk, place.count, slot: slot, of: tree, type: .int, isOptional: false)
                return (leaf.isBlank ? 0 : leaf.int(slot), count)
            }
        }
    }

    /// Returns all elements of a list of integers.
    /// - Complexity: O(n).
    package func listInts(_ column: Column, _ key: ObjectKey) -> [Int] {
        listElements(column, key, type: .int) { leaf, count, out in
            leaf.copyInts(count, to: UnsafeMutableRawPointer(out).assumingMemoryBound(to: Int64.self))
        } inline: { elements, out in
            for i in 0..<elements.count { (out + i).initialize(to: Int(elements.int(i))) }
        }
    }

    /// Returns all elements of a list of doubles.
    /// - Complexity: O(n).
    package func listDoubles(_ column: Column, _ key: ObjectKey) -> [Double] {
        listElements(column, key, type: .double) { leaf, count, out in
            for slot in 0..<count { (out + slot).initialize(to: leaf.double(slot)) }
        } inline: { elements, out in
            for i in 0..<elements.count {
                if case .double(let value) = elements.value(i) {
                    (out + i).initialize(to: value)
                } else {
                    (out + i).initialize(to: 0)
                }
            }
        }
    }

    /// Returns all elements of a list of strings.
    /// - Complexity: O(n).
    package func listStrings(_ column: Column, _ key: ObjectKey) -> [String] {
        let segment = column.segment(.blobs)
        return listElements(column, key, type: .string) { leaf, count, out in
            for slot in 0..<count {
                let text = value(.string, leaf, slot: slot, isOptional: false, blobs: segment).text
                (out + slot).initialize(to: text)
            }
        } inline: { elements, out in
            // A look-up of single elements would begin at the start each time.
            for (i, value) in elements.values().enumerated() { (out + i).initialize(to: value.text) }
        }
    }

    /// - Parameters:
    ///   - chunk: writes all elements of a chunk.
    ///   - inline: writes all elements of a list in its slot.
    @inline(__always)
    private func listElements<Element>(
        _ column: Column,
        _ key: ObjectKey,
        type: ColumnType,
        chunk: (Leaf, Int, UnsafeMutablePointer<Element>) -> Void,
        inline: (InlineList, UnsafeMutablePointer<Element>) -> Void
    ) -> [Element] {
        withList(column, key) { list in
            let count = count(of: list)
            return [Element](unsafeUninitializedCapacity: count) { room, used in
                guard let out = room.baseAddress else { return }
                switch list {
                case .inline(let elements):
                    inline(elements, out)
                    used = count
                case .large(let tree):
                    tree.forEachChunk(from: 0, in: self) { number, start, length in
                        let leaf = self.chunk(number, length, of: tree, type: type, isOptional: false)
                        // A damaged list ends at this chunk.
                        guard !leaf.isBlank, start == used, used + length <= count else { return false }
                        chunk(leaf, length, out + used)
                        used += length
                        return true
                    }
                }
            }
        }
    }
}

extension Value {
    /// The string, or an empty string for other types.
    fileprivate var text: String { if case .string(let text) = self { text } else { "" } }
}

extension Leaf {
    /// Copies the first integers in decoded form.
    /// - Precondition: the leaf has this number of integers, and none is null.
    func copyInts(_ n: Int, to out: UnsafeMutablePointer<Int64>) {
        let (source, base) = (valuesPointer, base)
        func widen<T: FixedWidthInteger>(_ type: T.Type) {
            let from = source.assumingMemoryBound(to: type)
            for i in 0..<n { out[i] = base &+ Int64(truncatingIfNeeded: from[i]) }
        }
        switch width {
        case 0: for i in 0..<n { out[i] = base }
        case 1: widen(UInt8.self)
        case 2: widen(UInt16.self)
        case 4: widen(UInt32.self)
        default: UnsafeMutableRawPointer(out).copyMemory(from: source, byteCount: n * 8)
        }
    }
}
