import FreeholdEngine

/// What is followed of a kind of thing, and how its changes are told.
///
/// `Sendable` because it goes to the one place where it is used.
struct ObservationKind<Observed: ThreadConfined, Change>: @unchecked Sendable {
    /// Turns a change into what is told of it, where the realm stands at the version that it leads to; nil to tell
    /// nothing. `shown`: the thing that is told, which may be a frozen one.
    typealias Teller = (_ change: ObservedChange, _ shown: Observed, _ isOwn: Bool) -> Change?

    /// Follows the thing from a version on. To be asked where its realm is; the answer may be used anywhere.
    let follow: (Observed) -> Observation.Start
    /// Made for each observation, of the live thing, because some tell what has changed since they told last.
    let teller: (Observed) -> Teller
    /// What is told of a thing that was deleted before its observation began. Nil: nothing, as of all things that are
    /// told as they are first.
    var gone: Change?
    /// Whether only changes are told, not first the thing as it is.
    var tellsChangesOnly = false
    /// Whether the teller is to hear `.silence` of commits that aren't told, because it compares with what was before.
    var hearsSilence = false
}

extension ObservationKind {
    /// Follows an object, and tells of it as what stands for it.
    ///
    /// - Parameters:
    ///   - root: the object.
    ///   - paths: what is followed, from its class on. Nil: all its own properties.
    ///   - properties: what is told of columns that were set, and of paths, by their positions, on which something
    ///     changed; with the version before where its values can be told.
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

    /// Begins where the thing's realm is.
    ///
    /// - Parameters:
    ///   - version: from which on changes are told.
    ///   - isAsking: whether it is told only what it has asked for.
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
            { observed._moved(to: $0).map(follow) },
            follow(observed),
            block
        )
        group.add(observation, core)
        return observation
    }

    /// The same, for a block that takes what is told.
    func begin(_ observed: Observed, since version: Snapshot, _ block: @escaping (Change) -> Void) -> Observation {
        let teller = teller(observed)
        return begin(observed, since: version) { (change: ObservedChange, isOwn: Bool) in
            if let told = teller(change, observed, isOwn) { block(told) }
        }
    }

    /// With what is told turned into something else.
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
