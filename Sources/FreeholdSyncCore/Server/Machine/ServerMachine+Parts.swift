/// Messages that are too large to be sent whole: commits of clients, and downloads.
extension ServerMachine {
    // MARK: Uploads

    mutating func take(_ part: MessagePart, _ key: SessionKey) {
        guard begin(part, key) else { return }
        // The parts are changed in place, so that the buffer isn't copied for each part.
        guard sessions[key]?.incoming?.take(part, now: now) == true else {
            // The store may have deleted parts of another session of the file. The answer to the next bind names the parts that it has.
            return end(key, .transient(after: 0), "A part before this one is missing.")
        }
        proceed(key)
    }

    /// Counts the credit of a part, and prepares the session for it.
    ///
    /// - Returns: `false` if the part isn't to be added.
    private mutating func begin(_ part: MessagePart, _ key: SessionKey) -> Bool {
        guard let session = sessions[key] else { return false }
        let limit = configuration.limits.commitBytes
        guard limit > 0, part.message.count <= limit else {
            end(key, .tooLarge(limit: limit), "The commit is too large.")
            return false
        }
        guard mayKeepMore(session.user) else {
            endOverShare(key)
            return false
        }
        let bytes = UInt64(part.bytes.count)
        sessions[key]?.uploadDebt = session.uploadDebt.addingOrMax(bytes)
        sessions[key]?.unreleased = session.unreleased.addingOrMax(bytes)
        let expected = (session.inbox.last?.commit.number ?? session.received) + 1
        guard part.message.number >= expected else {
            // The commit was also received over another connection, and has already been answered.
            sessions[key]?.incoming = nil
            giveBack(key)
            return false
        }
        let most = configuration.uploadCredit &+ 2 &* configuration.limits.messageBytes
        guard part.message.number == expected, session.uploadDebt.addingOrMax(bytes) <= most else {
            end(key, .violation, "A commit before this one is missing, or more was uploaded than allowed.")
            return false
        }
        if session.incoming?.message != part.message {
            let known = session.staged.flatMap { $0.message == part.message ? $0.received : nil } ?? 0
            sessions[key]?.incoming = IncomingParts(part.message, kept: part.offset == 0 ? 0 : known)
        }
        return true
    }

    /// Queues a commit whose parts are complete, or writes parts to the store if that is due.
    mutating func proceed(_ key: SessionKey) {
        guard let session = sessions[key], let incoming = session.incoming else { return }
        guard !incoming.isWhole else {
            return incoming.kept + incoming.keeping == 0 ? takeWhole(incoming, key) : queueStored(incoming, key)
        }
        // The store keeps the parts of one commit of a file. While that commit waits to be merged, the credit bounds the bytes of the next one in
        // memory.
        guard session.stored == nil, incoming.keeping == 0, !session.isGuest else { return }
        if incoming.isDue(now, bytes: configuration.keptBytes, delay: configuration.keepDelay) { keep(key) }
    }

    /// Writes the parts in memory to the store.
    private mutating func keep(_ key: SessionKey) {
        guard let session = sessions[key], let part = sessions[key]?.incoming?.flush() else { return }
        request(session.stream, .keepPart(session.ident, part, time: now), .kept(key))
    }

    mutating func takeKept(_ answer: ServerStoreAnswer, _ key: SessionKey) {
        guard let session = sessions[key] else { return }
        guard case .done = answer else { return end(key, .transient(after: 1_000), "The store can't be reached.") }
        guard session.stored == nil else {
            sessions[key]?.stored?.wasKept()
            return readInbox(key)
        }
        sessions[key]?.incoming?.wasKept()
        giveBack(key)
        proceed(key)
    }

    /// Returns the credit of parts to the client once they are in the store or aren't needed.
    mutating func giveBack(_ key: SessionKey) {
        guard let session = sessions[key], session.unreleased > 0 else { return }
        sessions[key]?.unreleased = 0
        giveBack(session.unreleased, key)
    }

    private mutating func giveBack(_ bytes: UInt64, _ key: SessionKey) {
        guard bytes > 0, let debt = sessions[key]?.uploadDebt else { return }
        sessions[key]?.uploadDebt = debt - min(bytes, debt)
        send(key, .credit(key.number, bytes: bytes))
    }

