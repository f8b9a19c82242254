import Foundation
import FreeholdEngine

@testable import Freehold

/// Conditions on ``RQPerson`` of every form.
struct RandomConditions {
    var generator: SeededRandom
    /// Objects to compare links with.
    let people: [RQPerson]

    private enum Kind: CaseIterable { case string, number, date, bool, uuid, data, any, object }

    private mutating func some<T>(_ all: [T]) -> T { all.randomElement(using: &generator)! }
    private mutating func below(_ n: Int) -> Int { Int.random(in: 0..<n, using: &generator) }

    mutating func condition(_ depth: Int) -> Condition {
        if depth > 0 {
            switch below(8) {
            case 0, 1: return .and([condition(depth - 1), condition(depth - 1)])
            case 2, 3: return .or([condition(depth - 1), condition(depth - 1)])
            case 4: return .not(condition(depth - 1))
            default: break
            }
        }
        switch below(12) {
        case 0: return aggregate()
        case 1 where depth > 0:
            let path = NamedPath([.name(some(["friends", "family", "admirers", "fans"]))])
            return .compare(
                .subquery(path, variable: "$x", condition(depth - 1)),
                order(),
                .constant(.value(.int(Int64(below(3))))),
                []
            )
        case 2: return columns()
        case 3: return .truth(.random(using: &generator))
        default: return simple(Kind.allCases.randomElement(using: &generator)!)
        }
    }

