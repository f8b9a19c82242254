internal import FreeholdEngine
internal import FreeholdSyncCore

/// Finds the conditions that a changed row can concern.
struct ConditionIndex: Sendable {
    struct OfTable: Sendable {
        fileprivate var columns: [Int: OfColumn] = [:]
        fileprivate var others: Set<ConditionNumber> = []
        /// The number of conditions that aren't equalities. They may read any column.
        fileprivate var reading = 0
    }

    fileprivate struct OfColumn: Sendable {
        let column: Column
        var values: [ColumnValue: Set<ConditionNumber>] = [:]
    }

    private var tables: [Int: OfTable] = [:]

    subscript(table: Int) -> OfTable? { tables[table] }

    mutating func add(_ condition: FollowedCondition, _ number: ConditionNumber) {
        change(condition) { own in
            switch condition.way {
            case .equal(let column, let values): own.add(column, values, number)
            case .among(let column, let values):
                own.add(column, values, number)
                own.reading += 1
            case .ofRow:
                own.others.insert(number)
                own.reading += 1
            case .followed: break
            }
        }
    }

    mutating func remove(_ condition: FollowedCondition, _ number: ConditionNumber) {
        change(condition) { own in
            switch condition.way {
            case .equal(let column, let values): own.remove(column, values, number)
            case .among(let column, let values):
                own.remove(column, values, number)
                own.reading -= 1
            case .ofRow:
                own.others.remove(number)
                own.reading -= 1
            case .followed: break
            }
        }
    }

    private mutating func change(_ condition: FollowedCondition, _ body: (inout OfTable) -> Void) {
        body(&tables[condition.table.table.id, default: OfTable()])
    }
}

extension ConditionIndex.OfTable {
    fileprivate mutating func add(_ column: Column, _ values: Set<ColumnValue>, _ number: ConditionNumber) {
        for value in values {
            columns[column.id, default: ConditionIndex.OfColumn(column: column)].values[value, default: []]
                .insert(number)
        }
    }

    fileprivate mutating func remove(_ column: Column, _ values: Set<ColumnValue>, _ number: ConditionNumber) {
        for value in values {
            columns[column.id]?.values[value]?.remove(number)
            if columns[column.id]?.values[value]?.isEmpty == true { columns[column.id]?.values[value] = nil }
        }
        if columns[column.id]?.values.isEmpty == true { columns[column.id] = nil }
    }

    /// Returns whether a change of the column can change a membership.
    func reads(_ column: Int) -> Bool { reading > 0 || columns[column] != nil }

    /// - Parameters:
    ///   - old: The snapshot before the change. `nil` if the row didn't exist.
    ///   - new: The snapshot after the change. `nil` if the row no longer exists.
    func candidates(_ row: ObjectKey, _ old: Snapshot?, _ new: Snapshot?) -> Set<ConditionNumber> {
        var found = others
        for own in columns.values {
            for view in [old, new] {
                guard let view, let value = ColumnValue(view.value(own.column, row), own.column) else { continue }
                if let numbers = own.values[value] { found.formUnion(numbers) }
            }
        }
        return found
    }
}
