import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random conditions on the objects of a `ConditionWorld`: every operator, place, quantifier and suffix of the language.
struct RandomConditions {
    var world: ConditionWorld

    /// A Boolean value that indicates whether only a server with the schema answers the last condition like a file: it
    /// tests mixed values, or collections and lengths of optional values.
    private(set) var needsSchema = false
    /// A Boolean value that indicates whether the path of the last condition leads through links, or isn't supported by
    /// servers.
    private(set) var isUnserved = false

    mutating func next() -> String {
        (needsSchema, isUnserved) = (false, false)
        return QueryPrinter.text(condition(depth: 2)) { _ in nil }
    }

    private mutating func condition(depth: Int) -> Condition {
        guard depth > 0 else { return leaf() }
        switch world.random.number(0..<12) {
        case 0, 1: return .and([condition(depth: depth - 1), condition(depth: depth - 1)])
        case 2, 3: return .or([condition(depth: depth - 1), condition(depth: depth - 1)])
        case 4: return .not(condition(depth: depth - 1))
        default: return leaf()
        }
    }

    /// A path and what its values are.
    private struct Target {
        var path: NamedPath
        var type: ColumnType
        var isMany = false
        var isEmbedded = false
    }

    private mutating func target() -> Target {
        var steps: [NamedPath.Step] = []
        var columns = ConditionWorld.tables[0].columns
        var isMany = false
        while true {
            let column = world.random.pick(columns)
            steps.append(.name(column.name))
            var isOne = column.collection == .none
            if column.collection != .none, world.random.chance(30) {
                let place = place(column.collection)
                steps.append(.place(place))
                isOne = place != .all && place != .keys
                if place == .keys { return Target(path: NamedPath(steps), type: .string, isMany: true) }
            }
            if column.type == .mixed {
                needsSchema = true
                if world.random.chance(30) {
                    let place = world.random.pick(
                        [.index(0), .first, .last, .key("k"), .key("list"), .all] as [Subscript]
                    )
                    steps.append(.place(place))
                    if place == .all { isMany = true }
                }
            }
            isMany = isMany || !isOne
            if steps.count > 1, column.collection != .none { needsSchema = true }
            let inner = ConditionWorld.tables.first { $0.name == column.target }
            if let inner, world.random.chance(inner.isEmbedded ? 80 : 20) {
                if !inner.isEmbedded { isUnserved = true }
                columns = inner.columns
                continue
            }
            return Target(
                path: NamedPath(steps),
                type: column.type,
                isMany: isMany,
                isEmbedded: inner?.isEmbedded == true
            )
        }
    }

    private mutating func place(_ kind: CollectionKind) -> Subscript {
        kind == .dictionary
            ? world.random.pick([.key("k"), .key("a"), .index(0), .all, .keys, .key("none")])
            : world.random.pick([.index(0), .index(1), .first, .last, .all, .index(9)])
    }

    private mutating func leaf() -> Condition {
        if world.random.chance(8) { return keys() }
        if world.random.chance(4) { return subquery() }
        var target = target()
        if target.isMany, world.random.chance(30) {
            target.path.quantifier = world.random.pick([Quantifier.any, .all, .none])
        }
        if target.type == .link { return links(target) }
        if world.random.chance(18) { return made(target) }
        if world.random.chance(10) { return pair(target) }
        switch world.random.number(0..<10) {
        case 0:
            let bounds = (constant(target.type), constant(target.type))
            return .between(.path(target.path), lower: bounds.0, upper: bounds.1, isClosed: world.random.chance(50))
        case 1, 2:
            let constants = (0..<world.random.number(0..<4)).map { _ in constant(target.type) }
            let options = target.type == .string && world.random.chance(30) ? options() : []
            return .compare(.path(target.path), .isIn, .constant(.list(constants)), options)
        case 3 where target.isMany:
            target.path.quantifier = nil
            let constants = (0..<world.random.number(0..<3)).map { _ in constant(target.type) }
            return .compare(
                .path(target.path),
                world.random.pick([.equal, .notEqual]),
                .constant(.list(constants)),
                []
            )
        case 4 where target.type == .mixed:
            let list = Constant.list([.value(.int(1)), .value(.string("a"))])
            return .compare(.path(target.path), world.random.pick([.equal, .notEqual]), .constant(list), [])
        case 5,
            6 where [.string, .data, .mixed].contains(target.type):
            let relation = world.random.pick([.contains, .beginsWith, .endsWith, .like] as [ConditionOperator])
            return .compare(.path(target.path), relation, .constant(text(target.type)), options())
        case 7 where target.type == .bool: return .term(.path(target.path))
        case 8 where target.type == .string:
            let relation = world.random.pick([.equal, .notEqual] as [ConditionOperator])
            return .compare(.path(target.path), relation, .constant(text(.string)), options())
        case 9:
            // The constant is on the left.
            let relation = world.random.pick([.equal, .notEqual, .less, .greaterOrEqual, .isIn] as [ConditionOperator])
            return .compare(.constant(constant(target.type)), relation, .path(target.path), [])
        default: return .compare(.path(target.path), relation(), .constant(constant(target.type)), [])
        }
    }

