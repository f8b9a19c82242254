import FreeholdSyncCore
import Logging
import Metrics
import NIOCore

/// The identification of a connection's user.
extension Peer {
    /// Identifies the user of a `hello`. The machine receives the user's name in place of the token. It refuses an empty name.
    func identify(_ hello: Hello, _ bytes: Int) {
        (isIdentifying, hasGreeted, unproven) = (true, true, 0)
        let (token, node, loop) = (hello.token.text.string, node, channel.eventLoop)
        Task {
            var (identity, reason): (Identity?, String) = (nil, "the kind of the token isn't known")
            do {
                identity = try await node.authenticator.identify(token)
                if identity?.user.isEmpty == true { identity = nil }
            } catch let refusal as TokenRefusal {
                reason = refusal.reason
            } catch {
                let kind = "\(type(of: error))"
                return loop.execute { self.cannotIdentify(kind) }
            }
            let (found, why) = (identity, reason)
            loop.execute { self.identified(hello, bytes, found, why) }
        }
    }

    /// Ends the connection because the token can't be checked, for example while accounts can't be read.
    private func cannotIdentify(_ kind: String) {
        isIdentifying = false
        guard !isFinishing else { return }
        node.logger.error("a token can't be looked at", metadata: ["connection": "\(number)", "kind": "\(kind)"])
        end(.transient(after: 1_000), "The accounts can't be reached now.")
    }

    /// Replaces the messages that wait for the check of a token.
    func keepInbox(_ messages: [(ClientMessage, Int)]) {
        let bytes = messages.reduce(0) { $0 + $1.1 + 64 }
        memory.add(bytes - inboxBytes, of: .messages)
        (inbox, inboxBytes) = (messages, bytes)
    }

    private func identified(_ hello: Hello, _ bytes: Int, _ identity: Identity?, _ reason: String) {
        isIdentifying = false
        guard !isFinishing else { return }
        lastRead = .now()
        if let identity {
            if self.identity == nil {
                node.logger.debug(
                    "welcome",
                    metadata: [
                        "connection": "\(number)", "user": "\(identity.user)", "agent": "\(hello.agent?.string ?? "")",
                    ]
                )
            }
            if self.identity == nil {
                let user = SyncString(identity.user)
                // The connection is counted before any of its messages is handled in the user's turns, because these may wait.
                guard node.users.enter(user) else {
                    return end(.transient(after: 60_000), "The user has too many connections.")
                }
                countedUser = user
                agent = (hello.agent?.string ?? "").prefix(200).description.loggable
                takeTurns(as: user)
            }
            self.identity = identity
            node.loginTable.note(self, identity.login)
            memory.belong(to: SyncString(identity.user))
        } else {
            node.metrics.refusedTokens.increment()
            node.logger.info("a token is refused", metadata: ["connection": "\(number)", "reason": "\(reason)"])
        }
        var known = hello
        known.token = AccessToken(SyncString(identity?.user ?? ""))
        hand(.hello(known), bytes)
        let waiting = inbox
        keepInbox([])
        defer { holdReading(isIdentifying && isInboxFull) }
        for (index, (message, bytes)) in waiting.enumerated() {
            if case .hello(let hello) = message {
                identify(hello, bytes)
                return keepInbox(Array(waiting[(index + 1)...]))
            }
            hand(message, bytes)
        }
    }
}
