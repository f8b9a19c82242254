extension ColumnReader {
    func serverMessage(_ kind: MessageKind, _ session: SessionNumber) throws(CodecError) -> ServerMessage {
        switch kind {
        case .welcome: return .welcome(try welcome())
        case .bound: return .bound(session, try bound())
        case .queryError:
            let (version, index, position) = (try word(), try word(), try word())
            let className = try text()
            return .queryError(
                session,
                QueryError(version: version, className: className, index: index, position: position, text: try text())
            )
        case .ack:
            return .ack(session, try answers())
        case .changes:
            var changes = Changes(
                from: try self[.part(1)].cursor(),
                to: try self[.part(2)].cursor(),
                clock: Clock(rawValue: try word()),
                classes: [],
                continues: try bool()
            )
            if let group = optional(.part(3)) { changes.classes = try group.batches() }
            if let group = optional(.part(4)) { changes.checksums = try group.checksums() }
            return .changes(session, changes)
        case .bootstrapBegin:
            return .bootstrapBegin(
                session,
                BootstrapBegin(
                    cursor: try self[.part(1)].cursor(),
                    queryVersion: try word(),
                    view: try word(),
                    objects: try word(),
                    bytes: try word()
                )
            )
        case .bootstrapChunk:
            let classes = try optional(.part(1))?.batches() ?? []
            let covers = try self[.part(2)].ranges()
            return .bootstrapChunk(
                session,
                BootstrapChunk(classes: classes, covers: covers, position: try self[.part(3)].position())
            )
        case .bootstrapEnd:
            return .bootstrapEnd(
                session,
                BootstrapEnd(
                    cursor: try self[.part(1)].cursor(),
                    queryVersion: try word(),
                    clock: Clock(rawValue: try word()),
                    checksums: try self[.part(2)].checksums()
                )
            )
        case .serverPart: return .part(session, try part())
        case .serverCredit: return .credit(session, bytes: try word())
        case .marked: return .marked(session, try word(), try word())
        case .notice: return .notice(session, Notice(try noticeKind(), text: try text()))
        case .error: return .error(session == 0 ? nil : session, ErrorMessage(try fault(), text: try text()))
        case .pong: return .pong(Pong(deviceTime: try int(), serverTime: try int()))
        default: throw CodecError(.unknownKind, "Servers don't send messages of kind \(kind.rawValue)", offset: 0)
        }
    }

    private func welcome() throws(CodecError) -> Welcome {
        let version = try int(UInt16.self)
        let raw = try int(UInt8.self)
        let compression = CompressionKind(rawValue: raw)
        guard raw == 0 || compression != nil else { throw error(.unknownKind, "\(raw) is no way to compress") }
        var limits = MessageLimits(messageBytes: try word(), commitChanges: try word(), sessions: try word())
        if let group = optional(.part(1)) { limits.commitBytes = try group.word() }
        return Welcome(
            version: version,
            compression: compression,
            limits: limits,
            serverTime: try int(),
            credit: try word()
        )
    }

    private func bound() throws(CodecError) -> Bound {
        let schema: SchemaVerdict
        switch try kind() {
        case 0: schema = .accepted
        case 1: schema = .documentsNeeded
        case 2: schema = .refused(try self[.part(3)].problems())
        case let raw: throw error(.unknownKind, "\(raw) isn't a verdict")
        }
        let start: Bound.Start
        switch try kind() {
        case 0: start = .resume(try optional(.part(4))?.checksums())
        case 1: start = .bootstrap
        case 2: start = .nothing
        case let raw: throw error(.unknownKind, "\(raw) isn't a start")
        }
        var bound = Bound(schema: schema, epoch: try word(), acknowledged: try word(), start: start)
        if let group = optional(.part(1)) { bound.file = try group.identity() }
        if let group = optional(.part(2)) {
            let answers: Ack? = if let group = optional(.part(5)) { try group.answers() } else { nil }
            bound.fork = Fork(common: try group.word(), answers: answers)
        }
        if let group = optional(.part(6)) { bound.horizon = try group.word() }
        if let group = optional(.part(7)) { bound.staged = try group.partial() }
        return bound
    }

    private func answers() throws(CodecError) -> Ack {
        var ack = Ack(first: try word(), versions: [], clock: Clock(rawValue: try word()))
        for _ in 0..<(try number()) { ack.versions.append(try numberWord()) }
        ack.refusals = try self[.part(1)].refusals()
        if let group = optional(.part(2)) { ack.restored = try group.batches() }
        if let group = optional(.part(3)) {
            for index in ack.refusals.indices {
                let field = try group.text()
                if !field.string.isEmpty { ack.refusals[index] = ack.refusals[index].naming(field) }
            }
        }
        if let group = optional(.part(4)) { try group.marks(of: &ack.refusals) }
        return ack
    }

    private func problems() throws(CodecError) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        while kindsLeft > 0 {
            let hasProperty = try flag()
            let className = try text()
            let property = hasProperty ? try text() : nil
            problems.append(SchemaProblem(className: className, property: property, text: try self[.second].text()))
        }
        return problems
    }

    private func flag() throws(CodecError) -> Bool {
        let raw = try kind()
        guard raw < 2 else { throw error(.unknownKind, "\(raw) isn't a bool") }
        return raw == 1
    }

    private func checksums() throws(CodecError) -> Checksums {
        var checksums = Checksums(view: try word(), classes: [])
        let (counts, sums) = (self[.part(1)], self[.part(2)])
        while kindsLeft > 0 {
            try skipKind()
            let className = try text()
            checksums.classes.append(
                ClassChecksum(className: className, count: try counts.word(), sum: try sums.word())
            )
        }
        return checksums
    }

    private func ranges() throws(CodecError) -> [KeyRange] {
        let keys = self[.keys]
        var ranges: [KeyRange] = []
        while kindsLeft > 0 {
            let raw = try kind()
            guard raw < 4 else { throw error(.unknownKind, "\(raw) isn't a kind of range") }
            let className = try text()
            let after = raw & 1 == 0 ? nil : try keys.key()
            ranges.append(KeyRange(className: className, after: after, through: raw & 2 == 0 ? nil : try keys.key()))
        }
        return ranges
    }

    private func refusals() throws(CodecError) -> [Refusal] {
        let (objects, changes) = (self[.objects], self[.changes])
        var refusals: [Refusal] = []
        refusals.reserveCapacity(kindsLeft)
        while kindsLeft > 0 {
            let raw = try kind()
            guard let reason = RefusalReason(raw: raw) else { throw error(.unknownKind, "\(raw) is no reason") }
            let (commit, index) = (try self[.commitNumber].word(), Int(try int()))
            refusals.append(Refusal(commit: commit, index: index, change: try changes.change(objects), reason: reason))
        }
        return refusals
    }

    private func marks(of refusals: inout [Refusal]) throws(CodecError) {
        while kindsLeft > 0 {
            let (mark, index) = (try kind(), Int(try int()))
            guard refusals.indices.contains(index) else {
                throw error(.invalidValue, "No refusal has the number \(index)")
            }
            refusals[index] = refusals[index].marked(mark)
        }
    }

    private func noticeKind() throws(CodecError) -> Notice.Kind {
        switch try kind() {
        case 0: return .paused
        case 1: return .leaving(after: try word())
        case 2: return .viewChanged
        case 3: return .information
        case let raw: throw error(.unknownKind, "\(raw) isn't a kind of notice")
        }
    }

    private func fault() throws(CodecError) -> SyncFault {
        switch try kind() {
        case 0: return .transient(after: try word())
        case 1: return .auth
        case 2: return .forbidden
        case 3: return .schema
        case 4: return .query
        case 5: return .tooLarge(limit: try word())
        case 6: return .violation
        case 7: return .storeReplaced
        case 8: return .upgradeRequired
        case let raw: throw error(.unknownKind, "\(raw) isn't a fault")
        }
    }
}
