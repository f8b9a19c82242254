import FreeholdSyncCore

/// Leases, which determine the node that merges the commits of a stream (R3 to R5, R11).
extension NodeMachine {
    /// Executes the pending steps for the lease of a stream: reads it, acquires it, releases it, or forwards commits to its holder.
    mutating func visit(_ name: StreamName) {
        guard var place = places[name] else { return }
        if let asked = place.asked, time.monotonic - asked.at > configuration.requestTimeout {
            // The answer counts as lost. If it arrives later, the node recognises it by its number and ignores it.
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

    /// Returns whether the node no longer needs its state of the stream. A stream whose lease the node holds is never idle: the node keeps the lease.
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

    /// Handles the lease in an answer of the store. Only one request for the lease runs at a time, so answers arrive in the order of their requests.
    /// A lower term than the known one shows that the store was restored to an earlier state.
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
            // Another node or no node holds the stream. The commits that other nodes forwarded to this node are returned to them.
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

    /// Requests the lease of the stream, or forwards the commits of the stream to its holder.
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
                // The holder is this node before a restart. If the store has a greater incarnation than this process, the next beat ends the process.
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

    /// Sets the pause after the node acquired the lease of a holder that may still be running.
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
        // The row of this node was written in this generation, so a later start can't receive the same incarnation.
        guard let identity, let lease = places[name]?.lease, drainEnd == nil,
            presentIn == generation || isBroken(.comparesGenerations)
        else { return }
        places[name]?.state = .acquiring
        request(.take(name, expected: lease, holder: identity), name)
    }

    /// Requests that the store releases the node's lease of a stream.
    mutating func release(_ name: StreamName) {
        guard let place = places[name], place.isHolding, place.asked == nil, let lease = place.lease else { return }
        request(.take(name, expected: lease, holder: nil), name)
    }
}
