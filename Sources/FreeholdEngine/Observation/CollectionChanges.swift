/// The changes of an ordered collection. A moved element counts as deleted and inserted.
///
/// To convert the old collection to the new one, remove `deletions` (beginning with the last), and then insert `insertions` (beginning with the
/// first).
public struct CollectionChanges: Equatable, Sendable {
    /// The positions of deleted elements in the old collection, in ascending order.
    public var deletions: [Int] = []
    /// The positions of inserted elements in the new collection, in ascending order.
    public var insertions: [Int] = []
    /// The positions of modified elements in the old collection, in ascending order. These elements remain in the collection.
    public var modifications: [Int] = []
    /// The positions of the modified elements in the new collection.
    public var modificationsNew: [Int] = []

    public init() {}

    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Returns the new position of an element that remained.
    /// - Complexity: O(log changes).
    public func newIndex(ofOld index: Int) -> Int {
        let rank = index - deletions.partitionIndex { $0 < index }
        return rank + insertions.indices.partitionIndex { insertions[$0] - $0 <= rank }
    }

    /// Returns the old position of an element that remained.
    /// - Complexity: O(log changes).
    public func oldIndex(ofNew index: Int) -> Int {
        let rank = index - insertions.partitionIndex { $0 < index }
        return rank + deletions.indices.partitionIndex { deletions[$0] - $0 <= rank }
    }

    func isDeletion(_ index: Int) -> Bool {
        let i = deletions.partitionIndex { $0 < index }
        return i < deletions.count && deletions[i] == index
    }

    /// - Parameter positions: positions in the old collection, in any order. Deleted positions are ignored.
    mutating func setModifications(_ positions: [Int]) {
        modifications = positions.filter { !isDeletion($0) }
        modifications.sort()
        modificationsNew = modifications.map { newIndex(ofOld: $0) }
    }
}

/// The changes of a dictionary. Keys are in the order of their bytes.
public struct DictionaryChanges: Equatable, Sendable {
    public var deletions: [String] = []
    public var insertions: [String] = []
    public var modifications: [String] = []

    public init() {}

    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

extension RandomAccessCollection {
    /// Returns the number of elements at the front that meet the condition. The condition must hold only for a front part.
    @inline(__always)
    func partitionIndex(_ belongsBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if belongsBefore(self[index(startIndex, offsetBy: middle)]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
