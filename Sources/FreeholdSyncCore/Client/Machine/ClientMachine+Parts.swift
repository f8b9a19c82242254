/// Messages that are too large to be sent as one: large commits, and large transactions of the server.
extension ClientMachine {
    // MARK: Uploads

    /// Returns whether a commit is large enough to be sent in parts.
    func goesInParts(bytes: UInt64) -> Bool { serverTakesParts && bytes > configuration.partBytes &* 4 }

    /// Begins to send a commit in parts, or continues where the last connection ended.
    ///
    /// - Returns: `false` if the commit can't be sent in parts.
    mutating func sendInParts(_ commit: UploadedCommit, _ oldLists: [OldList]) -> Bool {
        let upload = ClientMessage.upload(1, Upload(commits: [commit], oldLists: oldLists))
        guard let bytes = try? MessageCodec.whole.encode(upload) else { return false }
        sentThrough = commit.commit.number
        guard UInt64(bytes.count) <= limits.commitBytes else {
            // No server with these limits accepts the commit. It is set aside for the app, and the later commits are
            // sent.
            report(.fault(.tooLarge(limit: limits.commitBytes), text: "A transaction is too large for the server."))
            request(.giveUp(commit.commit.number), .work)
            sentThrough = commit.commit.number - 1
            return true
        }
        outgoing = OutgoingParts(number: commit.commit.number, bytes, known: staged)
        sendParts()
        return true
    }

    mutating func sendParts() {
        let most = max(min(configuration.partBytes, messageBytes / 2), 1)
        while link == .ready, uploadCredit > 0, var parts = outgoing {
            let part = parts.next(bytes: most)
            outgoing = parts.isDone ? nil : parts
            uploadCredit -= min(uploadCredit, UInt64(part.bytes.count))
            send(.part(configuration.session, part))
        }
    }

    // MARK: Downloads

    mutating func take(
        _ part: MessagePart,
        bytes: UInt64,
        now: Int64,
        _ random: inout some RandomNumberGenerator
    ) {
        guard part.message.count <= configuration.transactionBytes else {
            report(.fault(.tooLarge(limit: configuration.transactionBytes), text: "A transaction is too large."))
            return drop(now, &random)
        }
        if incoming?.message != part.message {
            let known = keptParts.flatMap { $0.message == part.message ? $0.received : nil } ?? 0
            incoming = IncomingParts(part.message, kept: part.offset == 0 ? 0 : known)
            incomingBytes = 0
        }
        guard incoming?.take(part, now: now) == true, let parts = incoming else { return drop(now, &random) }
        incomingBytes = incomingBytes.addingOrMax(bytes)
        guard parts.isWhole else {
            let most = min(configuration.keptBytes, configuration.window / 4)
            if parts.isDue(now, bytes: most, delay: configuration.keepDelay) { keepIncoming() }
            return
        }
        (incoming, keptParts) = (nil, nil)
        defer { incomingBytes = 0 }
        guard parts.kept + parts.keeping == 0 else {
            let last = MessagePart(message: parts.message, offset: parts.kept + parts.keeping, bytes: parts.buffer)
            return request(.takeParts(last), .other, bytes: incomingBytes)
        }
        guard let message = try? MessageCodec.whole.serverMessage(parts.buffer), message.comesInParts else {
            return drop(now, &random)
        }
        receiveBound(message, incomingBytes, now, &random)
    }

    /// Requests that the file keeps the received part of a message.
    mutating func keepIncoming() {
        guard let part = incoming?.flush(), !part.bytes.isEmpty else { return }
        // The file performs requests in order, so that the next part finds this one.
        incoming?.wasKept()
        request(.keepPart(part), .other, bytes: incomingBytes)
        incomingBytes = 0
    }
}

extension ServerMessage {
    /// Returns whether servers send this kind of message in parts.
    var comesInParts: Bool {
        switch self {
        case .changes, .bootstrapChunk, .ack: true
        default: false
        }
    }
}
