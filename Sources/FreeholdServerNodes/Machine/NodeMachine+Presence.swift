import FreeholdSyncCore

/// Presence: the node's row in the store, and the rows of other nodes (R1, R2).
extension NodeMachine {
    mutating func beatIfDue() {
        if let presence, time.monotonic - presence.at > configuration.requestTimeout { self.presence = nil }
        guard presence == nil, time.monotonic >= nextBeat else { return }
        nextBeat = time.monotonic + configuration.beatInterval
        let number = nextRequest()
        presence = (number, time.monotonic)
        guard let identity else {
            return emit(.requestNode(number, .join(configuration.name, atLeast: 0)))
        }
        beat += 1
        let state: PresenceRow.State = drainEnd == nil ? .serving : .leaving
        emit(.requestNode(number, .beat(PresenceRow(identity: identity, beat: beat, state: state))))
    }

    mutating func take(presence answer: NodeStoreAnswer) {
        presence = nil
        switch answer {
        case .joined(let identity):
            guard self.identity == nil else { return }
            self.identity = identity
            nextBeat = time.monotonic
            beatIfDue()
        case .peers(let rows): take(rows)
        case .lease, .failed: nextBeat = max(nextBeat, time.monotonic + configuration.tick)
        }
    }

    private mutating func take(_ rows: [PresenceRow]) {
        guard let identity else { return }
        if let own = rows.first(where: { $0.identity.name == identity.name }), own.identity > identity {
            // The store has a greater incarnation: this process was suspended for a long time, or another process uses
            // the node's name.
            return end()
        }
        presentIn = generation
        let now = time.monotonic
        // After a gap in its own reads, the node doesn't know whether the beats of others stopped during the gap.
        let isContinuous = lastPeers.map { now - $0 <= configuration.suspicion * 3 / 4 } ?? false
        lastPeers = now
        var new: [SyncString: Peer] = [:]
        for row in rows where row.identity.name != identity.name {
            var peer = peers[row.identity.name] ?? Peer(row: row, since: now)
            if peer.row != row || !isContinuous { peer.since = now }
            if peer.row.beat != row.beat || peer.row.identity != row.identity { peer.refused = nil }
            peer.row = row
            new[row.identity.name] = peer
        }
        peers = new
    }

    /// Returns whether a node seems to have ended (R2). After a wrong suspicion, one commit of the other node fails
    /// with `moved` and is repeated.
    func isSuspected(_ node: NodeIdentity) -> Bool {
        guard !isBroken(.suspects), let lastPeers, time.monotonic - lastPeers <= configuration.suspicion else {
            return false
        }
        guard let peer = peers[node.name] else { return true }
        if !isBroken(.comparesIncarnations), peer.row.identity > node { return true }
        // The node was restarted after the rows were read, so the rows don't say anything about the new process.
        if peer.row.identity < node, !isBroken(.comparesIncarnations) { return false }
        if peer.row.state == .ended || peer.refused == node { return true }
        return time.monotonic - peer.since >= configuration.suspicion
    }
}
