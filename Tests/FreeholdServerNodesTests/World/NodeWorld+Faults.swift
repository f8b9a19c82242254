@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// Faults.
extension NodeWorld {
    mutating func playFault() {
        add(.fault, in: 1 + Int64(random.below(Int(profile.pace * 2))))
        var choice = random.below(max(profile.faults.values.reduce(0, +), 1))
        for fault in NodeProfile.Fault.allCases {
            guard let weight = profile.faults[fault] else { continue }
            if choice < weight { return play(fault) }
            choice -= weight
        }
    }

    private mutating func play(_ fault: NodeProfile.Fault) {
        let node = random.below(nodes.count)
        if isTracing { log("-- \(fault) \(nodes[node].name)") }
        switch fault {
        case .kill:
            guard nodes[node].machine != nil else { return }
            note("a kill")
            stop(node)
            nodes[node].isRestarting = true
            add(.start(node), in: 20 + Int64(random.below(2_000)))
        case .pause:
            note("a pause")
            nodes[node].pausedUntil = max(nodes[node].pausedUntil, time + 50 + Int64(random.below(4_000)))
        case .cutNodes:
            let other = (node + 1) % nodes.count
            note("a partition between nodes")
            cuts[[node, other]] = time + 100 + Int64(random.below(3_000))
        case .cutStore:
            note("a partition from the store")
            nodes[node].storeCutUntil = time + 100 + Int64(random.below(2_000))
        case .jumpClock:
            note("a clock that jumps")
            nodes[node].offset += Int64(random.below(7_200_000)) - 3_600_000
        case .drain: drain(node)
        case .rollingRestart: for index in nodes.indices { add(.drainNext(index), in: Int64(index) * 900) }
        case .dropClient:
            let client = random.below(clients.count)
            guard clients[client].connection != nil else { return }
            disconnect(client)
            handle(.connectionClosed, client)
        case .newClient:
            guard clients.count < 6 else { return }
            note("a new client")
            addClient(clients.count)
            add(.work(clients.count - 1), in: 50)
        case .dropLink:
            guard let link = links.indices.last(where: { links[$0].isOpenAtDialler && random.chance(60) }) else {
                return
            }
            note("a link that ends")
            let isDialler = random.chance(50)
            let side = isDialler ? links[link].dialler : links[link].acceptor
            let connection: LinkConnection = isDialler ? .outgoing(side.number) : .incoming(side.number)
            add(.node(side.node, life: side.life, .ended(connection)), in: 0)
            close(link, isDialler: isDialler)
        case .failOver:
            note("a failover")
            failOver(isStale: false, keepsOld: false)
        case .failOverStale:
            note("a stale failover")
            failOver(isStale: true, keepsOld: false)
        case .failOverZombie: failOver(isStale: true, keepsOld: true)
        }
    }

    private mutating func drain(_ node: Int) {
        guard nodes[node].machine?.identity != nil, !nodes[node].isDraining else { return }
        nodes[node].isDraining = true
        deliver(.drain(within: 50 + Int64(random.below(400))), node, nodes[node].life)
    }

    /// Drains the next node of a rolling restart, once all nodes serve.
    mutating func drainNext(_ node: Int) {
        guard !isCalm else { return }
        guard nodes.allSatisfy({ $0.machine?.identity != nil && !$0.isDraining }) else {
            return add(.drainNext(node), in: 200)
        }
        note("a step of a rolling restart")
        drain(node)
    }
}
