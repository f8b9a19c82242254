import FreeholdSyncCore

/// The loop that drives a session's machine. It processes inputs one after the other, and performs the machine's
/// actions.
actor SessionLoop {
    enum Input: Sendable {
        case event(ClientEvent)
        case subscribe([ClassQuery], wait: UInt64)
        case line(UInt64, LineEvent)
        case timer(ClientTimer, UInt64)
        /// The token source failed to replace the refused token. `renewals` is the number on the board at the time of
        /// the request.
        case tokenFailed(any Error, refused: AccessToken, renewals: Int)
        /// The pause after a failed request of a token has ended.
        case renewal(refused: AccessToken)
        /// The pause after a failed transaction of the file has ended.
        case restart
        case reset(ResetMode)
        case committed
        case close
    }

    private var machine: ClientMachine
    private let board: SessionBoard
    private let store: any SessionStore
    private let transport: any SyncTransport
    private let tokens: (any TokenSource)?
    private let clock: DeviceClock
    private let inputs: AsyncStream<Input>.Continuation
    private var random = SystemRandomNumberGenerator()

    private var line: (any SyncLine)?
    /// The number of lines so far. Events of earlier lines are ignored.
    private var lines: UInt64 = 0
    private var hasLostLine = false
    private var isUrgent = true
    private var timers: [ClientTimer: (number: UInt64, task: Task<Void, Never>)] = [:]
    private var lastTimer: UInt64 = 0
    /// A Boolean value that indicates whether the machine stopped after a failed transaction. `restart` starts a new
    /// one.
    private var isBroken = false
    private var failures = 0
    /// The last refused token for which another token was requested.
    private var refused: AccessToken?
    private var tokenFailures = 0
    /// The wait whose `subscribe` the file is performing.
    private var subscriber: UInt64?

    init(
        _ configuration: ClientConfiguration,
        board: SessionBoard,
        store: any SessionStore,
        transport: any SyncTransport,
        tokens: (any TokenSource)?,
        clock: DeviceClock,
        inputs: AsyncStream<Input>.Continuation
    ) {
        machine = ClientMachine(configuration)
        (self.board, self.store, self.transport, self.tokens) = (board, store, transport, tokens)
        (self.clock, self.inputs) = (clock, inputs)
    }

    func run(_ stream: AsyncStream<Input>) async {
        if board.isSuspended { await handle(.suspended) }
        await handle(.started)
        for await input in stream {
            if case .close = input { break }
            await take(input)
        }
        line?.close()
        line = nil
        for timer in timers.values { timer.task.cancel() }
        timers = [:]
        store.observeCommits(nil)
        board.close()
        inputs.finish()
    }

    // MARK: Inputs

    private func take(_ input: Input) async {
        switch input {
        case .restart:
            isBroken = false
            if board.isSuspended { await handle(.suspended) }
            await handle(.started)
            // The new machine has no waits yet.
            for wait in board.open() { await ask(wait.number, wait.goal) }
        case .committed:
            board.awoke()
            await handle(.committed)
        case .subscribe(let queries, let wait):
            guard !isBroken else { return inputs.yield(input, later: 50) }
            subscriber = wait
            await handle(.subscribed(queries))
            subscriber = nil
        case .line(let number, let event): await take(event, of: number)
        case .timer(let timer, let number):
            guard timers[timer]?.number == number else { return }
            timers[timer] = nil
            await handle(.timer(timer))
        case .reset(let mode):
            await perform(machine.reset(mode))
        case .tokenFailed(let error, let refused, let renewals): tokenFailed(error, refused, renewals: renewals)
        case .renewal(let refused):
            guard let tokens, machine.configuration.token == refused else { return }
            renew(tokens, refused)
        case .event(let event):
            switch event {
            // The token is from the token source or from the app.
            case .token(let token):
                board.unblock()
                tokenFailures = 0
                // The next machine begins with this token.
                if isBroken { return await perform(machine.handle(.token(token), now: clock.now(), random: &random)) }
            case .resumed:
                isUrgent = true
                if let tokens, board.needsToken { renew(tokens, machine.configuration.token) }
            default: break
            }
            await handle(event)
            isUrgent = false
        case .close: break
        }
    }

    private func take(_ event: LineEvent, of number: UInt64) async {
        guard number == lines else { return }
        switch event {
        case .opened: await handle(.connectionOpened)
        case .received(let message, let bytes): await handle(.received(message, bytes: bytes))
        case .progressed: await handle(.progressed)
        case .closed(let error):
            board.tell(.disconnected(error))
            hasLostLine = true
            await handle(.connectionClosed)
        case .recovered:
            guard hasLostLine, !board.isSuspended else { return }
            hasLostLine = false
            await handle(.resumed)
        }
    }

    private func ask(_ number: UInt64, _ goal: SessionBoard.Goal) async {
        switch goal {
        case .upload: await handle(.waitForUpload(number))
        case .download: await handle(.waitForDownload(number))
        case .querySet, .subscription, .description: break
        }
    }

    private func handle(_ event: ClientEvent) async {
        guard !isBroken else { return }
        await perform(machine.handle(event, now: clock.now(), random: &random))
    }

    // MARK: Actions

    private func perform(_ actions: [ClientAction]) async {
        var waiting = [actions]
        var next = 0
        while next < waiting.count {
            for action in waiting[next] {
                guard case .store(let request) = action else {
                    await perform(action)
                    continue
                }
                let outcome: StoreOutcome
                do { outcome = try await store.perform(request, now: clock.now()) } catch { return fail(error) }
                failures = 0
                note(outcome)
                waiting.append(machine.handle(.stored(outcome), now: clock.now(), random: &random))
            }
            next += 1
        }
    }

    private func perform(_ action: ClientAction) async {
        switch action {
        case .connect:
            line?.close()
            lines += 1
            hasLostLine = false
            let (number, inputs) = (lines, inputs)
            line = transport.open(isUrgent: isUrgent) { inputs.yield(.line(number, $0)) }
        case .send(let message): line?.send(message)
        case .close:
            line?.close()
            line = nil
            lines += 1
        case .setTimer(let timer, let at): set(timer, at)
        case .clearTimer(let timer): timers.removeValue(forKey: timer)?.task.cancel()
        case .report(let report): await take(report)
        case .store: break
        }
    }

    private func set(_ timer: ClientTimer, _ at: Int64) {
        timers[timer]?.task.cancel()
        lastTimer += 1
        let (number, inputs, delay) = (lastTimer, inputs, max(at &- clock.now(), 0))
        let task = Task {
            try? await Task.sleep(for: .milliseconds(delay))
            if !Task.isCancelled { inputs.yield(.timer(timer, number)) }
        }
        timers[timer] = (number, task)
    }

    /// Stops the machine after a failed transaction. The state of the file is unknown, so a new machine is started
    /// later.
    private func fail(_ error: any Error) {
        isBroken = true
        line?.close()
        line = nil
        lines += 1
        for timer in timers.values { timer.task.cancel() }
        timers = [:]
        machine = ClientMachine(machine.configuration)
        board.tell(.report(.connection(.disconnected)))
        let trouble = (error as? RepeatedFailure)?.trouble
        if let trouble { board.tell(.storeFailedRepeatedly(trouble)) } else { board.tell(.storeFailed(error)) }
        if let subscriber { board.end(subscriber, .failure(error)) }
        failures = trouble?.isLeftOut == true ? 0 : failures + 1
        inputs.yield(.restart, later: min(50 << min(failures, 11), 60_000))
    }

    private func note(_ outcome: StoreOutcome) {
        switch outcome {
        case .described(let file):
            for set in file.state.querySets { board.tell(.report(.querySet(set))) }
            board.describe()
        case .subscribed(let set): if let subscriber { board.end(subscriber, .success(set)) }
        default: break
        }
    }

    // MARK: Reports of the machine

    private func take(_ report: ClientReport) async {
        switch report {
        case .reached(let number): board.end(number, .success(nil))
        case .connection(.connected): refused = nil
        case .fault(.auth, _):
            if let tokens, refused != machine.configuration.token {
                refused = machine.configuration.token
                renew(tokens, machine.configuration.token)
                return
            }
            board.tell(.report(report))
            return board.block(.needsApp(.auth, text: "The token isn't accepted."))
        case .fault(let fault, let text):
            board.tell(.report(report))
            switch fault {
            case .schema, .upgradeRequired: board.block(.needsApp(fault, text: text.string))
            case .forbidden: board.refuse(.forbidden(text: text.string))
            default: break
            }
            return
        case .resetNeeded:
            board.tell(.report(report))
            return board.block(.resetNeeded)
        default: break
        }
        board.tell(.report(report))
        if case .querySet = report { board.settleQuerySets() }
    }

    private func renew(_ tokens: any TokenSource, _ refused: AccessToken) {
        let (inputs, renewals) = (inputs, board.renewals)
        Task {
            do { inputs.yield(.event(.token(try await tokens.token(insteadOf: refused)))) } catch {
                inputs.yield(.tokenFailed(error, refused: refused, renewals: renewals))
            }
        }
    }

    private func tokenFailed(_ error: any Error, _ refused: AccessToken, renewals: Int) {
        // The app may have given the session a token since.
        guard machine.configuration.token == refused, board.renewals == renewals else { return }
        guard let tokens, tokens.passes(error) else {
            board.tell(.tokenFailed(error))
            return board.block(.needsApp(.auth, text: "There is no token."), renewals: renewals)
        }
        board.tell(.disconnected(TransportError(.unreachable, "There is no access token yet: \(error)")))
        let delay = min(
            machine.configuration.shortestRetry << Int64(min(tokenFailures, 20)),
            machine.configuration.longestRetry
        )
        tokenFailures += 1
        inputs.yield(.renewal(refused: refused), later: Int(Int64.random(in: delay / 2...delay, using: &random)))
    }
}

extension AsyncStream.Continuation where Element == SessionLoop.Input {
    /// Yields an input after the given number of milliseconds.
    fileprivate func yield(_ input: SessionLoop.Input, later delay: Int) {
        Task {
            try? await Task.sleep(for: .milliseconds(delay))
            self.yield(input)
        }
    }
}
