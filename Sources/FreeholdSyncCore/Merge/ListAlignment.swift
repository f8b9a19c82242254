/// A matching of the elements of an old list with the elements of the present list by their values.
///
/// Values that occur once in both lists are matched first. The elements between two matched ones are then compared in
/// order.
///
/// - Complexity: O(*n* log *n*)
struct ListAlignment {
    /// For each old element, the index of the matching present element. `nil` for elements without a match.
    private(set) var now: [Int?]
    private let count: Int

    init(_ old: [SyncValue?], _ new: [SyncValue]) {
        now = Array(repeating: nil, count: old.count)
        count = new.count
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] {
            now[start] = start
            start += 1
        }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
            now[oldEnd] = newEnd
        }
        alignMiddle(old, new, start..<oldEnd, start..<newEnd)
    }

    private mutating func alignMiddle(
        _ old: [SyncValue?],
        _ new: [SyncValue],
        _ oldRange: Range<Int>,
        _ newRange: Range<Int>
    ) {
        var places: [SyncValue: (old: [Int], new: [Int])] = [:]
        for index in oldRange { if let value = old[index] { places[value, default: ([], [])].old.append(index) } }
        for index in newRange { places[new[index], default: ([], [])].new.append(index) }
        let unique = places.values.filter { $0.old.count == 1 && $0.new.count == 1 }.map { ($0.old[0], $0.new[0]) }
            .sorted { $0.0 < $1.0 }
        var (oldStart, newStart) = (oldRange.lowerBound, newRange.lowerBound)
        let rise = Self.longestRise(unique.map(\.1))
        for (oldIndex, newIndex) in rise.map({ unique[$0] }) + [(oldRange.upperBound, newRange.upperBound)] {
            alignInOrder(old, new, oldStart..<oldIndex, newStart..<newIndex)
            if oldIndex < oldRange.upperBound { now[oldIndex] = newIndex }
            (oldStart, newStart) = (oldIndex + 1, newIndex + 1)
        }
        // An element that was moved is matched at its new place.
        for (oldIndex, newIndex) in unique where now[oldIndex] == nil { now[oldIndex] = newIndex }
    }

    private mutating func alignInOrder(
        _ old: [SyncValue?],
        _ new: [SyncValue],
        _ oldRange: Range<Int>,
        _ newRange: Range<Int>
    ) {
        var next = newRange.lowerBound
        for index in oldRange {
            let end = min(newRange.upperBound, next + Self.reach)
            guard let value = old[index], next < end, let found = new[next..<end].firstIndex(of: value) else {
                continue
            }
            now[index] = found
            next = found + 1
        }
    }

    /// The maximum distance at which an element is searched among other elements of the same value.
    private static let reach = 64

    /// Returns the indices of a longest rising subsequence.
    private static func longestRise(_ numbers: [Int]) -> [Int] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            let length = tails.partitioned { numbers[$0] >= number }
            if length > 0 { previous[index] = tails[length - 1] }
            if length == tails.count { tails.append(index) } else { tails[length] = index }
        }
        var rise: [Int] = []
        var index = tails.last ?? -1
        while index >= 0 {
            rise.append(index)
            index = previous[index]
        }
        return rise.reversed()
    }

    // MARK: Names

    /// Returns the reference to the matching element. Returns `nil` if the element has no match.
    func reference(_ reference: ElementReference) -> ElementReference? {
        guard case .confirmed(let index) = reference else { return reference }
        guard now.indices.contains(index), let found = now[index] else { return nil }
        return .confirmed(found)
    }

    /// The references to all matched elements.
    var all: [ElementReference] { now.compactMap { $0.map { .confirmed($0) } } }

    /// Returns the possible gaps for an element that its author inserted into a gap: the best one first, and one that
    /// always exists last.
    func gaps(_ gap: Gap) -> [Gap] {
        var gaps: [Gap] = []
        switch gap.after {
        case .own, .made: gaps.append(Gap(after: gap.after, before: gap.before.flatMap(reference)))
        case .confirmed(let index):
            let known = now.prefix(now.indices.contains(index) ? index + 1 : 0)
            if let left = known.last(where: { $0 != nil }) ?? nil { gaps.append(behind(left)) }
        case nil: if gap.before != nil { gaps.append(Gap(after: nil, before: count > 0 ? .confirmed(0) : nil)) }
        }
        switch gap.before {
        case .own, .made: gaps.append(Gap(after: gap.after.flatMap(reference), before: gap.before))
        case .confirmed(let index):
            if now.indices.contains(index), let right = now[index...].first(where: { $0 != nil }) ?? nil {
                gaps.append(Gap(after: right > 0 ? .confirmed(right - 1) : nil, before: .confirmed(right)))
            }
        case nil: break
        }
        return gaps + [count > 0 ? behind(count - 1) : Gap(after: nil, before: nil)]
    }

    private func behind(_ index: Int) -> Gap {
        Gap(after: .confirmed(index), before: index + 1 < count ? .confirmed(index + 1) : nil)
    }
}
