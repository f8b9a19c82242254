import Foundation

@testable import FreeholdEngine

/// Predicates of every kind except those of indexes, on the tables of a schema.
struct RandomPredicates {
    let schema: DatabaseSchema
    var random: SeededRandom

    private mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
    private mutating func one<T>(_ all: [T]) -> T { all.randomElement(using: &random)! }

    // MARK: Paths

    private mutating func place(of collection: CollectionKind) -> Subscript {
        switch collection {
        case .dictionary: return one([.key(one(RandomDatabase.keys)), .key(one(RandomDatabase.keys)), .all, .keys])
        default: return one([.index(Int.random(in: -1..<3, using: &random)), .first, .last, .all])
        }
    }

    /// With the table that is reached.
    private mutating func steps(from table: Table) -> (steps: [PathStep], table: Table) {
        var steps: [PathStep] = []
        var table = table
        while steps.count < 3, chance(4) {
            if chance(3) {
                let origin = one(
                    schema.tables.flatMap(\.columns).filter { $0.targetTableID == table.id || $0.type == .mixed }
                )
                steps.append(.backlink(origin.asBacklinkColumn(to: table)))
                table = schema.table(id: origin.tableID)!
                continue
            }
            let links = table.columns.filter { $0.type == .link }
            if links.isEmpty { break }
            let link = one(links)
            if link.collection != .none, chance(3) {
                var place = place(of: link.collection)
                if place == .keys { place = .all }
                steps.append(.element(link, place))
            } else {
                steps.append(.link(link))
            }
            table = schema.table(id: link.targetTableID!)!
        }
        return (steps, table)
    }

    mutating func path(_ start: Table, _ isWanted: (Column) -> Bool = { _ in true }) -> PropertyPath {
        let (steps, table) = steps(from: start)
        var path = PropertyPath(steps, nil)
        if steps.isEmpty || !chance(6) {
            let wanted = table.columns.filter(isWanted)
            let column = one(wanted.isEmpty ? table.columns : wanted)
            path.column = column
            if column.collection != .none, chance(3) { path.subscripts.append(place(of: column.collection)) }
            if column.type == .mixed, column.collection == .none || !path.subscripts.isEmpty {
                while chance(2), path.subscripts.count < 4 {
                    path.subscripts.append(place(of: chance(2) ? .dictionary : .list))
                }
            }
        }
        if chance(3) { path.quantifier = one([.all, .none, .any]) }
        return path
    }

    private mutating func numbers(_ table: Table) -> PropertyPath {
        path(table) { [.int, .float, .double, .decimal128].contains($0.type) && $0.collection == .none }
    }

    /// To objects.
    private mutating func objects(_ start: Table) -> (path: PropertyPath, table: Table) {
        var (steps, table) = steps(from: start)
        if steps.isEmpty || chance(2) {
            let links = table.columns.filter { $0.type == .link }
            let link = one(links)
            table = schema.table(id: link.targetTableID!)!
            if chance(2) { return (PropertyPath(steps, link), table) }
            steps.append(.link(link))
        }
        return (PropertyPath(steps, nil), table)
    }

    // MARK: Constants

    mutating func constant(for path: PropertyPath) -> Value {
        if chance(8) { return .null }
        var type = path.column?.type ?? .link
        if path.subscripts.last == .keys { type = .string }
        if type == .link { return .link(ObjectKey(Int64.random(in: 0..<6, using: &random))) }
        let numbers: [ColumnType] = [.int, .float, .double, .decimal128]
        if numbers.contains(type), chance(2) { return RandomDatabase.value(one(numbers), optional: false, &random) }
        if chance(20) { return RandomDatabase.value(one(RandomDatabase.types), optional: true, &random) }
        return RandomDatabase.value(type, optional: false, &random)
    }

    private mutating func pattern(_ op: StringOperator) -> Value {
        if chance(12) { return .null }
        if op == .like {
            return .string(one(["*", "a*", "*c", "*b*", "?", "a?c*", "*?", "??", "z*ë", "*bc*d?", "abc", "*E?"]))
        }
        var text = one(RandomDatabase.texts)
        if text.count > 2, chance(2) { text = String(text.dropFirst(Int.random(in: 0..<3, using: &random)).prefix(3)) }
        return chance(6) ? .data(.init(text.utf8)) : .string(text)
    }

    private mutating func options() -> TextOptions {
        one([
            [], [], .ignoringCase, .ignoringCase, .ignoringDiacritics, [.ignoringCase, .ignoringDiacritics],
            [.ignoringCase, .latinCaseOnly],
        ])
    }

