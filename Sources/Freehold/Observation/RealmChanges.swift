import FreeholdEngine

/// An asynchronous sequence of the changes that `observe` delivers for a collection, an object or sections.
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
/// **Elements.** For a collection, the first element is its present state. Each further element is a change. A slow
/// iteration receives one change for all commits since its last element. The sequence doesn't buffer changes, but it
/// keeps the version of the last element in the file. The sequence ends when its task is cancelled, and when the object
/// or the owner of the list is deleted. For an object, the last element reports the deletion.
///
/// **Isolation.** On the actor to which its realm is confined, such as the main actor, an iteration receives the live
/// value. The realm stays at the version of the change until the next `await`. At any other place, an iteration
/// receives the value frozen at that version. Any thread may read a frozen value, and ``ThreadConfined/thaw()`` returns
/// the live one. A sequence may also be made from a frozen value. It then contains the changes since the version of
/// that value. No run loop is required.
///
/// The sequence itself is `Sendable`. Each iteration has its own observation. As long as the
/// sequence exists, for example in a variable, the version at which it was made stays in the file. Write the sequence in
/// the `for` statement to release that version when the iteration begins.
public struct RealmChanges<Change>: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = Never

    private let begin: @Sendable () -> any ChangeSource<Change>

    init(_ begin: @escaping @Sendable () -> any ChangeSource<Change>) { self.begin = begin }

    public func makeAsyncIterator() -> Iterator { Iterator(source: begin()) }

    /// The iterator of the sequence. Its observation ends when the iterator is released.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ChangeSource<Change>

        /// Waits for the next change. Returns `nil` at the end of the sequence.
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
    /// The changes of the collection, for use with `for await`. See ``RealmChanges``.
    ///
    /// - Precondition: Like for `observe`, except that the collection may be frozen, and that its realm may be confined
    ///   to any thread.
    public var changes: RealmChanges<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// Returns the changes of the collection, with modifications only for the key paths. See `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(observation(keyPaths))
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the changes of the collection, with modifications only for the typed key paths. See `observe`.
    public func changes(keyPaths: [PartialKeyPath<Element>]) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { keyPathReading($0).name })
    }
}

extension RealmCollection where Element: OptionalProtocol, Element.Wrapped: ObjectBase {
    /// Returns the changes of the collection, with modifications only for the typed key paths. See `observe`.
    public func changes(keyPaths: [PartialKeyPath<Element.Wrapped>]) -> RealmChanges<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension Map {
    /// The changes of the map, with keys. See ``RealmChanges``.
    public var changes: RealmChanges<RealmMapChange<Map>> { changes(keyPaths: nil) }

    /// Returns the changes of the map, with modifications only for the key paths. See `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmMapChange<Map>> { changes(observation(keyPaths)) }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Returns the changes of the map, with modifications only for the typed key paths. See `observe`.
    public func changes(keyPaths: [PartialKeyPath<Value.Wrapped>]) -> RealmChanges<RealmMapChange<Map>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension SectionedResults {
    /// The changes of the sections: see ``RealmChanges``.
    public var changes: RealmChanges<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// Returns the changes of the sections, with modifications only for the key paths. See `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<SectionedResultsChange<Self>> {
        changes(observation(keyPaths))
    }
}

extension SectionedResults where SectionElement: KeypathSortable {
    /// Returns the changes of the sections, with modifications only for the typed key paths. See `observe`.
    public func changes(keyPaths: [PartialKeyPath<SectionElement>]) -> RealmChanges<SectionedResultsChange<Self>> {
        changes(keyPaths: keyPaths.map { keyPathReading($0).name })
    }
}

extension ResultsSection {
    /// The changes of the section: see ``RealmChanges``.
    public var changes: RealmChanges<SectionedResultsChange<Self>> { changes(keyPaths: nil) }

    /// Returns the changes of the section, with modifications only for the key paths. See `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<SectionedResultsChange<Self>> {
        all.changes(observation(keyPaths))
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// The changes of the object, without an initial element. See ``RealmChanges``.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// Returns the changes of the object on the key paths. See `observe`.
    public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> { changes(_observation(keyPaths)) }

    /// Returns the changes of the object on the typed key paths. See `observe`.
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> RealmChanges<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension Realm {
    /// The notifications of the realm, for use with `for await`. If several notifications arrive between two requests,
    /// only the last one is kept.
    ///
    /// - Precondition: The preconditions of ``observe(_:)``.
    public var changes: AsyncStream<Notification> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let token = observe { notification, _ in continuation.yield(notification) }
            continuation.onTermination = { _ in token.invalidate() }
        }
    }

    /// Returns the changes of a collection, for code that isn't isolated to an actor. The method opens a realm. The
    /// elements are frozen.
    ///
    /// ```swift
    /// for await change in try await Realm.changes(of: { $0.objects(Dog.self).where { $0.age > 5 } }) { … }
    /// ```
    /// - Parameters:
    ///   - configuration: The configuration of the realm.
    ///   - keyPaths: The key paths on which a change counts as a modification. See `observe`.
    ///   - collection: A closure that returns the collection. It runs once, on a thread of the library.
    /// - Throws: `Realm.Error`, or the error of the closure.
    public static func changes<C: RealmCollection>(
        _ configuration: Configuration = .defaultConfiguration,
        keyPaths: [String]? = nil,
        of collection: @escaping @Sendable (Realm) throws -> C
    ) async throws -> RealmChanges<RealmCollectionChange<C>> {
        try await read(configuration) { Frozen(try collection($0)) }.value.changes(keyPaths: keyPaths)
    }
}
