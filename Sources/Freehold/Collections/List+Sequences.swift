import FreeholdEngine

// Additional methods of arrays: those of `RangeReplaceableCollection`, and sorts in place. A class can't conform to
// that protocol without getting methods that replace the instance.

extension List {
    /// Creates an unmanaged list of these elements.
    public convenience init<S: Sequence>(_ elements: S) where S.Element == Element {
        self.init()
        items = Array(elements)
    }

    public func append<S: Sequence>(contentsOf elements: S) where S.Element == Element { append(objectsIn: elements) }

    public static func += <S: Sequence>(list: List, elements: S) where S.Element == Element {
        list.append(objectsIn: elements)
    }

    /// Removes and returns the last element, or returns `nil` if the list is empty.
    @discardableResult
    public func popLast() -> Element? {
        guard let last else { return nil }
        removeLast()
        return last
    }

    /// Removes all elements. The argument has no effect.
    public func removeAll(keepingCapacity: Bool) { removeAll() }

    /// Removes the elements that match the condition.
    ///
    /// - Complexity: O(n)
    public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        var ranges: [Range<Int>] = []
        for (i, element) in enumerated() where try shouldBeRemoved(element) {
            if let last = ranges.last, last.upperBound == i {
                ranges[ranges.count - 1] = last.lowerBound..<(i + 1)
            } else {
                ranges.append(i..<(i + 1))
            }
        }
        for range in ranges.reversed() { removeSubrange(range) }
    }

    // MARK: Sorting

    /// Sorts the list in place. Equal elements keep their order.
    ///
    /// - Complexity: O(n log n)
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        let elements = elements_
        let positions = try elements.indices.sorted { try areInIncreasingOrder(elements[$0], elements[$1]) }
        reorder(positions)
    }

    /// Reverses the order of the elements in place.
    ///
    /// - Complexity: O(n)
    public func reverse() { reorder((0..<count).reversed()) }

    /// Shuffles the elements in place.
    ///
    /// - Complexity: O(n)
    public func shuffle<G: RandomNumberGenerator>(using generator: inout G) {
        reorder((0..<count).shuffled(using: &generator))
    }

    /// Shuffles the elements in place.
    ///
    /// - Complexity: O(n)
    public func shuffle() { reorder((0..<count).shuffled()) }

    private func reorder(_ positions: [Int]) {
        guard let at = place() else {
            if let kept { return self.kept = positions.map { kept[$0] } }
            let old = items
            items = positions.map { old[$0] }
            return
        }
        change(at) { tx throws(EngineError) in try at.reorder(positions, tx) }
    }
}

extension List where Element: Comparable {
    /// Sorts the list in place.
    ///
    /// - Complexity: O(n log n)
    public func sort() { sort(by: <) }
}
