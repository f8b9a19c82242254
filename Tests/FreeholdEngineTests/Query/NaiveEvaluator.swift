import Foundation

@testable import FreeholdEngine

/// Evaluates predicates value by value on plain rows, which are arrays of values. It has no plan, and shares only the
/// comparison of two values with the engine.
struct NaiveEvaluator {
    let view: DataView

    func keys(_ table: Table, _ predicate: FreeholdEngine.Predicate) -> [ObjectKey] {
        view.keys(table).filter { holds(predicate, $0, table) }
    }

    private func isMixed(_ path: PropertyPath) -> Bool { path.column?.type == .mixed }

    // MARK: Paths

    func values(_ path: PropertyPath, _ key: ObjectKey) -> [Value] {
        guard let step = path.steps.first else { return endValues(path, key) }
        var rest = path
        rest.steps.removeFirst()
        let reached: [ObjectKey?]
        switch step {
        case .link(let c) where c.collection == .none:
            if case .link(let target) = view.value(c, key) { reached = [target] } else { reached = [nil] }
        case .link(let c), .element(let c, .all): reached = view.listLinks(c, key)
        case .backlink(let c): reached = view.backlinks(c, key)
        case .element(let c, let place):
            reached = places(c, key, place).map { if case .link(let target) = $0 { target } else { nil } }
        }
        return reached.flatMap { object -> [Value] in
            if let object { return values(rest, object) }
            return rest.isToMany ? [] : [.null]
        }
    }

    private func endValues(_ path: PropertyPath, _ key: ObjectKey) -> [Value] {
        guard let column = path.column else { return [.link(key)] }
        var rest = path.subscripts
        var found: [Value]
        if column.collection == .none {
            found = [view.value(column, key)]
        } else if rest.isEmpty {
            found = view.listValues(column, key)
        } else {
            found = places(column, key, rest.removeFirst())
        }
        for place in rest { found = found.flatMap { inner($0, place) } }
        return found
    }

    private func places(_ column: Column, _ key: ObjectKey, _ place: Subscript) -> [Value] {
        let all = view.listValues(column, key)
        guard column.collection == .dictionary else {
            switch place {
            case .all: return all
            case .keys: return []
            case .key: return [.null]
            case .index(let i): return [all.indices.contains(i) ? all[i] : .null]
            case .first: return [all.first ?? .null]
            case .last: return [all.last ?? .null]
            }
        }
        let entries = view.dictionaryEntries(column, key)
        switch place {
        case .all: return entries.map(\.value)
        case .keys: return entries.map { .string($0.key) }
        case .key(let name): return [entries.first { $0.key == name }?.value ?? .null]
        case .index, .first, .last: return [.null]
        }
    }

    private func inner(_ value: Value, _ place: Subscript) -> [Value] {
        switch (value, place) {
        case (.list(let list), .all): return list.values
        case (.list(let list), .index(let i)): return [list.values.indices.contains(i) ? list.values[i] : .null]
        case (.list(let list), .first): return [list.values.first ?? .null]
        case (.list(let list), .last): return [list.values.last ?? .null]
        case (.dictionary(let map), .all): return map.entries.map(\.value)
        case (.dictionary(let map), .keys): return map.entries.map { .string($0.key) }
        case (.dictionary(let map), .key(let name)): return [map.entries.first { $0.key == name }?.value ?? .null]
        case (_, .all), (_, .keys): return []
        default: return [.null]
        }
    }

    // MARK: Predicates

