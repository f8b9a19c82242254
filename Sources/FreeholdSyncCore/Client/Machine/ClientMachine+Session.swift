extension ClientMachine {
    // MARK: Binding

    mutating func bind(_ file: FileDescription) {
        var schema = file.schema ?? configuration.schema
        if file.schema == nil { schema.documents = configuration.documents }
        if !sendsDocuments { schema.documents = [] }
        let state = file.state
        var bind = Bind(
            app: configuration.app,
            stream: configuration.stream,
            file: state.file,
            schema: schema,
            cursor: state.cursor,
            view: state.view,
            queryVersion: state.querySets.last { $0.isComplete }?.version ?? 0,
            journal: file.journal,
            leastBase: file.leastBase,
            held: named(file.held),
            bootstrap: state.bootstrap?.reached
        )
        bind.isReset = file.isReset
        if let bootstrap = state.bootstrap, bootstrap.position != nil { bind.bootstrapView = bootstrap.begin.view }
        if serverTakesParts {
            keptParts = file.partial
            bind.partial = file.partial
        }
        reportedBase = file.leastBase
        send(.bind(configuration.session, bind))
        send(.credit(configuration.session, bytes: configuration.window))
    }

    /// Returns the objects with pending work that a message may name. They are fewer after a server refused a message
    /// as too large.
    private func named(_ held: [HeldObject]) -> [HeldObject] {
        held.named(most: configuration.heldObjects, upTo: messageBytes / 2)
    }

    mutating func take(_ bound: Bound) {
        switch bound.schema {
        case .documentsNeeded where !sendsDocuments:
            sendsDocuments = true
            request(.describe, .bind)
        case .documentsNeeded, .refused:
            (isBlocked, isRefused) = (true, true)
            if case .refused(let problems) = bound.schema { report(.schemaRefused(problems)) }
            report(.fault(.schema, text: "The server doesn't accept the file's schema."))
            close(.stopped)
        case .accepted:
            if bound.fork != nil, !state.isReset { report(.forked) }
            link = .ready
            horizon = bound.horizon
            staged = bound.staged
            failures = 0
            sentThrough = bound.fork == nil && !state.isReset ? bound.acknowledged : 0
            isCollecting = true
            request(.bind(bound), .bound(bound))
            report(.connection(.connected))
            for id in unsentMarks { send(.mark(configuration.session, id)) }
        }
    }

    /// Begins the session after the file has stored its answer to `bound`. From now on queries and commits are sent.
    mutating func begin(_ bound: Bound) {
        isCollecting = false
        sentThrough = max(sentThrough, state.acknowledged)
        if let set = state.querySets.last {
            let isGoingOn = bound.start == .bootstrap && state.bootstrap?.begin.queryVersion == set.version
            let isKnown: Bool
            if case .resume = bound.start { isKnown = set.isComplete } else { isKnown = isGoingOn }
            if !isKnown { send(set) }
        }
        if case .resume(let sums?) = bound.start { request(.compare(sums), .other) }
        fetch(state.wanted.sorted())
        upload()
    }

    mutating func send(_ set: QuerySet) {
        guard link == .ready, sentQueries != set.version, rejectedQueries != set.version else { return }
        sentQueries = set.version
        send(.queries(configuration.session, Queries(version: set.version, queries: set.queries)))
        request(.sentQueries(set.version), .other)
    }

    mutating func resume(_ file: FileDescription, compare classes: [SyncString]) {
        let state = file.state
        reportedBase = file.leastBase
        let resume = Resume(
            cursor: state.cursor,
            bootstrap: state.bootstrap?.reached,
            compare: classes,
            leastBase: file.leastBase,
            held: named(file.held)
        )
        send(.resume(configuration.session, resume))
    }

    // MARK: Work

    /// Requests commits from the file if commits can be sent.
    mutating func upload() {
        sendParts()
        guard link == .ready, hasWork, !isCollecting, outgoing == nil, !state.isReset, uploadCredit > 0 else { return }
        isCollecting = true
        let bytes = min(configuration.uploadBytes, messageBytes, uploadCredit)
        request(.collect(after: sentThrough, bytes: bytes, horizon: horizon), .work)
    }

    var messageBytes: UInt64 { max(min(limits.messageBytes, knownLimit) / 2, 512) }

    mutating func send(_ commits: [UploadedCommit], _ oldLists: [OldList], hasMore: Bool) {
        isCollecting = false
        hasWork = hasMore
        var batch: [UploadedCommit] = []
        for commit in commits {
            let size = commit.commit.estimatedSize
            if goesInParts(bytes: size.addingOrMax(oldLists.estimatedSize)) {
                send(&batch)
                if sendInParts(commit, oldLists) {
                    // The other commits are requested again after this one was sent.
                    hasWork = true
                    return upload()
                }
            }
            uploadCredit -= min(uploadCredit, oldLists.estimatedSize)
            uploadCredit -= min(uploadCredit, size)
            sentThrough = commit.commit.number
            guard size > messageBytes, commit.commit.changes.count > 1 else {
                batch.append(commit)
                continue
            }
            send(&batch)
            for part in commit.split(bytes: messageBytes) {
                batch = [part]
                send(&batch, part.part?.isLast == true ? oldLists : [])
            }
        }
        send(&batch, oldLists)
        upload()
    }

    private mutating func send(_ batch: inout [UploadedCommit], _ oldLists: [OldList] = []) {
        if !batch.isEmpty { send(.upload(configuration.session, Upload(commits: batch, oldLists: oldLists))) }
        batch = []
    }

    // MARK: Downloads

    /// Handles a message with changes. All messages of one transaction are applied together.
    ///
    /// - Returns: `false` if the transaction exceeds the maximum size.
    mutating func take(_ changes: Changes, _ bytes: UInt64) -> Bool {
        if let first = parts.first, first.from != changes.from || first.to != changes.to {
            (parts, partBytes) = ([], 0)
        }
        parts.append(changes)
        partBytes = partBytes.addingOrMax(bytes)
        guard !changes.continues else {
            // The credit for an incomplete transaction is granted immediately. Otherwise the server couldn't send the
            // rest.
            grant(bytes)
            return partBytes <= configuration.transactionBytes
        }
        request(.takeIn(parts), .other, bytes: bytes)
        (parts, partBytes) = ([], 0)
        return true
    }

    /// Counts processed bytes, and grants the server credit for them.
    mutating func grant(_ bytes: UInt64) {
        grantedBytes = grantedBytes.addingOrMax(bytes)
        guard link == .ready, grantedBytes >= configuration.window / 2 else { return }
        send(.credit(configuration.session, bytes: grantedBytes))
        grantedBytes = 0
    }

    /// Requests objects, at most as many at the same time as the configuration allows. Further ones follow with the next download.
    mutating func fetch(_ names: [ObjectName]) {
        // Without a cursor the file couldn't take in the answer.
        guard link == .ready, state.cursor != nil else { return }
        let room = max(configuration.fetchedObjects - fetching.count, 0)
        let new = Array(names.lazy.filter { [fetching] in !fetching.contains($0) }.prefix(room))
        fetching.formUnion(new)
        for start in stride(from: 0, to: new.count, by: 1_000) {
            send(.fetch(configuration.session, Array(new[start..<min(start + 1_000, new.count)])))
        }
    }
}

extension UploadedCommit {
    /// Splits the commit into parts of about the given size.
    func split(bytes: UInt64) -> [UploadedCommit] {
        var groups: [[Change]] = [[]]
        var size: UInt64 = 0
        for change in commit.changes {
            let own = change.estimatedSize
            if size + own > bytes, !groups[groups.count - 1].isEmpty {
                groups.append([])
                size = 0
            }
            groups[groups.count - 1].append(change)
            size += own
        }
        return groups.enumerated().map { index, changes in
            let names = Set(changes.map(\.object))
            let part = Commit(
                number: commit.number,
                clock: commit.clock,
                base: commit.base,
                seen: commit.seen.filter { names.contains($0.key) },
                schemaVersion: commit.schemaVersion,
                changes: changes
            )
            return UploadedCommit(
                commit: part,
                hash: hash,
                part: Part(index: UInt32(index), isLast: index == groups.count - 1)
            )
        }
    }
}
