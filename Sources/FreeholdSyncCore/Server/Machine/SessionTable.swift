/// The sessions of a node, and, for each stream, the sessions that need an action at every step.
struct SessionTable: Sendable {
    private var sessions: [SessionKey: Session] = [:]
    private var restless: [StreamName: Set<SessionKey>] = [:]
    /// The bytes of each session that the ledger contains.
    private var counted: [SessionKey: SessionBytes] = [:]
    private var users: [SyncString: Set<SessionKey>] = [:]
    private(set) var ledger: SessionLedger

    /// - Parameter share: The bytes that the sessions of one user may keep.
    init(share: Int) { ledger = SessionLedger(share: share) }

    var keys: Dictionary<SessionKey, Session>.Keys { sessions.keys }
    var values: Dictionary<SessionKey, Session>.Values { sessions.values }

    /// - Complexity: O(1)
    subscript(key: SessionKey) -> Session? {
        get { sessions[key] }
        _modify {
            let stream = sessions[key]?.stream
            defer { note(key, stream) }
            yield &sessions[key]
        }
    }

    mutating func removeValue(forKey key: SessionKey) -> Session? {
        guard let session = sessions.removeValue(forKey: key) else { return nil }
        forget(key, session.stream)
        if let old = counted.removeValue(forKey: key) {
            ledger.replace(old, by: SessionBytes(), of: session.user, session.stream.app)
        }
        users[session.user]?.remove(key)
        if users[session.user]?.isEmpty == true { users[session.user] = nil }
        return session
    }

    /// Returns the sessions of a user in ascending order.
    func keys(of user: SyncString) -> [SessionKey] { users[user]?.sorted() ?? [] }

    /// Checks that the ledger contains the bytes of all sessions.
    func checkInvariants() {
        assert(Set(counted.keys) == Set(sessions.keys), "The ledger counts other sessions.")
        for (key, session) in sessions {
            assert(counted[key] == session.bytes, "The bytes of a session aren't counted.")
            session.fetches.checkInvariants()
        }
        assert(ledger.bytes == counted.values.reduce(0) { $0 + $1.sum }, "The sum isn't that of the sessions.")
        assert(ledger.users.values.reduce(0, +) == ledger.bytes, "The sum isn't that of the users.")
        assert(ledger.apps.values.reduce(0, +) == ledger.bytes, "The sum isn't that of the apps.")
        assert(ledger.kinds.reduce(0, +) == ledger.bytes, "The sum isn't that of the kinds.")
    }

    /// Returns the sessions of a stream that aren't quiet, in ascending order.
    func restless(in stream: StreamName) -> [SessionKey] { restless[stream]?.sorted() ?? [] }

    private mutating func note(_ key: SessionKey, _ old: StreamName?) {
        guard let session = sessions[key] else {
            if let old { forget(key, old) }
            return
        }
        let (bytes, before) = (session.bytes, counted[key])
        if before != bytes {
            if before == nil { users[session.user, default: []].insert(key) }
            counted[key] = bytes
            ledger.replace(before ?? SessionBytes(), by: bytes, of: session.user, session.stream.app)
        }
        if session.isQuiet {
            if old != nil { forget(key, session.stream) }
        } else {
            restless[session.stream, default: []].insert(key)
        }
    }

    private mutating func forget(_ key: SessionKey, _ stream: StreamName) {
        guard restless[stream]?.remove(key) != nil, restless[stream]?.isEmpty == true else { return }
        restless[stream] = nil
    }
}
