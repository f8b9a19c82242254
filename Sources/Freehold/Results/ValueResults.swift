import FreeholdEngine

/// The values that results stand for, at the realm's present state.
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

    /// Reads the collection if it can have changed.
    private func read() -> [Int] {
        if isInvalidated { return [] }
        guard let core = source.core else { return current() }
        // Its place says that it is read.
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

    /// - Precondition: there is one.
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
            // Objects in memory have no form of their own.
            return elements.firstIndex(of: element)
        }
        return sought.flatMap { sought in values.firstIndex { Value.areEqual($0, sought) } }
    }
}

/// What a cached answer holds for: a version, and inside a write transaction what has been changed so far.
struct EvaluationState: Equatable {
    var version: UInt64 = 0
    var change: UInt64 = 0
}

extension RealmCore {
    var evaluationState: EvaluationState { EvaluationState(version: stateVersion, change: changeCount) }

    /// What an answer that was just found holds for: for nothing, if its query was cut short.
    var answerState: EvaluationState {
        WorkLimit.hasCutQueries ? EvaluationState(version: .max, change: .max) : evaluationState
    }
}
