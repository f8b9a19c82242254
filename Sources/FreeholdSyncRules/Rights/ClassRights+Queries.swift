import FreeholdEngine
public import FreeholdSyncCore

extension ClassRights {
    /// A query of the user's, narrowed to what the user can read.
    ///
    /// The query is parsed and put together with the right as conditions, never as text: nothing in it can widen it.
    ///
    /// - Throws: `ConditionError` for a query that can't be read, that sorts or limits, or that asks for a field that is hidden: else its
    ///   answers would tell what the field holds.
    /// - Complexity: O(length of both).
    public func narrowed(_ query: SyncString) throws(ConditionError) -> SyncString {
        let written: WrittenQuery
        do { written = try QueryParser.parse(query.string) } catch {
            throw ConditionError(position: UInt64(error.position ?? 0), text: SyncString(error.message))
        }
        guard written.stages.isEmpty else {
            throw ConditionError(
                position: 0,
                text: "Sorting, distinct and limits aren't part of what is subscribed to."
            )
        }
        if read.truth == false { return SyncString(read.text) }
        if !fields.readsAll, let path = written.condition.firstPath(where: { !canAsk($0) }) {
            throw ConditionError(
                position: UInt64(path.position ?? 0),
                text: SyncString("'\(className)' has no field '\(path.text)' for the user.")
            )
        }
        // What was printed is parsed: a query of the package's own making.
        guard let right = try? QueryParser.parse(read.text).condition else {
            return SyncString(RuleCondition.never.text)
        }
        return SyncString(RuleCondition(.every([written.condition, right])).text)
    }

    /// Whether the answer tells of nothing that is hidden.
    private func canAsk(_ path: NamedPath) -> Bool {
        var names: [SyncString] = []
        for step in path.steps {
            switch step {
            case .name(let name): names.append(SyncString(name))
            case .place: continue
            // Objects that link here have rights of their own.
            case .links: return false
            }
        }
        return names.isEmpty ? path.suffix == nil : fields.canRead(names)
    }
}

extension Condition {
    /// Nil if none is so. The variables' paths of subqueries lie behind the subquery's own, which leads to them.
    fileprivate func firstPath(where isSo: (NamedPath) -> Bool) -> NamedPath? {
        switch self {
        case .truth: return nil
        case .and(let parts, _), .or(let parts, _):
            for part in parts { if let path = part.firstPath(where: isSo) { return path } }
            return nil
        case .not(let inner): return inner.firstPath(where: isSo)
        case .compare(let a, _, let b, _): return a.firstPath(where: isSo) ?? b.firstPath(where: isSo)
        case .between(let term, _, _, _), .term(let term): return term.firstPath(where: isSo)
        case .fullText(let path, _), .within(let path, _): return isSo(path) ? path : nil
        }
    }
}

extension Term {
    fileprivate func firstPath(where isSo: (NamedPath) -> Bool) -> NamedPath? {
        switch self {
        case .constant: nil
        case .path(let path): isSo(path) ? path : nil
        case .arithmetic(_, let a, let b): a.firstPath(where: isSo) ?? b.firstPath(where: isSo)
        case .subquery(let path, _, let condition):
            isSo(path)
                ? path
                : condition.firstPath { inner in
                    var whole = path
                    whole.steps += inner.steps
                    return isSo(whole)
                }
        }
    }
}
