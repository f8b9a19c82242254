@testable import FreeholdEngine

/// What predicates mean, value by value, on plain rows.
struct NaiveEvaluator {
    let view: DataView

    func keys(_ table: Table, _ predicate: Predicate) -> [ObjectKey] {
        view.keys(table).filter { holds(predicate, $0) }
    }

    private func isMixed(_ path: PropertyPath) -> Bool { path.column?.type == .mixed }

    func values(_ path: PropertyPath, _ key: ObjectKey) -> [Value] {
        var objects: [ObjectKey?] = [key]
        var nullSteps = path.steps[...]
        while let step = nullSteps.popFirst() {
            let restIsToMany = PropertyPath(Array(nullSteps), path.column).isToMany
            objects = objects.flatMap { object -> [ObjectKey?] in
                guard let object else { return step.isToMany ? [] : [nil] }
                switch step {
                case .link(let c) where c.collection == .none:
                    if case .link(let target) = view.value(c, object) { return [target] }
                    return restIsToMany ? [] : [nil]
                case .link(let c): return view.listLinks(c, object)
                case .backlink(let c): return view.backlinks(c, object)
                case .element: preconditionFailure("not evaluated yet")
                }
            }
        }
        return objects.flatMap { object -> [Value] in
            guard let object else { return [.null] }
            guard let column = path.column else { return [.link(object)] }
            return column.collection == .none ? [view.value(column, object)] : view.listValues(column, object)
        }
    }

    func holds(_ predicate: Predicate, _ key: ObjectKey) -> Bool {
        switch predicate {
        case .constant(let value): value
        case .and(let all): all.allSatisfy { holds($0, key) }
        case .or(let all): all.contains { holds($0, key) }
        case .not(let inner): !holds(inner, key)
        case .objects(let keys): keys.contains(key)
        case .comparison(let path, let op, let c): values(path, key).contains { op.holds($0, c) }
        case .between(let path, let lower, let upper, let isClosed):
            values(path, key).contains {
                Comparison.greaterOrEqual.holds($0, lower)
                    && (isClosed ? Comparison.lessOrEqual : .less).holds($0, upper)
            }
        case .oneOf(let path, let all):
            values(path, key).contains { v in all.contains { Comparison.equal.holds(v, $0) } }
        case .text(let path, let op, let pattern, let options):
            values(path, key).contains { string($0, op, pattern, options.contains(.ignoringCase), isMixed(path)) }
        case .texts, .elements, .fullText, .within: preconditionFailure("not evaluated yet")
        case .operands(let a, let op, let b):
            operand(a, key).contains { x in operand(b, key).contains { op.holds(x, $0) } }
        }
    }

    private func operand(_ operand: Operand, _ key: ObjectKey) -> [Value] {
        switch operand {
        case .path(let path): return values(path, key)
        case .count(let path): return [.int(Int64(values(path, key).count))]
        case .aggregate(let aggregate, let path): return [fold(aggregate, values(path, key), isMixed(path))]
        case .constant(let value): return [value]
        case .constants, .type, .length, .matches, .incomingLinks, .arithmetic:
            preconditionFailure("not evaluated yet")
        }
    }

    func fold(_ aggregate: Aggregate, _ values: [Value], _ isMixed: Bool = false) -> Value {
        let all = values.filter { !$0.isNull && $0.nestedID == nil }
        switch aggregate {
        case .minimum: return all.filter { !$0.isNaN }.min { Value.compare($0, $1) < 0 } ?? .null
        case .maximum: return all.filter { !$0.isNaN }.max { Value.compare($0, $1) < 0 } ?? .null
        case .sum, .average:
            var f = ValueFold(aggregate, isMixed: isMixed)
            for v in all { f.add(v) }
            return f.result
        }
    }

    private func string(
        _ value: Value,
        _ op: StringOperator,
        _ pattern: Value,
        _ fold: Bool,
        _ isMixed: Bool
    ) -> Bool {
        guard !pattern.isNull else {
            return op == .equal || op == .like ? value.isNull : op == .notEqual ? !value.isNull : true
        }
        if value.isNull { return op == .notEqual }
        guard value.type == .string || (value.type == .data && !isMixed) else { return op == .notEqual }
        func key(_ bytes: [UInt8]) -> [UInt8] {
            guard fold, let text = String(validating: bytes, as: UTF8.self) else { return bytes }
            return text.unicodeScalars.flatMap { s in
                Array(String(Unicode.Scalar(CaseFolding.fold(s.value))!).utf8)
            }
        }
        let a = key(value.withStoredBytes { Array($0) })
        let b = key(pattern.withStoredBytes { Array($0) })
        switch op {
        case .equal: return a == b
        case .notEqual: return a != b
        case .beginsWith: return a.starts(with: b)
        case .endsWith: return a.reversed().starts(with: b.reversed())
        case .contains:
            return b.isEmpty || (0...max(0, a.count - b.count)).contains { a.dropFirst($0).starts(with: b) }
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
