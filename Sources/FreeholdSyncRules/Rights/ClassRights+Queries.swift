import FreeholdEngine
public import FreeholdSyncCore

extension ClassRights {
    /// A query of the user's, narrowed to what the user can read.
    ///
    /// The query is parsed and put together with the right as conditions, never as text: nothing in it can widen it. The right stands first, so
    /// that the query isn't evaluated for hidden objects, and the time that it takes doesn't depend on them.
    ///
    /// - Parameter others: the user's rights for another class. A query may ask what lies behind links only of classes whose objects
    ///   the user can all read.
    /// - Throws: `ConditionError` for a query that can't be read, that sorts or limits, or that asks for something hidden: else its
    ///   answers would tell what it is.
    /// - Complexity: O(length of both).
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
        // It was printed from a condition.
        guard let right = try? QueryParser.parse(read.text).condition else {
            return SyncString(RuleCondition.never.text)
        }
        return SyncString(RuleCondition(.every([right, written.condition])).text)
    }

    /// Whether the answer tells of nothing that is hidden.
    private func canAsk(_ path: NamedPath, _ schema: RuleSchema, _ others: (String) -> ClassRights) -> Bool {
        if path.suffix == .incomingLinks { return false }
        var rights = self
        var table = schema.table(className)
        /// In the class that the path has come to.
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
                    // There is nothing to tell.
                    return rights.fields.canAsk(names)
                }
                let goesOn = path.steps[(index + 1)...].contains { if case .name = $0 { true } else { false } }
                guard goesOn else { continue }
                // A mixed value can link to any class.
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
                    whole.suffix = inner.suffix
                    return isSo(whole)
                }
        }
    }
}
