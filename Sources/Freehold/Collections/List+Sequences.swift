import FreeholdEngine

// What arrays have besides: the spellings of `RangeReplaceableCollection`, which a class can't conform to without
// getting methods that replace the instance, and orders in place.

extension List {
    /// An unmanaged list of these elements.
    public convenience init<S: Sequence>(_ elements: S) where S.Element == Element {
        self.init()
        items = Array(elements)
    }

    public func append<S: Sequence>(contentsOf elements: S) where S.Element == Element { append(objectsIn: elements) }

    public static func += <S: Sequence>(list: List, elements: S) where S.Element == Element {
        list.append(objectsIn: elements)
    }

    /// Removes the last element and gives it back; nil if there is none.
    @discardableResult
    public func popLast() -> Element? {
        guard let last else { return nil }
        removeLast()
        return last
    }

    /// Removes all elements; there is no capacity to keep.
    public func removeAll(keepingCapacity: Bool) { removeAll() }

    /// Removes the elements that meet the condition. - Complexity: O(n)
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

    // MARK: Orders

    /// Sorts the list itself; equal elements keep their order. - Complexity: O(n log n)
    public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        let elements = elements_
        let positions = try elements.indices.sorted { try areInIncreasingOrder(elements[$0], elements[$1]) }
        reorder(positions)
    }

    /// Turns the list around. - Complexity: O(n)
    public func reverse() { reorder((0..<count).reversed()) }

    /// Puts the elements in a random order. - Complexity: O(n)
    public func shuffle<G: RandomNumberGenerator>(using generator: inout G) {
        reorder((0..<count).shuffled(using: &generator))
    }

    /// Puts the elements in a random order. - Complexity: O(n)
    public func shuffle() { reorder((0..<count).shuffled()) }

    private func reorder(_ positions: [Int]) {
        guard let at = place() else {
            let old = items
            items = positions.map { old[$0] }
            return
        }
        change(at) { tx throws(EngineError) in try at.reorder(positions, tx) }
    }
}

extension List where Element: Comparable {
    /// Sorts the list itself. - Complexity: O(n log n)
    public func sort() { sort(by: <) }
}
