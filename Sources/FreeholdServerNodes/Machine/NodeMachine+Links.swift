import FreeholdSyncCore

/// Links between nodes (R12). A node opens a link to each holder that it follows.
extension NodeMachine {
    // MARK: Opening

    /// Returns the number of the open link to a node. Opens one if there is none.
    mutating func openLink(to holder: NodeIdentity) -> UInt64? {
        if let link = outgoing[holder.name] {
            if link.peer != holder {
                close(link)
            } else {
                if case .open = link.state { return link.number }
                return nil
            }
        }
        guard identity != nil, time.monotonic >= nextDial[holder.name] ?? 0 else { return nil }
        nextDial[holder.name] = time.monotonic + configuration.nearRead
        lastLink += 1
        let now = time.monotonic
        outgoing[holder.name] = OutgoingLink(number: lastLink, peer: holder, heard: now, pinged: now)
        emit(.dial(lastLink, holder.name))
        return nil
    }

    mutating func greet(_ number: UInt64) {
        guard let identity, var link = link(number) else { return emit(.closeLink(.outgoing(number))) }
        link.state = .greeting
        link.heard = time.monotonic
        outgoing[link.peer.name] = link
        let hello = LinkHello(
            versions: configuration.versions,
            proof: configuration.proof,
            sender: identity,
            receiver: link.peer,
            link: number
        )
        send(.hello(hello), over: number)
    }

    /// Handles a refused connection: no process listens at the node's address. If the previous connection ended before,
    /// the process has also ended.
    mutating func takeRefusal(of number: UInt64) {
        guard let link = link(number) else { return }
        outgoing[link.peer.name] = nil
        peers[link.peer.name]?.refused = link.peer
        unlinked[link.peer.name] = unlinked[link.peer.name] ?? time.monotonic
        for (name, place) in places where place.holder == link.peer { route(name) }
    }

    private func link(_ number: UInt64) -> OutgoingLink? { outgoing.values.first { $0.number == number } }

    private mutating func close(_ link: OutgoingLink) {
        emit(.closeLink(.outgoing(link.number)))
        forget(.outgoing(link.number), isEnded: false)
    }

    /// Removes a link that ended. The commits that were forwarded over it are forwarded again over the next link.
    mutating func forget(_ connection: LinkConnection, isEnded: Bool) {
        switch connection {
        case .outgoing(let number):
            guard let link = link(number) else { return }
            outgoing[link.peer.name] = nil
            unlinked[link.peer.name] = time.monotonic
            for (name, place) in places {
                if place.subscribed == number { places[name]?.subscribed = nil }
                if place.holder?.name == link.peer.name { beginRound(name) }
                loseSubmissions(name, over: number)
            }
            // The next attempt shows at once whether the process is running.
            if isEnded {
                nextDial[link.peer.name] = time.monotonic
                for (name, place) in places where place.holder == link.peer { route(name) }
            }
        case .incoming(let number):
            incoming[number] = nil
            for name in places.keys {
                places[name]?.subscribers[number] = nil
                places[name]?.expected[number] = nil
                places[name]?.kept.removeAll { $0.link == number }
            }
        }
    }

    /// Sends pings, and closes links over which nothing arrives.
    mutating func checkLinks() {
        for link in outgoing.values.sorted(by: { $0.number < $1.number }) {
            if time.monotonic - link.heard >= configuration.linkTimeout {
                close(link)
            } else if case .open = link.state, time.monotonic - link.pinged >= configuration.linkTimeout / 3 {
                outgoing[link.peer.name]?.pinged = time.monotonic
                send(.ping, over: link.number)
            }
        }
        for (number, link) in incoming.sorted(by: { $0.key < $1.key })
        where time.monotonic - link.heard >= configuration.linkTimeout * 2 {
            emit(.closeLink(.incoming(number)))
            forget(.incoming(number), isEnded: false)
        }
    }

    // MARK: Messages

    mutating func send(_ message: LinkMessage, over number: UInt64) {
        guard var link = link(number) else { return }
        link.sent += 1
        outgoing[link.peer.name] = link
        let frame = LinkFrame(number: link.sent, generation: generation, message: message)
        emit(.sendLink(.outgoing(number), frame))
    }

    mutating func answer(_ message: LinkMessage, over number: UInt64) {
        guard var link = incoming[number], link.peer != nil else { return }
        link.sent += 1
        incoming[number] = link
        let frame = LinkFrame(number: link.sent, generation: generation, message: message)
        emit(.sendLink(.incoming(number), frame))
    }

    mutating func take(_ frame: LinkFrame, _ connection: LinkConnection) {
        // After a message with a greater generation, all leases and heads are read from the store again.
        learn(generation: frame.generation)
        switch connection {
        case .outgoing(let number):
            guard var link = link(number) else { return }
            link.received += 1
            link.heard = time.monotonic
            outgoing[link.peer.name] = link
            let isOld = frame.generation < generation && !isBroken(.comparesGenerations)
            guard frame.number == link.received || isBroken(.numbersLinks), !isOld, take(frame.message, link) else {
                return close(link)
            }
        case .incoming(let number):
            guard var link = incoming[number] else { return }
            link.received += 1
            link.heard = time.monotonic
            incoming[number] = link
            let isOld = frame.generation < generation && !isBroken(.comparesGenerations)
            guard frame.number == link.received || isBroken(.numbersLinks), !isOld,
                take(frame.message, from: link.peer, number)
            else {
                emit(.closeLink(.incoming(number)))
                return forget(.incoming(number), isEnded: false)
            }
        }
    }

