/// The sessions of a node, and which of each stream have to be looked at whatever a step is about.
struct SessionTable: Sendable {
    private var sessions: [SessionKey: Session] = [:]
    private var restless: [StreamName: Set<SessionKey>] = [:]

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
        return session
    }

    /// The sessions of a stream that aren't quiet, by rising keys.
    func restless(in stream: StreamName) -> [SessionKey] { restless[stream]?.sorted() ?? [] }

    private mutating func note(_ key: SessionKey, _ old: StreamName?) {
        guard let session = sessions[key] else {
            if let old { forget(key, old) }
            return
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
