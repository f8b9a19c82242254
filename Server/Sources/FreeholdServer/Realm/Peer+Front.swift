import FreeholdRealmFront
import FreeholdSyncCore
import Logging
import Metrics
import NIOCore
import NIOWebSocket

/// Connections of official Realm clients. A front end translates between their frames and the machine's messages.
extension Peer {
    /// Begins a connection whose token was checked before its upgrade.
    func openFront() {
        guard let identity else { return }
        hasGreeted = true
        let user = SyncString(identity.user)
        guard node.users.enter(user) else {
            front = nil
            return cut()
        }
        countedUser = user
        takeTurns(as: user)
        node.loginTable.note(self, identity.login)
        memory.belong(to: user)
    }

    /// Handles a frame of the client.
    func takeFront(_ frame: [UInt8]) {
        guard let actions = front?.received(frame: frame, now: node.now()) else { return }
        perform(actions)
    }

    /// Handles messages of the machine.
    func takeFront(_ messages: [OutgoingMessage]) {
        let now = node.now()
        var all: [RealmFrontAction] = []
        for message in messages {
            let addressed = message.frame.message.addressed(to: message.session)
            if let actions = front?.received(addressed, now: now) { all += actions }
        }
        perform(all)
        if waiting == 0 { flushFront() }
    }

    /// Grants credit to the machine after the client has received the sent bytes.
    func flushFront() {
        if let actions = front?.flushed(), !actions.isEmpty { perform(actions) }
    }

    func perform(_ actions: [RealmFrontAction]) {
        var (frames, bytes): ([WebSocketFrame], Int) = ([], 0)
        var code: UInt16?
        for action in actions {
            switch action {
            case .send(let data):
                bytes += data.count
                frames.append(WebSocketFrame(fin: true, opcode: .binary, data: channel.allocator.buffer(bytes: data)))
            case .pass(let message, let size): hand(message, Int(clamping: size))
            case .close(let reason): code = reason
            case .log(let log):
                let level: Logger.Level =
                    switch log.level {
                    case .debug: .debug
                    case .info: .info
                    case .warning: .warning
                    }
                node.logger.log(
                    level: level,
                    "official client: \(log.text)",
                    metadata: ["connection": "\(number)", "session": "\(log.session ?? 0)"]
                )
            }
        }
        write(frames, bytes)
        countFront()
        if let code { finishNow(code) }
    }

    /// Counts the bytes that the front end keeps. Reading stops while too many uploads wait.
    private func countFront() {
        guard let front else { return }
        let kept = front.keptBytes
        if kept != frontBytes {
            let isWithinShare = memory.add(kept - frontBytes, of: .messages)
            frontBytes = kept
            if !isWithinShare, kept > Self.mostKeptOverShare {
                return end(.transient(after: 10_000), "The user keeps too much.")
            }
        }
        holdReading(front.isFull)
    }

    /// The bytes that a connection may keep if its user is over the share.
    private static let mostKeptOverShare = 64 << 10

    func endFront(_ fault: SyncFault) {
        let reason: RealmEndReason =
            switch fault {
            case .auth: .tokenExpired
            case .tooLarge: .tooLarge
            case .transient: .idle
            default: .movedAway
            }
        if let actions = front?.end(reason) { perform(actions) }
        finishNow(4003)
    }

    /// Reports the state of the sessions for administrators.
    func reportFront(_ now: NIODeadline) {
        guard let front else { return }
        reported = now
        node.realmClients.report(number, front.sessionReports)
    }
}

extension ServerMessage {
    /// Returns the message with its session. Messages to several sessions are encoded once, and have the number of the first one.
    fileprivate func addressed(to session: SessionNumber?) -> ServerMessage {
        guard let session else { return self }
        switch self {
        case .changes(_, let changes): return .changes(session, changes)
        case .bootstrapChunk(_, let chunk): return .bootstrapChunk(session, chunk)
        default: return self
        }
    }
}
