import FreeholdEngine

/// The sums of the values in some rows, by column.
struct ColumnSums {
    let view: DataView
    let facts: SchemaFacts

    func json(_ query: RowQuery, count: Int, _ columns: [Column]) -> StudioJSON {
        let writer = ValueWriter(view: view, facts: facts)
        let sums = columns.filter(Self.isSummed).map { column in
            var nulls = 0
            if column.isOptional {
                var nullQuery = query
                nullQuery.stages.append(.filter(.comparison(PropertyPath(column), .equal, .null)))
                nulls = nullQuery.count(in: view)
            }
            func aggregate(_ aggregate: Aggregate) -> StudioJSON {
                writer.json(query.aggregate(aggregate, of: PropertyPath(column), in: view), column)
            }
            let isDate = column.type == .timestamp
            return StudioJSON.members([
                "name": .string(column.name), "count": .int(count - nulls), "nulls": .int(nulls),
                "sum": isDate ? .null : aggregate(.sum), "mean": isDate ? .null : aggregate(.average),
                "min": aggregate(.minimum), "max": aggregate(.maximum),
            ])
        }
        return ["rows": .int(count), "columns": .array(sums)]
    }

    private static func isSummed(_ column: Column) -> Bool {
        guard column.collection == .none else { return false }
        switch column.type {
        case .int, .float, .double, .decimal128, .timestamp: return true
        default: return false
        }
    }
}
