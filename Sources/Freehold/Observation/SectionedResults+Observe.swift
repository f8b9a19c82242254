public import Dispatch
import FreeholdEngine

extension SectionedResults {
    /// Calls the block with the present state of the sections, and then after each change.
    ///
    /// ```swift
    /// token = people.sectioned(by: \.city).observe { change in
    ///     switch change {
    ///     case .initial(let sections): show(sections)
    ///     case .update(let sections, let deletions, let insertions, let modifications, let new, let gone): …
    ///     }
    /// }
    /// ```
    /// The rules of `observe` for collections apply to the place and time of the calls and to the preconditions. The
    /// closure for the keys of the elements runs where the sections' realm is.
    ///
    /// - Parameters:
    ///   - keyPaths: The key paths on which a change makes an element count as modified; see
    ///     ``RealmCollection/observe(keyPaths:on:_:)-([String]?,_,_)``. If the section key is a closure, include the
    ///     key paths that it reads. A change of data that isn't observed causes no call.
    ///   - queue: A serial queue on which the block runs. The block then receives the sections in a realm of that
    ///     queue.
    ///   - block: A closure that is called with each change.
    /// - Complexity: O(n) for a change, with one call of the key's closure for each element.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observing(on: queue, observation(keyPaths), block) }

    /// Calls the block with the changes of the sections on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the changes of the sections, isolated to an actor. The block receives the sections in a
    /// realm of the actor. See `observe(keyPaths:on:_:)` with a queue.
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
    ///   - told: Returns the value to deliver, made from the sections.
    ///   - part: Returns the part of the changes between two layouts that is delivered.
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
    /// Calls the block with the present state of the section, and then after each change of its elements or of its
    /// existence. Section positions are those among all sections.
    ///
    /// A section is reported as deleted when its last element is removed, and as inserted when an element with its key
    /// is present again. All other rules are those of ``SectionedResults/observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { all.observing(on: queue, observation(keyPaths), block) }

    /// Calls the block with the changes of the section on a queue. Protocols of older code require this overload.
    public func observe(
        on queue: DispatchQueue?,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: [String]?.none, on: queue, block) }

    /// Calls the block with the changes of the section, isolated to an actor. The block receives the section in a realm
    /// of the actor. See `observe(keyPaths:on:_:)` with a queue.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil,
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await all.observing(on: actor, _isolation: _isolation, observation(keyPaths), block)
    }

    /// The sections to which this section belongs. They remain valid while the section has no elements.
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
    /// Calls the block with the changes of the sections. The key paths are typed. See `observe(keyPaths:on:_:)` with
    /// strings.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: queue, block) }

    /// Calls the block with the changes of the sections, isolated to an actor. The key paths are typed. See
    /// `observe(keyPaths:on:_:)` with strings.
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
    /// Calls the block with the changes of the section. The key paths are typed. See `observe(keyPaths:on:_:)` with
    /// strings.
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>],
        on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: queue, block) }

    /// Calls the block with the changes of the section, isolated to an actor. The key paths are typed. See
    /// `observe(keyPaths:on:_:)` with strings.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>],
        on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { keyPathReading($0).name }, on: actor, _isolation: _isolation, block)
    }
}
