internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// The state that a client stores, and the state that it shows, for the objects in which they differ from the server's state.
///
/// An object is kept only while an entry in the queue changes it, or while commits that change it are being merged. For all other objects,
/// both states equal the server's.
struct ClientImage: Sendable {
    /// The classes and fields that the client has.
    private(set) var schema: WireSchema
    /// The kept objects. An object that is missing in a state doesn't exist there.
    private(set) var kept: Set<WireObject> = []
    /// The client's own state at its last commit that the server has (C).
    private(set) var stored: WireState
    /// The state that the client shows once it has integrated the queue (P = C · Q).
    private(set) var shown: WireState
    /// The entries that were sent and aren't in the base of an upload (Q).
    private(set) var queue: [QueuedEntry] = []
    /// The objects whose predicted state may be wrong. They are sent to the client as a whole.
    private(set) var doubtful: Set<WireObject> = []
    /// The number of contradictions so far.
    private(set) var contradictions: UInt64 = 0

    init(_ schema: WireSchema = WireSchema()) {
        (self.schema, stored, shown) = (schema, WireState(schema: schema), WireState(schema: schema))
    }

    /// The kept objects that entries in the queue change.
    var concerned: Set<WireObject> { queue.reduce(into: []) { $0.formUnion($1.objects.intersection(kept)) } }

    /// A Boolean value that indicates whether a bootstrap is in the queue.
    var isBootstrapping: Bool { queue.contains { $0.bootstrap != nil } }

    package func checkInvariants() {
        assert(doubtful.isSubset(of: kept), "An object that isn't kept is doubtful.")
        assert(
            zip(queue, queue.dropFirst()).allSatisfy { $0.serverVersion < $1.serverVersion },
            "The versions of the queue don't rise."
        )
    }

    // MARK: Schema

    /// Adds classes and fields to both states.
    mutating func extend(_ instructions: [Instruction]) throws(ApplyError) {
        let changeset = Changeset(instructions)
        try stored.apply(changeset)
        try shown.apply(changeset)
        schema = stored.schema
    }

    // MARK: Objects

    /// Keeps an object that both states have in this form, unless it is kept.
    mutating func keep(_ object: WireObject, _ fields: WireFields?) {
        guard kept.insert(object).inserted else { return }
        if let fields { (stored[object], shown[object]) = (fields, fields) }
    }

    /// Removes the kept objects that no entry in the queue changes, except those that the caller needs.
    mutating func drop(except needed: Set<WireObject> = []) {
        guard !kept.isEmpty || !doubtful.isEmpty else { return }
        var concerned = needed
        for entry in queue { concerned.formUnion(entry.objects) }
        for object in kept where !concerned.contains(object) {
            (stored[object], shown[object]) = (nil, nil)
        }
        kept.formIntersection(concerned)
        doubtful.formIntersection(concerned)
    }

    /// Marks an object whose predicted state may be wrong.
    mutating func doubt(_ object: WireObject, isContradiction: Bool = true) {
        if isContradiction { contradictions += 1 }
        doubtful.insert(object)
    }

    mutating func trust(_ objects: Set<WireObject>) { doubtful.subtract(objects) }

    /// Replaces the name of elements of a commit that has received its version.
    mutating func name(_ map: (ElementID) -> ElementID?) {
        for object in kept {
            if let fields = stored[object], fields.containsID({ $0.pendingNumber != nil }) {
                stored[object] = fields.mappingIDs(map)
            }
            if let fields = shown[object], fields.containsID({ $0.pendingNumber != nil }) {
                shown[object] = fields.mappingIDs(map)
            }
        }
    }

    /// Restores an image from the part that was stored.
    mutating func restore(_ queue: [QueuedEntry], _ objects: [WireObject: WireFields?]) {
        self.queue = queue
        for (object, fields) in objects where schema[object.table] != nil {
            kept.insert(object)
            stored[object] = fields
        }
        predict(kept)
    }

    // MARK: The queue

