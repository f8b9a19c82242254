import FreeholdSyncCore

/// Leases: which node merges the commits of a stream (R3 to R5, R11).
extension NodeMachine {
    /// Does what is due for a stream.
    mutating func visit(_ name: StreamName) {
        guard var place = places[name] else { return }
        if let asked = place.asked, time.monotonic - asked.at > configuration.requestTimeout {
            // The answer is lost. A later one is recognised by its number.
            place.asked = nil
            place.state = place.isHolding ? .holding : .unknown
            places[name] = place
        }
        failOldSubmissions(name)
        if isIdle(name) {
            unsubscribe(name)
            places[name] = nil
            return
        }
        if time.monotonic >= place.nextRead, place.asked == nil { readLease(name) }
        route(name)
    }

    /// Returns whether nothing at this node needs the stream. The lease of a stream that the node holds stays in the store.
    private func isIdle(_ name: StreamName) -> Bool {
        guard let place = places[name], !place.isHolding, place.asked == nil else { return false }
        return !server.hasSessions(name) && !server.hasCommits(name) && place.kept.isEmpty && place.submissions.isEmpty
            && place.subscribers.isEmpty
    }

    /// Reads the lease of a stream, or reads it again after the present request.
    mutating func readLease(_ name: StreamName) {
        guard identity != nil else { return }
        guard places[name]?.asked == nil else {
            places[name]?.isDue = true
            return
        }
        let next = time.monotonic + configuration.farRead
        places[name, default: StreamPlace()].nextRead = next
        request(.lease(name), name)
    }

    private mutating func request(_ request: NodeStoreRequest, _ name: StreamName) {
        let number = nextRequest()
        let now = time.monotonic
        places[name]?.asked = (number, now)
        emit(.requestNode(number, request))
    }

    mutating func take(lease answer: NodeStoreAnswer, _ name: StreamName) {
        places[name]?.asked = nil
        guard case .lease(let lease) = answer else {
            if places[name]?.isHolding != true { places[name]?.state = .unknown }
            let next = time.monotonic + configuration.nearRead
            places[name]?.nextRead = next
            return
        }
        take(lease, name)
        if places[name]?.isDue == true {
            places[name]?.isDue = false
            readLease(name)
        }
        route(name)
    }

    /// Takes the lease that the store has. Only one request for it is made at a time, so answers arrive in the order of their requests. A lower
    /// term than the known one shows that the store went back.
    private mutating func take(_ lease: StreamLease, _ name: StreamName) {
        guard let identity, let old = places[name] else { return }
        if isBroken(.acceptsReturnedTerms), let known = old.lease, lease.term < known.term {
            let state = state(of: known, identity)
            if old.state == .acquiring || old.state == .unknown { places[name]?.state = state }
            return
        }
        let new = state(of: lease, identity)
        places[name]?.lease = lease
        places[name]?.state = new
        if new == .holding {
            if !old.isHolding { unsubscribe(name) }
            run(.coordinated(.role(name, .merging)))
        } else {
            // The stream is held by another node, or by none. What waits here is returned to its senders.
            run(.coordinated(.role(name, .forwarding)))
            if !isBroken(.returnsForwards), new != .free || drainEnd != nil { returnAll(name) }
        }
        if old.lease != lease || old.state != new {
            beginRound(name)
            returnSubmissions(name)
        }
        if case .following(let holder) = new, old.holder != holder { unlinked[holder.name] = nil }
    }

    private func state(of lease: StreamLease, _ identity: NodeIdentity) -> StreamPlace.State {
        guard let holder = lease.holder else { return .free }
        return holder == identity ? .holding : .following(holder)
    }

    /// Returns whether the stream has commits that a holder must merge.
    private func needsHolder(_ name: StreamName) -> Bool {
        guard let place = places[name] else { return false }
        return server.hasCommits(name) || !place.kept.isEmpty || !place.submissions.isEmpty
    }

    /// Takes the stream, or sends its commits to the holder.
    mutating func route(_ name: StreamName) {
        guard let place = places[name], let identity, place.asked == nil else { return }
        switch place.state {
        case .unknown, .acquiring: break
        case .free:
            if needsHolder(name) { acquire(name) }
            let next = min(place.nextRead, time.monotonic + configuration.nearRead * 5)
            places[name]?.nextRead = next
        case .holding:
            if server.publishedHead(of: name) == nil { run(.coordinated(.role(name, .merging))) }
            mergeSubmissions(name)
        case .following(let holder):
            if holder.name == identity.name {
                // An earlier life of this node. If the store has a later one, the next beat ends this process.
                if needsHolder(name), !isBroken(.comparesIncarnations), holder < identity { acquire(name) }
                return
            }
            if needsHolder(name), isSuspected(holder) { return acquire(name) }
            if let link = openLink(to: holder) {
                subscribe(name, link)
                forward(name, link)
                sendSubmissions(name, link)
                return
            }
            let since = unlinked[holder.name] ?? time.monotonic
            unlinked[holder.name] = since
            let next = min(place.nextRead, time.monotonic + configuration.nearRead)
            places[name]?.nextRead = next
            guard needsHolder(name), time.monotonic - since >= configuration.linkTimeout,
                time.monotonic >= place.pausedUntil
            else { return }
            pause(name)
            acquire(name)
        }
    }

    /// Sets the pause after the stream is taken from a holder that may be alive.
    private mutating func pause(_ name: StreamName) {
        guard var place = places[name] else { return }
        place.takings.removeAll { time.monotonic - $0 > 30_000 }
        let exponent = min(place.takings.count, 5)
        place.takings.append(time.monotonic)
        let most = min(configuration.leastPause << exponent, configuration.mostPause)
        place.pausedUntil = time.monotonic + most / 2 + Int64(draw() % UInt64(max(most / 2, 1)))
        places[name] = place
    }

    private mutating func acquire(_ name: StreamName) {
        // A row in this generation shows that no later start gets the same incarnation.
        guard let identity, let lease = places[name]?.lease, drainEnd == nil,
            presentIn == generation || isBroken(.comparesGenerations)
        else { return }
        places[name]?.state = .acquiring
        request(.take(name, expected: lease, holder: identity), name)
    }

    /// Gives the lease of a stream up.
    mutating func release(_ name: StreamName) {
        guard let place = places[name], place.isHolding, place.asked == nil, let lease = place.lease else { return }
        request(.take(name, expected: lease, holder: nil), name)
    }
}