    func holds(_ predicate: FreeholdEngine.Predicate, _ key: ObjectKey, _ table: Table) -> Bool {
        switch predicate {
        case .constant(let value): value
        case .and(let all): all.allSatisfy { holds($0, key, table) }
        case .or(let all): all.contains { holds($0, key, table) }
        case .not(let inner): !holds(inner, key, table)
        case .objects(let keys): keys.contains(key)
        case .comparison(let path, let op, let c): quantified(path, key) { op.holds(between: $0, and: c) }
        case .between(let path, let lower, let upper, let isClosed):
            quantified(path, key) {
                Comparison.greaterOrEqual.holds(between: $0, and: lower)
                    && (isClosed ? Comparison.lessOrEqual : .less).holds(between: $0, and: upper)
            }
        case .oneOf(let path, let all):
            quantified(path, key) { v in all.contains { Comparison.equal.holds(between: v, and: $0) } }
        case .text(let path, let op, let pattern, let options):
            quantified(path, key) { string($0, op, pattern, options, isMixed(path)) }
        case .texts(let a, let op, let b, let options):
            quantified(a, b, key, table) { string($0, op, $1, options, isMixed(a)) }
        case .operands(let a, let op, let b):
            quantified(a, b, key, table) { compare($0, op, $1, isType(a) || isType(b)) }
        case .elements(let path, let op, let values): elements(path, key, values) == (op == .equal)
        case .fullText, .within: preconditionFailure("tested where it is made")
        }
    }

    private func elements(_ path: PropertyPath, _ key: ObjectKey, _ wanted: [Value]) -> Bool {
        var found = values(path, key)
        if isMixed(path), !path.isToMany {
            switch found[0] {
            case .list(let list): found = list.values
            case .dictionary(let map): found = map.entries.map(\.value)
            default: return false
            }
        }
        return found.count == wanted.count
            && zip(found, wanted).allSatisfy { Comparison.equal.holds(between: $0, and: $1) }
    }

    private func holds(_ quantifier: Quantifier, _ values: [Value], _ condition: (Value) -> Bool) -> Bool {
        let number = values.count(where: condition)
        switch quantifier {
        case .any: return number > 0
        case .all: return number == values.count
        case .none: return number == 0
        }
    }

    private func quantified(_ path: PropertyPath, _ key: ObjectKey, _ condition: (Value) -> Bool) -> Bool {
        holds(path.quantifier, values(path, key), condition)
    }

    private func quantified(
        _ a: Operand,
        _ b: Operand,
        _ key: ObjectKey,
        _ table: Table,
        _ condition: (Value, Value) -> Bool
    ) -> Bool {
        let right = operand(b, key, table)
        return holds(quantifier(a), operand(a, key, table)) { x in holds(quantifier(b), right) { condition(x, $0) } }
    }

    // MARK: Operands

    private func quantifier(_ operand: Operand) -> Quantifier {
        switch operand {
        case .constants(_, let quantifier): quantifier
        case .path(let path), .type(let path), .length(let path): path.quantifier
        case .arithmetic(_, let a, let b): quantifier(a) == .any ? quantifier(b) : quantifier(a)
        default: .any
        }
    }

    private func isMixed(_ operand: Operand) -> Bool {
        if case .path(let path) = operand { isMixed(path) } else { false }
    }
    private func isType(_ operand: Operand) -> Bool { if case .type = operand { true } else { false } }

    private func operand(_ operand: Operand, _ key: ObjectKey, _ table: Table) -> [Value] {
        switch operand {
        case .constant(let value): return [value]
        case .constants(let values, _): return values
        case .path(let path): return values(path, key)
        case .count(let path):
            let all = values(path, key)
            guard isMixed(path), !path.isToMany else { return [.int(Int64(all.count))] }
            switch all[0] {
            case .list(let list): return [.int(Int64(list.values.count))]
            case .dictionary(let map): return [.int(Int64(map.entries.count))]
            default: return [.int(0)]
            }
        case .aggregate(let aggregate, let path): return [fold(aggregate, values(path, key), isMixed(path))]
        case .type(let path): return values(path, key).map { .string(names(of: $0)[0]) }
        case .length(let path):
            return values(path, key).map {
                switch $0 {
                case .string(let text): .int(Int64(text.utf8.count))
                case .data(let data): .int(Int64(data.count))
                default: .null
                }
            }
        case .matches(let path, let predicate):
            let reached: [ObjectKey] = values(path, key).compactMap {
                if case .link(let target) = $0 { target } else { nil }
            }
            let target = end(path, table)
            return [.int(Int64(reached.count { holds(predicate, $0, target) }))]
        case .incomingLinks(let steps):
            let path = PropertyPath(steps, nil)
            var total = 0
            for case .link(let object) in values(path, key) {
                for origin in view.schema.tables {
                    for column in origin.columns
                    where column.type == .mixed || column.targetTableID == end(path, table).id {
                        total += view.backlinks(column.asBacklinkColumn(to: end(path, table)), object).count
                    }
                }
            }
            return [.int(Int64(total))]
        case .arithmetic(let op, let a, let b):
            let right = self.operand(b, key, table)
            return self.operand(a, key, table).flatMap { x in right.map { calculate(op, x, $0) } }
        }
    }

