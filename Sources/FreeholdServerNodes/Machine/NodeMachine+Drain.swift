import FreeholdSyncCore

/// Drains (R14): the node accepts no new clients, finishes its commits, releases its streams, and ends.
extension NodeMachine {
    mutating func drain(_ within: Int64) {
        guard drainEnd == nil else { return }
        drainEnd = time.monotonic + max(within, 0)
        run(.drain(after: UInt64(max(within, 0))))
        nextBeat = time.monotonic
        beatIfDue()
        continueDrain()
    }

    mutating func continueDrain() {
        guard let drainEnd else { return }
        if isBroken(.releases) {
            if time.monotonic >= drainEnd { end() }
            return
        }
        let isLate = time.monotonic >= drainEnd
        if isLate { closeClients() }
        for name in places.keys.sorted(by: { $0.order < $1.order }) where places[name]?.isHolding == true {
            // At the end of the time, waiting commits are discarded together with their sessions. The clients still
            // have these commits.
            if !server.hasCommits(name) || isLate { release(name) }
        }
        // A store that doesn't answer must not prevent the end of the process: the last condition limits the time.
        // A missing answer may contain a lease that the node has just acquired.
        let isDone = !places.values.contains { $0.isHolding || $0.asked != nil } && presence == nil
        if isLate && isDone || time.monotonic >= drainEnd + configuration.requestTimeout * 2 { endDrained() }
    }

    private mutating func endDrained() {
        if let identity {
            beat += 1
            emit(.requestNode(nextRequest(), .beat(PresenceRow(identity: identity, beat: beat, state: .ended))))
        }
        end()
    }
}
