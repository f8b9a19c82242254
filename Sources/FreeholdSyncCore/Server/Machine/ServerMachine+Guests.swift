/// Sessions of new files while the disk is full.
///
/// A new file gets a number that the store keeps. If the store has no room, the file is bound without a number: it receives the objects that its
/// user may see, and its uploads wait. Its session ends once the store can write again, and the next bind gives it a number.
struct GuestSessions: Sendable {
    /// The time between two attempts to get a number from the store, in milliseconds.
    static let pause: Int64 = 8_000

    private(set) var keys: Set<SessionKey> = []
    private(set) var retryAt: Int64 = 0

    /// - Parameter now: The caller's time, which may decrease.
    mutating func add(_ key: SessionKey, at now: Int64) {
        if keys.isEmpty { retryAt = now &+ Self.pause }
        keys.insert(key)
    }

    mutating func remove(_ key: SessionKey) { keys.remove(key) }

    /// Returns the session for which the store is asked again, if it is time for that.
    ///
    /// - Parameter now: The caller's time. A time of the next attempt that is further away than the pause shows that the clock was set back.
    mutating func next(at now: Int64) -> SessionKey? {
        guard let key = keys.min(), retryAt <= now || retryAt - now > Self.pause else { return nil }
        retryAt = now &+ Self.pause
        return key
    }
}

extension Session {
    /// A Boolean value that indicates whether the file has no number because the store has no room for one.
    var isGuest: Bool {
        guard ident == .me else { return false }
        if case .binding = state { return false }
        return true
    }
}

extension ServerMachine {
    /// Binds a new file for reading.
    ///
    /// - Returns: false if the file had a number before.
    mutating func bindGuest(_ key: SessionKey, _ file: FileAnswer, _ fork: Fork?) -> Bool {
        guard let session = sessions[key], fork == nil, session.bind.file == nil, !session.bind.isReset,
            let user = connections[key.connection]?.user
        else { return false }
        let row = FileRow(.me, user: user, secret: SecretHash(FileSecret(high: 0, low: 0)), parents: [])
        finish(key, file, row, identity: nil, fork: nil)
        guard sessions[key] != nil else { return true }
        // While the session's queries are compiled, the stream may have no state yet.
        if streams[session.stream] == nil { remember(session.stream, at: file.head) }
        streams[session.stream]?.guests.add(key, at: callersNow)
        return true
    }

    /// Requests a number from the store for a file that has none, if it is time for that.
    mutating func retryGuests(_ name: StreamName) {
        guard let key = streams[name]?.guests.next(at: callersNow), let user = connections[key.connection]?.user else {
            return
        }
        let secret = SecretHash(FileSecret(high: draw(), low: draw()))
        request(name, .makeFile(user: user, secret: secret, parents: [], clock: .zero), .guest(name))
    }

    /// Ends the sessions of files without a number, because the store can write again. The files bind again. The number that the store has just
    /// assigned isn't used.
    mutating func endGuests(_ name: StreamName) {
        for key in streams[name]?.guests.keys.sorted() ?? [] {
            end(key, .transient(after: 1_000), "The store can be written again.")
        }
    }
}
