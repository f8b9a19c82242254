extension ColumnWriter {
    func message(_ message: ServerMessage) throws(CodecError) -> MessageKind {
        switch message {
        case .welcome(let welcome):
            int(UInt64(welcome.version))
            int(UInt64(welcome.compression?.rawValue ?? 0))
            int(welcome.limits.messageBytes)
            int(welcome.limits.commitChanges)
            int(welcome.limits.sessions)
            int(welcome.serverTime)
            int(welcome.credit)
            if welcome.limits.commitBytes > 0 { self[.part(1)].int(welcome.limits.commitBytes) }
            return .welcome
        case .bound(_, let bound):
            try self.bound(bound)
            return .bound
        case .queryError(_, let error):
            int(error.version)
            int(error.index)
            int(error.position)
            text(error.className)
            text(error.text)
            return .queryError
        case .ack(_, let ack):
            try answers(ack)
            return .ack
        case .changes(_, let changes):
            self[.part(1)].cursor(changes.from)
            self[.part(2)].cursor(changes.to)
            int(changes.clock.rawValue)
            int(changes.continues ? Int64(1) : 0)
            try self[.part(3)].batches(changes.classes)
            if let checksums = changes.checksums { self[.part(4)].checksums(checksums) }
            return .changes
        case .bootstrapBegin(_, let begin):
            self[.part(1)].cursor(begin.cursor)
            int(begin.queryVersion)
            int(begin.view)
            int(begin.objects)
            int(begin.bytes)
            return .bootstrapBegin
        case .bootstrapChunk(_, let chunk):
            try self[.part(1)].batches(chunk.classes)
            for range in chunk.covers { try self[.part(2)].range(range) }
            try self[.part(3)].position(chunk.position)
            return .bootstrapChunk
        case .bootstrapEnd(_, let end):
            self[.part(1)].cursor(end.cursor)
            int(end.queryVersion)
            int(end.clock.rawValue)
            self[.part(2)].checksums(end.checksums)
            return .bootstrapEnd
        case .part(_, let part):
            self.part(part)
            return .serverPart
        case .credit(_, let bytes):
            int(bytes)
            return .serverCredit
        case .marked(_, let number, let version):
            int(number)
            int(version)
            return .marked
        case .noted, .claimed: throw CodecError(.invalidValue, "Only front ends of the server have this message")
        case .notice(_, let notice):
            kinds.append(notice.kind.raw)
            if case .leaving(let after) = notice.kind { int(after) }
            text(notice.text)
            return .notice
        case .error(_, let error):
            kinds.append(error.fault.raw)
            switch error.fault {
            case .transient(let number), .tooLarge(let number): int(number)
            default: break
            }
            text(error.text)
            return .error
        case .pong(let pong):
            int(pong.deviceTime)
            int(pong.serverTime)
            return .pong
        }
    }

    private func bound(_ bound: Bound) throws(CodecError) {
        switch bound.schema {
        case .accepted: kinds.append(0)
        case .documentsNeeded: kinds.append(1)
        case .refused(let problems):
            kinds.append(2)
            let group = self[.part(3)]
            for problem in problems {
                group.kinds.append(problem.property == nil ? 0 : 1)
                group.text(problem.className)
                if let property = problem.property { group.text(property) }
                group[.second].text(problem.text)
            }
        }
        switch bound.start {
        case .resume(let checksums):
            kinds.append(0)
            if let checksums { self[.part(4)].checksums(checksums) }
        case .bootstrap: kinds.append(1)
        case .nothing: kinds.append(2)
        }
        int(bound.epoch)
        int(bound.acknowledged)
        if let file = bound.file { self[.part(1)].identity(file) }
        if let fork = bound.fork {
            self[.part(2)].int(fork.common)
            if let ack = fork.answers { try self[.part(5)].answers(ack) }
        }
        if bound.horizon > 0 { self[.part(6)].int(bound.horizon) }
        if let staged = bound.staged { self[.part(7)].partial(staged) }
    }

    private func answers(_ ack: Ack) throws(CodecError) {
        int(ack.first)
        int(ack.clock.rawValue)
        number(ack.versions.count)
        for version in ack.versions { number(version) }
        try self[.part(1)].refusals(ack.refusals)
        try self[.part(2)].batches(ack.restored)
        for (index, refusal) in ack.refusals.enumerated() {
            let mark = refusal.mark
            guard mark != 0 else { continue }
            self[.part(4)].kinds.append(mark)
            self[.part(4)].int(Int64(index))
        }
        // Clients that don't support the part skip it.
        guard ack.refusals.contains(where: { $0.field != nil }) else { return }
        for refusal in ack.refusals { self[.part(3)].text(refusal.field ?? "") }
    }

    private func checksums(_ checksums: Checksums) {
        int(checksums.view)
        for sum in checksums.classes {
            kinds.append(0)
            text(sum.className)
            self[.part(1)].int(sum.count)
            self[.part(2)].int(sum.sum)
        }
    }

    /// The lowest bit of the kind is set if the range has a start, and the next bit if it has an end.
    private func range(_ range: KeyRange) throws(CodecError) {
        kinds.append((range.after == nil ? 0 : 1) | (range.through == nil ? 0 : 2))
        text(range.className)
        if let key = range.after { try self[.keys].key(key) }
        if let key = range.through { try self[.keys].key(key) }
    }

    private func refusals(_ refusals: [Refusal]) throws(CodecError) {
        for refusal in refusals {
            kinds.append(refusal.reason.raw)
            self[.commitNumber].int(refusal.commit)
            int(Int64(refusal.index))
            try self[.changes].change(refusal.change, self[.objects])
        }
    }
}

