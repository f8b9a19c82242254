import FreeholdSyncCore

/// Forwards: commits of sessions at other nodes (R8 to R11).
extension NodeMachine {
    /// The maximum number of commits of one message.
    private static var mostCommits: Int { 200 }

    mutating func take(_ signal: StreamSignal) {
        switch signal {
        case .commitsWait(let name):
            if places[name] == nil { places[name] = StreamPlace() }
            if places[name]?.lease == nil, places[name]?.asked == nil { readLease(name) } else { route(name) }
        case .published(let name, let step): if places[name]?.isHolding == true { send(step, name) }
        case .forwardDone(let name, let link, let commit, let version):
            answer(.done(name, commit, version), over: link)
        case .forwardFailed(let name, let link, let commit, let fault, let text):
            answer(.failed(name, commit, fault, text: text), over: link)
        case .discarded(let name):
            // The store was restored or replaced. If its lease names this node as the holder, the next read shows that.
            guard places[name] != nil else { return }
            if places[name]?.isHolding == true { places[name]?.state = .unknown }
            run(.coordinated(.role(name, .forwarding)))
            if !isBroken(.returnsForwards) { returnAll(name) }
            beginRound(name)
            readLease(name)
        }
    }

    // MARK: At the holder

    mutating func takeForward(
        _ name: StreamName,
        round: UInt64,
        index: UInt64,
        _ commits: [ForwardedCommit],
        _ link: UInt64
    ) {
        let expected = places[name]?.expected[link] ?? (round: 0, index: 0)
        guard round >= expected.round else { return }
        guard index == (round == expected.round ? expected.index : 0) else {
            places[name, default: StreamPlace()].expected[link] = (round + 1, 0)
            return answer(.again(name, round: round), over: link)
        }
        places[name, default: StreamPlace()].expected[link] = (round, index + 1)
        let waiting = places[name]?.kept.reduce(0) { $0 + $1.commits.count } ?? 0
        guard drainEnd == nil, waiting + commits.count <= configuration.waitingForwards else {
            if !isBroken(.returnsForwards) { answer(.returned(name), over: link) }
            return
        }
        places[name]?.kept.append(StreamPlace.Kept(link: link, commits: commits))
        guard places[name]?.isHolding == true else {
            if !isBroken(.readsLeaseOnForward) { readLease(name) }
            return
        }
        mergeKept(name)
    }

    /// Passes kept forwards to the server's machine, once the machine has a state of the stream.
    mutating func mergeKept(_ name: StreamName) {
        guard let place = places[name], place.isHolding, !place.kept.isEmpty else { return }
        guard server.publishedHead(of: name) != nil else { return }
        places[name]?.kept = []
        for kept in place.kept { run(.coordinated(.forwarded(name, kept.link, kept.commits))) }
    }

    /// Returns all forwards, and ends all subscriptions, because the node doesn't hold the stream.
    mutating func returnAll(_ name: StreamName) {
        guard let place = places[name] else { return }
        let links = Set(place.subscribers.keys).union(place.kept.map(\.link)).union(place.expected.keys)
        places[name]?.subscribers = [:]
        places[name]?.kept = []
        places[name]?.expected = [:]
        run(.coordinated(.returnForwards(name)))
        for link in links.sorted() { answer(.returned(name), over: link) }
    }

    mutating func takeGuest(_ submission: Submission, _ number: SubmissionNumber, _ link: UInt64) {
        guard places[submission.stream]?.isHolding == true, drainEnd == nil else {
            readLease(submission.stream)
            return answer(.submitted(number, nil), over: link)
        }
        lastGuest += 1
        guests[lastGuest] = (link, number)
        run(.submit(lastGuest, submission))
    }

    mutating func report(_ outcome: SubmissionOutcome, _ number: SubmissionNumber) {
        guard let guest = guests.removeValue(forKey: number) else {
            return emit(.server(.submitted(number, outcome)))
        }
        answer(.submitted(guest.number, outcome), over: guest.link)
    }

    // MARK: At the other nodes

