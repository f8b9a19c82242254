// The limit of the nesting of a condition. Conditions within the limit can be compiled, planned, run and released on a thread with a stack of 512
// KiB, which is the size of secondary threads on Darwin.

extension Condition {
    /// The maximum depth of nested negations, of AND in OR and OR in AND, of calculations and of the steps of paths, added up. A subquery counts as
    /// ``subqueryWeight``, a calculation as ``arithmeticWeight``.
    package static let maximumDepth = 64
    package static let subqueryWeight = 10
    package static let arithmeticWeight = 2

    package static let tooDeep =
        "The condition nests deeper than \(maximumDepth) levels, of which a subquery takes \(subqueryWeight) "
        + "and a calculation \(arithmeticWeight)."

    /// Returns whether the condition nests no deeper than `depth`. The function doesn't visit deeper levels.
    func fits(depth: Int = Condition.maximumDepth) -> Bool {
        if depth < 0 { return false }
        switch self {
        case .truth: return true
        case .fullText(let path, _), .within(let path, _): return path.steps.count <= depth
        case .and(let all, _), .or(let all, _): return all.allSatisfy { $0.fits(depth: depth - 1) }
        case .not(let inner): return inner.fits(depth: depth - 1)
        case .compare(let a, _, let b, _): return a.fits(depth: depth) && b.fits(depth: depth)
        case .between(let term, _, _, _), .term(let term): return term.fits(depth: depth)
        }
    }
}

extension Term {
    fileprivate func fits(depth: Int) -> Bool {
        if depth < 0 { return false }
        switch self {
        case .constant: return true
        case .path(let path): return path.steps.count <= depth
        case .subquery(let path, _, let condition):
            return condition.fits(depth: depth - path.steps.count - Condition.subqueryWeight)
        case .arithmetic(_, let a, let b):
            let rest = depth - Condition.arithmeticWeight
            return a.fits(depth: rest) && b.fits(depth: rest)
        }
    }
}

extension NamedPath {
    static let tooLong = "A path has \(Condition.maximumDepth) parts at most."
}