    /// Queues a commit whose parts are all in memory. Its credit is returned to the client after the merge.
    private mutating func takeWhole(_ incoming: IncomingParts, _ key: SessionKey) {
        guard let upload = Self.upload(incoming.message, incoming.buffer) else {
            return end(key, .violation, "The parts don't make a commit.")
        }
        let withheld = sessions[key]?.unreleased ?? 0
        sessions[key]?.parted[incoming.message.number] = withheld
        sessions[key]?.incoming = nil
        sessions[key]?.staged = nil
        sessions[key]?.unreleased = 0
        if !upload.oldLists.isEmpty { sessions[key]?.oldLists[incoming.message.number] = upload.oldLists }
        sessions[key]?.inbox += upload.commits
        readInbox(key)
    }

    /// Queues a commit of which parts are in the store. The parts are read after the preceding commits were merged, so that at most one such
    /// commit is in memory.
    private mutating func queueStored(_ incoming: IncomingParts, _ key: SessionKey) {
        let commit = Commit(number: incoming.message.number, clock: .zero, base: 0, changes: [])
        let place = UploadedCommit(commit: commit, hash: .empty, part: .init(index: .max, isLast: true))
        let withheld = sessions[key]?.unreleased ?? 0
        sessions[key]?.parted[incoming.message.number] = withheld
        sessions[key]?.incoming = nil
        sessions[key]?.staged = nil
        sessions[key]?.stored = incoming
        sessions[key]?.unreleased = 0
        sessions[key]?.inbox.append(place)
        readInbox(key)
    }

    /// Reads the parts of the next commit from the store.
    mutating func readStored(_ key: SessionKey) {
        guard let session = sessions[key], let stored = session.stored, stored.keeping == 0 else { return }
        guard mayKeepMore(session.user) else { return endOverShare(key) }
        sessions[key]?.heavyBytes = Int(clamping: stored.message.count)
        sessions[key]?.isStoring = true
        request(session.stream, .keptParts(session.ident), .whole(key))
    }

    mutating func takeStored(_ answer: ServerStoreAnswer, _ key: SessionKey) {
        guard let session = sessions[key], let stored = session.stored, let place = session.inbox.first,
            place.commit.number == stored.message.number
        else { return }
        guard case .keptParts(let kept?) = answer, let upload = Self.upload(stored.message, kept + stored.buffer) else {
            return end(key, .transient(after: 1_000), "The parts can't be read.")
        }
        sessions[key]?.isStoring = false
        sessions[key]?.stored = nil
        sessions[key]?.heavy = stored.message.number
        sessions[key]?.inbox[session.inbox.startIndex] = upload.commits[0]
        if !upload.oldLists.isEmpty { sessions[key]?.oldLists[stored.message.number] = upload.oldLists }
        readInbox(key)
    }

    /// Decodes the upload of one commit. Returns `nil` if the bytes aren't that message.
    private static func upload(_ message: PartedMessage, _ bytes: [UInt8]) -> Upload? {
        guard PartedMessage(number: message.number, bytes) == message,
            case .upload(_, let upload)? = try? MessageCodec.whole.clientMessage(bytes), upload.commits.count == 1,
            upload.commits[0].part == nil, upload.commits[0].commit.number == message.number
        else { return nil }
        return upload
    }

    /// Returns the credit of a merged commit that was received in parts to the client.
    mutating func releaseParted(_ number: UInt64, _ key: SessionKey) {
        let bytes = sessions[key]?.parted.removeValue(forKey: number) ?? 0
        if sessions[key]?.heavy == number {
            sessions[key]?.heavy = nil
            sessions[key]?.heavyBytes = 0
            sessions[key]?.isMerging = false
        }
        giveBack(bytes, key)
    }

    /// Writes the received parts of a commit to the store before its session ends or is replaced by another session of the file.
    mutating func keepIncoming(_ session: Session) {
        guard var incoming = session.stored ?? session.incoming, !incoming.buffer.isEmpty, session.ident != .me else {
            return
        }
        // One byte is left for the next session, because the commit is queued when its last part is received.
        if incoming.isWhole { incoming.buffer.removeLast() }
        request(session.stream, .keepPart(session.ident, incoming.flush(), time: now), .note)
    }

    // MARK: Downloads

    /// Sends a message, or queues it after messages that are being sent in parts.
    mutating func sendInOrder(_ key: SessionKey, _ message: ServerMessage) {
        let size = configuration.size(message)
        guard let session = sessions[key] else { return emit(key, message, bytes: size) }
        if let number = message.partsNumber, takesParts(key), size > configuration.wholeBytes(message, session),
            let bytes = try? MessageCodec.whole.encode(message.ofSessionOne)
        {
            let parts = OutgoingParts(number: number, bytes, known: session.partial)
            return enqueue(.parts(parts, isAck: message.isAck), key)
        }
        let waits =
            message.isAck
            ? session.outbox.contains { $0.isAck } : message.isOfStream && !session.outbox.isEmpty
        if waits { enqueue(.message(message), key) } else { emit(key, message, bytes: size) }
    }

