/// Comparisons of two operands. If one side is constant, the path of the other side is scanned. Two numeric sides are compared as arrays of numbers,
/// and two columns of strings or data as bytes. All other operands are compared row by row.
extension Planner {
    func compare(_ a: Operand, _ op: Comparison, to b: Operand, in table: Table) -> PlanNode {
        switch (a, b) {
        case (.path(let path), .constant(let value)): return node(path, ValueTest(.comparison(op, value)), in: table)
        case (.constant(let value), .path(let path)):
            return node(path, ValueTest(.comparison(op.mirrored, value)), in: table)
        case (.type(let path), .constant(.string(let name))), (.constant(.string(let name)), .type(let path)):
            let kinds = ValueTypeName.kinds(of: .string(name))
            let values = OperandPlan(.path(path), table, planner: self)
            return RowNode(view: view, table: table) { key in
                values.holds(key) {
                    let isOther = ValueTypeName.kind(of: $0).isDisjoint(with: kinds)
                    return op == .equal ? !isOther : op == .notEqual && isOther
                }
            }
        case (.path(let path), .constants(let values, let quantifier)):
            // "Equal to any" tests whether the value is one of the values. "Unequal to all" and "equal to none" are the opposite test.
            switch (op, quantifier) {
            case (.equal, .any): return node(path, ValueTest(.oneOf(values)), in: table)
            case (.notEqual, .all), (.equal, .none): return node(path, ValueTest(.oneOf(values)).negated, in: table)
            default: break
            }
        default: break
        }
        if let x = bytesColumn(a), let y = bytesColumn(b) {
            return BytesPairScan(view: view, table: table, left: x, right: y) { a, b in
                guard let a, let b else {
                    return op.holds(between: a == nil ? .null : .bool(true), and: b == nil ? .null : .bool(true))
                }
                guard x.type == y.type else { return op == .notEqual }
                return op.holds(order: Value.compareBytes(a, with: b))
            }
        }
        let left = OperandPlan(a, table, planner: self)
        let right = OperandPlan(b, table, planner: self)
        let isType = left.isType || right.isType
        let rows = rows(left: left, right: right, in: table) { x, y in
            if isType, !x.isNull, !y.isNull {
                return (op == .equal || op == .notEqual) && ValueTypeName.areOne(x, y) == (op == .equal)
            }
            return op.holds(between: x, and: y)
        }
        guard a.quantifier != .none, b.quantifier != .none, let x = NumberSource.make(a, table, planner: self),
            let y = NumberSource.make(b, table, planner: self)
        else { return rows }
        return NumberScan(view: view, x, op, right: y) { rows.test($0) }
    }

    func compareTexts(_ a: Operand, _ op: StringOperator, to b: Operand, options: TextOptions, in table: Table)
        -> PlanNode
    {
        if case .path(let path) = a, case .constant(let pattern) = b {
            return node(path, ValueTest(.text(op, pattern, options)), in: table)
        }
        let fold = TextFold(options)
        if let x = bytesColumn(a), let y = bytesColumn(b) {
            return BytesPairScan(view: view, table: table, left: x, right: y) { bytes, pattern in
                guard let pattern else { return ValueTest.matchesNullPattern(op, bytes == nil ? .null : .bool(true)) }
                guard let bytes else { return op == .notEqual }
                return BytesCondition.matches(bytes, op, pattern: pattern, fold: fold)
            }
        }
        let isMixed = if case .path(let path) = a { path.column?.type == .mixed } else { false }
        return rows(left: OperandPlan(a, table, planner: self), right: OperandPlan(b, table, planner: self), in: table)
        { value, pattern in
            var test = ValueTest(.text(op, pattern, options))
            test.isMixed = isMixed
            return test.matches(value)
        }
    }

    /// Returns the column if the operand is a string or data column of the table itself, without links, subscripts, collections or NONE.
    private func bytesColumn(_ operand: Operand) -> Column? {
        guard case .path(let path) = operand, path.steps.isEmpty, path.subscripts.isEmpty, path.quantifier != .none,
            let column = path.column, column.collection == .none, column.type == .string || column.type == .data
        else { return nil }
        return column
    }

    /// Returns a node that compares row by row. The quantifier of the left side is the outer one.
    private func rows(
        left a: OperandPlan,
        right b: OperandPlan,
        in table: Table,
        holds: @escaping (Value, Value) -> Bool
    ) -> PlanNode {
        RowNode(view: view, table: table) { key in
            guard a.isToMany else {
                return a.holds(key) { x in b.holds(key) { holds(x, $0) } }
            }
            // The right side is read once for all values of the left side.
            let right = b.values(key)
            return a.holds(key) { x in b.quantifier.holds(right) { holds(x, $0) } }
        }
    }

    /// Returns a node for the condition that the collection at the path, or the list or dictionary inside a mixed value, has exactly these elements.
    func elements(_ path: PropertyPath, _ op: Comparison, values: [Value], in table: Table) -> PlanNode {
        let reader = PathReader(view: view)
        reader.settle(path)
        let isNested = path.column?.type == .mixed && !path.isToMany
        return RowNode(view: view, table: table) { key in
            var i = 0
            func isNext(_ value: Value) -> Bool {
                guard i < values.count, Comparison.equal.holds(between: value, and: values[i]) else { return false }
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
