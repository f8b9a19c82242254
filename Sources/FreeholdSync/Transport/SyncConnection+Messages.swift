#if Sync
    import FreeholdCompression
    import FreeholdSyncCore

    /// The messages that lines send and receive.
    extension SyncConnection {
        func send(_ message: ClientMessage, of line: Line) {
            guard !line.isClosed, lines[line.number] != nil, case .open = phase else { return }
            switch message {
            case .hello(let hello): greet(hello, line)
            case .ping(let ping): ask(ping, line)
            default:
                if case .bind = message { line.hasBound = true }
                if let number = message.session { line.ownNumber = number }
                write(message.numbered(SessionNumber(rawValue: line.number)))
            }
        }

        /// Sends a `hello`. One `hello` serves all lines with its token. Each line receives the server's time with the
        /// delay since the answer added.
        private func greet(_ hello: Hello, _ line: Line) {
            if let index = greetings.firstIndex(where: { $0.token == hello.token }) {
                greetings[index].lines.append(line.number)
                return
            }
            if let welcome, welcome.token == hello.token, greetings.isEmpty {
                var message = welcome.message
                message.serverTime &+= DeviceClock.shared.now() &- welcome.at
                line.listener(.received(.welcome(message), bytes: 0))
                return
            }
            greetings.append((hello.token, [line.number]))
            watch()
            var hello = hello
            // The connection compresses messages, independent of the machines' compressions.
            hello.compressions = connector.settings.compressesMessages ? [.zlib] : []
            hello.agent = hello.agent ?? SyncString(connector.settings.agent)
            write(.hello(hello))
        }

        private func ask(_ ping: Ping, _ line: Line) {
            let now = DeviceClock.shared.now()
            guard self.ping == nil else {
                self.ping?.lines.append((line.number, ping, now))
                return
            }
            self.ping = (now, [(line.number, ping, now)])
            watch()
            write(.ping(Ping(deviceTime: now)))
        }

        func take(_ message: ServerMessage) {
            switch message {
            case .welcome(let welcome): take(welcome)
            case .pong(let pong): take(pong)
            case .error(nil, _):
                for line in lines.values.sorted(by: { $0.number < $1.number }) {
                    line.listener(.received(message, bytes: 0))
                }
            default:
                guard let number = message.session, let line = lines[number.rawValue] else { return }
                line.listener(.received(message.numbered(line.ownNumber), bytes: message.estimatedSize))
            }
        }

        private func take(_ welcome: Welcome) {
            guard !greetings.isEmpty else { return }
            let (token, numbers) = greetings.removeFirst()
            unwatch()
            codec.limit = Int(clamping: min(welcome.limits.messageBytes, UInt64(connector.settings.frameBytes)))
            codec.compression = welcome.compression == .zlib ? ZlibCompression.shared : nil
            self.welcome = (welcome, DeviceClock.shared.now(), token)
            for number in numbers { lines[number]?.listener(.received(.welcome(welcome), bytes: 0)) }
            recovered()
        }

        /// Delivers the answer to a ping to all lines that sent one. A later line receives an answer as if its ping had
        /// been sent at its own time. The server is assumed to have read its clock in the middle of the round trip.
        private func take(_ pong: Pong) {
            guard let ping, ping.sent == pong.deviceTime else { return }
            self.ping = nil
            unwatch()
            for (number, asked, at) in ping.lines {
                let answer = Pong(deviceTime: asked.deviceTime, serverTime: pong.serverTime &+ (at &- ping.sent) / 2)
                lines[number]?.listener(.received(.pong(answer), bytes: 0))
            }
        }
    }

    extension ClientMessage {
        /// Returns the message with another session number.
        fileprivate func numbered(_ number: SessionNumber) -> ClientMessage {
            switch self {
            case .hello, .ping: self
            case .bind(_, let bind): .bind(number, bind)
            case .queries(_, let queries): .queries(number, queries)
            case .upload(_, let upload): .upload(number, upload)
            case .part(_, let part): .part(number, part)
            case .credit(_, let bytes): .credit(number, bytes: bytes)
            case .mark(_, let mark): .mark(number, mark)
            case .resume(_, let resume): .resume(number, resume)
            case .fetch(_, let names): .fetch(number, names)
            case .unbind: .unbind(number)
            case .note(_, let note, let bytes): .note(number, note, bytes)
            case .claim(_, let claim): .claim(number, claim)
            }
        }
    }

    extension ServerMessage {
        fileprivate func numbered(_ number: SessionNumber) -> ServerMessage {
            switch self {
            case .welcome, .pong: self
            case .bound(_, let bound): .bound(number, bound)
            case .queryError(_, let error): .queryError(number, error)
            case .ack(_, let ack): .ack(number, ack)
            case .changes(_, let changes): .changes(number, changes)
            case .bootstrapBegin(_, let begin): .bootstrapBegin(number, begin)
            case .bootstrapChunk(_, let chunk): .bootstrapChunk(number, chunk)
            case .bootstrapEnd(_, let end): .bootstrapEnd(number, end)
            case .part(_, let part): .part(number, part)
            case .credit(_, let bytes): .credit(number, bytes: bytes)
            case .marked(_, let mark, let version): .marked(number, mark, version)
            case .notice(_, let notice): .notice(number, notice)
            case .error(_, let error): .error(number, error)
            case .noted(_, let note): .noted(number, note)
            case .claimed(_, let verdict): .claimed(number, verdict)
            }
        }
    }
#endif
