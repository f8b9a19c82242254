extension ClientStore {
    /// Performs a request of the machine.
    ///
    /// - Parameters:
    ///   - now: The device's time, in milliseconds since 2015-01-01.
    ///   - random: A source of the random bits in the hashes of own commits.
    /// - Throws: The errors of the store. After an error it is unknown whether the request was performed.
    public mutating func perform(
        _ request: StoreRequest,
        now: Int64,
        random: inout some RandomNumberGenerator
    ) throws -> StoreOutcome {
        var care = StoreCare()
        return try perform(request, now: now, random: &random, care: &care)
    }

    /// Like `perform(_:now:random:)`, for a caller that repeats failed requests.
    ///
    /// - Throws: `RepeatedFailure` instead of an error that was thrown three times. Later requests leave out the
    ///   subject of that error.
    public mutating func perform(
        _ request: StoreRequest,
        now: Int64,
        random: inout some RandomNumberGenerator,
        care: inout StoreCare
    ) throws -> StoreOutcome {
        do {
            // Each of the app's transactions is resolved in a transaction of its own, so that an error identifies the
            // failed one.
            while care.isCareful, try resolve(&care, count: 1) {}
            while true {
                let outcome = try transact { [care] transaction -> StoreOutcome? in
                    transaction.care = care
                    let isMore = try transaction.resolveLocalCommits(upTo: resolvedBytes)
                    return isMore ? nil : try transaction.perform(request, now: now, random: &random)
                }
                care.mayHaveLeftovers = outcome == nil
                guard let outcome else { continue }
                care.succeeded(request)
                return outcome
            }
        } catch {
            // It is unknown whether the transaction happened.
            care.mayHaveLeftovers = true
            guard let trouble = care.failed(error, request) else { throw error }
            throw RepeatedFailure(trouble: trouble)
        }
    }
}

/// The maximum number of bytes of local commits that are resolved in one transaction. The work of many days offline
/// takes several transactions.
private let resolvedBytes = 16 << 20

extension ClientStore {
    /// Resolves some of the app's transactions in one transaction of the store.
    ///
    /// - Returns: A Boolean value that indicates whether unresolved transactions are left.
    private mutating func resolve(_ care: inout StoreCare, count: Int) throws -> Bool {
        let isMore = try transact { [care] transaction in
            transaction.care = care
            return try transaction.resolveLocalCommits(count: count)
        }
        care.mayHaveLeftovers = isMore
        return isMore
    }
}

extension ClientTransaction {
    fileprivate mutating func perform(
        _ request: StoreRequest,
        now: Int64,
        random: inout some RandomNumberGenerator
    ) throws -> StoreOutcome {
        let now = now &+ state.offset
        switch request {
        case .describe: return .described(try describe())
        case .collect(let number, let bytes, let horizon):
            let commits = try seal(after: number, bytes: bytes, horizon: horizon, salt: &random)
            var lists: [OldList] = []
            if let first = commits.first?.commit, first.base < horizon {
                let names = try names(of: first.schemaVersion)
                lists = try oldLists(first).map { names?.list($0) ?? $0 }
            }
            let hasMore = (commits.last?.commit.number ?? number) < state.lastCommit
            return .collected(try commits.map(asMade), oldLists: lists, hasMore: hasMore)
        case .bind(let bound): return try bind(bound, now: now)
        case .acknowledge(let ack):
            let refusals = try acknowledge(ack, now: now)
            return .acknowledged(upTo: state.acknowledged, refusals, wanted: state.wanted.sorted())
        case .takeIn(let changes): return try takeIn(changes, now: now)
        case .keepPart(let part):
            try keep(part)
            return .done
        case .takeParts(let last):
            switch try whole(last) {
            case .changes(_, let changes): return try takeIn([changes], now: now)
            case .bootstrapChunk(_, let chunk): return try takeIn(chunk)
            case .ack(_, let ack):
                let refusals = try acknowledge(ack, now: now)
                return .acknowledged(upTo: state.acknowledged, refusals, wanted: state.wanted.sorted())
            default: return .misfit
            }
        case .giveUp(let number):
            try giveUp(number)
            return .done
        case .beginBootstrap(let begin):
            beginBootstrap(begin)
            setQuerySet(begin.queryVersion) { $0.state = .bootstrapping }
            return .done
        case .takeInChunk(let chunk): return try takeIn(chunk)
        case .endBootstrap(let end): return try finishBootstrap(end, now: now)
        case .subscribe(let queries): return .subscribed(subscribe(queries))
        case .sentQueries(let version):
            setQuerySet(version) { if $0.state == .pending { $0.state = .bootstrapping } }
            return .done
        case .failQuery(let error):
            setQuerySet(error.version) { set in
                if !set.errors.contains(error) { set.errors.append(error) }
                set.state = .error
            }
            return .done
        case .setOffset(let offset):
            state.offset = offset
            return .done
        case .compare(let sums): return .compared(try mismatches(sums))
        case .reset(let mode):
            try removeParts()
            reset(mode)
            return .done
        }
    }

    /// Returns a commit with the names of the schema under which it was created.
    private func asMade(_ uploaded: UploadedCommit) throws -> UploadedCommit {
        guard let names = try names(of: uploaded.commit.schemaVersion) else { return uploaded }
        return UploadedCommit(commit: names.commit(uploaded.commit), hash: uploaded.hash, part: uploaded.part)
    }

    func describe() throws -> FileDescription {
        FileDescription(
            state: state,
            // Versions of another history have no meaning for this server.
            held: state.isReset ? [] : try held(),
            leastBase: try leastBase(),
            pendingHashes: try pendingHashes(),
            hasLocalWork: state.acknowledged < state.lastCommit && !state.isReset,
            schema: try schemaClaim(),
            partial: try partial()
        )
    }

