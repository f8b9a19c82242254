import FreeholdSyncCore

extension SimulatedWorld {
    /// Plays a script, and lets everything come to rest.
    mutating func play(_ script: [SimulatedEvent]) {
        for event in script where problems.isEmpty {
            random = SeededRandom(seed: event.seed)
            if isTracing { trace.append("· \(event)") }
            play(event)
        }
        random = SeededRandom(seed: 1)
        if problems.isEmpty { heal() }
    }

    private mutating func play(_ event: SimulatedEvent) {
        let index = event.client % clients.count
        let node = Int.random(in: nodes.indices, using: &random)
        time += .random(in: 0...400, using: &random)
        fireClientTimers(index)
        fireTimers(node)
        switch event.kind {
        case .commit:
            commit(edits(index), index)
            if random.chance(80) { handle(.committed, index) }
        case .notify: handle(.committed, index)
        case .subscribe: handle(.subscribed(queries(.random(in: 0..<3, using: &random), index)), index)
        case .wait:
            handle(random.chance(50) ? .waitForUpload(event.seed) : .waitForDownload(event.seed), index)
        case .suspend:
            clients[index].isSuspended = true
            handle(.suspended, index)
        case .resume: wake(index)
        case .crash: clients[index].crash = MemoryClientStore.Crash(isAfter: random.chance(50))
        case .restart:
            clients[index].care = StoreCare()
            restart(index)
        case .jumpClock: clients[index].offset += .random(in: -100_000...100_000, using: &random)
        case .up: for _ in 0..<Int.random(in: 1...3, using: &random) { deliverUp(index) }
        case .down: for _ in 0..<Int.random(in: 1...4, using: &random) { deliverDown(index) }
        case .drop:
            note("drop")
            drop(index)
        case .dropAfterUpload:
            while !clients[index].up.isEmpty { deliverUp(index) }
            note("drop before an answer")
            drop(index)
        case .cut: cut(index)
        case .answer: for _ in 0..<Int.random(in: 1...3, using: &random) { answer(node) }
        case .answerLate:
            guard !nodes[node].late.isEmpty else { break }
            let (number, answer) = nodes[node].late.removeFirst()
            note("an answer that came twice")
            run(.answered(number, answer), node)
        case .loseAnswer:
            guard !nodes[node].requests.isEmpty else { break }
            let (number, request) = nodes[node].requests.removeFirst()
            note("a lost answer of the store")
            _ = perform(request, node)
            run(.answered(number, .failed(.unknown)), node)
        case .failStore:
            guard !nodes[node].requests.isEmpty else { break }
            note("a store that fails")
            let number = nodes[node].requests.removeFirst().number
            run(.answered(number, .failed(random.chance(50) ? .unknown : .unavailable("test"))), node)
        case .kill:
            note("a node dies")
            kill(node)
            store.reopen()
        case .timers: for index in clients.indices { fireClientTimers(index) }
        case .hint:
            guard nodes[node].hasHint else { break }
            nodes[node].hasHint = false
            run(.moved(Self.stream), node)
        case .jumpNode: nodes[node].offset += .random(in: -30_000...30_000, using: &random)
        case .pass: time += .random(in: 5_000...120_000, using: &random)
        case .passDays:
            time += .random(in: 3...14, using: &random) * 86_400_000
            for index in clients.indices { fireClientTimers(index) }
        case .trim:
            note("trim")
            for node in nodes.indices { run(.timer(.trim), node) }
        case .copyFile: copy(from: index, to: (index + 1) % clients.count)
        case .backUpFile: clients[index].backup = clients[index].store.data
        case .restoreFile:
            guard let backup = clients[index].backup else { break }
            note("a file from a backup")
            replaceFile(index, backup)
        case .backUpStore: backUpStore()
        case .restoreStore: restoreStore(isCopy: true)
        case .promoteStandby: restoreStore(isCopy: false)
        case .changeRole:
            note("another role")
            roles[Self.user(index)] = SimulatedRole.all.randomElement(using: &random)!
            for node in nodes.indices { nodes[node].newRoles.insert(Self.user(index)) }
        case .hearOfRoles: hearOfRoles(node)
        case .submit:
            let things = store.contents(of: Self.stream).filter { name, object in
                guard case .value(.int)? = object.contents["count"] else { return false }
                return name.className == "Thing"
            }
            guard let name = things.keys.sorted().randomElement(using: &random) else { break }
            // The number says which node it is.
            lastSubmission += UInt64(nodes.count)
            let number = lastSubmission + UInt64(node)
            let amount = Int64.random(in: 1...9, using: &random)
            submissions[number] = (amount, replacements)
            let change = Change.increment(Place(name, "count"), amount)
            run(.submit(number, Submission(stream: Self.stream, user: "t", changes: [change])), node)
        case .link:
            guard !nodes[node].link.isEmpty else { break }
            let step = nodes[node].link.remove(at: random.chance(85) ? 0 : nodes[node].link.count - 1)
            note("a step of another node")
            if random.chance(90) { run(.committed(Self.stream, step), node) }
            if random.chance(5) { run(.committed(Self.stream, step), node) }
        case .hold: hold(node)
        case .release: release(node)
        case .goBack: goBack()
        }
    }

