@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// The processes of nodes, and the connections between them.
extension NodeWorld {
    func isRunning(_ node: Int, _ life: UInt64) -> Bool { nodes[node].life == life && nodes[node].machine != nil }

    mutating func start(_ index: Int) {
        lastLife += 1
        var rules = MergeRules()
        rules.createOnly = []
        let app = ServerApp(rules: rules)
        var server = ServerConfiguration(apps: ["sim": app]) { token, _ in token.text }
        server.writerSecret = { _ in FileSecret(high: 1, low: 2) }
        server.broken = profile.brokenServer
        var configuration = NodeConfiguration(name: nodes[index].name, proof: [1, 2, 3])
        configuration.broken = profile.broken
        configuration.stepBytes = profile.stepBytes
        nodes[index].life = lastLife
        nodes[index].isRestarting = false
        nodes[index].isDraining = false
        nodes[index].timers = [:]
        (nodes[index].lastExecution, nodes[index].lastAnswer) = (time, time)
        if !primaries[nodes[index].primary].isUp { nodes[index].primary = current }
        nodes[index].machine = NodeMachine(
            configuration,
            server: server,
            matcher: EveryObject(),
            random: SeededRandom(seed: seed &+ lastLife &* 0x51_7C_C1)
        )
        if isTracing { log("-- \(nodes[index].name) starts") }
        deliver(.started, index, lastLife)
    }

    /// Delivers an event to the machine of a process, and performs the actions.
    mutating func deliver(_ event: NodeEvent, _ index: Int, _ life: UInt64) {
        guard isRunning(index, life) else { return }
        if postpone(.node(index, life: life, event), index) { return }
        let clock = NodeTime(monotonic: time, wall: time + nodes[index].offset + 400_000_000_000)
        let actions = nodes[index].machine?.handle(event, at: clock) ?? []
        if profile.broken.isEmpty, profile.brokenServer.isEmpty { nodes[index].machine?.checkInvariants() }
        for action in actions {
            perform(action, index)
            guard isRunning(index, life) else { return }
        }
    }

    private mutating func perform(_ action: NodeAction, _ index: Int) {
        let life = nodes[index].life
        switch action {
        case .server(let action): perform(action, index)
        case .request(let number, let request, let lease): call(.stream(number, request, lease), from: index)
        case .requestNode(let number, let request): call(.node(number, request), from: index)
        case .reconnectStore:
            note("a connection to an old primary")
            nodes[index].primary = current
        case .generation(let connection, let generation):
            guard let client = clients.firstIndex(where: { $0.connection == connection }) else { return }
            let at = max(clients[client].lastDown, time + 1)
            clients[client].lastDown = at
            queue.add(.generation(client: client, connection, generation), at: at)
        case .dial(let number, let name):
            add(.dial(node: index, life: life, number: number, name), in: latency())
        case .sendLink(let connection, let frame): send(frame, connection, index)
        case .closeLink(let connection):
            guard let link = self.link(connection, index) else { return }
            close(link, isDialler: isDialler(connection))
        case .setTimer(let at): queue.add(.nodeTimer(node: index, life: life), at: at)
        case .end:
            if isTracing { log("-- \(nodes[index].name) ends") }
            note(nodes[index].isDraining ? "a drain" : "a process that finds a later life")
            stop(index)
            nodes[index].isRestarting = true
            add(.start(index), in: 50 + Int64(random.below(300)))
        }
    }

    private mutating func perform(_ action: ServerAction, _ index: Int) {
        switch action {
        case .send(let connection, let message):
            guard let client = clients.firstIndex(where: { $0.connection == connection }) else { return }
            let at = max(clients[client].lastDown, time + latency())
            clients[client].lastDown = at
            queue.add(.down(client: client, connection, message), at: at)
        case .close(let connection):
            guard let client = clients.firstIndex(where: { $0.connection == connection }) else { return }
            let at = max(clients[client].lastDown, time + latency())
            clients[client].isAccepted = false
            queue.add(.clientClosed(client: client, connection), at: at)
        case .request: problems.append("a request passes the node")
        case .work(let number, var work):
            add(.node(index, life: nodes[index].life, .server(.worked(number, work.finish()))), in: latency())
        case .cancelWork: break
        case .submitted(let number, let outcome): take(outcome, number)
        case .setTimer(let timer, let at):
            let wall = time + nodes[index].offset + 400_000_000_000
            let due = time + max(at - wall, 1)
            nodes[index].timers[timer] = due
            queue.add(.serverTimer(node: index, life: nodes[index].life, timer, at: due), at: due)
        }
    }

    private mutating func take(_ outcome: SubmissionOutcome, _ number: SubmissionNumber) {
        guard let amount = submitted.removeValue(forKey: number) else {
            return problems.append("submission \(number) has two outcomes")
        }
        switch outcome {
        case .done(_, let refusals):
            note("a submission")
            if refusals.isEmpty, replacements == 0 { sum += amount } else { maybe += amount }
        case .failed:
            note("a submission that failed")
            maybe += amount
        }
    }

