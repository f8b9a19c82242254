import FreeholdEngine

/// The elements of a list in a transaction, while waiting edits change the list.
///
/// Waiting edits name elements by their positions in the stored list, which the page shows until the edits are written. A removed element keeps its
/// place, so that elements can be inserted before it.
struct ListPlaces {
    private struct Element {
        /// The position in the stored list, or `nil` for a new element.
        let stored: Int32?
        /// The index of the element's value in `values`, or `nil` if it has its stored value.
        var value: Int32?
        var isRemoved = false
    }

    private var elements: [Element]
    /// The number of elements that aren't removed.
    private var count: Int
    /// The values of new and replaced elements.
    private var values: [Value] = []

    /// - Parameter count: the number of elements of the stored list.
    /// - Complexity: O(n), like all functions of this type
    init(count: Int) {
        self.count = count
        elements = (0..<count).map { Element(stored: Int32($0)) }
    }

    // MARK: Positions

    /// Returns the position of an element of the stored list, or `nil` if the element was removed.
    func position(_ stored: Int) -> Int? {
        let place = place(stored)
        return place < elements.count && !elements[place].isRemoved ? position(at: place) : nil
    }

    /// Returns the position at which an element is inserted before an element of the stored list, or at the end of the list.
    func insertion(_ stored: Int) -> Int { position(at: place(stored)) }

    /// Returns the index of an element of the stored list among all elements.
    private func place(_ stored: Int) -> Int {
        elements.firstIndex { $0.stored.map { Int($0) } == stored } ?? elements.count
    }

    /// Returns the number of present elements before an index.
    private func position(at place: Int) -> Int {
        elements[..<place].reduce(0) { $0 + ($1.isRemoved ? 0 : 1) }
    }

    // MARK: Changes

    /// Inserts a value before an element of the stored list, or at the end. Returns its position.
    mutating func insert(_ value: Value, before stored: Int) -> Int {
        let place = place(stored)
        elements.insert(Element(stored: nil, value: Int32(values.count)), at: place)
        values.append(value)
        count += 1
        return position(at: place)
    }

    mutating func remove(_ stored: Int) {
        elements[place(stored)].isRemoved = true
        count -= 1
    }

    mutating func replace(_ stored: Int, by value: Value) {
        elements[place(stored)].value = Int32(values.count)
        values.append(value)
    }

    /// Moves an element to the place of another one: before it if the element moves up in the stored list, and otherwise after it. Returns its new
    /// position.
    mutating func move(_ stored: Int, to other: Int) -> Int {
        let element = elements.remove(at: place(stored))
        let place = place(other)
        let isAfter = other > stored && place < elements.count && !elements[place].isRemoved
        elements.insert(element, at: isAfter ? place + 1 : place)
        return position(at: self.place(stored))
    }

    /// Marks the elements as removed whose objects were deleted, because such a deletion removes them from the list.
    ///
    /// - Parameters:
    ///   - current: The number of elements in the transaction.
    ///   - stored: Returns the elements of the stored list.
    ///   - present: Returns the elements in the transaction.
    mutating func noteDeletions(current: Int, stored: () -> [Value], present: () -> [Value]) {
        guard current != count else { return }
        // A deletion removes all links to its object and nothing else.
        let (stored, present) = (stored(), present())
        var kept = 0
        for i in elements.indices where !elements[i].isRemoved {
            let value = elements[i].value.map { values[Int($0)] } ?? stored[Int(elements[i].stored ?? 0)]
            if kept < present.count, present[kept] == value { kept += 1 } else { elements[i].isRemoved = true }
        }
        count = kept
    }
}
