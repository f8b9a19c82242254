@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// Clients: the real machines on files in memory. They increment two counters, so that a commit that is lost or doubled changes the sum.
extension NodeWorld {
    func counter(_ key: Int64) -> ObjectName { ObjectName("Counter", .int(key)) }

    private func wall(_ index: Int) -> Int64 { time + clients[index].offset + 400_000_000_000 }

    mutating func addClient(_ index: Int) {
        var configuration = ClientConfiguration(app: "sim", token: AccessToken("u"))
        (configuration.pingInterval, configuration.shortestRetry, configuration.longestRetry) = (1_500, 60, 900)
        clients.append(
            Client(
                machine: ClientMachine(configuration),
                node: index % nodes.count,
                offset: Int64(random.below(4_000)) - 2_000
            )
        )
        handle(.started, index)
        handle(.subscribed([ClassQuery(className: "Counter", condition: "all")]), index)
    }

    mutating func commit(_ edits: [LocalEdit], _ index: Int) {
        do {
            try clients[index].store.commit(edits, wall: wall(index), identity: random.next())
        } catch { problems.append("a local commit fails: \(error)") }
    }

    /// A transaction of the app. The counters are two, so that clients contend.
    mutating func work(_ index: Int) {
        guard !isCalm else { return }
        add(.work(index), in: 1 + Int64(random.below(Int(profile.work * 2))))
        let name = counter(Int64(random.below(2)))
        guard clients[index].store.data.objects[name] != nil else { return }
        let amount = Int64(1 + random.below(1_000))
        sum += amount
        commit([.increment(LocalPlace(name, "count"), amount)], index)
        handle(.committed, index)
    }

    /// A change of a program without a file.
    mutating func submit(_ index: Int) {
        guard !isCalm else { return }
        add(.submit((index + 1) % nodes.count), in: 20 + Int64(random.below(2_000 / max(profile.submissions, 1))))
        guard nodes[index].machine?.identity != nil, !nodes[index].isDraining else { return }
        lastSubmission += 8
        let number = lastSubmission + UInt64(index)
        let amount = Int64(1 + random.below(1_000))
        submitted[number] = amount
        let change = Change.increment(Place(counter(0), "count"), amount)
        let event = ServerEvent.submit(number, Submission(stream: Self.stream, user: "u", changes: [change]))
        deliver(.server(event), index, nodes[index].life)
    }

    mutating func handle(_ event: ClientEvent, _ index: Int) {
        var events = [event]
        while !events.isEmpty, problems.isEmpty {
            let actions = clients[index].machine.handle(events.removeFirst(), now: wall(index), random: &random)
            for action in actions { perform(action, index, &events) }
        }
    }

    private mutating func perform(_ action: ClientAction, _ index: Int, _ events: inout [ClientEvent]) {
        switch action {
        case .connect:
            disconnect(index)
            connect(index)
            events.append(.connectionOpened)
        case .send(let message):
            guard let connection = clients[index].connection else { return }
            note(message, index)
            let at = max(clients[index].lastUp, time + latency())
            clients[index].lastUp = at
            queue.add(.up(client: index, connection, message), at: at)
        case .close: disconnect(index)
        case .setTimer(let timer, let at):
            let due = time + max(at - wall(index), 1)
            clients[index].timers[timer] = due
            queue.add(.clientTimer(client: index, timer, at: due), at: due)
        case .clearTimer(let timer): clients[index].timers[timer] = nil
        case .report(let report): note(report, index)
        case .store(let request):
            do {
                var care = clients[index].care
                defer { clients[index].care = care }
                let outcome = try clients[index].store.perform(
                    request,
                    now: wall(index),
                    random: &random,
                    care: &care
                )
                events.append(.stored(outcome))
            } catch { problems.append("a file fails: \(error)") }
        }
    }

