/// Messages that are too large to be sent at once: commits of clients, and what goes down.
extension ServerMachine {
    // MARK: Up

    mutating func take(_ part: MessagePart, _ key: SessionKey) {
        guard begin(part, key) else { return }
        // In place: no copy of the buffer is made for each part.
        guard sessions[key]?.incoming?.take(part, now: now) == true else {
            // The store may have dropped what another session of the file kept. The next bind names what it has.
            return end(key, .transient(after: 0), "A part before this one is missing.")
        }
        proceed(key)
    }

    /// Makes room for a part.
    ///
    /// - Returns: false if it isn't to be added.
    private mutating func begin(_ part: MessagePart, _ key: SessionKey) -> Bool {
        guard let session = sessions[key] else { return false }
        let limit = configuration.limits.commitBytes
        guard limit > 0, part.message.count <= limit else {
            end(key, .tooLarge(limit: limit), "The commit is too large.")
            return false
        }
        guard isWithinShare(session.user) else {
            endOverShare(key)
            return false
        }
        let bytes = UInt64(part.bytes.count)
        sessions[key]?.uploadDebt = session.uploadDebt.addingOrMax(bytes)
        sessions[key]?.unreleased = session.unreleased.addingOrMax(bytes)
        let expected = (session.inbox.last?.commit.number ?? session.received) + 1
        guard part.message.number >= expected else {
            // It was answered meanwhile: it had come over another connection.
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

    /// Does with an incomplete commit what is due.
    mutating func proceed(_ key: SessionKey) {
        guard let session = sessions[key], let incoming = session.incoming else { return }
        guard !incoming.isWhole else {
            return incoming.kept + incoming.keeping == 0 ? takeWhole(incoming, key) : queueStored(incoming, key)
        }
        // The store keeps one commit of a file. While one waits to be merged, the credit bounds what is in memory of the next one.
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

    /// Gives the credit of parts back that the store keeps, or that nothing needs.
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

    /// A commit whose parts are all in memory. Its credit is given back when it is merged.
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

    /// A commit of which parts are in the store. These are read when the commits before it are merged, so that one such is in memory at most.
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

    /// Reads a commit from the store whose turn it is.
    mutating func readStored(_ key: SessionKey) {
        guard let session = sessions[key], let stored = session.stored, stored.keeping == 0 else { return }
        guard isWithinShare(session.user) else { return endOverShare(key) }
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

    /// Returns the upload of one commit that bytes are. Nil if they aren't.
    private static func upload(_ message: PartedMessage, _ bytes: [UInt8]) -> Upload? {
        guard PartedMessage(number: message.number, bytes) == message,
            case .upload(_, let upload)? = try? MessageCodec.whole.clientMessage(bytes), upload.commits.count == 1,
            upload.commits[0].part == nil, upload.commits[0].commit.number == message.number
        else { return nil }
        return upload
    }

    /// Gives the credit of a commit back that came in parts, now that it is merged.
    mutating func releaseParted(_ number: UInt64, _ key: SessionKey) {
        let bytes = sessions[key]?.parted.removeValue(forKey: number) ?? 0
        if sessions[key]?.heavy == number {
            sessions[key]?.heavy = nil
            sessions[key]?.heavyBytes = 0
            sessions[key]?.isMerging = false
        }
        giveBack(bytes, key)
    }

    /// Keeps the parts of a commit whose session ends, or is about to be replaced by another one of the file.
    mutating func keepIncoming(_ session: Session) {
        guard var incoming = session.stored ?? session.incoming, !incoming.buffer.isEmpty, session.ident != .me else {
            return
        }
        // The next session has something to send, with which the commit becomes whole.
        if incoming.isWhole { incoming.buffer.removeLast() }
        request(session.stream, .keepPart(session.ident, incoming.flush(), time: now), .note)
    }

    // MARK: Down

    /// Sends a message, or puts it behind those that are on their way in parts.
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

    /// Whether what follows a session's view may be sent now.
    func isOpen(_ session: Session) -> Bool {
        session.isOpen && connections[session.key.connection]?.outgoing ?? 0 < configuration.outgoingBytes
            && isWithinShare(session.user)
    }

    /// A message that went in parts doesn't take memory any more. If that gives others of the connection room, they go on.
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

    /// Sends what waits, as far as there is credit.
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
    /// What is on its way down.
    enum Outgoing: Sendable {
        case parts(OutgoingParts, isAck: Bool)
        case message(ServerMessage)

        /// The bytes that it keeps.
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

    /// Whether what follows the session's view may be sent: there is credit, and nothing is on its way in parts.
    var isOpen: Bool { credit > 0 && outbox.isEmpty }
}

extension ServerConfiguration {
    /// The bytes that a message may have and be sent at once.
    fileprivate func wholeBytes(_ message: ServerMessage, _ session: Session) -> UInt64 {
        if case .bootstrapChunk = message, session.isFast { return chunkBytes &* 4 }
        return partBytes &* 4
    }
}

extension ServerMessage {
    /// The number by which the message is found again. Nil if it isn't sent in parts.
    fileprivate var partsNumber: UInt64? {
        switch self {
        case .changes(_, let changes): changes.from == changes.to ? 0 : changes.to.version
        case .bootstrapChunk, .ack: 0
        default: nil
        }
    }

    fileprivate var isAck: Bool { if case .ack = self { true } else { false } }

    /// Whether the message keeps its place among those that say what the view holds.
    fileprivate var isOfStream: Bool {
        switch self {
        case .changes, .bootstrapBegin, .bootstrapChunk, .bootstrapEnd, .marked: true
        default: false
        }
    }

    /// The message as one of session 1.
    var ofSessionOne: ServerMessage {
        switch self {
        case .changes(_, let changes): .changes(1, changes)
        case .bootstrapChunk(_, let chunk): .bootstrapChunk(1, chunk)
        case .ack(_, let ack): .ack(1, ack)
        default: self
        }
    }
}
