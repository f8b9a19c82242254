/// An operation on a sequence of values, such as a list of numbers.
package enum ValueStage: Sendable {
    /// Sorts the values. The sort is stable.
    case sort(ascending: Bool)
    /// Keeps the first of equal values: see `Value.areEqual`.
    case distinct
    case limit(Int)
    case offset(Int)

    /// Returns the positions of the values that remain after the stages, in order.
    ///
    /// - Complexity: O(n), O(n log n) for sorts.
    package static func positions(of values: [Value], _ stages: [ValueStage]) -> [Int] {
        var positions = Array(values.indices)
        for stage in stages {
            switch stage {
            case .sort(let ascending): positions = sorted(positions, by: values, ascending: ascending)
            case .distinct:
                var seen: Set<EqualValue> = []
                positions = positions.filter { seen.insert(EqualValue(values[$0])).inserted }
            case .limit(let n): positions = Window(limit: n).slice(positions)
            case .offset(let n): positions = Window(offset: n).slice(positions)
            }
        }
        return positions
    }

    private static func sorted(_ positions: [Int], by values: [Value], ascending: Bool) -> [Int] {
        if let ranks = ranks(positions, of: values, ascending: ascending) {
            return ranks.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { positions[$0] }
        }
        // The standard library's sort is stable.
        return positions.sorted {
            let order = Value.compare(values[$0], with: values[$1])
            return ascending ? order < 0 : order > 0
        }
    }

    /// Returns numbers with the order of the values, null first, or `nil` unless all values are integers or null.
    private static func ranks(_ positions: [Int], of values: [Value], ascending: Bool) -> [Int64]? {
        var ranks: [Int64] = []
        ranks.reserveCapacity(positions.count)
        for i in positions {
            switch values[i] {
            case .int(let x) where x > .min: ranks.append(ascending ? x : -x)
            case .null: ranks.append(ascending ? .min : .max)
            default: return nil
            }
        }
        // In descending order, null would be equal to the negative of the least integer.
        return ascending || !ranks.contains(.max) || !values.contains(.int(-.max)) ? ranks : nil
    }
}