    /// The table of the objects that a path's values are.
    private func end(_ path: PropertyPath, _ table: Table) -> Table {
        var table = table
        for step in path.steps {
            switch step {
            case .link(let c), .element(let c, _): table = view.schema.table(id: c.targetTableID!)!
            case .backlink(let c): table = view.schema.table(id: c.tableID)!
            }
        }
        return path.column.map { view.schema.table(id: $0.targetTableID!)! } ?? table
    }

    private func calculate(_ op: ArithmeticOperator, _ a: Value, _ b: Value) -> Value {
        func double(_ v: Value) -> Double? {
            switch v {
            case .int(let x): Double(x)
            case .float(let x): Double(x)
            case .double(let x): x
            default: nil
            }
        }
        func decimal(_ v: Value) -> Decimal128? {
            if case .decimal128(let x) = v { return x }
            if case .int(let x) = v { return Decimal128(x) }
            if case .float(let x) = v { return Decimal128(x) }
            return double(v).map { Decimal128($0) }
        }
        if case .int(let x) = a, case .int(let y) = b {
            switch op {
            case .add: return .int(x &+ y)
            case .subtract: return .int(x &- y)
            case .multiply: return .int(x &* y)
            case .divide: return y == 0 ? .null : y == -1 ? .int(0 &- x) : .int(x / y)
            }
        }
        if a.type == .decimal128 || b.type == .decimal128 {
            guard let x = decimal(a), let y = decimal(b) else { return .null }
            switch op {
            case .add: return .decimal128(x + y)
            case .subtract: return .decimal128(x - y)
            case .multiply: return .decimal128(x * y)
            case .divide: return .decimal128(x / y)
            }
        }
        guard let x = double(a), let y = double(b) else { return .null }
        switch op {
        case .add: return .double(x + y)
        case .subtract: return .double(x - y)
        case .multiply: return .double(x * y)
        case .divide: return .double(x / y)
        }
    }

    /// Returns the names of a value's type, its own name first.
    private func names(of value: Value) -> [String] {
        switch value {
        case .null: ["null"]
        case .bool: ["bool", "boolean"]
        case .int: ["int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char", "numeric"]
        case .float: ["float", "numeric"]
        case .double: ["double", "numeric"]
        case .string: ["string"]
        case .data: ["binary", "data", "bytearray", "byte[]", "bindata"]
        case .timestamp: ["date", "timestamp", "datetimeoffset"]
        case .decimal128: ["decimal", "decimal128", "numeric"]
        case .objectId: ["objectid"]
        case .uuid: ["uuid", "guid"]
        case .link, .objectLink: ["object", "link", "objectlink"]
        case .list: ["list", "array", "collection"]
        case .dictionary: ["dictionary", "collection"]
        }
    }

    /// One of each type that a value can be of.
    private static let samples: [Value] = [
        .null, .bool(true), .int(0), .float(0), .double(0), .string(""), .data(Data()),
        .timestamp(Timestamp(seconds: 0, nanoseconds: 0)), .decimal128(Decimal128(0)), .objectId(ObjectId()),
        .uuid(UUID()), .link(ObjectKey(0)), .list(NestedList([])), .dictionary(NestedDictionary([])),
    ]

    private func compare(_ a: Value, _ op: Comparison, _ b: Value, _ areTypes: Bool) -> Bool {
        guard areTypes, case .string(let a) = a, case .string(let b) = b else { return op.holds(between: a, and: b) }
        let isOne = Self.samples.contains {
            let names = names(of: $0)
            return names.contains(a.lowercased()) && names.contains(b.lowercased())
        }
        return op == .equal ? isOne : op == .notEqual ? !isOne : false
    }

