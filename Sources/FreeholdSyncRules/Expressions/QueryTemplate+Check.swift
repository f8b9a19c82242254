import FreeholdEngine

extension QueryTemplate {
    /// Checks the paths of the condition.
    ///
    /// - Throws: `RuleError` for a path that the class doesn't have, or that leads through a link.
    func check(_ className: String, _ schema: RuleSchema) throws(RuleError) {
        for names in condition.paths {
            _ = try ResolvedField(names, className, schema, [names.joined(separator: ".")])
        }
    }
}

extension Condition {
    /// The names of the condition's paths that consist of names only.
    fileprivate var paths: [[String]] {
        switch self {
        case .truth: []
        case .and(let parts, _), .or(let parts, _): parts.flatMap(\.paths)
        case .not(let inner): inner.paths
        case .compare(let a, _, let b, _): a.paths + b.paths
        case .between(let term, _, _, _), .term(let term): term.paths
        case .fullText(let path, _), .within(let path, _): path.plainNames.map { [$0] } ?? []
        }
    }
}

extension Term {
    fileprivate var paths: [[String]] {
        switch self {
        case .constant: []
        case .path(let path), .subquery(let path, _, _): path.plainNames.map { [$0] } ?? []
        case .arithmetic(_, let a, let b): a.paths + b.paths
        }
    }
}

extension NamedPath {
    /// The names of the path. `nil` if it has other steps.
    fileprivate var plainNames: [String]? {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { return nil }
            names.append(name)
        }
        return names.isEmpty ? nil : names
    }
}
