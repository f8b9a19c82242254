import FreeholdEngine

extension Query where T == Bool {
    /// The number of elements of a collection for which the whole condition is true.
    ///
    /// ```swift
    /// // People with more than one old dog that is called Rex.
    /// people.where { ($0.dogs.age > 10 && $0.dogs.name == "Rex").count > 1 }
    /// ```
    ///
    /// All properties of the condition must lead through the same collection of objects, which is the first collection
    /// on their paths. The condition can contain another subquery on a collection of these objects. Compare the count
    /// with a number.
    public var count: Query<Int> { counted }
}

/// A conversion of a condition on a collection's elements to a condition on each element.
struct Subquery {
    /// The steps to the collection.
    private let prefix: [NamedPath.Step]
    private let variable: String

    static func term(_ condition: Condition, depth: Int = 1) -> Term {
        var found: [NamedPath.Step]?
        condition.forEachPath { path in
            guard let first = path.collections.first else {
                programmerError(
                    "A subquery's condition has a property that no collection leads to: \(path.firstName) is one of the "
                        + "outer object's. Put what is about it outside of the parentheses before `.count`."
                )
            }
            let steps = Array(path.steps[..<first])
            if found == nil { found = steps }
            guard found == steps else {
                programmerError("A subquery's condition goes through two collections. Make a subquery of each.")
            }
        }
        guard let found else {
            programmerError("A subquery's condition has no property. Start from a collection of objects.")
        }
        let subquery = Subquery(prefix: found, variable: "$col\(depth)")
        var path = NamedPath(found)
        path.collections = [found.count]
        return .subquery(path, variable: subquery.variable, subquery.relative(condition, depth))
    }

    private func relative(_ condition: Condition, _ depth: Int) -> Condition {
        switch condition {
        case .truth: condition
        case .and(let all, let closings): .and(all.map { relative($0, depth) }, closings: closings)
        case .or(let all, let closings): .or(all.map { relative($0, depth) }, closings: closings)
        case .not(let inner): .not(relative(inner, depth))
        case .term(let term): .term(relative(term, depth))
        case .compare(let a, let op, let b, let options):
            .compare(relative(a, depth), op, relative(b, depth), options)
        case .between(let term, let lower, let upper, let isClosed):
            .between(relative(term, depth), lower: lower, upper: upper, isClosed: isClosed)
        case .fullText(let path, let words): .fullText(relative(path), words)
        case .within(let path, let shape): .within(relative(path), shape)
        }
    }

    private func relative(_ term: Term, _ depth: Int) -> Term {
        switch term {
        case .constant: return term
        case .path(let path): return .path(relative(path))
        case .arithmetic(let op, let a, let b): return .arithmetic(op, relative(a, depth), relative(b, depth))
        case .subquery(let path, _, let inner):
            // The inner subquery counts elements of a collection of this subquery's elements.
            let whole = inner.mapPaths { $0.prefixed(by: path.steps) }.mapPaths(relative)
            var goOn = true
            whole.forEachPath { if $0.collections.isEmpty { goOn = false } }
            // In RealmSwift, an inner condition on the counted collection itself refers to the collection of that name
            // in each element: `$0.kids` inside a condition on `$0.kids` are the kids of an element.
            return goOn
                ? Subquery.term(whole, depth: depth + 1)
                : .subquery(path, variable: "$col\(depth + 1)", inner)
        }
    }

    private func relative(_ path: NamedPath) -> NamedPath {
        var path = path
        path.steps.removeFirst(prefix.count)
        path.collections = path.collections.dropFirst().map { $0 - prefix.count }
        return path
    }
}

extension NamedPath {
    /// The first name of the path, for messages.
    fileprivate var firstName: String {
        if case .name(let name)? = steps.first { "'\(name)'" } else { "it" }
    }

    /// Returns the path with the steps to the elements before it.
    fileprivate func prefixed(by steps: [Step]) -> NamedPath {
        var path = self
        path.steps = steps + self.steps
        path.collections = [steps.count] + collections.map { $0 + steps.count }
        return path
    }
}

extension Condition {
    /// Calls the body with each path. A path with a subquery is passed as a whole.
    fileprivate func forEachPath(_ body: (NamedPath) -> Void) {
        _ = mapPaths { path in
            body(path)
            return path
        }
    }

    fileprivate func mapPaths(_ change: (NamedPath) -> NamedPath) -> Condition {
        switch self {
        case .truth: self
        case .and(let all, let closings): .and(all.map { $0.mapPaths(change) }, closings: closings)
        case .or(let all, let closings): .or(all.map { $0.mapPaths(change) }, closings: closings)
        case .not(let inner): .not(inner.mapPaths(change))
        case .term(let term): .term(term.mapPaths(change))
        case .compare(let a, let op, let b, let options):
            .compare(a.mapPaths(change), op, b.mapPaths(change), options)
        case .between(let term, let lower, let upper, let isClosed):
            .between(term.mapPaths(change), lower: lower, upper: upper, isClosed: isClosed)
        case .fullText(let path, let words): .fullText(change(path), words)
        case .within(let path, let shape): .within(change(path), shape)
        }
    }
}

extension Term {
    fileprivate func mapPaths(_ change: (NamedPath) -> NamedPath) -> Term {
        switch self {
        case .constant: self
        case .path(let path): .path(change(path))
        case .subquery(let path, let variable, let condition):
            .subquery(change(path), variable: variable, condition)
        case .arithmetic(let op, let a, let b): .arithmetic(op, a.mapPaths(change), b.mapPaths(change))
        }
    }
}