// The raw values are part of the protocol.

extension RefusalReason {
    fileprivate static let all: [RefusalReason] = [
        .objectGone, .instanceGone, .forbidden, .notUnique, .denied, .causeRefused, .commitRefused, .createOnly,
        .malformed, .elementGone, .replaced,
    ]

    /// Reasons that later versions of the protocol added. An old reader skips the place where they are written, and
    /// reads `.malformed`.
    fileprivate static let added: [RefusalReason] = [.tooLarge]

    var raw: UInt8 { UInt8((Self.all.firstIndex(of: self) ?? Self.all.firstIndex(of: .malformed))!) }

    /// The number of an added reason, starting at 1. 0 for the other reasons.
    fileprivate var later: UInt8 { Self.added.firstIndex(of: self).map { UInt8($0 + 1) } ?? 0 }

    /// - Returns: `nil` for 0, and for a number that a later version added.
    fileprivate init?(later: UInt8) {
        guard later > 0, Int(later) <= Self.added.count else { return nil }
        self = Self.added[Int(later) - 1]
    }

    init?(raw: UInt8) {
        guard Int(raw) < Self.all.count else { return nil }
        self = Self.all[Int(raw)]
    }
}

extension Refusal {
    /// The part of the refusal that an old reader doesn't support: the number of an added reason, plus 128 for an
    /// outline. 0 if there is no such part.
    fileprivate var mark: UInt8 { reason.later | (isOutline ? 128 : 0) }

    /// Returns the refusal with the reason and the outline of the mark.
    func marked(_ mark: UInt8) -> Refusal {
        var marked = self
        (marked.reason, marked.isOutline) = (RefusalReason(later: mark & 127) ?? reason, mark & 128 != 0)
        return marked
    }
}

extension Notice.Kind {
    var raw: UInt8 {
        switch self {
        case .paused: 0
        case .leaving: 1
        case .viewChanged: 2
        case .information: 3
        }
    }
}

extension SyncFault {
    var raw: UInt8 {
        switch self {
        case .transient: 0
        case .auth: 1
        case .forbidden: 2
        case .schema: 3
        case .query: 4
        case .tooLarge: 5
        case .violation: 6
        case .storeReplaced: 7
        case .upgradeRequired: 8
        }
    }
}
