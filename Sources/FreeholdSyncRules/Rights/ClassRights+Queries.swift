import FreeholdEngine
public import FreeholdSyncCore

extension ClassRights {
    /// Returns a query of the user, restricted to the objects that the user can read.
    ///
    /// The query and the right are combined as parsed conditions, and never as text, so that nothing in the query can
    /// extend the result. The right is first, so that the query isn't evaluated for hidden objects, and its duration
    /// doesn't depend on them.
    ///
    /// - Parameter others: Returns the user's rights for another class. A query may only test values behind links if
    ///   the user can read all objects of the class there.
    /// - Throws: `ConditionError` for a query that is invalid, that sorts or limits, or that uses hidden values. The
    ///   results of the latter would reveal these values.
    /// - Complexity: O(length of both)
    public func narrowed(
        _ query: SyncString,
        schema: RuleSchema,
        others: (String) -> ClassRights
    ) throws(ConditionError) -> SyncString {
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
        if let path = written.condition.firstPath(where: { !canAsk($0, schema, others) }) {
            throw ConditionError(
                position: UInt64(path.position ?? 0),
                text: SyncString("'\(className)' has no field '\(path.text)' for the user.")
            )
        }
        // The text was printed from a condition, so parsing can't fail.
        guard let right = try? QueryParser.parse(read.text).condition else {
            return SyncString(RuleCondition.never.text)
        }
        return SyncString(RuleCondition(.every([right, written.condition])).text)
    }

    /// Returns whether the result of a condition on the path reveals no hidden value.
    private func canAsk(_ path: NamedPath, _ schema: RuleSchema, _ others: (String) -> ClassRights) -> Bool {
        if path.suffix == .incomingLinks { return false }
        var rights = self
        var table = schema.table(className)
        /// The names of the path inside the present class.
        var names: [SyncString] = []
        for (index, step) in path.steps.enumerated() {
            switch step {
            case .place: continue
            case .links(let className, let property):
                rights = others(className)
                table = schema.table(className)
                names = []
                guard rights.read.truth == true, rights.fields.canAsk([SyncString(property)]) else { return false }
            case .name(let name):
                names.append(SyncString(name))
                guard let column = table?.columns.first(where: { $0.name == name }) else {
                    // A missing property reveals nothing.
                    return rights.fields.canAsk(names)
                }
                let goesOn = path.steps[(index + 1)...].contains { if case .name = $0 { true } else { false } }
                guard goesOn else { continue }
                // A mixed value can link to objects of any class.
                guard column.type == .link, let target = column.target.flatMap({ schema.table($0) }) else {
                    return false
                }
                table = target
                if target.isEmbedded { continue }
                guard rights.fields.canAsk(names) else { return false }
                rights = others(target.name)
                guard rights.read.truth == true else { return false }
                names = []
            }
        }
        return names.isEmpty || rights.fields.canAsk(names)
    }
}

extension Condition {
    /// Returns the first path that fulfils a condition, or `nil`. The paths of a subquery's variables follow the
    /// subquery's own path, which leads to them.
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
                    whole.suffix = inner.suffix
                    return isSo(whole)
                }
        }
    }
}
