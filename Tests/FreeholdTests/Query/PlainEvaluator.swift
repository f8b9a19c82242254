import Foundation
import FreeholdEngine

@testable import Freehold

/// A value in a condition, with the distinctions that the language makes.
enum Fact {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case uuid(UUID)
    case object(ObjectBase)
    /// A list or dictionary inside a mixed value.
    case nested

    init(_ value: Any?) {
        switch value {
        case nil: self = .null
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .number(Double(value))
        case let value as Double: self = .number(value)
        case let value as Float: self = .number(Double(value))
        case let value as Decimal128: self = .number(value.doubleValue)
        case let value as String: self = .string(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as UUID: self = .uuid(value)
        case let value as ObjectBase: self = .object(value)
        case let value as AnyRealmValue: self.init(value)
        default: fatalError("no fact: \(String(describing: value))")
        }
    }

    init(_ value: AnyRealmValue) {
        switch value {
        case .none: self = .null
        case .bool(let x): self = .bool(x)
        case .int(let x): self = .number(Double(x))
        case .double(let x): self = .number(x)
        case .string(let x): self = .string(x)
        case .date(let x): self = .date(x)
        case .list, .dictionary: self = .nested
        default: fatalError("no fact: \(value)")
        }
    }

    static func equal(_ a: Fact, _ b: Fact) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.number(let x), .number(let y)): x == y
        case (.string(let x), .string(let y)): Array(x.utf8) == Array(y.utf8)
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.object(let x), .object(let y)): x == y
        default: false
        }
    }

    static func less(_ a: Fact, _ b: Fact) -> Bool {
        switch (a, b) {
        case (.number(let x), .number(let y)): x < y
        case (.string(let x), .string(let y)): x.utf8.lexicographicallyPrecedes(y.utf8)
        case (.date(let x), .date(let y)): x < y
        case (.bool(let x), .bool(let y)): !x && y
        default: false
        }
    }
}

/// Evaluates conditions object by object on live objects, slowly and simply.
struct PlainEvaluator {
    private enum Contents {
        case one(Any?)
        case many([Any?])
        case map([String: Any?])
    }

    private func contents(_ object: ObjectBase, _ name: String) -> Contents {
        if let home = object as? RQHome { return .one(name == "street" ? home.street : home.number) }
        let person = object as! RQPerson
        return switch name {
        case "id": .one(person.id)
        case "name": .one(person.name)
        case "nick": .one(person.nick)
        case "age": .one(person.age)
        case "score": .one(person.score)
        case "height": .one(person.height)
        case "active": .one(person.active)
        case "born": .one(person.born)
        case "price": .one(person.price)
        case "token": .one(person.token)
        case "blob": .one(person.blob)
        case "any": .one(person.any)
        case "tags": .many(Array(person.tags))
        case "marks": .many(Array(person.marks))
        case "numbers": .many(Array(person.numbers))
        case "counts": .map(Dictionary(uniqueKeysWithValues: zip(person.counts.keys, person.counts.values)))
        case "best": .one(person.best)
        case "friends": .many(Array(person.friends))
        case "family": .many(Array(person.family))
        case "byName": .map(Dictionary(uniqueKeysWithValues: zip(person.byName.keys, person.byName.values)))
        case "home": .one(person.home)
        case "homes": .many(Array(person.homes))
        case "admirers": .many(Array(person.admirers))
        case "fans": .many(Array(person.fans))
        default: fatalError(name)
        }
    }

    private static let collections: Set = [
        "tags", "marks", "numbers", "counts", "friends", "family", "byName", "homes", "admirers", "fans",
    ]

    /// Returns whether the steps can lead to several values.
    private func isToMany(_ steps: ArraySlice<NamedPath.Step>) -> Bool {
        for i in steps.indices {
            switch steps[i] {
            case .name(let name) where Self.collections.contains(name):
                guard i + 1 < steps.endIndex, case .place(let place) = steps[i + 1] else { return true }
                if place == .all || place == .keys { return true }
            case .place(let place) where place == .all || place == .keys: return true
            default: break
            }
        }
        return false
    }

    private func values(_ steps: ArraySlice<NamedPath.Step>, _ object: ObjectBase) -> [Fact] {
        guard case .name(let name)? = steps.first else { return [.object(object)] }
        var rest = steps.dropFirst()
        var items: [Any?]
        switch contents(object, name) {
        case .one(let value): items = [value]
        case .many(let values):
            items = values
            if case .place(let place)? = rest.first {
                rest = rest.dropFirst()
                if place != .all { items = [element(values, place)] }
            }
        case .map(let map):
            var place = Subscript.all
            if case .place(let written)? = rest.first {
                place = written
                rest = rest.dropFirst()
            }
            switch place {
            case .key(let key): items = [map[key] ?? nil]
            case .keys: items = Array(map.keys)
            // A null link has no properties that could be null.
            default: items = rest.isEmpty ? Array(map.values) : map.values.filter { $0 != nil }
            }
        }
        while case .place(let place)? = rest.first {
            rest = rest.dropFirst()
            items = items.flatMap { nested($0 as! AnyRealmValue, place) }
        }
        if rest.isEmpty { return items.map { Fact($0) } }
        return items.flatMap { item -> [Fact] in
            if let object = item as? ObjectBase { return values(rest, object) }
            return isToMany(rest) ? [] : [.null]
        }
    }

    private func element(_ values: [Any?], _ place: Subscript) -> Any? {
        switch place {
        case .index(let i): i < values.count ? values[i] : nil
        case .first: values.first ?? nil
        case .last: values.last ?? nil
        default: nil
        }
    }