    /// Edits of what a client's app shows.
    private mutating func edits(_ index: Int) -> [LocalEdit] {
        guard schemaVersion(index) > 0 else { return checks.edits(&clients[index], &random) }
        let objects = SimulatedVersions.old(clients[index].store.data.objects)
        return SimulatedVersions.new(clients[index].generator.transaction(on: objects, &random), &random)
    }

    mutating func hearOfRoles(_ node: Int) {
        guard !nodes[node].newRoles.isEmpty else { return }
        run(.rightsChanged(random.chance(70) ? nodes[node].newRoles : nil), node)
        nodes[node].newRoles = []
    }

    mutating func wake(_ index: Int) {
        clients[index].isSuspended = false
        handle(.resumed, index)
    }

    /// Replaces the data of a device by a copy of another one's.
    private mutating func copy(from index: Int, to other: Int) {
        note("a copied file")
        replaceFile(other, clients[index].store.data)
    }

    mutating func replaceFile(_ index: Int, _ data: MemoryClientStore.Data) {
        checks.willReplace(&clients[index], by: data)
        clients[index].store = MemoryClientStore(data)
        clients[index].care = StoreCare()
        restart(index)
    }

    private mutating func backUpStore() {
        guard let store = store as? MemoryServerStore else { return }
        backups = backups.suffix(2) + [store]
        checks.wasBackedUp(store)
    }

    /// The store is an older one; a copy has another epoch, a standby that was promoted too early hasn't.
    private mutating func restoreStore(isCopy: Bool) {
        guard let backup = backups.randomElement(using: &random) else { return }
        note(isCopy ? "a store from a backup" : "a standby that was behind")
        replaceStore(backup, isCopy: isCopy)
    }

    /// The store is an older one from now on, and nodes work on: a standby that lacked some commits took over.
    private mutating func goBack() {
        guard let backup = backups.randomElement(using: &random), let current = store as? MemoryServerStore else {
            return
        }
        note("a store that went back while nodes worked")
        if nodes.contains(where: { !$0.requests.isEmpty || !$0.held.isEmpty }) {
            note("a store that went back while it was asked")
        }
        replacements += 1
        // The history that was left isn't returned to.
        backups.removeAll { $0.head(of: Self.stream).version > backup.head(of: Self.stream).version }
        if backup.head(of: Self.stream).cursor == current.head(of: Self.stream).cursor {
            note("back to the same version")
        }
        store = backup
        checks.wasReplaced(backup)
        for node in nodes.indices { nodes[node].link = [] }
    }

    mutating func replaceStore(_ other: MemoryServerStore, isCopy: Bool) {
        var other = other
        lastEpoch += 1
        replacements += 1
        let isReturn = other.head(of: Self.stream).epoch != store.head(of: Self.stream).epoch
        if isCopy { other.wasCopied(epoch: lastEpoch) }
        store = other
        checks.wasReplaced(other)
        if isReturn {
            note("back to a history that was left")
            for client in clients { checks.maySendAgain(client.store.data) }
        }
        for node in nodes.indices { kill(node) }
    }

    /// The connection ends in the middle of a message, one way or the other: what came of it must not pass for a message.
    private mutating func cut(_ index: Int) {
        let isUp = random.chance(50)
        let bytes: [UInt8]?
        if isUp {
            bytes = clients[index].up.first.flatMap { try? codec.encode($0) }
        } else {
            bytes = clients[index].down.first.flatMap { try? codec.encode($0.message) }
        }
        guard let bytes, !bytes.isEmpty else { return }
        note("cut")
        let part = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
        let isRead = isUp ? (try? codec.clientMessage(part)) != nil : (try? codec.serverMessage(part)) != nil
        if isRead { problems.append("a part of a message is read as one") }
        if isUp, let connection = clients[index].connection, random.chance(30) {
            // A transport that hands the part on.
            isCutting = true
            run(.unreadable(connection), clients[index].node)
            isCutting = false
        } else {
            drop(index)
        }
    }