    func takesParts(_ key: SessionKey) -> Bool { connections[key.connection]?.takesParts ?? false }

    /// Returns whether changes of a session's view may be sent now.
    func isOpen(_ session: Session) -> Bool {
        session.isOpen && connections[session.key.connection]?.outgoing ?? 0 < configuration.outgoingBytes
            && isWithinShare(session.user)
    }

    /// Counts the bytes of a message in parts that has been sent. If the connection is below its bound again, its other sessions continue.
    mutating func noteDone(_ bytes: UInt64, _ key: SessionKey) {
        guard let connection = connections[key.connection] else { return }
        let rest = connection.outgoing - min(bytes, connection.outgoing)
        connections[key.connection]?.outgoing = rest
        guard connection.outgoing >= configuration.outgoingBytes, rest < configuration.outgoingBytes else { return }
        for number in connection.sessions.sorted() where number != key.number {
            pump(SessionKey(connection: key.connection, number: number))
        }
    }

    mutating func enqueue(_ outgoing: Session.Outgoing, _ key: SessionKey) {
        if case .parts(let parts, _) = outgoing { connections[key.connection]?.outgoing += parts.message.count }
        sessions[key]?.outbox.append(outgoing)
        sessions[key]?.outboxBytes += outgoing.bytes
        sendParts(key)
    }

    /// Sends waiting messages while there is credit.
    mutating func sendParts(_ key: SessionKey) {
        while let first = sessions[key]?.outbox.first {
            switch first {
            case .message(let message):
                sessions[key]?.outbox.removeFirst()
                sessions[key]?.outboxBytes -= first.bytes
                emit(key, message, bytes: configuration.size(message))
            case .parts(var parts, let isAck):
                guard sessions[key]?.credit ?? 0 > 0 else { return }
                let part = parts.next(bytes: configuration.partBytes)
                if parts.isDone {
                    sessions[key]?.outbox.removeFirst()
                    sessions[key]?.outboxBytes -= first.bytes
                    noteDone(parts.message.count, key)
                } else {
                    sessions[key]?.outbox[0] = .parts(parts, isAck: isAck)
                }
                let message = ServerMessage.part(key.number, part)
                emit(key, message, bytes: configuration.size(message))
            }
        }
    }
}

extension Session {
    /// A message that waits to be sent, whole or in parts.
    enum Outgoing: Sendable {
        case parts(OutgoingParts, isAck: Bool)
        case message(ServerMessage)

        /// The size of the message in memory, in bytes.
        var bytes: Int {
            switch self {
            case .parts(let parts, _): parts.bytes.count
            case .message(let message): Int(clamping: message.estimatedSize)
            }
        }

        var isAck: Bool {
            switch self {
            case .parts(_, let isAck): isAck
            case .message(let message): message.isAck
            }
        }
    }

    /// A Boolean value that indicates whether changes of the view may be sent: there is credit, and no message is being sent in parts.
    var isOpen: Bool { credit > 0 && outbox.isEmpty }
}

extension ServerConfiguration {
    /// Returns the maximum size of a message that is sent whole, in bytes.
    fileprivate func wholeBytes(_ message: ServerMessage, _ session: Session) -> UInt64 {
        if case .bootstrapChunk = message, session.isFast { return chunkBytes &* 4 }
        return partBytes &* 4
    }
}

extension ServerMessage {
    /// The number that identifies the message when it is continued. Nil if the message isn't sent in parts.
    fileprivate var partsNumber: UInt64? {
        switch self {
        case .changes(_, let changes): changes.from == changes.to ? 0 : changes.to.version
        case .bootstrapChunk, .ack: 0
        default: nil
        }
    }

    fileprivate var isAck: Bool { if case .ack = self { true } else { false } }

    /// A Boolean value that indicates whether the message must keep its order among the messages about the view.
    fileprivate var isOfStream: Bool {
        switch self {
        case .changes, .bootstrapBegin, .bootstrapChunk, .bootstrapEnd, .marked: true
        default: false
        }
    }

    /// The message, addressed to session 1.
    var ofSessionOne: ServerMessage {
        switch self {
        case .changes(_, let changes): .changes(1, changes)
        case .bootstrapChunk(_, let chunk): .bootstrapChunk(1, chunk)
        case .ack(_, let ack): .ack(1, ack)
        default: self
        }
    }
}
