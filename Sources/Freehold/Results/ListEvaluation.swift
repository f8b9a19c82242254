import FreeholdEngine

/// Sorting the objects of a list, which keep the list's order where they are equal (a table's keep that of their keys,
/// which the engine sees to).
struct ListSorter {
    let view: DataView
    let sort: [SortKey]

    private struct Row {
        let key: ObjectKey
        /// By sort key; nil where a link on the path is null.
        let values: [Value?]
    }

    func sorted(_ keys: [ObjectKey]) -> [ObjectKey] {
        let rows = keys.map { key in Row(key: key, values: sort.map { value($0.path, key) }) }
        // The standard library's sort is stable.
        return rows.sorted(by: isBefore).map(\.key)
    }

    private func value(_ path: PropertyPath, _ key: ObjectKey) -> Value? {
        var key = key
        for case .link(let link) in path.steps {
            guard let next = view.readLink(link, key) else { return nil }
            key = next
        }
        return view.value(path.column!, key)
    }

    private func isBefore(_ a: Row, _ b: Row) -> Bool {
        for (i, key) in sort.enumerated() {
            let order = compare(a.values[i], b.values[i])
            if order != 0 { return key.ascending ? order < 0 : order > 0 }
        }
        return false
    }

    /// Null links last.
    private func compare(_ a: Value?, _ b: Value?) -> Int {
        switch (a, b) {
        case (nil, nil): 0
        case (nil, _): 1
        case (_, nil): -1
        case (let a?, let b?): Value.compare(a, b)
        }
    }
}

/// One value made of many, for lists, in which an object can occur more than once.
enum ListFold {
    static func fold(_ aggregate: Aggregate, _ values: [Value], _ type: ColumnType) -> Value {
        var values = values.filter { !$0.isNull }
        if type == .mixed, aggregate == .sum || aggregate == .average { values = values.compactMap { $0.asDecimal } }
        switch aggregate {
        case .minimum: return values.filter { !isNaN($0) }.min { Value.compare($0, $1) < 0 } ?? .null
        case .maximum: return values.filter { !isNaN($0) }.max { Value.compare($0, $1) < 0 } ?? .null
        case .sum: return sum(values, type)
        case .average:
            if values.isEmpty { return .null }
            return switch sum(values, type) {
            case .decimal128(let sum): .decimal128(sum / Decimal128(values.count))
            case .double(let sum): .double(sum / Double(values.count))
            default: .double(values.reduce(0) { $0 + double($1) } / Double(values.count))
            }
        }
    }

    private static func sum(_ values: [Value], _ type: ColumnType) -> Value {
        switch type {
        case .int: .int(values.reduce(0) { $0 &+ (integer($1) ?? 0) })
        case .decimal128, .mixed: .decimal128(values.reduce(Decimal128(0)) { $0 + (decimal($1) ?? Decimal128(0)) })
        default: .double(values.reduce(0) { $0 + double($1) })
        }
    }

    private static func integer(_ value: Value) -> Int64? { if case .int(let x) = value { x } else { nil } }
    private static func decimal(_ value: Value) -> Decimal128? { if case .decimal128(let x) = value { x } else { nil } }

    private static func double(_ value: Value) -> Double {
        switch value {
        case .int(let x): Double(x)
        case .float(let x): Double(x)
        case .double(let x): x
        default: 0
        }
    }

    private static func isNaN(_ value: Value) -> Bool {
        switch value {
        case .float(let x): x.isNaN
        case .double(let x): x.isNaN
        case .decimal128(let x): x.isNaN
        default: false
        }
    }
}

extension Value {
    /// A number as a decimal; nil for what is none.
    fileprivate var asDecimal: Value? {
        switch self {
        case .int(let value): .decimal128(Decimal128(value))
        case .float(let value): .decimal128(Decimal128(value))
        case .double(let value): .decimal128(Decimal128(value))
        case .decimal128: self
        default: nil
        }
    }
}
