/// The sessions of a node. For each stream, the table also has the set of the *restless* sessions, which need an action at each step of the stream.
///
/// Sessions have many fields. They are stored in an array, so that a field can be read and changed in place, without a copy of the session.
struct SessionTable: Sendable {
    private var places: [SessionKey: Int] = [:]
    private var slots: [Slot] = []
    /// The indexes of unused slots.
    private var free: [Int] = []
    private var restless: [StreamName: Set<SessionKey>] = [:]
    private var users: [SyncString: Set<SessionKey>] = [:]
    private(set) var ledger: SessionLedger

    private struct Slot: Sendable {
        var session: Session?
        /// The bytes of the session that are counted in the ledger.
        var counted = SessionBytes()
    }

    /// - Parameter share: The maximum number of bytes that the sessions of one user may keep.
    init(share: Int) { ledger = SessionLedger(share: share) }

    var keys: Dictionary<SessionKey, Int>.Keys { places.keys }
    var values: some Sequence<Session> { slots.lazy.compactMap(\.session) }

    /// - Complexity: O(1)
    subscript(key: SessionKey) -> Session? {
        _read {
            if let place = places[key] { yield slots[place].session } else { yield nil }
        }
        _modify {
            let place = places[key] ?? addPlace(key)
            defer { note(key, place) }
            yield &slots[place].session
        }
    }

    private mutating func addPlace(_ key: SessionKey) -> Int {
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(Slot()) }
        places[key] = place
        return place
    }

    mutating func removeValue(forKey key: SessionKey) -> Session? {
        guard let place = places.removeValue(forKey: key), let session = slots[place].session else { return nil }
        forget(key, session.stream)
        ledger.replace(slots[place].counted, by: SessionBytes(), of: session.user, session.stream.app)
        users[session.user]?.remove(key)
        if users[session.user]?.isEmpty == true { users[session.user] = nil }
        slots[place] = Slot()
        free.append(place)
        return session
    }

    /// Returns the sessions of a user in ascending order.
    func keys(of user: SyncString) -> [SessionKey] { users[user]?.sorted() ?? [] }

    /// Checks that the ledger contains the bytes of all sessions.
    func checkInvariants() {
        assert(slots.count == places.count + free.count, "A place is lost.")
        for (key, place) in places {
            assert(slots[place].session?.key == key, "A session is at another place.")
            assert(slots[place].counted == slots[place].session?.bytes, "The bytes of a session aren't counted.")
            slots[place].session?.fetches.checkInvariants()
        }
        assert(ledger.bytes == slots.reduce(0) { $0 + $1.counted.sum }, "The sum isn't that of the sessions.")
        assert(ledger.users.values.reduce(0, +) == ledger.bytes, "The sum isn't that of the users.")
        assert(ledger.reserved.values.reduce(0, +) == ledger[.pages], "The sum isn't that of the reserved bytes.")
        assert(ledger.apps.values.reduce(0, +) == ledger.bytes, "The sum isn't that of the apps.")
        assert(ledger.kinds.reduce(0, +) == ledger.bytes, "The sum isn't that of the kinds.")
    }

    /// Returns the sessions of a stream that aren't quiet, in ascending order.
    func restless(in stream: StreamName) -> [SessionKey] { restless[stream]?.sorted() ?? [] }

    /// Updates the ledger and the sets of restless sessions after a change of a session.
    private mutating func note(_ key: SessionKey, _ place: Int) {
        guard let bytes = slots[place].session?.bytes, let isQuiet = slots[place].session?.isQuiet,
            let stream = slots[place].session?.stream
        else {
            // The caller accessed a session that doesn't exist. `removeValue(forKey:)` removes existing sessions.
            assert(slots[place].counted == SessionBytes(), "A session ended without its bytes.")
            places[key] = nil
            free.append(place)
            return
        }
        let before = slots[place].counted
        if before != bytes, let user = slots[place].session?.user {
            if before == SessionBytes() { users[user, default: []].insert(key) }
            slots[place].counted = bytes
            ledger.replace(before, by: bytes, of: user, stream.app)
        }
        if isQuiet { forget(key, stream) } else { restless[stream, default: []].insert(key) }
    }

    private mutating func forget(_ key: SessionKey, _ stream: StreamName) {
        guard restless[stream]?.remove(key) != nil, restless[stream]?.isEmpty == true else { return }
        restless[stream] = nil
    }
}
