#if Sync
    import FreeholdSyncCore
    import NIOCore
    import Synchronization

    /// A connection that sessions share. It sends one `hello` and one ping for all of them, and gives each session a
    /// number that is never used again.
    final class SyncConnection: @unchecked Sendable {
        // All properties except `reserved` are only used on the loop.
        let loop: any EventLoop
        let connector: Connector
        private let reserved = Atomic(0)

        var lines: [UInt32: Line] = [:]
        /// The lines that ended with an error. They are notified as soon as the host can be reached again.
        var lost: [ObjectIdentifier: Line] = [:]
        private var lastNumber: UInt32 = 0

        var phase = Phase.idle
        /// The number of attempts so far. Results of earlier attempts are ignored.
        var attempt = 0
        private var failures = 0
        private var random = SystemRandomNumberGenerator()

        var codec = MessageCodec()
        var welcome: (message: Welcome, at: Int64, token: AccessToken)?
        /// The tokens of unanswered `hello` messages, oldest first, with the lines that wait for the answer.
        var greetings: [(token: AccessToken, lines: [UInt32])] = []
        var ping: (sent: Int64, lines: [(number: UInt32, ping: Ping, at: Int64)])?
        private var watchdog: Scheduled<Void>?
        /// The number of bytes that were read since the last check of `watch()`, and the number of bytes that waited to
        /// be sent at that check.
        private var read = 0
        private var unsent = 0
        private var lastProgress = NIODeadline.now()
        private var needsFlush = false

        enum Phase {
            case idle
            case pausing(Scheduled<Void>)
            case connecting
            case open(any Channel)
        }

        init(_ connector: Connector, _ loop: any EventLoop) { (self.connector, self.loop) = (connector, loop) }

        /// Returns a new line, or `nil` if the connection has the maximum number of sessions.
        func reserve(_ listener: @escaping @Sendable (LineEvent) -> Void, isUrgent: Bool) -> Line? {
            let count = reserved.add(1, ordering: .relaxed).newValue
            guard count <= connector.settings.sessions else {
                reserved.subtract(1, ordering: .relaxed)
                return nil
            }
            let line = Line(self, listener)
            loop.execute { self.add(line, isUrgent: isUrgent) }
            return line
        }

        // MARK: Lines

        private func add(_ line: Line, isUrgent: Bool) {
            guard !line.isClosed else { return }
            guard lastNumber < .max else {
                return line.listener(.closed(TransportError(.closed, "The numbers are used up.")))
            }
            lastNumber += 1
            line.number = lastNumber
            lines[lastNumber] = line
            switch phase {
            case .open: line.listener(.opened)
            case .connecting: break
            case .pausing(let timer):
                guard isUrgent else { return }
                timer.cancel()
                connect()
            case .idle: pause(isUrgent ? 0 : pauseLength())
            }
        }

        /// Reduces the number of lines, so that another line can be reserved. Any thread may call this method.
        func release() { reserved.subtract(1, ordering: .relaxed) }

        func remove(_ line: Line) {
            guard !line.isClosed else { return }
            line.isClosed = true
            lost[ObjectIdentifier(line)] = nil
            guard lines.removeValue(forKey: line.number) != nil else { return }
            if line.hasBound { write(.unbind(SessionNumber(rawValue: line.number))) }
            if lines.isEmpty { rest() }
        }

        /// Closes a connection without lines.
        private func rest() {
            switch phase {
            case .open(let channel):
                flush()
                channel.close(promise: nil)
                reset()
            case .pausing(let timer):
                timer.cancel()
                phase = .idle
            case .connecting, .idle: break
            }
        }

        // MARK: Opening and closing

        private func pauseLength() -> Int64 {
            guard failures > 0 else { return 0 }
            let settings = connector.settings
            let longest = min(settings.shortestPause << Int64(min(failures - 1, 20)), settings.longestPause)
            return .random(in: longest / 2...max(longest, 1), using: &random)
        }

        private func pause(_ milliseconds: Int64) {
            guard milliseconds > 0 else { return connect() }
            phase = .pausing(loop.scheduleTask(in: .milliseconds(milliseconds)) { self.connect() })
        }

        private func connect() {
            phase = .connecting
            attempt += 1
            let number = attempt
            connector.connect(
                on: loop,
                progress: { if number == self.attempt { self.read += $0 } },
                receive: { self.receive($0, number) },
                end: { self.end($0 ?? TransportError(.closed, "The server ended the connection."), number) }
            ).whenComplete { result in
                switch result {
                case .success(let channel): self.opened(channel, number)
                case .failure(let error):
                    self.end(error as? TransportError ?? TransportError(.unreachable, "\(error)"), number)
                }
            }
        }

        private func opened(_ channel: any Channel, _ number: Int) {
            guard number == attempt, case .connecting = phase, !lines.isEmpty else {
                channel.close(promise: nil)
                if number == attempt { reset() }
                return
            }
            phase = .open(channel)
            codec = MessageCodec()
            for line in lines.values.sorted(by: { $0.number < $1.number }) { line.listener(.opened) }
        }

        /// Removes the state of the connection. The lines aren't closed.
        private func reset() {
            attempt += 1
            phase = .idle
            (welcome, greetings, ping) = (nil, [], nil)
            watchdog?.cancel()
            watchdog = nil
        }

        private func end(_ error: TransportError, _ number: Int) {
            guard number == attempt else { return }
            fail(error)
        }

        /// Ends the connection, and each of its lines.
        func fail(_ error: TransportError) {
            if case .open(let channel) = phase { channel.close(promise: nil) }
            if welcome == nil { failures += 1 } else { failures = 0 }
            reset()
            let ended = lines.values.sorted { $0.number < $1.number }
            lines = [:]
            for line in ended {
                lost[ObjectIdentifier(line)] = line
                line.listener(.closed(error))
            }
        }

        /// Notifies the lines that ended with an error that the server has answered a `hello`.
        func recovered() {
            failures = 0
            let waiting = lost.values
            lost = [:]
            for line in waiting { line.listener(.recovered) }
        }

        // MARK: Writing

        func write(_ message: ClientMessage) {
            guard case .open(let channel) = phase else { return }
            do {
                let bytes = try codec.encode(message)
                channel.write(FrameHandler.frame(bytes, channel.allocator), promise: nil)
            } catch {
                return fail(TransportError(.unreadable, "A message can't be written: \(error)"))
            }
            guard !needsFlush else { return }
            needsFlush = true
            loop.execute { self.flush() }
        }

        private func flush() {
            needsFlush = false
            if case .open(let channel) = phase { channel.flush() }
        }

        /// Ends the connection if an answer is outstanding and no byte was sent or received for `answerTimeout`.
        func watch() {
            guard watchdog == nil else { return }
            (read, unsent, lastProgress) = (0, unsentBytes, .now())
            look()
        }

        private func look() {
            let settings = connector.settings
            let interval = max(min(settings.progressInterval, settings.answerTimeout / 2), 1)
            watchdog = loop.scheduleTask(in: .milliseconds(interval)) {
                let left = self.unsentBytes
                if self.read > 0 || left < self.unsent {
                    self.lastProgress = .now()
                    for number in self.waiting { self.lines[number]?.listener(.progressed) }
                } else if .now() - self.lastProgress >= .milliseconds(settings.answerTimeout) {
                    self.watchdog = nil
                    return self.fail(TransportError(.timedOut, "The server doesn't answer."))
                }
                (self.read, self.unsent) = (0, left)
                self.look()
            }
        }

        /// The number of bytes that the channel holds because the system doesn't accept them.
        private var unsentBytes: Int {
            guard case .open(let channel) = phase else { return 0 }
            return (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }

        /// The lines that wait for an answer.
        private var waiting: [UInt32] { greetings.flatMap(\.lines) + (ping?.lines.map(\.number) ?? []) }

        func unwatch() {
            guard greetings.isEmpty, ping == nil else { return }
            watchdog?.cancel()
            watchdog = nil
        }

        private func receive(_ bytes: [UInt8], _ number: Int) {
            guard number == attempt else { return }
            do {
                if let message = try codec.serverMessage(bytes) { take(message) }
            } catch {
                fail(TransportError(.unreadable, "The server sent what can't be read: \(error)"))
            }
        }
    }

    /// A session's share of a connection.
    final class Line: SyncLine, @unchecked Sendable {
        // All variables are only used on the connection's loop.
        let connection: SyncConnection
        let listener: @Sendable (LineEvent) -> Void
        var number: UInt32 = 0
        /// The number that the session itself uses.
        var ownNumber = SessionNumber(rawValue: 1)
        var hasBound = false
        var isClosed = false
        private let isReleased = Atomic(false)

        init(_ connection: SyncConnection, _ listener: @escaping @Sendable (LineEvent) -> Void) {
            (self.connection, self.listener) = (connection, listener)
        }

        func send(_ message: ClientMessage) {
            connection.loop.execute { [connection] in connection.send(message, of: self) }
        }

        func close() {
            // The place is released immediately, so that the session's next line can use it.
            if !isReleased.exchange(true, ordering: .relaxed) { connection.release() }
            connection.loop.execute { [connection] in connection.remove(self) }
        }
    }
#endif
