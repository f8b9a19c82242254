extension ColumnReader {
    func clientMessage(_ kind: MessageKind, _ session: SessionNumber) throws(CodecError) -> ClientMessage {
        switch kind {
        case .hello:
            let count = try number()
            var hello = Hello(versions: [], deviceTime: try int(), token: AccessToken(try text()))
            for _ in 0..<count {
                guard let version = UInt16(exactly: try numberWord()) else {
                    throw error(.invalidNumber, "A version of the protocol has 16 bits")
                }
                hello.versions.append(version)
            }
            // Unknown compressions are ignored.
            while kindsLeft > 0 {
                if let compression = CompressionKind(rawValue: try self.kind()) {
                    hello.compressions.append(compression)
                }
            }
            if let agent = optional(.part(1)) { hello.agent = try agent.text() }
            if let group = optional(.part(2)) {
                try group.skipKind()
                hello.takesParts = true
            }
            return .hello(hello)
        case .bind: return .bind(session, try bind())
        case .queries:
            let count = try number()
            var queries = Queries(version: try word(), queries: [])
            let conditions = self[.part(1)]
            for _ in 0..<count {
                queries.queries.append(ClassQuery(className: try text(), condition: try conditions.text()))
            }
            return .queries(session, queries)
        case .upload: return .upload(session, try upload())
        case .clientPart: return .part(session, try part())
        case .clientCredit: return .credit(session, bytes: try word())
        case .mark: return .mark(session, try word())
        case .resume:
            var resume = Resume()
            if let group = optional(.part(1)) { resume.cursor = try group.cursor() }
            if let group = optional(.part(2)) { resume.bootstrap = try group.position() }
            for _ in 0..<(try number()) { resume.compare.append(try text()) }
            if let group = optional(.part(3)) { resume.leastBase = try group.word() }
            resume.held = try self[.part(4)].held()
            return .resume(session, resume)
        case .fetch:
            var names: [ObjectName] = []
            for _ in 0..<(try number()) { names.append(try reference()) }
            return .fetch(session, names)
        case .unbind: return .unbind(session)
        case .ping: return .ping(Ping(deviceTime: try int()))
        default: throw CodecError(.unknownKind, "Clients don't send messages of kind \(kind.rawValue)", offset: 0)
        }
    }

    private func bind() throws(CodecError) -> Bind {
        let (app, schemaVersion, queryVersion, acknowledged) = (try text(), try word(), try word(), try word())
        var bind = Bind(
            app: app,
            schema: SchemaClaim(version: schemaVersion, hash: try hash()),
            queryVersion: queryVersion,
            journal: JournalRange(acknowledged: acknowledged, hash: try hash())
        )
        let pending = try boundedNumber()
        // A run of equal hashes takes no bytes, so the number of hashes has its own limit.
        guard pending <= JournalRange.mostPending else {
            throw error(.tooLarge, "\(pending) commits are too many for a bind")
        }
        bind.journal.pending.reserveCapacity(pending)
        for _ in 0..<pending { bind.journal.pending.append(try hash()) }
        let documents = self[.part(8)]
        for _ in 0..<(try number()) {
            let className = try documents.text()
            bind.schema.documents.append(SchemaDocument(className: className, json: try documents[.second].text()))
        }
        if let group = optional(.part(1)) { bind.stream = try group.value(depth: 0) }
        if let group = optional(.part(2)) { bind.file = try group.identity() }
        if let group = optional(.part(3)) { bind.cursor = try group.cursor() }
        if let group = optional(.part(4)) { bind.view = try group.word() }
        if let group = optional(.part(5)) { bind.leastBase = try group.word() }
        bind.held = try self[.part(6)].held()
        if let group = optional(.part(7)) { bind.bootstrap = try group.position() }
        if let group = optional(.part(9)) {
            try group.skipKind()
            bind.isReset = true
        }
        if let group = optional(.part(10)) { bind.bootstrapView = try group.word() }
        if let group = optional(.part(11)) { bind.partial = try group.partial() }
        return bind
    }

    private func upload() throws(CodecError) -> Upload {
        let (objects, changes, seenVersions) = (self[.objects], self[.changes], self[.seen])
        let count = try number()
        var upload = Upload(commits: [])
        upload.commits.reserveCapacity(min(count, kindsLeft))
        for _ in 0..<count {
            let part: UploadedCommit.Part?
            switch try kind() {
            case 0: part = nil
            case 1: part = .init(index: try self[.part].int(UInt32.self), isLast: false)
            case 2: part = .init(index: try self[.part].int(UInt32.self), isLast: true)
            case let raw: throw error(.unknownKind, "\(raw) isn't a kind of commit")
            }
            let hash = try hash()
            let (number, clock) = (try self[.commitNumber].word(), try self[.clock].word())
            let (base, schemaVersion) = (try self[.commitBase].word(), try self[.schemaVersion].word())
            var seen: [ObjectName: StreamVersion] = [:]
            for _ in 0..<(try self.number()) {
                let name = try objects.reference()
                guard seen.updateValue(try seenVersions.word(), forKey: name) == nil else {
                    throw error(.invalidValue, "An object was seen twice")
                }
            }
            let changeCount = try self.number()
            var work: [Change] = []
            work.reserveCapacity(min(changeCount, changes.kindsLeft))
            for _ in 0..<changeCount { work.append(try changes.change(objects)) }
            let commit = Commit(
                number: number,
                clock: Clock(rawValue: clock),
                base: base,
                seen: seen,
                schemaVersion: schemaVersion,
                changes: work
            )
            upload.commits.append(UploadedCommit(commit: commit, hash: hash, part: part))
        }
        let lists = self[.oldLists]
        for _ in 0..<(try number()) {
            let (place, group) = try lists.place(objects.reference())
            upload.oldLists.append(OldList(place: place, elements: try group.oldElements()))
        }
        return upload
    }

    private func oldElements() throws(CodecError) -> [SyncValue?] {
        let (count, group) = (try number(), self[.values])
        var elements: [SyncValue?] = []
        elements.reserveCapacity(min(count, group.kindsLeft))
        for _ in 0..<count {
            let kind = try group.valueKind(try group.kind())
            elements.append(kind == .gone ? nil : try group.value(kind, hasEmbedded: true, depth: 0))
        }
        return elements
    }

    // MARK: Parts

    func hash() throws(CodecError) -> RunningHash {
        let (first, second) = try fixedPair()
        return RunningHash(high: second, low: first)
    }

    func part() throws(CodecError) -> MessagePart {
        MessagePart(message: try parted(), offset: try word(), bytes: Array(try data()))
    }

    func partial() throws(CodecError) -> PartialMessage {
        PartialMessage(message: try parted(), received: try word())
    }

    private func parted() throws(CodecError) -> PartedMessage {
        let (number, count) = (try word(), try word())
        return PartedMessage(number: number, hash: try hash(), count: count)
    }

    func identity() throws(CodecError) -> FileIdentity {
        let ident = FileIdent(rawValue: try int(UInt32.self))
        let (first, second) = try fixedPair()
        return FileIdentity(ident: ident, secret: FileSecret(high: second, low: first))
    }

    func cursor() throws(CodecError) -> Cursor { Cursor(epoch: try word(), version: try word(), hash: try hash()) }

    func position() throws(CodecError) -> BootstrapPosition {
        BootstrapPosition(
            cursor: try self[.part(1)].cursor(),
            queryVersion: try word(),
            last: try self[.part(2)].reference()
        )
    }

    private func held() throws(CodecError) -> [HeldObject] {
        let names = self[.part(1)]
        var held: [HeldObject] = []
        held.reserveCapacity(kindsLeft)
        while kindsLeft > 0 {
            try skipKind()
            held.append(HeldObject(name: try names.reference(), version: try word()))
        }
        return held
    }
}
