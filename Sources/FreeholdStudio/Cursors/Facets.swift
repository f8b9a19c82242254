import FreeholdEngine

/// The most frequent values of a property in a result.
struct Facets {
    let view: DataView
    let facts: SchemaFacts

    private static let most = 50
    /// The maximum number of examined objects. In a larger result, objects at equal distances are examined.
    private static let examined = 200_000

    func json(_ rows: FollowedRows, _ column: Column, _ table: Table) throws(StudioError) -> StudioJSON {
        guard column.collection == .none, column.type != .data else {
            throw StudioError(.invalid, "The values of '\(column.name)' can't be counted: it is a collection or data.")
        }
        let count = rows.count
        var keys: [ObjectKey] = []
        if count <= Self.examined {
            keys = rows.keys(0..<count)
        } else {
            for i in 0..<Self.examined {
                keys += rows.keys((i * count / Self.examined)..<(i * count / Self.examined + 1))
            }
        }
        var counts: [Value: Int] = [:]
        for key in keys { counts[view.value(column, key), default: 0] += 1 }
        let nulls = counts.removeValue(forKey: .null) ?? 0
        let sorted = counts.sorted { a, b in
            a.value != b.value ? a.value > b.value : ValueText.plain(a.key) < ValueText.plain(b.key)
        }
        let shown = sorted.prefix(Self.most)
        let writer = ValueWriter(view: view, facts: facts)
        let conditions = CellCondition(view: view)
        return [
            "values": .array(
                shown.map { value, count in
                    [
                        "value": writer.json(value, column), "count": .int(count),
                        "query": .text(conditions.text(value, column)),
                    ]
                }
            ),
            "rest": .int(keys.count - nulls - shown.reduce(0) { $0 + $1.value }), "nulls": .int(nulls),
            "examined": .int(keys.count), "of": .int(count),
        ]
    }
}
