import FreeholdEngine

/// The state of results, and their keys for the realm's present state.
final class ResultsQuery {
    let source: _CollectionSource
    private var compiledQuery: CompiledQuery
    private var compiledGeneration: Int
    private var keys: [ObjectKey] = []
    private var keysAt = EvaluationState()
    /// The objects that an observer has found. They are kept until the keys are requested as an array.
    private var found: OrderedKeys?
    private var foundAt = EvaluationState()
    private var counted = 0
    private var countedAt = EvaluationState()

    init(_ source: _CollectionSource) throws(QueryError) {
        self.source = source
        compiledQuery = try CompiledQuery(source)
        compiledGeneration = source.core.schemaGeneration
    }

    /// Traps if the query doesn't fit the class.
    convenience init(trapping source: _CollectionSource) {
        do throws(QueryError) { try self.init(source) } catch { programmerError(error.description) }
    }

    var core: RealmCore { source.core }
    var table: ManagedTable { source.table }

    var isInvalidated: Bool { source.isInvalidated }

    // MARK: Reading

    /// Reports to the Observation framework that the query is read.
    private func track() { if let tracker = core.tracker { compiled.track(tracker) } }

    /// A Boolean value that indicates whether the query contains all objects of its class. The engine counts them, and
    /// finds them by position, without a list of keys.
    var isWholeTable: Bool {
        if case .table = source.base { return source.stages.isEmpty }
        return false
    }

    var count: Int {
        if isInvalidated { return 0 }
        track()
        if isWholeTable { return core.view.count(table.table) }
        return core.exclusively { evaluatedCount }
    }

    /// Adopts the objects of a state of the realm, which an observer of the query has found.
    func adopt(_ objects: FoundObjects) {
        if isWholeTable || core.transaction != nil || core.snapshotVersion != objects.version { return }
        core.exclusively {
            found = objects.keys
            foundAt = state
        }
    }

    private var currentlyFound: OrderedKeys? { foundAt == state ? found : nil }

    private var evaluatedCount: Int {
        if !isCurrent, let found = currentlyFound { return found.count }
        if !isCurrent, case .table = source.base {
            if countedAt != state {
                counted = compiled.count(in: core.view)
                countedAt = core.answerState
            }
            return counted
        }
        return currentKeys().count
    }

    func key(at i: Int) -> ObjectKey {
        track()
        if isWholeTable { return core.view.key(at: i, in: table.table) }
        if !core.isFrozen, !isCurrent, let found = currentlyFound { return found[i] }
        return currentKeys()[i]
    }

    func first() -> ObjectKey? {
        if isInvalidated { return nil }
        track()
        if isWholeTable {
            return core.view.count(table.table) == 0 ? nil : core.view.key(at: 0, in: table.table)
        }
        return core.exclusively {
            if isCurrent { return keys.first }
            if let found = currentlyFound { return found.first }
            if case .table = source.base { return compiled.first(in: core.view) }
            return currentKeys().first
        }
    }

    func index(of key: ObjectKey) -> Int? {
        if isInvalidated { return nil }
        track()
        if isWholeTable { return core.view.index(of: key, in: table.table) }
        return currentKeys().firstIndex(of: key)
    }

    /// Returns the keys for an iteration, which later changes don't affect.
    func snapshotKeys() -> KeySequence {
        if isInvalidated { return .array([]) }
        track()
        if isWholeTable && core.transaction == nil {
            let view = core.view
            return .table(view, table.table, count: view.count(table.table))
        }
        return .array(allKeys())
    }

    func allKeys() -> [ObjectKey] {
        if isInvalidated { return [] }
        track()
        return isWholeTable ? core.view.keys(table.table) : currentKeys()
    }

    // MARK: Evaluation

    private var state: EvaluationState { core.evaluationState }
    private var isCurrent: Bool { keysAt == state }

    private var compiled: CompiledQuery {
        if compiledGeneration != core.schemaGeneration {
            compiledQuery = trapping { () throws(QueryError) in try CompiledQuery(source) }
            compiledGeneration = core.schemaGeneration
        }
        return compiledQuery
    }

    private func currentKeys() -> [ObjectKey] {
        if isInvalidated { return [] }
        return core.exclusively { evaluatedKeys() }
    }

    private func evaluatedKeys() -> [ObjectKey] {
        if !isCurrent {
            keys = currentlyFound?.array ?? compiled.keys(in: core.view)
            Log.write(.trace, .query, message: "Found \(keys.count) of \(table.info.className)\(source.written).")
            keysAt = core.answerState
            found = nil
        }
        return keys
    }

    func explain() -> QueryPlan {
        isInvalidated ? QueryPlan() : compiled.explain(in: core.view)
    }

    /// Returns an aggregate of a property of all objects.
    func aggregate(_ aggregate: FreeholdEngine.Aggregate, _ keyPath: String) -> Value {
        // Known keys are read one by one, which is faster only for a small number of keys.
        let isInvalidated = isInvalidated
        track()
        return core.exclusively {
            let isKnown = !isInvalidated && !isWholeTable && isCurrent && keys.count <= core.view.count(table.table) / 8
            return compiled.aggregate(aggregate, keyPath, of: isInvalidated ? [] : isKnown ? keys : nil, in: core.view)
        }
    }
}