    private mutating func connect(_ index: Int) {
        lastConnection += 1
        clients[index].connection = lastConnection
        // A balancer sends the client to any node that runs.
        let running = nodes.indices.filter { nodes[$0].machine != nil }
        if let node = running.randomElement(using: &random), random.chance(70) || !running.contains(clients[index].node)
        {
            clients[index].node = node
        }
        let node = clients[index].node
        (clients[index].lastUp, clients[index].lastDown) = (time, time)
        guard nodes[node].machine != nil else {
            return add(.clientClosed(client: index, lastConnection), in: latency())
        }
        clients[index].isAccepted = true
        let at = time + latency()
        clients[index].lastUp = at
        let event = NodeEvent.opened(lastConnection, generation: clients[index].generation)
        queue.add(.node(node, life: nodes[node].life, event), at: at)
    }

    /// The client closes its connection.
    mutating func disconnect(_ index: Int) {
        guard let connection = clients[index].connection else { return }
        clients[index].connection = nil
        guard clients[index].isAccepted else { return }
        let node = clients[index].node
        let at = max(clients[index].lastUp, time + latency())
        queue.add(.node(node, life: nodes[node].life, .server(.closed(connection))), at: at)
    }

    mutating func deliver(_ message: ClientMessage, of index: Int, _ connection: ConnectionNumber) {
        guard clients[index].connection == connection, clients[index].isAccepted else { return }
        let node = clients[index].node
        deliver(.server(.received(connection, message, bytes: 100)), node, nodes[node].life)
    }

    mutating func deliver(_ message: ServerMessage, to index: Int, _ connection: ConnectionNumber) {
        guard clients[index].connection == connection else { return }
        if isTracing { log("client \(index) receives \(message)") }
        check(message, index)
        handle(.received(message, bytes: 100), index)
    }

    // MARK: Checks

    private mutating func note(_ message: ClientMessage, _ index: Int) {
        guard case .upload(_, let upload) = message else { return }
        for commit in upload.commits {
            bases[commit.hash] = commit.commit.seen.values.reduce(commit.commit.base, max)
        }
    }

    private mutating func note(_ report: ClientReport, _ index: Int) {
        if isTracing { log("client \(index) reports \(report)") }
        switch report {
        case .resetBegins, .resetNeeded:
            note("a reset")
            if replacements == 0 { problems.append("client \(index) resets, and the store wasn't replaced") }
        case .fault(let fault, let text):
            if case .transient = fault { return }
            problems.append("client \(index): \(fault) \(text)")
        case .refused(let refusals): problems.append("client \(index): \(refusals)")
        case .mismatch(let classes): problems.append("client \(index) has other sums of \(classes)")
        case .forked: note("a fork")
        default: break
        }
    }

    /// Checks an answer, or a step, before the client receives it (I4, I5).
    private mutating func check(_ message: ServerMessage, _ index: Int) {
        let data = clients[index].store.data
        guard let ident = data.state.file?.ident else { return }
        switch message {
        case .ack(_, let ack):
            guard ack.first == data.state.acknowledged + 1 else { return }
            for (offset, version) in ack.versions.enumerated() {
                let name = PartName(ident: ident, commit: ack.first + UInt64(offset))
                guard let hash = data.commits[name.commit]?.hash else { continue }
                let isExecuted = executed[name]?.contains { $0.hash == hash && $0.answer.version == version } ?? false
                if !isExecuted {
                    problems.append("client \(index) gets an answer to \(name) that the log doesn't have")
                }
            }
        case .changes(_, let changes):
            for primary in primaries where Int(changes.to.version) < primary.hashes.count {
                guard primary.hashes[Int(changes.to.version)] == changes.to.hash else { continue }
                for number in (data.state.acknowledged + 1)..<(max(data.state.lastCommit, data.state.acknowledged) + 1)
                {
                    guard let commit = primary.commits[PartName(ident: ident, commit: number)],
                        commit.stored.hash == data.commits[number]?.hash,
                        commit.stored.answer.version > changes.from.version,
                        commit.stored.answer.version <= changes.to.version
                    else { continue }
                    problems.append("client \(index) gets its commit \(number) before the answer")
                }
                break
            }
        case .error(_, let error):
            note("error: \(error.text.string)")
            if error.fault == .violation { problems.append("client \(index) violates: \(error.text)") }
        default: break
        }
    }
}