    /// Adds an entry. The client will show these objects in this form after it.
    ///
    /// - Parameter own: The changesets of the client that aren't in the base of the entry, transformed over the queue.
    mutating func append(
        _ entry: QueuedEntry,
        showing objects: [WireObject: WireFields?],
        over own: [MergeEntry] = []
    ) {
        queue.append(entry)
        for (object, fields) in objects where kept.contains(object) { shown[object] = fields }
        guard !own.isEmpty else { return }
        let touched = Set(own.flatMap(\.changeset.instructions).compactMap(\.object))
        guard entry.touches(touched) else { return }
        _ = transform([queue.count - 1], over: own)
        predict(touched.intersection(kept))
    }

    /// Integrates the entries that an upload names as its base.
    ///
    /// - Returns: The last of the integrated entries.
    @discardableResult
    mutating func integrate(_ base: UInt64) -> QueuedEntry? {
        var last: QueuedEntry?
        while let first = queue.first, first.serverVersion <= base {
            queue.removeFirst()
            last = first
            do throws(ApplyError) { try first.apply(to: &stored) } catch {
                for object in first.objects {
                    stored[object] = shown[object]
                    doubt(object)
                }
            }
        }
        return last
    }

    /// Removes a bootstrap that the client hasn't received completely, and all later entries.
    ///
    /// - Returns: The state before the bootstrap.
    mutating func cutBootstrap(after version: UInt64) -> QueuedEntry.BeforeBootstrap? {
        let cut = queue.firstIndex { $0.bootstrap != nil && $0.serverVersion > version }
        guard let cut, let before = queue[cut].bootstrap else { return nil }
        queue.removeSubrange(cut...)
        predict(kept)
        drop()
        return before
    }

    // MARK: Uploads

    /// Returns the client's own state, which is replaced by `commit` afterwards.
    /// - Parameter forgotten: The objects to remove from the state.
    mutating func takeStored(without forgotten: Set<WireObject>) -> WireState {
        for object in forgotten { stored[object] = nil }
        defer { stored = WireState(schema: schema) }
        return stored
    }

    /// Returns the shown state of the objects in a changeset for which it differs from the client's own state.
    func differing(_ changeset: Changeset) -> [WireObject: WireFields] {
        guard !queue.isEmpty else { return [:] }
        var differing: [WireObject: WireFields] = [:]
        for object in Set(changeset.instructions.compactMap(\.object)) where shown[object] != stored[object] {
            differing[object] = shown[object]
        }
        return differing
    }

    /// Replaces the client's own state after a changeset of the client, and transforms the queue.
    ///
    /// - Parameter own: The changeset with its order, without changes of the schema.
    /// - Returns: The changeset, transformed over the queue.
    mutating func commit(_ state: WireState, _ own: MergeEntry) -> MergeEntry {
        stored = state
        let touched = Set(own.changeset.instructions.compactMap(\.object))
        let transformed = transform(queue.indices.filter { queue[$0].touches(touched) }, over: [own])
        predict(touched)
        return transformed[0]
    }

    /// Transforms entries of the queue against changesets of the client.
    ///
    /// - Returns: The changesets, transformed over the entries.
    private mutating func transform(_ places: [Int], over own: [MergeEntry]) -> [MergeEntry] {
        guard !places.isEmpty else { return own }
        var mine = own
        var theirs = places.map { MergeEntry(order: .server, changeset: queue[$0].changeset) }
        do throws(FreeholdRealmWire.MergeError) {
            try ClientMerge.transform(own: &mine, incoming: &theirs)
            for (place, entry) in zip(places, theirs) { queue[place].replace(by: entry.changeset) }
            return mine
        } catch {
            var concerned = Set(own.flatMap(\.changeset.instructions).compactMap(\.object))
            for place in places { concerned.formUnion(queue[place].objects) }
            for object in concerned { doubt(object) }
            return own
        }
    }

    /// Calculates the state that the client shows for some objects.
    private mutating func predict(_ objects: Set<WireObject>) {
        for object in objects { shown[object] = stored[object] }
        for entry in queue where entry.touches(objects) {
            do throws(ApplyError) { try entry.apply(to: &shown, of: objects) } catch {
                for object in entry.objects.intersection(objects) { doubt(object) }
            }
        }
    }

    /// The approximate size of the image in memory, in bytes.
    var keptBytes: Int { queue.reduce(0) { $0 + $1.keptBytes } + kept.count * 256 }
}

extension ChangeOrder {
    /// The order of everything that the server sends: it precedes all unsent changes of a client.
    static let server = ChangeOrder(timestamp: 1, ident: 1)
}
