import FreeholdEngine

/// The state of sectioned results, and their sections for the realm's present state.
final class SectionQuery<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue> {
    struct Section {
        let key: SectionIdentity<Key>
        /// The positions of the section's elements in the results.
        var positions: [Int]
    }

    let results: Results<SectionElement>
    let keyOf: (SectionElement) -> SectionIdentity<Key>
    private var sections: [Section] = []
    private var byKey: [SectionIdentity<Key>: Int] = [:]
    private var sectionedAt: EvaluationState?

    init(_ results: Results<SectionElement>, _ keyOf: @escaping (SectionElement) -> SectionIdentity<Key>) {
        if Key._rlmShape.type == .object {
            programmerError(
                "\(Key.self) can't be the key of sections: objects have no order. Take one of its properties."
            )
        }
        self.results = results
        self.keyOf = keyOf
    }

    /// Returns the sections in the order of their first elements.
    func current() -> [Section] {
        if results.isInvalidated { return [] }
        guard let core = results._confinedCore else { return evaluated() }
        // `count` reports the read to the tracker.
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
            if let known = byKey[key] {
                sections[known].positions.append(i)
            } else {
                byKey[key] = sections.count
                sections.append(Section(key: key, positions: [i]))
            }
        }
        sectionedAt = results._confinedCore?.answerState ?? state
        return sections
    }

    /// Returns the present layout of the sections, for a later comparison.
    func layout() -> SectionLayout<Key> {
        let sections = current()
        return SectionLayout(keys: sections.map(\.key), positions: sections.map(\.positions))
    }

    /// Returns the positions of the section's elements. The array is empty if the section doesn't exist any more.
    func positions(of key: SectionIdentity<Key>) -> [Int] {
        let sections = current()
        return sections.isEmpty ? [] : byKey[key].map { sections[$0].positions } ?? []
    }
}

/// The key of a section. Keys are compared like values in queries: strings are equal if their bytes are equal. NaN
/// equals itself, so all NaN values form one section.
struct SectionIdentity<Key: _Persistable & Hashable>: Hashable, CustomStringConvertible {
    /// The key, or nil if the stored content isn't a value of the type.
    private let typed: Key?
    private let content: _StoredContent

    init(_ key: Key) {
        typed = key
        content = Key._rlmContent(key)
    }

    /// Creates the key of objects that have this content in a property.
    init(_ content: _StoredContent) {
        typed = Key._rlmFromContent(content)
        self.content = content
    }

    /// The key.
    ///
    /// - Precondition: The content is a value of the type.
    var key: Key {
        guard let typed else { return _fhUnmapped(nil, content.plain, or: nil) }
        return typed
    }

    var description: String { typed.map { "\($0)" } ?? content.plain.map { "\($0)" } ?? "nil" }

    /// The plain value, or nil for other keys.
    private var value: Value? { if case .value(let value) = content { value } else { nil } }

    static func == (a: SectionIdentity, b: SectionIdentity) -> Bool {
        guard let x = a.value, let y = b.value else { return a.typed == b.typed }
        return Value.areEqual(x, y)
    }

    func hash(into hasher: inout Hasher) {
        if let value { value.hashEqual(into: &hasher) } else { hasher.combine(typed) }
    }
}