    func fold(_ aggregate: Aggregate, _ values: [Value], _ isMixed: Bool = false) -> Value {
        let all = values.filter { !$0.isNull && $0.nestedID == nil }
        switch aggregate {
        case .minimum: return all.filter { !$0.isNaN }.min { Value.compare($0, with: $1) < 0 } ?? .null
        case .maximum: return all.filter { !$0.isNaN }.max { Value.compare($0, with: $1) < 0 } ?? .null
        case .sum, .average:
            var numbers = all.filter { $0.isNumber }
            // Mixed numbers are added as decimals.
            if isMixed { numbers = numbers.map { calculate(.add, $0, .decimal128(Decimal128(0))) } }
            let count = Int64(numbers.count)
            if aggregate == .sum { return numbers.reduce(.int(0)) { calculate(.add, $0, $1) } }
            if numbers.isEmpty { return .null }
            if numbers[0].type == .decimal128 {
                return calculate(.divide, numbers.reduce(.int(0)) { calculate(.add, $0, $1) }, .int(count))
            }
            if numbers[0].type == .int {
                let sum = numbers.reduce(Int128(0)) { if case .int(let x) = $1 { $0 + Int128(x) } else { $0 } }
                return .double(Double(sum) / Double(count))
            }
            return calculate(.divide, numbers.reduce(.double(0)) { calculate(.add, $0, $1) }, .int(count))
        }
    }

    // MARK: Strings

    static func folded(_ text: String, _ options: TextOptions) -> String {
        var scalars = Array(text.unicodeScalars)
        if options.contains(.ignoringDiacritics) {
            scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                $0.properties.canonicalCombiningClass.rawValue == 0
            }
        }
        if options.contains(.ignoringCase) {
            scalars = scalars.map { scalar in
                if options.contains(.latinCaseOnly) {
                    let isUpper = "A"..."Z" ~= scalar || ("À"..."Þ" ~= scalar && scalar != "×")
                    return isUpper ? Unicode.Scalar(scalar.value + 32)! : scalar
                }
                return Unicode.Scalar(CaseFolding.fold(scalar.value))!
            }
        }
        var out = ""
        out.unicodeScalars.append(contentsOf: scalars)
        return out
    }

    private func string(
        _ value: Value,
        _ op: StringOperator,
        _ pattern: Value,
        _ options: TextOptions,
        _ isMixed: Bool
    ) -> Bool {
        if pattern.isNull {
            switch op {
            case .equal, .like, .matches: return value.isNull
            case .notEqual: return !value.isNull
            case .beginsWith, .endsWith, .contains: return true
            }
        }
        let isText = value.type == .string || value.type == .data
        let isPattern = pattern.type == .string || pattern.type == .data
        guard isText, isPattern, !isMixed || value.type == pattern.type else { return op == .notEqual }
        func bytes(_ value: Value) -> [UInt8] {
            let bytes = value.withStoredBytes { Array($0) }
            return String(validating: bytes, as: UTF8.self).map { Array(Self.folded($0, options).utf8) } ?? bytes
        }
        let a = bytes(value)
        let b = bytes(pattern)
        switch op {
        case .equal: return a == b
        case .notEqual: return a != b
        case .beginsWith: return a.starts(with: b)
        case .endsWith: return a.reversed().starts(with: b.reversed())
        case .contains:
            return b.isEmpty || (0...max(0, a.count - b.count)).contains { a.dropFirst($0).starts(with: b) }
        case .matches: preconditionFailure("has tests of its own: RegularExpressionTests")
        case .like:
            return like(
                Array(String(decoding: a, as: UTF8.self).unicodeScalars)[...],
                Array(String(decoding: b, as: UTF8.self).unicodeScalars)[...]
            )
        }
    }

    private func like(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let p = pattern.first else { return text.isEmpty }
        if p == "*" { return (0...text.count).contains { like(text.dropFirst($0), pattern.dropFirst()) } }
        guard let t = text.first, p == "?" || p == t else { return false }
        return like(text.dropFirst(), pattern.dropFirst())
    }
}
