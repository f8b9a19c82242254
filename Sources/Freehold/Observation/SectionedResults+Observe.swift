public import Dispatch
import FreeholdEngine

extension SectionedResults {
    /// Calls the block with the sections as they are, and then each time they have changed.
    ///
    /// ```swift
    /// token = people.sectioned(by: \.city).observe { change in
    ///     switch change {
    ///     case .initial(let sections): show(sections)
    ///     case .update(let sections, let deletions, let insertions, let modifications, let new, let gone): …
    ///     }
    /// }
    /// ```
    /// Where and when the block runs, and what else holds: as for collections. The elements' keys are asked for where
    /// the sections' realm is.
    ///
    /// - Parameters:
    ///   - keyPaths: when an element counts as modified; see ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``.
    ///     Of a key that is a closure's, name what it reads too: what isn't observed makes no call.
    ///   - queue: a serial queue, on which the block then runs, with the sections of a realm of that queue.
    ///   - block: is called with each change.
    /// - Complexity: of a change O(n), with a call of the key's closure for each element.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same on an actor: the block is called in its isolation, with the sections of a realm of the actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observing(on: actor, _isolation: _isolation, observation(keyPaths), block)
    }

    func observation(_ keyPaths: [String]?) -> ObservationKind<Self, SectionedResultsChange<Self>> {
        observation(keyPaths, as: { $0 }, { _, _, changes in changes })
    }

    /// - Parameters:
    ///   - told: what is told of, made of the sections.
    ///   - part: what of the changes is told, between two layouts.
    fileprivate func observation<Told>(
        _ keyPaths: [String]?,
        as told: @escaping (Self) -> Told,
        _ part: @escaping (SectionLayout<Key>, SectionLayout<Key>, SectionChanges) -> SectionChanges
    ) -> ObservationKind<Self, SectionedResultsChange<Told>> {
        let elements = query.results.observation(keyPaths)
        return ObservationKind(
            follow: { elements.follow($0.query.results) },
            teller: { _ in
                var last: SectionLayout<Key>?
                return { change, shown, _ in
                    if case .silence = change {
                        if last != nil { last = shown.query.layout() }
                        return nil
                    }
                    _ = RealmCollectionChange.change(change, of: shown.query.results)
                    let now = shown.query.layout()
                    defer { last = now }
                    guard case .collection(let elements, _) = change, let last else { return .initial(told(shown)) }
                    let changes = part(last, now, SectionChanges(from: last, to: now, elements))
                    return changes.isEmpty ? nil : changes.told(of: told(shown))
                }
            },
            hearsSilence: true
        )
    }
}

extension ResultsSection {
    /// Calls the block with the section as it is, and then each time it has changed: its elements, or whether there is
    /// such a section. Positions of sections are those among all sections.
    ///
    /// A section whose last element goes is told as deleted, and as inserted when its key comes back. What else holds: as
    /// for ``SectionedResults/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { all.observing(on: queue, observation(keyPaths), block) }

    /// The same with a queue alone, as protocols of older code ask for it.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// The same on an actor: the block is called in its isolation, with the section of a realm of the actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await all.observing(on: actor, _isolation: _isolation, observation(keyPaths), block)
    }

    /// What it is a section of, which stays also while there is no such section.
    var all: SectionedResults<Key, SectionElement> { SectionedResults(query: query) }

    func observation(
        _ keyPaths: [String]?
    ) -> ObservationKind<SectionedResults<Key, SectionElement>, SectionedResultsChange<Self>> {
        let key = identity
        return all.observation(keyPaths, as: { ResultsSection(identity: key, query: $0.query) }) { old, new, changes in
            changes.only(old: old.section(of: key), new: new.section(of: key))
        }
    }
}

extension SectionedResults where SectionElement: KeypathSortable {
    /// The same with key paths of the class.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: queue, block) }

    /// The same with key paths of the class, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: actor, _isolation: _isolation, block)
    }
}

extension ResultsSection where SectionElement: KeypathSortable {
    /// The same with key paths of the class.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: queue, block) }

    /// The same with key paths of the class, on an actor.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: actor, _isolation: _isolation, block)
    }
}
