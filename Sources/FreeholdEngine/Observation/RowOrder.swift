/// A comparison of the objects of one state by sort keys. Equal objects are compared by their keys, as in a stable sort of a table.
final class RowOrder {
    private let columns: [SortColumn]

    init(_ sort: [SortKey], in view: DataView) { columns = sort.map { SortColumn($0, in: view) } }

    /// An object that is compared with many others. Its values are read once.
    final class Probe {
        let key: ObjectKey
        /// The numbers in the order in which comparisons need them.
        fileprivate var numbers: [UInt64] = []
        fileprivate var values: [Int: Value] = [:]

        init(_ key: ObjectKey) { self.key = key }
    }

    /// Returns whether an object precedes another one.
    /// - Complexity: O(sort keys), and the length of equal strings.
    func isBefore(_ a: ObjectKey, _ probe: Probe) -> Bool {
        var step = 0
        for column in columns {
            let order = compare(column, a.raw, probe: probe, step: &step)
            if order != 0 { return order < 0 }
        }
        return a < probe.key
    }

    private func compare(_ column: SortColumn, _ a: Int64, probe: Probe, step: inout Int) -> Int {
        var chunk = column.firstChunk
        while true {
            defer { step += 1 }
            if column.isRanked(chunk) {
                let order = Value.compare(column.value(a), with: value(column, probe, step: step))
                return column.ascending ? order : -order
            }
            let x = column.number(a, chunk: chunk)
            let y = number(column, chunk, probe: probe, step: step)
            if x != y { return x < y ? -1 : 1 }
            guard let next = column.chunk(after: chunk, x) else { return 0 }
            chunk = next
        }
    }

    @inline(__always)
    private func number(_ column: SortColumn, _ chunk: Int, probe: Probe, step: Int) -> UInt64 {
        if step < probe.numbers.count { return probe.numbers[step] }
        let number = column.number(probe.key.raw, chunk: chunk)
        probe.numbers.append(number)
        return number
    }

    private func value(_ column: SortColumn, _ probe: Probe, step: Int) -> Value {
        if let value = probe.values[step] { return value }
        let value = column.value(probe.key.raw)
        probe.values[step] = value
        // The number reserves the value's place among the numbers.
        probe.numbers.append(0)
        return value
    }
}
