/// Compares objects of one state by sort keys; equal ones by key, as a sort of a table leaves them.
final class RowOrder {
    private let columns: [SortColumn]

    init(_ sort: [SortKey], in view: DataView) { columns = sort.map { SortColumn($0, in: view) } }

    /// Whether one comes before the other. - Complexity: O(sort keys), and the length of equal strings.
    func isBefore(_ a: ObjectKey, _ b: ObjectKey) -> Bool {
        for column in columns {
            let order = Self.compare(column, a.raw, b.raw)
            if order != 0 { return order < 0 }
        }
        return a < b
    }

    private static func compare(_ column: SortColumn, _ a: Int64, _ b: Int64) -> Int {
        var chunk = column.firstChunk
        while true {
            if column.isRanked(chunk) {
                let order = Value.compare(column.value(a), column.value(b))
                return column.ascending ? order : -order
            }
            let x = column.number(a, chunk: chunk)
            let y = column.number(b, chunk: chunk)
            if x != y { return x < y ? -1 : 1 }
            guard let next = column.chunk(after: chunk, x) else { return 0 }
            chunk = next
        }
    }
}