    /// Sends the commits that wait and that weren't sent in this round.
    mutating func forward(_ name: StreamName, _ link: UInt64) {
        guard var place = places[name] else { return }
        if place.isUnchecked {
            if !server.hasSessions(name) { places[name]?.isUnchecked = false } else { run(.moved(name)) }
            return
        }
        var commits = server.forwards(of: name)
        guard !commits.isEmpty else { return }
        if place.index > 0, time.monotonic - place.sentAt >= configuration.forwardTimeout, !isBroken(.sendsAgain) {
            place.begin(round: nextRound())
        }
        if place.round == 0 { place.begin(round: nextRound()) }
        commits.removeAll { $0.commit.number <= place.sent[$0.ident] ?? 0 }
        while !commits.isEmpty {
            let message = Array(commits.prefix(Self.mostCommits))
            commits.removeFirst(message.count)
            for commit in message { place.sent[commit.ident] = commit.commit.number }
            send(.forward(name, round: place.round, index: place.index, message), over: link)
            place.index += 1
            place.sentAt = time.monotonic
        }
        places[name] = place
    }

    // MARK: Submissions

    mutating func take(_ submission: Submission, _ number: SubmissionNumber) {
        let name = submission.stream
        if places[name]?.isHolding == true { return run(.submit(number, submission)) }
        let waiting = StreamPlace.WaitingSubmission(number: number, submission: submission, since: time.monotonic)
        places[name, default: StreamPlace()].submissions.append(waiting)
        if places[name]?.lease == nil, places[name]?.asked == nil { readLease(name) } else { route(name) }
    }

    mutating func mergeSubmissions(_ name: StreamName) {
        guard let waiting = places[name]?.submissions, !waiting.isEmpty else { return }
        places[name]?.submissions = []
        for item in waiting { run(.submit(item.number, item.submission)) }
    }

    mutating func sendSubmissions(_ name: StreamName, _ link: UInt64) {
        for index in places[name]?.submissions.indices ?? 0..<0 where places[name]?.submissions[index].sentOver == nil {
            guard let item = places[name]?.submissions[index] else { return }
            places[name]?.submissions[index].sentOver = link
            send(.submit(item.number, item.submission), over: link)
        }
    }

    mutating func takeOutcome(_ outcome: SubmissionOutcome?, of number: SubmissionNumber, over link: UInt64) {
        for (name, place) in places {
            guard let index = place.submissions.firstIndex(where: { $0.number == number && $0.sentOver == link }) else {
                continue
            }
            guard let outcome else {
                // The other node did nothing. The submission waits for another holder.
                places[name]?.submissions[index].sentOver = nil
                return readLease(name)
            }
            places[name]?.submissions.remove(at: index)
            return emit(.server(.submitted(number, outcome)))
        }
    }

    /// Reports a failure for the submissions that were sent over a link that ended. It is unknown whether their changes
    /// were stored.
    mutating func loseSubmissions(_ name: StreamName, over link: UInt64) {
        for item in places[name]?.submissions ?? [] where item.sentOver == link {
            let text: SyncString = "The node that merges can't be reached."
            emit(.server(.submitted(item.number, .failed(.transient(after: 1_000), text: text))))
        }
        places[name]?.submissions.removeAll { $0.sentOver == link }
    }

    /// Reports a failure for the submissions that were sent to a node that no longer holds the stream.
    mutating func returnSubmissions(_ name: StreamName) {
        for link in Set(places[name]?.submissions.compactMap(\.sentOver) ?? []).sorted() {
            loseSubmissions(name, over: link)
        }
    }

    /// Reports a failure for the submissions that have waited for a holder for too long.
    mutating func failOldSubmissions(_ name: StreamName) {
        let limit = time.monotonic - configuration.farRead
        guard let waiting = places[name]?.submissions, waiting.contains(where: { $0.since < limit }) else { return }
        for item in waiting where item.since < limit {
            let text: SyncString = "No node merges the stream now."
            emit(.server(.submitted(item.number, .failed(.transient(after: 1_000), text: text))))
        }
        places[name]?.submissions.removeAll { $0.since < limit }
    }
}