    // MARK: Operands

    private mutating func number(_ table: Table, depth: Int) -> Operand {
        if depth > 0, chance(3) {
            return .arithmetic(
                one(ArithmeticOperator.allCases),
                number(table, depth: depth - 1),
                number(table, depth: depth - 1)
            )
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            return .constant(RandomDatabase.value(one([.int, .int, .double, .decimal128]), optional: false, &random))
        case 2: return .count(path(table))
        case 3: return .aggregate(one([.minimum, .maximum, .sum, .average]), numbers(table))
        case 4:
            let (path, target) = objects(table)
            return .matches(path, predicate(target, depth: depth - 1))
        case 5: return chance(2) ? .incomingLinks([]) : .incomingLinks(steps(from: table).steps)
        case 6: return .count(PropertyPath(one(table.columns.filter { $0.collection != .none })))
        case 7:
            return .count(
                PropertyPath(
                    [.backlink(one(schema.tables.flatMap(\.columns).filter { $0.targetTableID == table.id }))],
                    nil
                )
            )
        case 8: return .length(path(table) { [.string, .data, .mixed].contains($0.type) })
        default: return .path(numbers(table))
        }
    }

    private mutating func operand(_ table: Table, depth: Int) -> Operand {
        if chance(2) { return number(table, depth: depth) }
        if chance(5) {
            let path = path(table)
            let count = Int.random(in: 0..<4, using: &random)
            return .constants((0..<count).map { _ in constant(for: path) }, one([.any, .all, .none]))
        }
        return .path(path(table))
    }

    // MARK: Predicates

    mutating func predicate(_ table: Table, depth: Int) -> FreeholdEngine.Predicate {
        let op = one(Comparison.allCases)
        switch Int.random(in: 0..<(depth > 0 ? 20 : 15), using: &random) {
        case 0, 1, 2, 3:
            let path = path(table)
            return .comparison(path, op, constant(for: path))
        case 4:
            let path = path(table)
            return .between(path, lower: constant(for: path), upper: constant(for: path), isClosed: chance(2))
        case 5:
            let path = path(table)
            let count = one([0, 1, 3, 8, 9, 20, 40])
            return .oneOf(path, (0..<count).map { _ in constant(for: path) })
        case 6, 7:
            let op = one(StringOperator.withoutMatches)
            let path = path(table) { [.string, .data, .mixed].contains($0.type) }
            return .text(path, op, pattern(op), options())
        case 8: return .operands(number(table, depth: 1), op, number(table, depth: 1))
        case 9: return .operands(operand(table, depth: 1), op, operand(table, depth: 1))
        case 10:
            let operator_ = one(StringOperator.withoutMatches)
            func isText(_ column: Column) -> Bool { [.string, .data, .mixed].contains(column.type) }
            let isPlain = chance(2)
            func wanted(_ column: Column) -> Bool { isText(column) && (!isPlain || column.collection == .none) }
            return .texts(.path(path(table, wanted)), operator_, .path(path(table, wanted)), options())
        case 11:
            let path = path(table) { $0.collection != .none || $0.type == .mixed }
            var values = (0..<Int.random(in: 0..<3, using: &random)).map { _ in constant(for: path) }
            if path.column?.type == .mixed, chance(2) { values = [.int(0), .double(1)] }
            return .elements(path, one([.equal, .notEqual]), values)
        case 12:
            let name = one([
                "int", "NUMERIC", "string", "null", "object", "collection", "Array", "dictionary", "binary", "date",
                "bool",
            ])
            let path = path(table) { $0.type == .mixed }
            let names: Operand = chance(4) ? .type(self.path(table)) : .constant(.string(name))
            return chance(3)
                ? .operands(names, op, .type(path)) : .operands(.type(path), one([.equal, .notEqual]), names)
        case 13: return .operands(.path(path(table)), op, .path(path(table)))
        case 14: return .objects((0..<5).map { _ in ObjectKey(Int64.random(in: 0..<40, using: &random)) })
        case 15, 16:
            return .and((0..<Int.random(in: 1..<4, using: &random)).map { _ in predicate(table, depth: depth - 1) })
        case 17, 18:
            return .or((0..<Int.random(in: 1..<4, using: &random)).map { _ in predicate(table, depth: depth - 1) })
        default: return .not(predicate(table, depth: depth - 1))
        }
    }
}

extension StringOperator {
    /// Those whose patterns may be any strings.
    static var withoutMatches: [StringOperator] { allCases.filter { $0 != .matches } }
}
