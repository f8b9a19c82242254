import FreeholdEngine

/// The elements of results of values. They are computed again when the state of the realm has changed.
final class ValueResults<Element: RealmCollectionValue> {
    let source: _ValueSource<Element>
    private var snapshot: ValueSnapshot<Element>
    private var positions: [Int] = []
    private var readAt: EvaluationState?

    init(_ source: _ValueSource<Element>) {
        self.source = source
        snapshot = ValueSnapshot(values: []) { _ in preconditionFailure("Nothing was read") }
    }

    var isInvalidated: Bool { source.isInvalidated }

    /// Reads the collection again if it may have changed.
    private func read() -> [Int] {
        if isInvalidated { return [] }
        guard let core = source.core else { return current() }
        // `stored()` reports the read of the collection to the tracker.
        if core.tracker != nil { _ = source.stored() }
        return core.exclusively { current() }
    }

    private func current() -> [Int] {
        let state = source.core?.evaluationState ?? EvaluationState()
        if readAt != state {
            snapshot = source.snapshot()
            positions = ValueStage.positions(of: snapshot.values, source.stages)
            readAt = source.core?.answerState ?? state
        }
        return positions
    }

    var count: Int { read().count }

    /// - Precondition: The element exists.
    func element(at i: Int) -> Element { snapshot.element(read()[i]) }

    var elements: [Element] {
        let positions = read()
        return positions.map(snapshot.element)
    }

    var values: [Value] {
        let positions = read()
        return positions.map { snapshot.values[$0] }
    }

    func index(of element: Element) -> Int? {
        let content = Element._rlmContent(element)
        let sought: Value?
        if let core = source.core {
            sought = core.sought(content)
        } else {
            // Unmanaged objects have no stored form, so the elements themselves are compared.
            return elements.firstIndex(of: element)
        }
        return sought.flatMap { sought in values.firstIndex { Value.areEqual($0, sought) } }
    }
}

/// The state for which a cached answer is valid: a version, and the number of changes inside a write transaction.
struct EvaluationState: Equatable {
    var version: UInt64 = 0
    var change: UInt64 = 0
}

extension RealmCore {
    var evaluationState: EvaluationState { EvaluationState(version: stateVersion, change: changeCount) }

    /// The state for which an answer that was just computed is valid. If its query was stopped early, the answer is
    /// valid for no state.
    var answerState: EvaluationState {
        WorkLimit.hasCutQueries ? EvaluationState(version: .max, change: .max) : evaluationState
    }
}
