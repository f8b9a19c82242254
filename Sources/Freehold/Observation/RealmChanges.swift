import FreeholdEngine

/// The changes of a collection, an object or sections, as an asynchronous sequence: what `observe` calls its block with.
///
/// ```swift
/// actor Kennel {
///     func watch() async throws {
///         let realm = try await Realm.open()
///         for await change in realm.objects(Dog.self).where({ $0.age > 5 }).changes {
///             if case .update(let dogs, let deletions, let insertions, let modifications) = change { … }
///         }
///     }
/// }
/// ```
/// **What is told.** Of collections first the state as it is; then a change each time there is one. Who is slow is told
/// one change for all that has happened meanwhile: nothing piles up, but the version that was told last stays in the
/// file. The sequence ends when its task is cancelled, and when the object, or the one that a list belongs to, is
/// deleted; of an object the last element says so.
///
/// **Where.** Iterated on the actor that its realm is confined to (the main actor among them) it gives the live thing,
/// and the realm stands at the version of the change until the actor does something else: until the next `await`.
/// Iterated anywhere else it gives the frozen thing at that version, which every thread may read, and which
/// ``ThreadConfined/thaw()`` leads back from. What is iterated may also be frozen: its changes since then are told.
/// No run loop is needed.
///
/// The sequence itself is `Sendable`. Each iteration is an observation of its own. Until it begins, the version at which
/// the sequence was made stays in the file.
public struct RealmChanges<Change>: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = Never

    private let begin: @Sendable () -> any ChangeSource<Change>

    init(_ begin: @escaping @Sendable () -> any ChangeSource<Change>) { self.begin = begin }

    public func makeAsyncIterator() -> Iterator { Iterator(source: begin()) }

    /// Ends its observation when it is let go of.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ChangeSource<Change>

        /// Waits for the next change; nil when there is no more.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            await source.next(isolation: actor)
        }
    }
}

extension ThreadConfined {
    func changes<Change>(_ kind: ObservationKind<Self, Change>) -> RealmChanges<Change> {
        let place: Confinement.Key?
        if let core = _confinedCore, core.isFrozen {
            if core.configuration.readOnly {
                programmerError("The changes of a \(Self.self) of \(core.name) were asked for, which is read-only.")
            }
            place = nil
        } else {
            place = observableCore().confinement.key
        }
        let frozen = Frozen(self)
        return RealmChanges { ObservedChanges(frozen, of: kind, place) }
    }
}

extension RealmCollection {
    /// The changes of the collection, to be iterated by `for await`: see ``RealmChanges``.
    ///
    /// - Precondition: as for `observe`, but that the collection may be frozen, and its realm be one of any thread.
    public var changes: RealmChanges<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// The same, where only what is set on these paths counts as a modification: see `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(observation(keyPaths))
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The same with key paths of the class.
    public func changes(keyPaths: [PartialKeyPath<Element>]) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { keyPathReading($0).name })
    }
}

extension RealmCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// The same with key paths of the class.
    public func changes(keyPaths: [PartialKeyPath<Element.Wrapped>]) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension Map {
    /// The changes of the map, by keys: see ``RealmChanges``.
    public var changes: RealmChanges<RealmMapChange<Map>> { changes(keyPaths: nil) }

    /// The same, where only what is set on these paths counts as a modification: see `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmMapChange<Map>> { changes(observation(keyPaths)) }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// The same with key paths of the class.
    public func changes(keyPaths: [PartialKeyPath<Value.Wrapped>]) -> RealmChanges<RealmMapChange<Map>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension SectionedResults {
    /// The changes of the sections: see ``RealmChanges``.
    public var changes: RealmChanges<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// The same, where only what is set on these paths counts as a modification: see `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<SectionedResultsChange<Self>> {
        changes(observation(keyPaths))
    }
}

extension SectionedResults where SectionElement: KeypathSortable {
    /// The same with key paths of the class.
    public func changes(keyPaths: [PartialKeyPath<SectionElement>]) -> RealmChanges<SectionedResultsChange<Self>> {
        changes(keyPaths: keyPaths.map { keyPathReading($0).name })
    }
}

extension ResultsSection {
    /// The changes of the section: see ``RealmChanges``.
    public var changes: RealmChanges<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// The same, where only what is set on these paths counts as a modification: see `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<SectionedResultsChange<Self>> {
        all.changes(observation(keyPaths))
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object, without a first element: see ``RealmChanges``.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The same, of what is on these paths: see `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> { changes(_observation(keyPaths)) }

    /// The same with key paths of the class.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> RealmChanges<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension Realm {
    /// What an observer of the realm is told, to be iterated by `for await`. Of what comes while nobody asks only the last
    /// is kept.
    ///
    /// - Precondition: as for ``observe(_:)``.
    public var changes: AsyncStream<Notification> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let token = observe { notification, _ in continuation.yield(notification) }
            continuation.onTermination = { _ in token.invalidate() }
        }
    }

    /// The changes of a collection, for code that is on no actor: a realm is opened for it. Its elements are frozen.
    ///
    /// ```swift
    /// for await change in try await Realm.changes(of: { $0.objects(Dog.self).where { $0.age > 5 } }) { … }
    /// ```
    /// - Parameters:
    ///   - keyPaths: when an element counts as modified: see `observe`.
    ///   - collection: makes it; runs once, on a thread of the library.
    ///   - configuration: the realm's.
    /// - Throws: `Realm.Error`, or what the closure throws.
    public static func changes<C: RealmCollection>(
        _ configuration: Configuration = .defaultConfiguration,
        keyPaths: [String]? = nil,
        of collection: @escaping @Sendable (Realm) throws -> C
    ) async throws -> RealmChanges<RealmCollectionChange<C>> {
        try await read(configuration) { Frozen(try collection($0)) }.value.changes(keyPaths: keyPaths)
    }
}
