@testable import FreeholdRealmWire

// The messages of the client: section 5 of the rules.

extension TestRealmClient {
    /// The bytes of changesets above which an upload ends, and those that it never reaches with a second entry.
    static let uploadSize = (soft: 131_072, hard: 16_777_216)
    /// The number of consecutive empty uploads above which the exchange counts as endless.
    static let greatestEmptyUploads = 24

    /// Returns the next message as a frame, or `nil` if nothing has to be sent.
    mutating func nextFrame() throws -> [UInt8]? { try nextMessage().map { try codec.encoded($0) } }

    /// Returns the next message, or `nil` if nothing has to be sent. Sessions take turns.
    mutating func nextMessage() -> RealmClientMessage? {
        guard isConnected else { return nil }
        sessions.removeAll { $0.mustUnbind && !$0.isBindSent && !$0.bindsAgain }
        for number in sessions.map(\.number) {
            guard let index = sessions.firstIndex(where: { $0.number == number }),
                let message = message(of: index)
            else { continue }
            if let index = sessions.firstIndex(where: { $0.number == number }), sessions.count > 1 {
                sessions.append(sessions.remove(at: index))
            }
            counts[message.name, default: 0] += 1
            return message
        }
        return nil
    }

    /// Returns a ping with a time.
    mutating func ping(timestamp: UInt64) -> RealmClientMessage? {
        guard isConnected else { return nil }
        pings.append(timestamp)
        return .ping(timestamp: timestamp, roundTrip: 0)
    }

    private mutating func message(of index: Int) -> RealmClientMessage? {
        let (number, role) = (sessions[index].number, sessions[index].role)
        let file = file(of: role)
        if sessions[index].mustUnbind {
            sessions[index].mustUnbind = false
            sessions[index].isUnbindSent = true
            if sessions[index].isDead, !sessions[index].bindsAgain {
                // The end of a session that had an error isn't answered.
                sessions.remove(at: index)
            }
            return .unbind(session: number)
        }
        if sessions[index].isDead || sessions[index].isUnbindSent { return nil }
        if !sessions[index].isBindSent {
            if role == .main, fresh != nil, !isFreshComplete { return nil }
            sessions[index].isBindSent = true
            return .bind(
                RealmClientMessage.Bind(
                    session: number,
                    needsIdent: file.ident == nil && !(role == .main && fresh != nil),
                    schemaVersion: codec.version >= 11 ? file.schemaVersion : nil,
                    reason: codec.version >= 10 ? sessions[index].reason : nil
                )
            )
        }
        // The files of a client reset are merged between the bind and the ident.
        if role == .main, fresh != nil, !mergeFresh() { return nil }
        guard let ident = self.file(of: role).ident else { return nil }
        if !sessions[index].isIdentSent { return identMessage(at: index, ident) }
        if let code = sessions[index].ownError {
            guard !sessions[index].isOwnErrorSent else { return nil }
            sessions[index].isOwnErrorSent = true
            return .error(session: number, code: code, message: "the changeset can't be integrated")
        }
        if sessions[index].wantedMark > sessions[index].sentMark {
            sessions[index].sentMark = sessions[index].wantedMark
            sessions[index].markedSets[sessions[index].sentMark] = sessions[index].sentQuery
            return .mark(session: number, number: sessions[index].sentMark)
        }
        guard !sessions[index].isBlocked else { return nil }
        return query(at: index, file) ?? upload(at: index)
    }

    private mutating func identMessage(at index: Int, _ ident: RealmFileIdent) -> RealmClientMessage {
        sessions[index].isIdentSent = true
        let file = file(of: sessions[index].role)
        // The file may be another one since the merge of a client reset.
        sessions[index].position = file.upload.client
        sessions[index].sentProgress = file.upload.server
        sessions[index].sentQuery = file.activeVersion
        return .ident(
            RealmClientMessage.Ident(
                session: sessions[index].number,
                file: ident,
                download: file.download,
                latest: file.latest,
                queryVersion: file.activeVersion,
                queries: file.activeSet?.queries ?? []
            )
        )
    }

    /// The smallest set of subscriptions that wasn't sent.
    private func waitingSet(at index: Int) -> SubscriptionSet? {
        file(of: sessions[index].role).sets.first {
            ($0.state == .pending || $0.state == .bootstrapping) && $0.version > sessions[index].sentQuery
        }
    }

    private mutating func query(at index: Int, _ file: ClientFile) -> RealmClientMessage? {
        guard let set = waitingSet(at: index), set.version > 0 else { return nil }
        // The fresh file of a client reset never uploads.
        guard sessions[index].role == .fresh || sessions[index].position >= limit(at: index) else { return nil }
        sessions[index].sentQuery = set.version
        sessions[index].wantedMark += 1
        return .query(session: sessions[index].number, version: set.version, queries: set.queries)
    }

    /// The version up to which changes may be sent: the one before the next set of subscriptions.
    private func limit(at index: Int) -> UInt64 {
        let newest = file(of: sessions[index].role).newest
        return min(waitingSet(at: index)?.snapshot ?? newest, newest)
    }

    private mutating func upload(at index: Int) -> RealmClientMessage? {
        let role = sessions[index].role
        guard role == .main else { return nil }
        let file = file(of: role)
        let end = limit(at: index)
        guard end > sessions[index].position else { return nil }
        var (entries, size, isFull): ([UploadEntry], Int, Bool) = ([], 0, false)
        var progress = UploadCursor(client: end, server: sessions[index].sentProgress)
        for commit in file.history where commit.version > sessions[index].position && commit.version <= end {
            if commit.isUploaded {
                if !entries.isEmpty, size + commit.bytes.count >= Self.uploadSize.hard { isFull = true }
                if size >= Self.uploadSize.soft { isFull = true }
                if isFull { break }
                size += commit.bytes.count
                entries.append(
                    UploadEntry(
                        clientVersion: commit.version,
                        serverVersion: commit.remote,
                        timestamp: commit.timestamp,
                        changeset: commit.bytes
                    )
                )
            }
            progress.server = max(progress.server, commit.remote)
        }
        if isFull { progress.client = entries[entries.count - 1].clientVersion }
        sessions[index].position = progress.client
        let hasSet = waitingSet(at: index) != nil
        if entries.isEmpty {
            guard !hasSet, progress.server > sessions[index].sentProgress else { return query(at: index, file) }
            sessions[index].emptyUploads += 1
            if sessions[index].emptyUploads == Self.greatestEmptyUploads {
                trap(.repeats, rule: "N1", "the client has sent \(sessions[index].emptyUploads) empty uploads")
            }
        } else {
            sessions[index].emptyUploads = 0
        }
        sessions[index].sentProgress = progress.server
        return .upload(
            RealmClientMessage.Upload(
                session: sessions[index].number,
                progress: progress,
                lockedServer: file.download.server,
                entries: entries
            )
        )
    }
}

extension RealmClientMessage {
    /// The first word of the message.
    var name: String {
        switch self {
        case .bind: "bind"
        case .ident: "ident"
        case .query: "query"
        case .upload: "upload"
        case .mark: "mark"
        case .unbind: "unbind"
        case .ping: "ping"
        case .error: "json_error"
        }
    }
}