    private mutating func bind(_ bound: Bound, now: Int64) throws -> StoreOutcome {
        var lost = 0
        if state.isReset, !state.isPrepared {
            lost = try prepareReset(bound, now: now)
        } else if let fork = bound.fork {
            try self.fork(fork, now: now)
        }
        if let file = bound.file { state.file = file }
        if case .resume = bound.start {
            // A bootstrap that had begun isn't needed any more.
            state.bootstrap = nil
            for index in state.querySets.indices where state.querySets[index].isComplete {
                guard state.querySets[index].state == .bootstrapping else { continue }
                state.querySets[index].state = state.querySets[index].errors.isEmpty ? .complete : .error
            }
        }
        var description = try describe()
        description.lost = lost
        return .described(description)
    }

    // MARK: Queries

    private mutating func setQuerySet(_ version: UInt64, _ change: (inout QuerySet) -> Void) {
        guard let index = state.querySets.firstIndex(where: { $0.version == version }) else { return }
        change(&state.querySets[index])
    }

    private mutating func subscribe(_ queries: [ClassQuery]) -> QuerySet {
        let set = QuerySet(version: (state.querySets.last?.version ?? 0) + 1, queries: queries)
        for index in state.querySets.indices { state.querySets[index].state = .superseded }
        // The set of which the file has the state, and the new set.
        state.querySets.removeAll { !$0.isComplete }
        state.querySets = Array(state.querySets.suffix(1)) + [set]
        return set
    }

    // MARK: Downloads

    private func outcome(_ sums: Checksums?, objects: UInt64 = 0) throws -> DownloadOutcome {
        DownloadOutcome(
            cursor: state.cursor,
            wanted: state.wanted.sorted(),
            mismatches: try sums.map { try mismatches($0) } ?? [],
            confirmed: state.firstPending - 1,
            objects: objects
        )
    }

    private mutating func takeIn(_ changes: [Changes], now: Int64) throws -> StoreOutcome {
        guard let first = changes.first, let last = changes.last else { return .misfit }
        guard first.from == state.cursor, changes.allSatisfy({ $0.from == first.from && $0.to == first.to }) else {
            // A message that was received twice contains nothing new.
            let isOld = state.cursor.map { $0.epoch == first.to.epoch && first.to.version <= $0.version } ?? false
            return isOld && first.from != first.to ? .tookIn(try outcome(nil)) : .misfit
        }
        var replaced: [Refusal] = []
        for message in changes {
            for batch in message.classes { replaced += try take(batch) }
        }
        state.cursor = first.to
        try dropOldParts()
        state.clock = state.clock.pushed(by: last.clock, wall: now)
        try settle(upTo: first.to.version)
        var outcome = try outcome(last.checksums, objects: UInt64(changes.reduce(0) { $0 + $1.count }))
        outcome.replaced = replaced
        return .tookIn(outcome)
    }

    private mutating func takeIn(_ chunk: BootstrapChunk) throws -> StoreOutcome {
        var named: [SyncString: Set<PrimaryKey>] = [:]
        var objects: UInt64 = 0
        var replaced: [Refusal] = []
        for batch in chunk.classes {
            replaced += try take(batch)
            objects += UInt64(batch.objects.count)
            named[batch.className, default: []].formUnion(batch.objects.map(\.key))
        }
        for range in chunk.covers {
            let there = named[range.className] ?? []
            for (key, _) in try confirmed(in: range) where !there.contains(key) {
                try change(ObjectName(range.className, key)) { try $0.apply(.erased) }
            }
            for name in state.wanted where range.contains(name) && !there.contains(name.key) {
                state.wanted.remove(name)
            }
        }
        state.bootstrap?.position = chunk.position
        state.bootstrap?.objects += objects
        var outcome = try outcome(nil, objects: objects)
        outcome.replaced = replaced
        return .tookIn(outcome)
    }

    private mutating func beginBootstrap(_ begin: BootstrapBegin) {
        let old = state.bootstrap
        if let old, old.begin.queryVersion == begin.queryVersion, old.begin.cursor == begin.cursor,
            old.begin.view == begin.view
        {
            // The bootstrap continues.
            return
        }
        // Objects of an incomplete bootstrap make the state of the file differ from both views.
        if old?.position != nil { state.view = nil }
        state.bootstrap = BootstrapProgress(begin: begin, earlier: old?.reached)
    }

    private mutating func finishBootstrap(_ end: BootstrapEnd, now: Int64) throws -> StoreOutcome {
        guard let progress = state.bootstrap, progress.begin.queryVersion == end.queryVersion else { return .misfit }
        if state.cursor.map({ $0.epoch != end.cursor.epoch || $0.version <= end.cursor.version }) ?? true {
            state.cursor = end.cursor
        }
        state.view = progress.begin.view
        state.bootstrap = nil
        state.clock = state.clock.pushed(by: end.clock, wall: now)
        let lost = state.isReset ? try endReset() : nil
        try settle(upTo: end.cursor.version)
        setQuerySet(end.queryVersion) { set in
            set.isComplete = true
            if set.state != .superseded { set.state = set.errors.isEmpty ? .complete : .error }
        }
        if let index = state.querySets.firstIndex(where: { $0.version == end.queryVersion }) {
            state.querySets.removeFirst(index)
        }
        let set = state.querySets.first { $0.version == end.queryVersion }
        return .bootstrapped(set, try outcome(end.checksums), lost: lost)
    }
}

extension Changes {
    fileprivate var count: Int { classes.reduce(0) { $0 + $1.objects.count } }
}

extension KeyRange {
    package func contains(_ name: ObjectName) -> Bool {
        name.className == className && after.map { name.key > $0 } ?? true && through.map { name.key <= $0 } ?? true
    }
}
