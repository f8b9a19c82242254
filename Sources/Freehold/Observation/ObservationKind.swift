import FreeholdEngine

/// The way to follow a kind of value, and to convert its changes for the observer.
///
/// The type is `Sendable` because it is sent to the one place where it is used.
struct ObservationKind<Observed: ThreadConfined, Change>: @unchecked Sendable {
    /// A closure that converts a change to the value that the observer receives, or to nil if nothing is delivered. It
    /// runs where the realm is, at the version after the change. `shown` is the value in the delivered change, which
    /// may be frozen.
    typealias Teller = (_ change: ObservedChange, _ shown: Observed, _ isOwn: Bool) -> Change?

    /// A function that makes a closure. The closure follows the value from a version on, and any thread may use it. The
    /// function is called where the value's realm is.
    let follow: (Observed) -> Observation.Start
    /// A closure that makes the teller of one observation from the live value. Each observation has its own, because
    /// some tellers compare with the state of their last delivery.
    let teller: (Observed) -> Teller
    /// The change to deliver if the value was deleted before its observation began. It is nil for all values that have
    /// an initial delivery.
    var gone: Change?
    /// A Boolean value that indicates whether only changes are delivered, without an initial state.
    var tellsChangesOnly = false
    /// A Boolean value that indicates whether the teller receives `.silence` for commits that aren't reported, because
    /// it compares with the previous state.
    var hearsSilence = false
}

extension ObservationKind {
    /// Follows an object, and delivers its changes as changes of the value that stands for the object.
    ///
    /// - Parameters:
    ///   - root: Returns the object.
    ///   - paths: The followed key paths, beginning at the object's class. If nil, all its own properties are followed.
    ///   - properties: Returns the property changes for columns that were set, and for key paths, given by their
    ///     positions, on which something changed. The snapshot is the version before the change if the old values can
    ///     be delivered.
    static func object(
        _ root: @escaping (Observed) -> ObjectBase,
        paths: [String]?,
        _ properties: @escaping (_ root: ObjectBase, _ columns: [Int], _ paths: [Int], Snapshot?) -> [PropertyChange]
    ) -> Self where Change == ObjectChange<Observed> {
        ObservationKind(
            follow: { observed in
                let root = root(observed)
                let table = root._table!
                let (stored, key) = (table.table, root._key)
                let paths = paths.map { $0.map(table.observedPath) }
                return { .object(ObservedObject(stored, key, paths: paths, in: $0)) }
            },
            teller: { _ in
                { change, shown, isOwn in
                    guard case .object(let what, let old) = change else { return nil }
                    switch what {
                    case .deleted: return .deleted
                    case .modified(let columns, let fired):
                        let root = root(shown)
                        if root.isInvalidated { return nil }
                        return .change(shown, properties(root, columns, fired, isOwn ? nil : old))
                    }
                }
            },
            gone: .deleted,
            tellsChangesOnly: true
        )
    }

    /// Begins an observation. The method is called where the value's realm is.
    ///
    /// - Parameters:
    ///   - version: The version after which changes are delivered.
    ///   - isAsking: A Boolean value that indicates whether the observation receives only the changes that it requests.
    func begin(
        _ observed: Observed,
        since version: Snapshot,
        isAsking: Bool = false,
        _ block: @escaping Observation.Block
    ) -> Observation {
        let core = observed._confinedCore!
        let group = core.requireObservers("\(Observed.self)")
        let follow = follow
        let observation = Observation(
            core,
            group,
            startingAt: tellsChangesOnly ? version : nil,
            isAsking: isAsking,
            hearsSilence: hearsSilence,
            restart: { observed._moved(to: $0).map(follow) },
            start: follow(observed),
            block: block
        )
        group.add(observation, core)
        return observation
    }

    /// Begins the observation for a block that takes the converted change.
    func begin(_ observed: Observed, since version: Snapshot, _ block: @escaping (Change) -> Void) -> Observation {
        let teller = teller(observed)
        return begin(observed, since: version) { (change: ObservedChange, isOwn: Bool) in
            if let told = teller(change, observed, isOwn) { block(told) }
        }
    }

    /// Returns a kind whose changes are transformed by a closure.
    func map<Other>(_ transform: @escaping (Change) -> Other) -> ObservationKind<Observed, Other> {
        let teller = teller
        return ObservationKind<Observed, Other>(
            follow: follow,
            teller: { observed in
                let tell = teller(observed)
                return { tell($0, $1, $2).map(transform) }
            },
            gone: gone.map(transform),
            tellsChangesOnly: tellsChangesOnly,
            hearsSilence: hearsSilence
        )
    }
}
