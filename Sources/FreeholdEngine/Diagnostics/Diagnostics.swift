internal import Synchronization

/// The interface through which the database reports its work to loggers, metrics and traces.
///
/// ```swift
/// let id = Diagnostics.listen(to: .writes) { event in … }
/// ```
/// Without listeners, an event costs one relaxed load. It isn't created, and the clock isn't read.
package enum Diagnostics {
    /// The kinds of events that a listener receives.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let files = Kinds(rawValue: 1)
        package static let writes = Kinds(rawValue: 2)
        package static let queries = Kinds(rawValue: 4)
        /// Changes of schemas, compactions, and cursors of journals that aren't moved.
        package static let maintenance = Kinds(rawValue: 8)
        /// The versions that readers hold, with each write.
        package static let readers = Kinds(rawValue: 16)
    }

    /// A listener is called on the thread that did the work, after the work, often while the locks of the work are held. It must be quick and must
    /// not use the database.
    package typealias Listener = @Sendable (DiagnosticEvent) -> Void

    /// The duration up to which queries aren't described.
    package static let describedQueryDuration = Duration.milliseconds(10)

    private static let wanted = Atomic<UInt8>(0)
    private static let listeners = Mutex<[Int: (kinds: Kinds, listener: Listener)]>([:])
    private static let lastID = Atomic<Int>(0)

    /// Returns whether a listener receives one of these kinds.
    @inline(__always)
    package static func wants(_ kinds: Kinds) -> Bool { wanted.load(ordering: .relaxed) & kinds.rawValue != 0 }

    /// Returns the present time, or `nil` if no listener receives one of these kinds.
    @inline(__always)
    package static func start(_ kinds: Kinds) -> ContinuousClock.Instant? { wants(kinds) ? .now : nil }

    /// Calls the listener for each event of these kinds, from now on.
    ///
    /// - Returns: a number for `stop`.
    package static func listen(to kinds: Kinds, _ listener: @escaping Listener) -> Int {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        listeners.withLock { all in
            all[id] = (kinds, listener)
            updateWanted(all.values.map(\.kinds))
        }
        return id
    }

    /// Removes a listener. A call that is in progress may still reach it.
    package static func stop(_ id: Int) {
        let removed = listeners.withLock { all in
            let removed = all.removeValue(forKey: id)
            updateWanted(all.values.map(\.kinds))
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    package static func send(_ event: DiagnosticEvent) {
        let kind = event.kind
        let called = listeners.withLock { all in all.values.filter { $0.kinds.contains(kind) }.map(\.listener) }
        for listener in called { listener(event) }
    }

    private static func updateWanted(_ kinds: [Kinds]) {
        wanted.store(kinds.reduce(into: Kinds()) { $0.formUnion($1) }.rawValue, ordering: .relaxed)
    }
}

extension DiagnosticEvent {
    fileprivate var kind: Diagnostics.Kinds {
        switch self {
        case .opened, .closed: .files
        case .wrote: .writes
        case .queried: .queries
        case .changedSchema, .compacted, .heldJournal: .maintenance
        }
    }
}
