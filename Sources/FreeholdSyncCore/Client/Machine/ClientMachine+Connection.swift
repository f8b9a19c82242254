extension ClientMachine {
    // MARK: Connecting and disconnecting

    mutating func connect() {
        link = .connecting
        report(.connection(.connecting))
        output.append(.clearTimer(.reconnect))
        output.append(.connect)
    }

    mutating func greet(_ now: Int64) {
        guard link == .connecting else { return }
        generation += 1
        link = .greeting
        resetSession()
        greetedAt = now
        send(.hello(hello(now)))
        output.append(.setTimer(.ping, at: now &+ configuration.pingInterval))
    }

    private func hello(_ now: Int64) -> Hello {
        var hello = Hello(
            compressions: configuration.compressions,
            deviceTime: now,
            token: configuration.token
        )
        hello.takesParts = configuration.takesParts
        return hello
    }

    private mutating func resetSession() {
        (uploadCredit, grantedBytes, sentThrough, sentQueries) = (0, 0, 0, 0)
        (isCollecting, sendsDocuments, horizon) = (false, false, 0)
        (parts, partBytes, fetching, healing, misfits) = ([], 0, [], [:], 0)
        (outgoing, staged, incoming, incomingBytes, keptParts) = (nil, nil, nil, 0, nil)
        (pingedAt, bestRoundTrip, hasProgressed) = (nil, .max, false)
    }

    /// Handles the end of the connection, and sets a timer for the next attempt.
    mutating func lose(_ now: Int64, _ random: inout some RandomNumberGenerator, after: Int64 = 0) {
        guard link != .stopped, link != .waiting else { return }
        leave()
        guard !isSuspended, !isBlocked else {
            link = .stopped
            return
        }
        link = .waiting
        let doubled = configuration.shortestRetry << Int64(min(failures, 20))
        let longest = min(max(doubled, configuration.shortestRetry), configuration.longestRetry)
        failures += 1
        let delay = max(Int64.random(in: longest / 2...longest, using: &random), min(after, 3_600_000))
        output.append(.setTimer(.reconnect, at: now &+ delay))
    }

    /// Closes the connection. The machine then waits for the app, or for a timer that is already set.
    mutating func close(_ next: Link) {
        output.append(.close)
        leave()
        link = next
    }

    private mutating func leave() {
        generation += 1
        (parts, partBytes) = ([], 0)
        // The next connection continues after the parts that are kept here.
        keepIncoming()
        (incoming, outgoing) = (nil, nil)
        // A wait for a download whose end isn't in the file yet is requested again on the next connection.
        unsentMarks = marks.map(\.id) + unsentMarks
        marks = []
        output.append(.clearTimer(.ping))
        report(.connection(.disconnected))
    }

    mutating func drop(_ now: Int64, _ random: inout some RandomNumberGenerator, after: Int64 = 0) {
        output.append(.close)
        lose(now, &random, after: after)
    }

    mutating func fire(_ timer: ClientTimer, _ now: Int64, _ random: inout some RandomNumberGenerator) {
        switch timer {
        case .reconnect: if link == .waiting { connect() }
        case .ping:
            guard link != .stopped, link != .waiting, link != .connecting else { return }
            if pingedAt != nil || link == .greeting {
                // On a slow network the answer waits behind other messages. The connection ends only if the network
                // transfers nothing.
                guard hasProgressed else { return drop(now, &random) }
            } else {
                pingedAt = now
                send(.ping(Ping(deviceTime: now)))
                if link == .ready, reportedBase != nil { request(.describe, .leastBase) }
            }
            hasProgressed = false
            output.append(.setTimer(.ping, at: now &+ configuration.pingInterval))
        }
    }

    mutating func renew(_ token: AccessToken) {
        configuration.token = token
        if isBlocked {
            isBlocked = false
            if isDescribed, !isSuspended { connect() }
        } else if link == .binding || link == .ready {
            send(.hello(hello(greetedAt)))
        }
    }

    // MARK: Time

    /// The difference, in milliseconds, that two clocks synchronised by the network may have.
    private static let clockAccuracy: Int64 = 10

    /// Updates the estimate of the server's time from a round trip. A shorter trip gives a better estimate.
    ///
    /// The server read its clock at an unknown moment of the trip. If the device's clock agrees with that time at one
    /// of these moments, the offset is 0: a clock that the network sets is more precise than an estimate over a slow
    /// connection.
    private mutating func learnTime(sent: Int64, server: Int64, _ now: Int64) {
        let (trip, overflow) = now.subtractingReportingOverflow(sent)
        guard !overflow, trip >= 0, trip < bestRoundTrip else { return }
        bestRoundTrip = trip
        let (offset, isFar) = server.subtractingReportingOverflow(now &- trip / 2)
        guard !isFar else { return }
        let isRight = server > sent &- Self.clockAccuracy && server < now &+ Self.clockAccuracy
        request(.setOffset(isRight ? 0 : offset), .other)
    }

    // MARK: Messages

    mutating func receive(
        _ message: ServerMessage,
        _ bytes: UInt64,
        _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) {
        if let session = message.session, session != configuration.session { return }
        switch (message, link) {
        case (.error(_, let error), .greeting), (.error(_, let error), .binding), (.error(_, let error), .ready):
            fail(error, now, &random)
        case (.welcome(let welcome), .greeting):
            limits = welcome.limits
            uploadCredit = welcome.credit
            learnTime(sent: greetedAt, server: welcome.serverTime, now)
            link = .binding
            request(.describe, .bind)
        case (.pong(let pong), .binding), (.pong(let pong), .ready):
            if pingedAt == pong.deviceTime {
                learnTime(sent: pong.deviceTime, server: pong.serverTime, now)
                pingedAt = nil
            }
        case (.bound(_, let bound), .binding): take(bound)
        case (_, .ready): receiveBound(message, bytes, now, &random)
        default: break
        }
    }

    mutating func receiveBound(
        _ message: ServerMessage,
        _ bytes: UInt64,
        _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) {
        switch message {
        case .ack(_, let ack):
            // An acknowledgement never arrives between the messages of one transaction.
            request(.acknowledge(ack), .other, bytes: bytes)
        case .changes(_, let changes):
            guard !take(changes, bytes) else { break }
            report(.fault(.tooLarge(limit: configuration.transactionBytes), text: "A transaction has no end."))
            drop(now, &random)
        case .part(_, let part): take(part, bytes: bytes, now: now, &random)
        case .bootstrapBegin(_, let begin): request(.beginBootstrap(begin), .other, bytes: bytes)
        case .bootstrapChunk(_, let chunk): request(.takeInChunk(chunk), .other, bytes: bytes)
        case .bootstrapEnd(_, let end): request(.endBootstrap(end), .other, bytes: bytes)
        case .queryError(_, let error): request(.failQuery(error), .other, bytes: bytes)
        case .credit(_, let bytes):
            uploadCredit = uploadCredit > .max - bytes ? .max : uploadCredit + bytes
            upload()
        case .marked(_, let id, _):
            if let index = unsentMarks.firstIndex(of: id) {
                unsentMarks.remove(at: index)
                marks.append((id, requests.count))
                reachMarks()
            }
        case .notice(_, let notice):
            switch notice.kind {
            case .paused: request(.describe, .resume(compare: []))
            case .leaving(let after): drop(now, &random, after: Int64(clamping: after) / 2)
            case .viewChanged, .information: break
            }
        default: break
        }
    }

    private mutating func fail(
        _ error: ErrorMessage,
        _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) {
        switch error.fault {
        case .transient(let after): drop(now, &random, after: Int64(clamping: after))
        case .violation: drop(now, &random)
        case .forbidden:
            report(.fault(error.fault, text: error.text))
            failures = max(failures, 6)
            drop(now, &random)
        case .query:
            report(.fault(error.fault, text: error.text))
            if let version = state.querySets.last?.version { rejectedQueries = version }
            drop(now, &random)
        case .tooLarge(let limit):
            knownLimit = max(min(limit, knownLimit / 2), 1_024)
            drop(now, &random)
        case .storeReplaced:
            if configuration.resetMode == .manual {
                isBlocked = true
                report(.resetNeeded)
                close(.stopped)
            } else {
                drop(now, &random)
                report(.resetBegins)
                request(.reset(configuration.resetMode), .other)
            }
        case .auth, .schema, .upgradeRequired:
            isBlocked = true
            isRefused = error.fault != .auth
            report(.fault(error.fault, text: error.text))
            close(.stopped)
        }
    }

    /// Resets a file that waits for a reset. The app calls it.
    public mutating func reset(_ mode: ResetMode) -> [ClientAction] {
        output = []
        isBlocked = false
        report(.resetBegins)
        request(.reset(mode), .other)
        request(.describe, .start)
        return output
    }
}
