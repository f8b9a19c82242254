/// The links of one object's property to placeholders, with their positions.
struct HiddenLinks: Equatable {
    struct Element: Equatable {
        /// For a list, the position among all elements, including hidden ones.
        var position = 0
        /// For a dictionary, the key of the entry.
        var name = ""
        var kept: KeptLinks
        /// A Boolean value that indicates whether the element is hidden in the collection, because it is a link and not a value with a link inside.
        var isHidden: Bool { kept.isWhole }
    }

    /// The elements, in the order of positions for a list, and of the names' bytes for a dictionary.
    var elements: [Element] = []

    var isEmpty: Bool { elements.isEmpty }

    /// An object and one of its properties.
    struct Place: Hashable {
        let key: ObjectKey
        let column: Int
    }

    /// Returns the index of the first element at or after a position.
    /// - Complexity: O(log n)
    func index(from position: Int) -> Int {
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) >> 1
            if elements[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the position of the i-th visible element among all elements.
    /// - Complexity: O(n)
    func stored(ofShown i: Int) -> Int {
        var stored = i
        for element in elements where element.isHidden {
            if element.position > stored { break }
            stored += 1
        }
        return stored
    }

    /// Returns the positions of a range of visible elements among all elements, as ascending runs.
    /// - Complexity: O(n)
    func stored(ofShown range: Range<Int>) -> [Range<Int>] {
        if isEmpty || range.isEmpty { return range.isEmpty ? [] : [range] }
        var runs: [Range<Int>] = []
        var from = stored(ofShown: range.lowerBound)
        let end = stored(ofShown: range.upperBound - 1) + 1
        for element in elements[index(from: from)...] where element.isHidden && element.position < end {
            if element.position > from { runs.append(from..<element.position) }
            from = element.position + 1
        }
        if end > from { runs.append(from..<end) }
        return runs
    }

    /// Returns the number of visible elements before a position.
    /// - Complexity: O(n)
    func shown(before position: Int) -> Int {
        var count = 0
        for element in elements {
            if element.position >= position { break }
            if element.isHidden { count += 1 }
        }
        return position - count
    }

    var hiddenCount: Int { elements.count(where: \.isHidden) }

    /// Updates the positions for an edit that replaces the visible elements in a range by `count` elements. Hidden elements remain behind their
    /// preceding neighbour. Elements that are inserted at the end follow all hidden elements.
    ///
    /// - Parameter shownCount: the number of visible elements before the edit.
    /// - Complexity: O(n)
    mutating func replaceShown(_ range: Range<Int>, with count: Int, of shownCount: Int) {
        let replaced = min(range.count, count)
        let gone = range.lowerBound + replaced..<range.upperBound
        var hidden = 0
        elements = elements.compactMap { element in
            // For a hidden element, this is the number of preceding visible elements.
            let i = element.position - hidden
            if element.isHidden { hidden += 1 } else if range.contains(i) { return nil }
            var moved = element
            moved.position -= min(max(i - gone.lowerBound, 0), gone.count)
            return moved
        }
        guard count > replaced else { return }
        let position =
            if replaced > 0 {
                stored(ofShown: range.upperBound - 1) + 1
            } else if range.lowerBound == shownCount {
                shownCount + hiddenCount
            } else {
                stored(ofShown: range.lowerBound)
            }
        shift(from: position, by: count - replaced)
    }

    /// Moves the elements from a position on.
    mutating func shift(from position: Int, by distance: Int) {
        for i in index(from: position)..<elements.count { elements[i].position += distance }
    }

    mutating func insert(_ element: Element) { elements.insert(element, at: index(from: element.position)) }
}

/// The pending changes of one table's links to placeholders.
final class HiddenLinksOverlay {
    /// The links that this transaction read or changed. A property without links has an empty entry.
    var known: [HiddenLinks.Place: HiddenLinks] = [:]
    var changed: Set<HiddenLinks.Place> = []
    /// The maximum number of entries in memory.
    static let limit = 1 << 15
}

extension DataView {
    /// Returns the row with the links to placeholders of an object's property.
    /// - Complexity: O(log n)
    func hiddenRow(_ place: HiddenLinks.Place, _ table: Table) -> ObjectKey? {
        find(.int(place.key.raw), indexed: table.columns[0]).first {
            readInt(table.columns[1], $0) == Int64(place.column)
        }
    }

    func hiddenLinks(row: ObjectKey, _ table: Table) -> HiddenLinks {
        var out = HiddenLinks()
        let positions = withList(table.columns[2], row) { ints(of: $0, type: .int) }
        let names = listValues(table.columns[3], row)
        for (i, value) in listValues(table.columns[4], row).enumerated() {
            var element = HiddenLinks.Element(kept: KeptLinks(stored: value))
            if i < positions.count { element.position = Int(positions[i]) }
            if i < names.count, case .string(let name) = names[i] { element.name = name }
            out.elements.append(element)
        }
        return out
    }

    /// Returns the hidden links of an object's property.
    /// - Complexity: O(log n + links)
    func hiddenLinks(_ column: Column, _ key: ObjectKey) -> HiddenLinks {
        let place = HiddenLinks.Place(key: key, column: column.id)
        if let transaction = self as? WriteTransaction { return transaction.pendingHiddenLinks(place, column.tableID) }
        guard let table = schema.links(of: column.tableID), count(table) > 0, let row = hiddenRow(place, table) else {
            return HiddenLinks()
        }
        return hiddenLinks(row: row, table)
    }
}