    /// Ends the process of a node: the kernel closes its connections.
    mutating func stop(_ index: Int) {
        let life = nodes[index].life
        nodes[index].machine = nil
        nodes[index].pausedUntil = 0
        for (number, amount) in submitted where number % 8 == UInt64(index) {
            submitted[number] = nil
            maybe += amount
        }
        for link in links.indices {
            if links[link].dialler.life == life { close(link, isDialler: true) }
            if links[link].acceptor.life == life { close(link, isDialler: false) }
        }
        for client in clients.indices where clients[client].node == index {
            guard let connection = clients[client].connection else { continue }
            clients[client].isAccepted = false
            add(.clientClosed(client: client, connection), in: latency())
        }
    }

    // MARK: Links

    func isCut(_ a: Int, _ b: Int) -> Bool { cuts[[a, b]].map { $0 > time } ?? false }

    private func isDialler(_ connection: LinkConnection) -> Bool {
        if case .outgoing = connection { true } else { false }
    }

    private func link(_ connection: LinkConnection, _ index: Int) -> Int? {
        let life = nodes[index].life
        return links.lastIndex { link in
            switch connection {
            case .outgoing(let number): link.dialler.life == life && link.dialler.number == number
            case .incoming(let number): link.acceptor.life == life && link.acceptor.number == number
            }
        }
    }

    mutating func dial(from index: Int, _ life: UInt64, _ number: UInt64, to name: SyncString) {
        guard isRunning(index, life), let other = nodes.firstIndex(where: { $0.name == name }), other != index else {
            return
        }
        // The packets are lost. The node gives the attempt up after a while.
        guard !isCut(index, other) else { return }
        guard nodes[other].machine != nil else {
            note("a refused connection")
            return add(.node(index, life: life, .refused(number)), in: latency())
        }
        lastAccepted += 1
        note("a link")
        links.append(
            Link(dialler: (index, life, number), acceptor: (other, nodes[other].life, lastAccepted))
        )
        add(.node(other, life: nodes[other].life, .accepted(lastAccepted)), in: 0)
        add(.node(index, life: life, .dialled(number)), in: latency())
        (links[links.count - 1].lastUp, links[links.count - 1].lastDown) = (time, time + 5)
    }

    private mutating func send(_ frame: LinkFrame, _ connection: LinkConnection, _ index: Int) {
        guard let number = link(connection, index) else { return }
        let isUp = isDialler(connection)
        guard isUp ? links[number].isOpenAtDialler : links[number].isOpenAtAcceptor else { return }
        if case .forward = frame.message { note("forwards") }
        if case .step = frame.message { note("steps over links") }
        if case .again = frame.message { note("a forward that was missing") }
        if case .returned = frame.message { note("returned forwards") }
        var at = max(isUp ? links[number].lastUp : links[number].lastDown, time + latency())
        // A partition delays the messages until it ends.
        let pair: Set<Int> = [links[number].dialler.node, links[number].acceptor.node]
        if let end = cuts[pair], end > time { at = max(at, end + 1) }
        if isUp { links[number].lastUp = at } else { links[number].lastDown = at }
        let isBad = !isCalm && random.below(100) < profile.badFrames
        if isBad, random.chance(50) { return note("a lost frame") }
        queue.add(.frame(link: number, isUp: isUp, frame), at: at)
        if isBad {
            note("a repeated frame")
            queue.add(.frame(link: number, isUp: isUp, frame), at: at)
        }
    }

    mutating func deliver(_ frame: LinkFrame, link: Int, isUp: Bool) {
        let (from, to) = (links[link].dialler, links[link].acceptor)
        if isUp {
            guard links[link].isOpenAtAcceptor else { return }
            deliver(.received(.incoming(to.number), frame), to.node, to.life)
        } else {
            guard links[link].isOpenAtDialler else { return }
            deliver(.received(.outgoing(from.number), frame), from.node, from.life)
        }
    }

    /// Closes a connection at one side. The other side finds out unless the nodes are cut off from each other.
    mutating func close(_ link: Int, isDialler: Bool) {
        let (from, to) = (links[link].dialler, links[link].acceptor)
        if isDialler {
            guard links[link].isOpenAtDialler else { return }
            links[link].isOpenAtDialler = false
            guard links[link].isOpenAtAcceptor, !isCut(from.node, to.node) else { return }
            // Messages that are on their way arrive first.
            let at = max(links[link].lastUp, time + latency())
            queue.add(.node(to.node, life: to.life, .ended(.incoming(to.number))), at: at)
        } else {
            guard links[link].isOpenAtAcceptor else { return }
            links[link].isOpenAtAcceptor = false
            guard links[link].isOpenAtDialler, !isCut(from.node, to.node) else { return }
            let at = max(links[link].lastDown, time + latency())
            queue.add(.node(from.node, life: from.life, .ended(.outgoing(from.number))), at: at)
        }
    }
}