    // MARK: The end

    /// Everybody is connected, nothing fails, and all is delivered.
    mutating func heal() {
        isCalm = true
        for index in clients.indices {
            clients[index].crash = nil
            wake(index)
        }
        settle()
        guard problems.isEmpty else { return }
        problems += checks.end(self)
        if profile.weights[.trim] != nil { age() }
        guard problems.isEmpty else { return }
        // A new file at another node has the same.
        let new = clients.count
        add(new)
        clients[new].node = 1
        roles[Self.user(new)] = roles[Self.user(0)]
        if let set = clients[0].store.data.state.querySets.last { handle(.subscribed(set.queries), new) }
        settle()
        guard problems.isEmpty else { return }
        problems += checks.end(self)
        if clients[new].store.data.objects != clients[0].store.data.objects, !profile.queries {
            let isSame = checks.shown(clients[new]) == checks.shown(clients[0])
            if !isSame { problems.append("a bootstrap shows something else than what came step by step") }
        }
    }

    /// Lets more than a month pass without work. The data that is kept for absent clients must then be removed.
    private mutating func age() {
        for _ in 0..<6 where problems.isEmpty {
            time += 8 * 86_400_000
            for index in clients.indices { drop(index) }
            settle()
            for node in nodes.indices { run(.timer(.trim), node) }
            settle()
        }
        guard problems.isEmpty else { return }
        let head = store.head(of: Self.stream)
        if head.horizon != head.version { problems.append("the horizon stays at \(head.horizon) of \(head.version)") }
        if let store = store as? MemoryServerStore {
            let kept = store.kept(in: Self.stream, of: clients.compactMap { $0.store.data.state.file?.ident })
            if kept.log > 0 || kept.deleted > 0 || kept.answers.contains(where: { $0 > 1 }) {
                problems.append("the store keeps \(kept)")
            }
        }
        for index in clients.indices {
            let plain = Self.plainCreation(1_000 + Int64(index))
            guard profile.work != .counters, profile.work != .asymmetric else { continue }
            commit([plain], index)
        }
        settle()
        for (index, client) in clients.enumerated() where client.store.data.commits.count > 1 {
            let kept = client.store.data.commits.values.map { "\($0.commit.number) answered \($0.answeredAt ?? -1)" }
            problems.append("client \(index) keeps \(kept.sorted()), \(client.store.data.state)")
        }
        problems += checks.end(self)
    }

    mutating func settle() {
        var quiet = 0
        let start = time
        for _ in 0..<300 where problems.isEmpty && quiet < 3 {
            var isQuiet = true
            // A group of commits waits up to 16 seconds after the store failed.
            time += quiet > 0 ? 17_000 : 3_000
            if clients.contains(where: { $0.connection == nil }) { time += 100_000 }
            for node in nodes.indices {
                nodes[node].hasHint = false
                hearOfRoles(node)
                run(.moved(Self.stream), node)
                fireTimers(node)
            }
            for index in clients.indices {
                fireClientTimers(index)
                handle(.committed, index)
            }
            while hasMessages, problems.isEmpty {
                if isBusy { isQuiet = false }
                for index in clients.indices {
                    deliverUp(index)
                    deliverDown(index)
                }
                for node in nodes.indices {
                    answer(node)
                    release(node)
                }
            }
            quiet = isQuiet ? quiet + 1 : 0
        }
        if quiet < 3, problems.isEmpty {
            problems.append("there is no rest after \((time - start) / 1_000) s")
        }
    }

    private var hasMessages: Bool {
        clients.contains { !$0.up.isEmpty || !$0.down.isEmpty }
            || nodes.contains { !$0.requests.isEmpty || !$0.works.isEmpty || !$0.held.isEmpty }
    }

    /// Something is said that isn't said for ever.
    private var isBusy: Bool {
        clients.contains { client in
            client.up.contains { if case .ping = $0 { false } else { true } }
                || client.down.contains { if case .pong = $0.message { false } else { true } }
        }
    }
}