    private mutating func relation() -> ConditionOperator {
        world.random.pick([.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    private mutating func options() -> TextOptions {
        world.random.pick([[], [], .ignoringCase, .ignoringDiacritics, [.ignoringCase, .ignoringDiacritics]])
    }

    /// Mostly of the type.
    private mutating func constant(_ type: ColumnType) -> Constant {
        if world.random.chance(10) { return .value(.null) }
        var own = type
        if type == .link || world.random.chance(12) { own = world.random.pick(ConditionWorld.scalars) }
        if own != type || own == .mixed { needsSchema = needsSchema || type == .mixed }
        let value = world.value(own)
        switch value {
        case .list, .dictionary: return .value(.int(1))
        default: return .value(value)
        }
    }

    private mutating func text(_ type: ColumnType) -> Constant {
        if world.random.chance(8) { return .value(.null) }
        if type == .data, world.random.chance(50) { return .value(world.value(.data)) }
        return .value(.string(world.random.pick(ConditionWorld.words + ["a*", "?", "*b*", "?b*", "*a?a*"])))
    }

    // MARK: Kinds of conditions

    private mutating func keys() -> Condition {
        let path = Term.path(NamedPath([.name("_id")]))
        let keys = (0..<3).map { _ in Constant.value(.int(Int64(world.random.number(0..<45)))) }
        switch world.random.number(0..<5) {
        case 0: return .compare(path, .isIn, .constant(.list(keys)), [])
        case 1: return .between(path, lower: keys[0], upper: keys[1], isClosed: true)
        case 2: return .compare(.constant(keys[0]), relation(), path, [])
        case 3:
            let object = Constant.objectWithPrimaryKey(className: "Thing", .int(Int64(world.random.number(1..<45))))
            return .compare(.path(NamedPath()), world.random.pick([.equal, .notEqual]), .constant(object), [])
        default: return .compare(path, relation(), .constant(keys[0]), [])
        }
    }

    private mutating func links(_ target: Target) -> Condition {
        if world.random.chance(20) {
            var path = target.path
            path.suffix = target.isMany ? .count : .type
            if path.suffix == .count { path.quantifier = nil }
            let constant: Constant = path.suffix == .count ? .value(.int(1)) : .value(.string("object"))
            return .compare(.path(path), world.random.pick([.equal, .notEqual]), .constant(constant), [])
        }
        let objects = (0..<2).map { _ in
            Constant.objectWithPrimaryKey(className: "Other", .int(Int64(world.random.number(1..<4))))
        }
        let relation: ConditionOperator = world.random.pick([.equal, .notEqual])
        if target.isEmbedded || world.random.chance(20) {
            return .compare(.path(target.path), relation, .constant(.value(.null)), [])
        }
        if world.random.chance(20) {
            return .compare(.path(target.path), relation, .path(NamedPath([.name("link_b")])), [])
        }
        if world.random.chance(20) { return .compare(.path(target.path), .isIn, .constant(.list(objects)), []) }
        return .compare(.path(target.path), relation, .constant(objects[0]), [])
    }

    /// Returns a condition on a path's values.
    private mutating func made(_ target: Target) -> Condition {
        var path = target.path
        switch world.random.number(0..<6) {
        case 0, 1:
            (path.suffix, path.quantifier) = (.count, nil)
            if !target.isMany { needsSchema = true }
            let number = Constant.value(.int(Int64(world.random.number(0..<4))))
            return .compare(.path(path), relation(), .constant(number), [])
        case 2:
            path.suffix = .type
            let name = world.random.pick(["int", "string", "null", "numeric", "bool", "list", "dictionary", "double"])
            return .compare(.path(path), world.random.pick([.equal, .notEqual]), .constant(.value(.string(name))), [])
        case 3:
            path.suffix = .length
            return .compare(.path(path), relation(), .constant(.value(.int(Int64(world.random.number(0..<4))))), [])
        default:
            path.suffix = .aggregate(world.random.pick([.sum, .average, .minimum, .maximum]))
            path.quantifier = nil
            return .compare(.path(path), relation(), .constant(constant(target.type)), [])
        }
    }

    /// A comparison of two properties, or of what is calculated.
    private mutating func pair(_ target: Target) -> Condition {
        var other = self.target()
        for _ in 0..<20 where other.type != target.type { other = self.target() }
        if target.type == .string, world.random.chance(40) {
            let relation = world.random.pick([.contains, .beginsWith, .like, .equal] as [ConditionOperator])
            return .compare(.path(target.path), relation, .path(other.path), options())
        }
        var left = Term.path(target.path)
        if [.int, .double, .float, .decimal128, .mixed].contains(target.type), world.random.chance(60) {
            let number = Term.constant(.value(world.value(world.random.pick([.int, .double, .decimal128]))))
            let sign = world.random.pick([.add, .subtract, .multiply, .divide] as [ArithmeticOperator])
            left = .arithmetic(sign, left, world.random.chance(50) ? number : .path(other.path))
            if world.random.chance(50) { return .compare(left, relation(), .constant(constant(target.type)), []) }
        }
        return .compare(left, relation(), .path(other.path), [])
    }

    private mutating func subquery() -> Condition {
        let name = world.random.pick(["emb_l", "emb_d"])
        let inner: [Condition] = [
            .compare(.path(NamedPath([.name("i")])), relation(), .constant(constant(.int)), []),
            .compare(.path(NamedPath([.name("s")])), .contains, .constant(text(.string)), options()),
            .compare(.path(NamedPath([.name("deep"), .name("i")])), relation(), .constant(constant(.int)), []),
            .compare(.path(NamedPath([.name("l")], suffix: .count)), relation(), .constant(.value(.int(1))), []),
            .compare(.path(NamedPath([.name("_id")])), relation(), .constant(constant(.int)), []),
        ]
        let term = Term.subquery(NamedPath([.name(name)]), variable: "$x", world.random.pick(inner))
        return .compare(term, relation(), .constant(.value(.int(Int64(world.random.number(0..<3))))), [])
    }
}
