import FreeholdEngine

/// What sectioned results stand for, and their sections at the realm's present state.
final class SectionQuery<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue> {
    struct Section {
        let key: Key
        /// Of its elements, among the results.
        var positions: [Int]
    }

    let results: Results<SectionElement>
    let keyOf: (SectionElement) -> Key
    private var sections: [Section] = []
    private var byKey: [Key: Int] = [:]
    private var sectionedAt: EvaluationState?

    init(_ results: Results<SectionElement>, _ keyOf: @escaping (SectionElement) -> Key) {
        if Key._rlmShape.type == .object {
            programmerError(
                "\(Key.self) can't be the key of sections: objects have no order. Take one of its properties."
            )
        }
        self.results = results
        self.keyOf = keyOf
    }

    /// In the order of the first element of each.
    func current() -> [Section] {
        if results.isInvalidated { return [] }
        guard let core = results._confinedCore else { return evaluated() }
        return core.exclusively { evaluated() }
    }

    private func evaluated() -> [Section] {
        let state = results.evaluationState
        if sectionedAt == state { return sections }
        sections = []
        byKey = [:]
        for (i, element) in results.enumerated() {
            let key = keyOf(element)
            if let known = byKey[key] {
                sections[known].positions.append(i)
            } else {
                byKey[key] = sections.count
                sections.append(Section(key: key, positions: [i]))
            }
        }
        sectionedAt = state
        return sections
    }

    /// None for a section that has vanished.
    func positions(of key: Key) -> [Int] {
        let sections = current()
        return sections.isEmpty ? [] : byKey[key].map { sections[$0].positions } ?? []
    }
}
