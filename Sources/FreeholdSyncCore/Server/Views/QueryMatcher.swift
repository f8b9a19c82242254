import FreeholdEngine

/// Understands conditions of the query language as far as an object alone answers them: comparisons of its properties, of embedded objects'
/// properties and of elements with constants, `IN`, `BETWEEN`, the string operators that mind case, `@count`, `AND`, `OR`, `NOT`.
///
/// It knows no schema. What goes through a link has no answer, and an object without an answer isn't in the view.
public struct QueryMatcher: ConditionMatcher {
    public init() {}

    public func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition {
        let query: WrittenQuery
        do { query = try QueryParser.parse(text.string) } catch {
            throw ConditionError(position: UInt64(error.position ?? 0), text: SyncString(error.message))
        }
        guard query.stages.isEmpty else {
            throw ConditionError(
                position: 0,
                text: "Sorting, distinct and limits aren't part of what is subscribed to."
            )
        }
        return CompiledQuery(test: try ObjectTest(query.condition))
    }
}

private struct CompiledQuery: CompiledCondition {
    let test: ObjectTest

    var goesThroughLinks: Bool { false }
    var equality: ConditionEquality? { test.equality }

    func matches(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> Bool { test.answer(contents) == true }
}

/// A condition that an object answers: yes, no, or not at all.
indirect enum ObjectTest: Sendable {
    case truth(Bool)
    case all([ObjectTest])
    case any([ObjectTest])
    case not(ObjectTest)
    case values(ValuePath, Quantifier, ValueQuestion)
    case count(ValuePath, Comparison, Value)

    func answer(_ contents: [SyncString: MergedContent]) -> Bool? {
        switch self {
        case .truth(let truth): return truth
        case .not(let test): return test.answer(contents).map { !$0 }
        case .all(let tests):
            var isUnknown = false
            for test in tests {
                switch test.answer(contents) {
                case false?: return false
                case true?: break
                case nil: isUnknown = true
                }
            }
            return isUnknown ? nil : true
        case .any(let tests):
            var isUnknown = false
            for test in tests {
                switch test.answer(contents) {
                case true?: return true
                case false?: break
                case nil: isUnknown = true
                }
            }
            return isUnknown ? nil : false
        case .values(let path, let quantifier, let question):
            guard let values = path.values(in: contents) else { return nil }
            switch quantifier {
            case .any: return values.contains { question.isTrue(of: $0) }
            case .all: return values.allSatisfy { question.isTrue(of: $0) }
            case .none: return !values.contains { question.isTrue(of: $0) }
            }
        case .count(let path, let comparison, let value):
            guard let count = path.count(in: contents) else { return nil }
            return comparison.holds(Value.compare(.int(Int64(count)), value))
        }
    }
}

extension ObjectTest {
    /// What every object that fulfils the test holds.
    var equality: ConditionEquality? {
        switch self {
        case .all(let tests):
            for test in tests { if let equality = test.equality { return equality } }
            return nil
        case .values(let path, .any, let question) where path.names.count == 1:
            return question.constants.flatMap { ConditionEquality(path.names[0], $0) }
        default: return nil
        }
    }
}

extension ValueQuestion {
    /// The values of which a value is one if the answer is yes. Nil if there are others.
    fileprivate var constants: [SyncValue]? {
        switch self {
        case .compareLink(isEqual: true, let name): return [.link(name)]
        case .compare(.equal, .int(let value)): return [.int(value)]
        case .compare(.equal, .string(let value)): return [.string(SyncString(value))]
        case .compare(.equal, .objectId(let value)): return [.objectId(value)]
        case .compare(.equal, .uuid(let value)): return [.uuid(value)]
        case .isIn(let questions):
            var all: [SyncValue] = []
            for question in questions {
                guard let constants = question.constants else { return nil }
                all += constants
            }
            return all
        default: return nil
        }
    }
}

/// Names from an object to values that lie in it.
struct ValuePath: Sendable {
    let names: [SyncString]

    /// Nil if the path goes on behind a link.
    func values(in contents: [SyncString: MergedContent]) -> [SyncValue]? {
        guard let found = reach(contents) else { return nil }
        var values: [SyncValue] = []
        for content in found {
            switch content {
            case nil: values.append(.null)
            case .value(let value)?: values.append(value)
            case .list(let elements)?:
                for element in elements { if case .value(let value) = element { values.append(value) } }
            case .set(let elements)?: values += elements.values
            case .dictionary(let entries)?:
                for entry in entries.values { if case .value(let value) = entry { values.append(value) } }
            // It is there, which is all that can be asked.
            case .embedded?: values.append(.bool(true))
            }
        }
        return values
    }

    /// Nil if there is no collection.
    func count(in contents: [SyncString: MergedContent]) -> Int? {
        guard let found = reach(contents), found.count == 1 else { return nil }
        switch found[0] {
        case .list(let elements)?: return elements.count
        case .set(let elements)?: return elements.count
        case .dictionary(let entries)?: return entries.count
        case nil: return 0
        default: return nil
        }
    }

    private func reach(_ contents: [SyncString: MergedContent]) -> [MergedContent?]? {
        var found: [MergedContent?] = [.embedded(contents)]
        for name in names {
            var next: [MergedContent?] = []
            for content in found {
                switch content {
                case .embedded(let fields)?: next.append(fields[name])
                case nil, .value(.null)?: next.append(nil)
                case .list(let elements)?:
                    for element in elements {
                        guard case .embedded(let fields) = element else { return nil }
                        next.append(fields[name])
                    }
                case .dictionary(let entries)?:
                    for entry in entries.values {
                        guard case .embedded(let fields) = entry else { return nil }
                        next.append(fields[name])
                    }
                case .value?, .set?: return nil
                }
            }
            found = next
        }
        return found
    }
}