    private func nested(_ value: AnyRealmValue, _ place: Subscript) -> [Any?] {
        switch (value, place) {
        case (.list(let list), .all): Array(list)
        case (.list(let list), .index(let i)): [i < list.count ? list[i] : AnyRealmValue.none]
        case (.dictionary(let map), .all): map.values
        case (.dictionary(let map), .key(let key)): [map[key] ?? AnyRealmValue.none]
        default: place == .all ? [] : [AnyRealmValue.none]
        }
    }

    private func values(_ path: NamedPath, _ object: ObjectBase) -> [Fact] {
        let all = values(path.steps[...], object)
        switch path.suffix {
        case nil: return all
        case .count: return [.number(Double(all.count))]
        case .aggregate(let aggregate):
            let numbers = all.compactMap { if case .number(let x) = $0 { x } else { nil as Double? } }
            switch aggregate {
            case .sum: return [.number(numbers.reduce(0, +))]
            case .minimum: return [numbers.min().map { .number($0) } ?? .null]
            case .maximum: return [numbers.max().map { .number($0) } ?? .null]
            case .average:
                return [numbers.isEmpty ? .null : .number(numbers.reduce(0, +) / Double(numbers.count))]
            }
        default: fatalError("not generated")
        }
    }

    private func values(_ term: Term, _ object: ObjectBase) -> (facts: [Fact], quantifier: Quantifier) {
        switch term {
        case .constant(let constant): return ([fact(constant)], .any)
        case .path(let path): return (values(path, object), path.quantifier ?? .any)
        case .subquery(let path, _, let condition):
            let count = values(path, object).count {
                if case .object(let element) = $0 { holds(condition, element) } else { false }
            }
            return ([.number(Double(count))], .any)
        case .arithmetic(let op, let a, let b):
            guard case .number(let x)? = values(a, object).facts.first,
                case .number(let y)? = values(b, object).facts.first
            else { return ([.null], .any) }
            return ([.number(op == .add ? x + y : op == .subtract ? x - y : x * y)], .any)
        }
    }

    private func fact(_ constant: FreeholdEngine.Constant) -> Fact {
        switch constant {
        case .value(.null): .null
        case .value(.bool(let x)): .bool(x)
        case .value(.int(let x)): .number(Double(x))
        case .value(.double(let x)): .number(x)
        case .value(.string(let x)): .string(x)
        case .value(.data(let x)): .data(x)
        case .value(.timestamp(let x)): .date(x.date)
        case .value(.uuid(let x)): .uuid(x)
        case .argument(let x): Fact(x)
        default: fatalError("not generated")
        }
    }

    private func quantified(_ quantifier: Quantifier, _ facts: [Fact], _ condition: (Fact) -> Bool) -> Bool {
        switch quantifier {
        case .any: facts.contains(where: condition)
        case .all: facts.allSatisfy(condition)
        case .none: !facts.contains(where: condition)
        }
    }

    func holds(_ condition: Condition, _ object: ObjectBase) -> Bool {
        switch condition {
        case .truth(let value): return value
        case .and(let all, _): return all.allSatisfy { holds($0, object) }
        case .or(let all, _): return all.contains { holds($0, object) }
        case .not(let inner): return !holds(inner, object)
        case .term(let term):
            let (facts, quantifier) = values(term, object)
            return quantified(quantifier, facts) { Fact.equal($0, .bool(true)) }
        case .compare(let left, .isIn, .constant(.list(let constants, _)), _):
            let (facts, quantifier) = values(left, object)
            return quantified(quantifier, facts) { x in constants.contains { Fact.equal(x, fact($0)) } }
        case .compare(let left, let op, let right, let options):
            let (a, b) = (values(left, object), values(right, object))
            return quantified(a.quantifier, a.facts) { x in
                quantified(b.quantifier, b.facts) { compare(x, op, $0, options) }
            }
        case .between(let term, let lower, let upper, let isClosed):
            let (facts, quantifier) = values(term, object)
            return quantified(quantifier, facts) {
                compare($0, .greaterOrEqual, fact(lower), [])
                    && compare($0, isClosed ? .lessOrEqual : .less, fact(upper), [])
            }
        case .fullText, .within: fatalError("not generated")
        }
    }

    private func compare(_ a: Fact, _ op: ConditionOperator, _ b: Fact, _ options: TextOptions) -> Bool {
        var (a, b) = (a, b)
        if options.contains(.ignoringCase) {
            if case .string(let x) = a { a = .string(x.lowercased()) }
            if case .string(let x) = b { b = .string(x.lowercased()) }
        }
        switch op {
        case .equal: return Fact.equal(a, b)
        case .notEqual: return !Fact.equal(a, b)
        case .less: return Fact.less(a, b)
        case .greater: return Fact.less(b, a)
        case .lessOrEqual: return Fact.less(a, b) || Fact.equal(a, b)
        case .greaterOrEqual: return Fact.less(b, a) || Fact.equal(a, b)
        case .isIn: return Fact.equal(a, b)
        case .contains, .beginsWith, .endsWith, .like, .matches: break
        }
        if case .null = b { return op == .like ? Fact.equal(a, b) : true }
        guard case .string(let text) = a, case .string(let pattern) = b else { return false }
        let (x, y) = (Array(text.utf8), Array(pattern.utf8))
        return switch op {
        case .beginsWith: x.starts(with: y)
        case .endsWith: x.reversed().starts(with: y.reversed())
        case .contains: (0...x.count).contains { x[$0...].starts(with: y) }
        default: like(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
        }
    }

    private func like(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let p = pattern.first else { return text.isEmpty }
        if p == "*" { return (0...text.count).contains { like(text.dropFirst($0), pattern.dropFirst()) } }
        guard let t = text.first, p == "?" || p == t else { return false }
        return like(text.dropFirst(), pattern.dropFirst())
    }
}