    /// Handles a message of a node that accepted a link.
    ///
    /// - Returns: `false` if the message isn't allowed, which ends the link.
    private mutating func take(_ message: LinkMessage, _ link: OutgoingLink) -> Bool {
        if case .welcome(let version, let peer) = message {
            guard case .greeting = link.state, configuration.versions.contains(version), peer == link.peer else {
                return false
            }
            outgoing[link.peer.name]?.state = .open
            unlinked[link.peer.name] = nil
            for (name, place) in places where place.holder == link.peer {
                beginRound(name)
                route(name)
            }
            return true
        }
        guard case .open = link.state else { return false }
        switch message {
        case .pong: break
        case .again(let name, let round):
            if places[name]?.round == round { beginRound(name) }
            route(name)
        case .returned(let name):
            guard places[name]?.holder == link.peer else { break }
            places[name]?.subscribed = nil
            beginRound(name)
            places[name]?.state = .unknown
            returnSubmissions(name)
            // The pause limits the messages between two nodes that each consider the other one the holder.
            let next = min(places[name]?.nextRead ?? 0, time.monotonic + configuration.tick / 2)
            places[name]?.nextRead = next
        case .done(let name, let commit, let version):
            guard places[name]?.holder == link.peer else { break }
            run(.coordinated(.forwardDone(name, commit, version)))
        case .failed(let name, let commit, let fault, let text):
            guard places[name]?.holder == link.peer else { break }
            run(.coordinated(.forwardFailed(name, commit, fault, text: text)))
        case .step(let name, let step):
            guard places[name]?.subscribed == link.number, step.from.version < step.to.version,
                step.from.epoch == step.to.epoch
            else { break }
            run(.committed(name, step))
        case .hint(let name):
            guard places[name]?.subscribed == link.number else { break }
            run(.moved(name))
        case .submitted(let number, let outcome): takeOutcome(outcome, of: number, over: link.number)
        case .hello, .welcome, .ping, .subscribe, .unsubscribe, .forward, .submit: return false
        }
        return true
    }

    /// Handles a message of a node that opened a link.
    ///
    /// - Returns: `false` if the message isn't allowed, which ends the link.
    private mutating func take(_ message: LinkMessage, from peer: NodeIdentity?, _ number: UInt64) -> Bool {
        if case .hello(let hello) = message { return peer == nil && take(hello, number) }
        guard peer != nil else { return false }
        switch message {
        case .ping: answer(.pong, over: number)
        case .subscribe(let name, let cursor):
            places[name, default: StreamPlace()].subscribers[number] = cursor
            if places[name]?.isHolding == true { sendHints(name) } else { readLease(name) }
        case .unsubscribe(let name): places[name]?.subscribers[number] = nil
        case .forward(let name, let round, let index, let commits):
            takeForward(name, round: round, index: index, commits, number)
        case .submit(let id, let submission): takeGuest(submission, id, number)
        case .hello, .welcome, .pong, .again, .returned, .done, .failed, .step, .hint, .submitted: return false
        }
        return true
    }

    private mutating func take(_ hello: LinkHello, _ number: UInt64) -> Bool {
        guard hello.proof == configuration.proof, let identity, hello.receiver == identity else { return false }
        let common = hello.versions.clamped(to: configuration.versions)
        guard configuration.versions.contains(common.upperBound), hello.versions.contains(common.upperBound) else {
            return false
        }
        // The number must be greater than those of all earlier links, so that a link that one side has closed can't
        // continue.
        guard hello.link > greeted[hello.sender] ?? 0 || isBroken(.numbersLinks) else { return false }
        greeted[hello.sender] = hello.link
        for (other, link) in incoming.sorted(by: { $0.key < $1.key })
        where other != number && link.peer?.name == hello.sender.name && !isBroken(.numbersLinks) {
            emit(.closeLink(.incoming(other)))
            forget(.incoming(other), isEnded: false)
        }
        incoming[number]?.peer = hello.sender
        answer(.welcome(version: common.upperBound, identity), over: number)
        return true
    }

    // MARK: Subscriptions

    mutating func subscribe(_ name: StreamName, _ link: UInt64) {
        guard places[name]?.subscribed != link, server.hasSessions(name), let head = server.publishedHead(of: name)
        else { return }
        places[name]?.subscribed = link
        send(.subscribe(name, head.cursor), over: link)
    }

    mutating func unsubscribe(_ name: StreamName) {
        guard let number = places[name]?.subscribed else { return }
        places[name]?.subscribed = nil
        send(.unsubscribe(name), over: number)
    }

    /// Sends a step to the subscribers that have all earlier steps.
    mutating func send(_ step: StreamStep, _ name: StreamName) {
        guard let place = places[name], !place.subscribers.isEmpty else { return }
        let bytes = step.objects.reduce(0) { sum, object in
            sum + (object.before?.estimatedBytes ?? 0) + (object.after?.estimatedBytes ?? 0)
        }
        for (link, cursor) in place.subscribers.sorted(by: { $0.key < $1.key }) where cursor == step.from {
            places[name]?.subscribers[link] = step.to
            answer(bytes <= configuration.stepBytes ? .step(name, step) : .hint(name), over: link)
        }
    }

    /// Sends hints to the subscribers that lack versions, so that they read these versions from the store.
    mutating func sendHints(_ name: StreamName) {
        guard let head = server.publishedHead(of: name)?.cursor else { return }
        for (link, cursor) in places[name]?.subscribers.sorted(by: { $0.key < $1.key }) ?? [] where cursor != head {
            places[name]?.subscribers[link] = head
            if cursor.version < head.version { answer(.hint(name), over: link) }
        }
    }
}
