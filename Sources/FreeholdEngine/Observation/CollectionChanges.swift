/// How an ordered collection changed. What moved counts as deleted and inserted.
///
/// To turn the old collection into the new one: remove `deletions` (from the back), then insert `insertions` (from the
/// front).
public struct CollectionChanges: Equatable, Sendable {
    /// Positions in the old collection, rising.
    public var deletions: [Int] = []
    /// Positions in the new collection, rising.
    public var insertions: [Int] = []
    /// Positions in the old collection, rising, of elements that stayed.
    public var modifications: [Int] = []
    /// Their positions in the new collection.
    public var modificationsNew: [Int] = []

    public init() {}

    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Where an element that stayed has gone. - Complexity: O(log changes).
    public func newIndex(ofOld index: Int) -> Int {
        let rank = index - deletions.partitionIndex { $0 < index }
        return rank + insertions.indices.partitionIndex { insertions[$0] - $0 <= rank }
    }

    /// Where an element that stayed has come from. - Complexity: O(log changes).
    public func oldIndex(ofNew index: Int) -> Int {
        let rank = index - insertions.partitionIndex { $0 < index }
        return rank + deletions.indices.partitionIndex { deletions[$0] - $0 <= rank }
    }

    func isDeletion(_ index: Int) -> Bool {
        let i = deletions.partitionIndex { $0 < index }
        return i < deletions.count && deletions[i] == index
    }

    /// - Parameter positions: in the old collection, in any order; those that were deleted are left out.
    mutating func setModifications(_ positions: [Int]) {
        modifications = positions.filter { !isDeletion($0) }
        modifications.sort()
        modificationsNew = modifications.map { newIndex(ofOld: $0) }
    }
}

/// How a dictionary changed: keys, in the order of their bytes.
public struct DictionaryChanges: Equatable, Sendable {
    public var deletions: [String] = []
    public var insertions: [String] = []
    public var modifications: [String] = []

    public init() {}

    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

extension RandomAccessCollection {
    /// How many elements, from the front, meet the condition, which has to hold for a front part only.
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
