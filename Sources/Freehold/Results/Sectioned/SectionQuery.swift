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
    private var byKey: [SectionIdentity<Key>: Int] = [:]
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
        // Says that they are read.
        if core.tracker != nil { _ = results.count }
        return core.exclusively { evaluated() }
    }

    private func evaluated() -> [Section] {
        let state = results.evaluationState
        if sectionedAt == state { return sections }
        sections = []
        byKey = [:]
        for (i, element) in results.enumerated() {
            let key = keyOf(element)
            let identity = SectionIdentity(key)
            if let known = byKey[identity] {
                sections[known].positions.append(i)
            } else {
                byKey[identity] = sections.count
                sections.append(Section(key: key, positions: [i]))
            }
        }
        sectionedAt = results._confinedCore?.answerState ?? state
        return sections
    }

    /// What the sections are at present, to be compared with what they are later.
    func layout() -> SectionLayout<Key> {
        let sections = current()
        return SectionLayout(keys: sections.map(\.key), positions: sections.map(\.positions))
    }

    /// None for a section that has vanished.
    func positions(of key: Key) -> [Int] {
        let sections = current()
        return sections.isEmpty ? [] : byKey[SectionIdentity(key)].map { sections[$0].positions } ?? []
    }
}

/// A section's key as queries tell values apart: NaN is one key, and strings are equal if their bytes are.
struct SectionIdentity<Key: _Persistable & Hashable>: Hashable {
    private let key: Key
    /// Of keys that are plain values.
    private let value: Value?

    init(_ key: Key) {
        self.key = key
        if case .value(let value) = Key._rlmContent(key) { self.value = value } else { value = nil }
    }

    static func == (a: SectionIdentity, b: SectionIdentity) -> Bool {
        guard let x = a.value, let y = b.value else { return a.key == b.key }
        return Value.areEqual(x, y)
    }

    func hash(into hasher: inout Hasher) {
        if let value { value.hashEqual(into: &hasher) } else { hasher.combine(key) }
    }
}