    private mutating func order() -> ConditionOperator {
        some([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    /// Steps to a person, or none.
    private mutating func prefix() -> [NamedPath.Step] {
        var steps: [NamedPath.Step] = []
        while steps.count < 4, below(3) == 0 {
            switch below(7) {
            case 0, 1: steps.append(.name("best"))
            case 2: steps.append(.name("friends"))
            case 3: steps.append(.name("family"))
            case 4: steps += [.name("byName"), .place(below(3) == 0 ? .all : .key(some(RQPool.keys)))]
            case 5: steps.append(.name("admirers"))
            default: steps.append(.name("fans"))
            }
        }
        return steps
    }

    private mutating func path(_ kind: Kind) -> (path: NamedPath, isNullable: Bool) {
        var steps = prefix()
        var isNullable = !steps.isEmpty
        var last: [NamedPath.Step]
        switch kind {
        case .string:
            last = some([[.name("name")], [.name("nick")], [.name("tags")], [.name("home"), .name("street")]])
            if below(8) == 0 { last = [.name("counts"), .place(.keys)] }
            if below(8) == 0 { last = [.name("tags"), .place(some([.first, .last, .index(1)]))] }
            isNullable = isNullable || last.count > 1 || last == [.name("nick")] || last == [.name("tags")]
        case .number:
            last = some([
                [.name("age")], [.name("score")], [.name("height")], [.name("price")], [.name("marks")],
                [.name("numbers")], [.name("counts")], [.name("counts"), .place(.key("k"))],
                [.name("home"), .name("number")], [.name("homes"), .name("number")],
                [.name("marks"), .place(.index(0))],
            ])
            isNullable = isNullable || last.count > 1 || last == [.name("score")] || last == [.name("counts")]
        case .date: last = [.name("born")]
        case .bool: last = [.name("active")]
        case .uuid:
            last = [.name("token")]
            isNullable = true
        case .data:
            last = [.name("blob")]
            isNullable = true
        case .any:
            last = some([
                [.name("any")], [.name("any"), .place(.key("k"))], [.name("any"), .place(.index(0))],
                [.name("any"), .place(.all)],
            ])
            isNullable = true
        case .object:
            last = some([[.name("best")], [.name("friends")], [.name("family")], [.name("byName"), .place(.key("k"))]])
            isNullable = last != [.name("friends")] && last != [.name("family")]
        }
        steps += last
        var path = NamedPath(steps)
        if below(4) == 0 { path.quantifier = some([Quantifier.any, .all, .none]) }
        return (path, isNullable)
    }

    private mutating func constant(_ kind: Kind, isNullable: Bool) -> FreeholdEngine.Constant {
        if isNullable, below(6) == 0 { return .value(.null) }
        switch kind {
        case .string: return .value(.string(some(RQPool.strings)))
        case .number: return .value(.int(Int64(some(RQPool.numbers))))
        case .date: return .value(.timestamp(Timestamp(some(RQPool.dates))))
        case .bool: return .value(.bool(.random(using: &generator)))
        case .uuid: return .value(.uuid(some(RQPool.tokens)))
        case .data: return .value(.data(some(RQPool.blobs)))
        case .any: return constant(some([.string, .number, .bool, .date]), isNullable: true)
        case .object: return .argument(some(people))
        }
    }

    private mutating func simple(_ kind: Kind) -> Condition {
        let (path, isNullable) = path(kind)
        let constant = constant(kind, isNullable: isNullable)
        switch kind {
        case .number, .date, .any:
            switch below(4) {
            case 0:
                let more = (0..<below(4)).map { _ in self.constant(kind, isNullable: isNullable) }
                return .compare(.path(path), .isIn, .constant(.list(more + [constant])), [])
            case 1 where kind != .any:
                return .between(
                    .path(path),
                    lower: constant,
                    upper: self.constant(kind, isNullable: false),
                    isClosed: .random(using: &generator)
                )
            default: return .compare(.path(path), order(), .constant(constant), [])
            }
        case .string:
            if case .value(.null) = constant {
                return .compare(.path(path), some([.equal, .notEqual]), .constant(constant), [])
            }
            if below(5) == 0 {
                let more = (0..<below(4)).map { _ in self.constant(kind, isNullable: isNullable) }
                return .compare(.path(path), .isIn, .constant(.list(more + [constant])), [])
            }
            let op: ConditionOperator = some([
                .equal, .notEqual, .contains, .beginsWith, .endsWith, .like, .less, .greaterOrEqual,
            ])
            let folds = op.text != nil && below(2) == 0
            return .compare(.path(path), op, .constant(constant), folds ? .ignoringCase : [])
        case .bool, .uuid, .data, .object:
            return .compare(.path(path), some([.equal, .notEqual]), .constant(constant), [])
        }
    }

    private mutating func aggregate() -> Condition {
        let numbers: [[NamedPath.Step]] = [
            [.name("marks")], [.name("numbers")], [.name("counts")], [.name("friends"), .name("age")],
            [.name("homes"), .name("number")], [.name("admirers"), .name("score")], [.name("best"), .name("marks")],
        ]
        let all =
            numbers + [[.name("tags")], [.name("friends")], [.name("family")], [.name("fans")], [.name("byName")]]
        let suffix: NamedPath.Suffix =
            below(3) == 0
            ? .count : .aggregate(some([.minimum, .maximum, .sum, .average]))
        let steps = suffix == .count ? some(all) : some(numbers)
        let constant: FreeholdEngine.Constant = .value(.int(Int64(some(RQPool.numbers))))
        return .compare(.path(NamedPath(steps, suffix: suffix)), order(), .constant(constant), [])
    }

    private mutating func columns() -> Condition {
        func plain(_ names: [String]) -> NamedPath {
            NamedPath((below(3) == 0 ? [.name("best")] : []) + [.name(some(names))])
        }
        if below(3) == 0 {
            let op: ConditionOperator = some([.equal, .notEqual, .less, .contains, .beginsWith])
            return .compare(.path(plain(["name", "nick"])), op, .path(plain(["name", "nick"])), [])
        }
        let numbers = ["age", "score", "height", "price"]
        var left = Term.path(plain(numbers))
        if below(3) == 0 {
            left = .arithmetic(some([.add, .subtract, .multiply]), left, .path(plain(["age", "score"])))
        }
        return .compare(left, order(), .path(plain(numbers)), [])
    }
}
