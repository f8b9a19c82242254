@testable import FreeholdServerNodes
@testable import FreeholdSyncCore

/// The store: requests that are late, lost or executed after they were lost, and servers that take over.
extension NodeWorld {
    mutating func call(_ kind: Call.Kind, from node: Int) {
        guard let identity = nodes[node].machine.map({ $0.identity }) else { return }
        var call = Call(
            node: node,
            life: nodes[node].life,
            identity: identity,
            primary: nodes[node].primary,
            kind: kind,
            delay: latency()
        )
        let isLost = !isCalm && random.below(100) < profile.lostRequests
        let isCut = nodes[node].storeCutUntil > time
        guard isLost || isCut else {
            let at = max(nodes[node].lastExecution, time + latency())
            nodes[node].lastExecution = at
            return queue.add(.execute(call), at: at)
        }
        note("a lost request")
        fail(call, in: isCut ? 500 : 20 + Int64(random.below(200)))
        // The statement is lost, or its answer is lost, or it is executed after the connection has ended.
        call.isAnswered = false
        switch random.below(isCut ? 1 : 3) {
        case 0: break
        case 1: queue.add(.execute(call), at: max(nodes[node].lastExecution, time + latency()))
        default:
            note("a request that is executed late")
            add(.execute(call), in: 20 + Int64(random.below(1_500)))
        }
    }

    /// Reports to a node that the result of a request isn't known.
    func failure(of call: Call) -> NodeEvent {
        switch call.kind {
        case .stream(let number, _, _):
            .answered(number, .failed(.unknown), generation: primaries[call.primary].generation)
        case .node(let number, _): .answeredNode(number, .failed, generation: primaries[call.primary].generation)
        }
    }

    mutating func fail(_ call: Call, in delay: Int64) {
        add(.node(call.node, life: call.life, failure(of: call)), in: delay)
    }

    mutating func execute(_ call: Call) {
        guard primaries[call.primary].isUp else {
            if call.isAnswered { fail(call, in: 5) }
            // The node connects anew.
            if nodes[call.node].life == call.life, nodes[call.node].primary == call.primary {
                nodes[call.node].primary = current
            }
            return
        }
        let event: NodeEvent
        let generation = primaries[call.primary].generation
        switch call.kind {
        case .stream(let number, let request, let lease):
            event = .answered(number, perform(request, lease, call), generation: generation)
        case .node(let number, let request):
            let before = primaries[call.primary].lease
            let answer = primaries[call.primary].perform(request)
            if isTracing { log("\(nodes[call.node].name) \(request) -> \(answer)") }
            event = .answeredNode(number, answer, generation: generation)
            if primaries[call.primary].lease != before {
                // Without other faults, a node gives its streams up before it ends (R14).
                if profile.onlyDrains, before.holder != nil, primaries[call.primary].lease.holder != nil {
                    problems.append("\(nodes[call.node].name) takes the stream from \(before), which didn't release it")
                }
                note(
                    before.holder == nil || primaries[call.primary].lease.holder == nil
                        ? "a lease" : "a lease that is taken"
                )
                snapshot(call.primary)
            }
        }
        guard call.isAnswered else { return }
        var at = time + call.delay
        if isCalm || random.below(100) >= profile.lateAnswers {
            at = max(at, nodes[call.node].lastAnswer)
            nodes[call.node].lastAnswer = at
        } else {
            at += Int64(random.below(40))
        }
        queue.add(.node(call.node, life: call.life, event), at: at)
        if !isCalm, random.oneIn(100) { queue.add(.node(call.node, life: call.life, event), at: at + 5) }
    }

    private mutating func perform(
        _ request: ServerStoreRequest,
        _ lease: StreamLease?,
        _ call: Call
    ) -> ServerStoreAnswer {
        guard case .commit(let commit) = request.kind else {
            return primaries[call.primary].memory.perform(request)
        }
        let present = primaries[call.primary].lease
        if let lease, lease != present {
            note("a commit under an old lease")
            return .failed(.moved)
        }
        let before = primaries[call.primary].memory.head(of: Self.stream)
        let answer =
            profile.broken.contains(.namesHead)
            ? primaries[call.primary].memory.take(unchecked: commit, of: Self.stream)
            : primaries[call.primary].memory.perform(
                ServerStoreRequest(stream: Self.stream, kind: .commit(commit))
            )
        guard case .done = answer else {
            note("moved")
            return answer
        }
        if isTracing {
            log(
                "\(nodes[call.node].name) commits \(commit.entries.map { "\($0.version): \($0.author.ident).\($0.author.commit)" })"
            )
        }
        // At most one node commits: the one that the lease names (I7).
        if present.holder == nil || present.holder != call.identity {
            problems.append("\(String(describing: call.identity)) commits under the lease \(present)")
        }
        problems += primaries[call.primary].note(commit, after: before, bases: bases)
        for (ident, answers) in commit.answers {
            for stored in answers {
                executed[PartName(ident: ident, commit: stored.answer.commit), default: []].append(stored)
            }
        }
        note("commits")
        snapshot(call.primary)
        return answer
    }

    private mutating func snapshot(_ primary: Int) {
        guard profile.canLoseHistory, primary == current, !isCalm else { return }
        snapshots.append(primaries[primary])
        if snapshots.count > profile.lag { snapshots.removeFirst() }
    }

    // MARK: Takeovers

    /// Lets a standby take over.
    ///
    /// - Parameters:
    ///   - isStale: Whether the standby may lack transactions.
    ///   - keepsOld: Whether the old server continues for some nodes.
    mutating func failOver(isStale: Bool, keepsOld: Bool) {
        let old = current
        var new = primaries[old]
        if isStale, !snapshots.isEmpty { new = snapshots[random.below(snapshots.count)] }
        if new.memory.head(of: Self.stream).cursor != primaries[old].memory.head(of: Self.stream).cursor {
            note("a standby that lacks commits")
        }
        if isStale { replacements += 1 }
        new.generation = UInt64(primaries.count) + 1
        new.isUp = true
        primaries.append(new)
        current = primaries.count - 1
        snapshots = []
        if isTracing {
            log("-- generation \(new.generation) at \(new.memory.head(of: Self.stream).version), \(new.lease)")
        }
        guard keepsOld else { return stop(primary: old) }
        note("an old primary that continues")
        for index in nodes.indices where nodes[index].primary == old && random.chance(50) {
            nodes[index].primary = current
        }
        // Another takeover may end the older ones.
        for index in primaries.indices where index < old { stop(primary: index) }
    }

    /// Ends a server of the database. Nodes find out when they ask it.
    mutating func stop(primary: Int) {
        primaries[primary].isUp = false
        for index in nodes.indices where nodes[index].primary == primary { nodes[index].primary = current }
    }
}
