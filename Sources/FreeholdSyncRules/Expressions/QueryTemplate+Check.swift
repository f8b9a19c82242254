import FreeholdEngine

extension QueryTemplate {
    /// - Throws: `RuleError` for a path that the class hasn't, or that leads through a link.
    func check(_ className: String, _ schema: RuleSchema) throws(RuleError) {
        for names in condition.paths {
            _ = try ResolvedField(names, className, schema, [names.joined(separator: ".")])
        }
    }
}

extension Condition {
    /// The names of the paths in it, as far as they have nothing but names.
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
    /// Nil if it has steps that are no names.
    fileprivate var plainNames: [String]? {
        var names: [String] = []
        for step in steps {
            guard case .name(let name) = step else { return nil }
            names.append(name)
        }
        return names.isEmpty ? nil : names
    }
}
