/// Comparisons of two operands: by a scan of one path where the other side is constant, by arrays of numbers where
/// both are numbers, else row by row.
extension Planner {
    func compare(_ a: Operand, _ op: Comparison, _ b: Operand, _ table: Table) -> PlanNode {
        switch (a, b) {
        case (.path(let path), .constant(let value)): return node(path, ValueTest(.comparison(op, value)), table)
        case (.constant(let value), .path(let path)):
            return node(path, ValueTest(.comparison(op.mirrored, value)), table)
        case (.path(let path), .constants(let values, let quantifier)):
            // Equal to any: one of them; unequal to all, equal to none: none of them.
            switch (op, quantifier) {
            case (.equal, .any): return node(path, ValueTest(.oneOf(values)), table)
            case (.notEqual, .all), (.equal, .none): return node(path, ValueTest(.oneOf(values)).negated, table)
            default: break
            }
        default: break
        }
        let left = OperandPlan(a, table, self)
        let right = OperandPlan(b, table, self)
        let isType = left.isType || right.isType
        let rows = rows(left, right, table) { x, y in
            if isType, !x.isNull, !y.isNull {
                return (op == .equal || op == .notEqual) && ValueTypeName.areOne(x, y) == (op == .equal)
            }
            return op.holds(x, y)
        }
        guard a.quantifier != .none, b.quantifier != .none, let x = NumberSource.make(a, table, view),
            let y = NumberSource.make(b, table, view)
        else { return rows }
        return NumberScan(view: view, x, op, y) { rows.test($0) }
    }

    func compareTexts(_ a: Operand, _ op: StringOperator, _ b: Operand, _ options: TextOptions, _ table: Table)
        -> PlanNode
    {
        if case .path(let path) = a, case .constant(let pattern) = b {
            return node(path, ValueTest(.text(op, pattern, options)), table)
        }
        let fold = TextFold(options)
        if let x = bytesColumn(a), let y = bytesColumn(b) {
            return RowNode(view: view, table: table) { [view] key in
                view.withBytes(y, key) { pattern in
                    guard let pattern else {
                        let isNull = view.withBytes(x, key) { $0 == nil }
                        return ValueTest.matchesNullPattern(op, isNull ? .null : .bool(true))
                    }
                    return view.withBytes(x, key) { bytes in
                        guard let bytes else { return op == .notEqual }
                        return BytesCondition.matches(bytes, op, pattern, fold)
                    }
                }
            }
        }
        let isMixed = if case .path(let path) = a { path.column?.type == .mixed } else { false }
        return rows(OperandPlan(a, table, self), OperandPlan(b, table, self), table) { value, pattern in
            var test = ValueTest(.text(op, pattern, options))
            test.isMixed = isMixed
            return test.matches(value)
        }
    }

    /// A column of strings or data of the table itself, whose one value has to meet the condition.
    private func bytesColumn(_ operand: Operand) -> Column? {
        guard case .path(let path) = operand, path.steps.isEmpty, path.subscripts.isEmpty, path.quantifier != .none,
            let column = path.column, column.collection == .none, column.type == .string || column.type == .data
        else { return nil }
        return column
    }

    /// Row by row: the quantifier of the left side is the outer one.
    private func rows(
        _ a: OperandPlan,
        _ b: OperandPlan,
        _ table: Table,
        _ holds: @escaping (Value, Value) -> Bool
    ) -> PlanNode {
        RowNode(view: view, table: table) { key in
            guard a.isToMany else {
                return a.holds(key) { x in b.holds(key) { holds(x, $0) } }
            }
            // Not read again for each value of the left side.
            let right = b.values(key)
            return a.holds(key) { x in b.quantifier.holds(right) { holds(x, $0) } }
        }
    }

    /// The collection at the path, or the list or dictionary inside a mixed value, has just these elements.
    func elements(_ path: PropertyPath, _ op: Comparison, _ values: [Value], _ table: Table) -> PlanNode {
        let reader = PathReader(view: view)
        reader.settle(path)
        let isNested = path.column?.type == .mixed && !path.isToMany
        return RowNode(view: view, table: table) { key in
            var i = 0
            func isNext(_ value: Value) -> Bool {
                guard i < values.count, Comparison.equal.holds(value, values[i]) else { return false }
                i += 1
                return true
            }
            let areEqual = reader.forEach(path, key) { value in
                guard isNested else { return isNext(value) }
                switch value {
                case .list(let list): return list.values.allSatisfy(isNext)
                case .dictionary(let dictionary): return dictionary.entries.allSatisfy { isNext($0.value) }
                default: return false
                }
            }
            return (areEqual && i == values.count) == (op == .equal)
        }
    }
}

extension Quantifier {
    func holds(_ values: [Value], _ condition: (Value) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: condition)
        case .all: values.allSatisfy(condition)
        case .none: !values.contains(where: condition)
        }
    }
}
