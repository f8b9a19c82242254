#if PostgreSQL
    internal import Dispatch
    internal import Foundation
    internal import FreeholdSyncCore
    internal import Synchronization

    /// A pool of connections to a database. Any thread may use it.
    ///
    /// Each connection executes one job at a time. Jobs get a connection in the order in which they were added. While the database can't be reached,
    /// jobs fail immediately with the reason of the last attempt to connect. The first job after a pause causes the next attempt.
    final class PostgresPool: Sendable {
        /// The purposes of connections. Each purpose has separate connections, so that long reads don't delay commits.
        enum Lane: Int, CaseIterable, Sendable {
            case upkeep, writing, reading
        }

        struct Configuration: Sendable {
            var address: String
            var name: String
            var schema: String
            /// The maximum number of connections of each lane.
            var sizes: [Int]
            /// The maximum time that the pool waits for an answer. The connection is closed after that.
            var patience: DispatchTimeInterval
            /// The age, in milliseconds, at which connections are replaced. Each connection has a random age within a fifth of it, so that they
            /// aren't replaced at the same time.
            var mostAge: Int
            var mostBytes: Int

            init(_ options: PostgresStore.Options) {
                (address, name, schema) = (options.address, options.name, options.schema)
                sizes = [1, options.writers, options.readers]
                (patience, mostAge) = (.milliseconds(options.patience), options.mostAge)
                mostBytes = options.mostAnswerBytes
            }
        }

        /// The maximum number of waiting jobs of a lane.
        private static let mostWaiting = 10_000

        private let core: Core
        private let sent = Atomic(0)
        private let isClosed = Atomic(false)

        /// The number of jobs that were added since the start.
        var jobs: Int { sent.load(ordering: .relaxed) }

        init(_ configuration: Configuration) {
            core = Core(configuration)
            core.startTimer()
        }

        deinit { core.queue.async { [core] in core.close() } }

        /// Ends all connections. The jobs in progress fail.
        func close() {
            isClosed.store(true, ordering: .relaxed)
            core.queue.async { [core] in core.close() }
        }

        /// Replaces all connections. Connections in use finish their jobs first.
        func replaceConnections() { core.queue.async { [core] in core.replaceConnections() } }

        /// Checks regularly whether a later version of the server has changed the tables. If it has, the pool executes no further statements.
        func watchFormat(every pause: Duration = .seconds(5)) {
            Task { [weak self] in
                while await self?.checkFormat() == true { try? await Task.sleep(for: pause) }
            }
        }

        /// - Returns: `false` if the pool is closed.
        private func checkFormat() async -> Bool {
            let format = try? await send(.upkeep, [PostgresJob.Call(.format, [])]).first?.first?.small(0)
            if let format, format > Tables.format { replaceConnections() }
            return !isClosed.load(ordering: .relaxed)
        }

        /// Sends statements as one transaction, and waits for their results.
        ///
        /// - Returns: The rows of each statement.
        /// - Throws: `PostgresFailure`
        func run(_ lane: Lane, _ calls: [PostgresJob.Call]) async throws(PostgresFailure) -> [QueryResult] {
            for call in calls {
                // A row has at most 1 GiB.
                guard call.parameters.allSatisfy({ ($0.bytes?.count ?? 0) < 512 << 20 }) else {
                    throw PostgresFailure(.refused("54000"), "A value has more than 512 MiB.")
                }
            }
            sent.add(1, ordering: .relaxed)
            return try await send(lane, calls)
        }

        private func send(_ lane: Lane, _ calls: [PostgresJob.Call]) async throws(PostgresFailure) -> [QueryResult] {
            let answer = await withCheckedContinuation {
                (continuation: CheckedContinuation<PostgresJob.Answer, Never>) in
                let job = PostgresJob(calls) { continuation.resume(returning: $0) }
                core.queue.async { [core] in core.add(job, to: lane) }
            }
            return try answer.get()
        }

        /// Runs one statement as a transaction.
        ///
        /// - Throws: `PostgresFailure`
        func run(
            _ lane: Lane,
            _ statement: Statement,
            _ parameters: [Parameter]
        ) async throws(PostgresFailure) -> QueryResult {
            let results = try await run(lane, [PostgresJob.Call(statement, parameters)])
            guard let result = results.first else { throw .malformed("results are missing") }
            return result
        }

        // MARK: The queue

        private final class Core: @unchecked Sendable {
            let queue = DispatchQueue(label: "freehold.postgres")
            private let configuration: Configuration
            private var lanes: [LaneState]
            private var isClosed = false
            private var timer: (any DispatchSourceTimer)?
            /// The greatest generation of all servers that the pool has connected to: see `PostgresSession.generation()`.
            private var generation: Int64 = 0

            private struct LaneState {
                var connections: [PostgresConnection] = []
                var attempts = 0
                var waiting: [PostgresJob] = []
                /// The number of consecutive failed attempts to connect.
                var failures = 0
                var retryAt = DispatchTime.now()
                var reason = PostgresFailure(.unsent, "There is no connection to the database.")
            }

            init(_ configuration: Configuration) {
                self.configuration = configuration
                lanes = Lane.allCases.map { _ in LaneState() }
            }

            func add(_ job: PostgresJob, to lane: Lane) {
                guard !isClosed else { return job.finish(.failure(PostgresFailure(.unsent, "The store is closed."))) }
                guard lanes[lane.rawValue].waiting.count < PostgresPool.mostWaiting else {
                    return job.finish(.failure(PostgresFailure(.unsent, "Too many statements wait for a connection.")))
                }
                job.deadline = .now() + configuration.patience
                lanes[lane.rawValue].waiting.append(job)
                dispatch(lane)
            }

            /// Sends waiting jobs on idle connections, and opens connections for the remaining jobs.
            private func dispatch(_ lane: Lane) {
                let index = lane.rawValue
                while !lanes[index].waiting.isEmpty {
                    if let connection = lanes[index].connections.first(where: \.isIdle) {
                        let job = lanes[index].waiting.removeFirst()
                        send(job, on: connection, lane)
                        continue
                    }
                    let state = lanes[index]
                    let size = max(configuration.sizes[index], 1)
                    if state.connections.count + state.attempts
                        < min(size, state.connections.count + state.waiting.count),
                        DispatchTime.now() >= state.retryAt
                    {
                        connect(lane)
                        continue
                    }
                    if state.connections.isEmpty, state.attempts == 0 { failWaiting(lane) }
                    return
                }
            }

            private func send(_ job: PostgresJob, on connection: PostgresConnection, _ lane: Lane) {
                job.deadline = .now() + configuration.patience
                job.attempts += 1
                // A transaction that lost a conflict was rolled back, so it can be sent again.
                connection.send(
                    job.attempts < 4 ? job.retrying { job in self.queue.async { self.add(job, to: lane) } } : job
                )
            }

            private func failWaiting(_ lane: Lane) {
                let state = lanes[lane.rawValue]
                lanes[lane.rawValue].waiting = []
                for job in state.waiting { job.finish(.failure(state.reason)) }
            }

            // MARK: Connecting

            /// Connects on a separate thread, because an attempt to connect blocks: it resolves names and waits for answers.
            private func connect(_ lane: Lane) {
                lanes[lane.rawValue].attempts += 1
                let configuration = configuration
                Thread.detachNewThread {
                    let result: Result<Established, PostgresFailure>
                    do throws(PostgresFailure) {
                        let session = try PostgresSession(
                            configuration.address,
                            name: configuration.name,
                            patience: configuration.patience
                        )
                        try session.prepare(schema: configuration.schema)
                        if lane == .reading {
                            try session.execute("SET default_transaction_isolation = 'repeatable read'")
                        }
                        let generation = try session.generation()
                        result = .success(Established(session: session, generation: generation))
                    } catch { result = .failure(error) }
                    self.queue.async { self.take(result, lane) }
                }
            }

            /// A session that only its receiver uses.
            private struct Established: @unchecked Sendable {
                let session: PostgresSession
                let generation: Int64
            }

            private func take(_ result: Result<Established, PostgresFailure>, _ lane: Lane) {
                lanes[lane.rawValue].attempts -= 1
                switch result {
                case .success(let established):
                    guard !isClosed else { return }
                    guard established.generation >= generation else {
                        let text = "This server of the database is an earlier primary: another one was promoted."
                        return refused(lane, PostgresFailure(.unsent, text))
                    }
                    // The existing connections lead to the earlier primary, whose data may be old.
                    if established.generation > generation, generation > 0 { replaceConnections() }
                    generation = established.generation
                    guard let handle = established.session.release() else { return }
                    add(handle, to: lane)
                case .failure(let failure):
                    refused(lane, failure)
                }
            }

            private func add(_ handle: OpaquePointer, to lane: Lane) {
                let age = configuration.mostAge / 5 * 4 + .random(in: 0...max(configuration.mostAge / 5 * 2, 1))
                let connection = PostgresConnection(
                    handle,
                    on: queue,
                    mostBytes: configuration.mostBytes,
                    expires: .now() + .milliseconds(age),
                    onIdle: { [weak self] _ in self?.dispatch(lane) },
                    onClose: { [weak self] in self?.ended($0, lane, $1) }
                )
                lanes[lane.rawValue].connections.append(connection)
                guard connection.start() else { return connection.fail() }
                lanes[lane.rawValue].failures = 0
                dispatch(lane)
            }

            func replaceConnections() {
                for lane in Lane.allCases {
                    for connection in lanes[lane.rawValue].connections { connection.retire() }
                }
            }

            /// Handles a failed attempt to connect. The next attempt is made after a pause.
            private func refused(_ lane: Lane, _ failure: PostgresFailure) {
                let pause = min(50 << min(lanes[lane.rawValue].failures, 7), 5_000)
                lanes[lane.rawValue].failures += 1
                lanes[lane.rawValue].retryAt = .now() + .milliseconds(pause / 2 + .random(in: 0...pause / 2))
                lanes[lane.rawValue].reason = PostgresFailure(.unsent, failure.description)
                if lanes[lane.rawValue].connections.isEmpty, lanes[lane.rawValue].attempts == 0 { failWaiting(lane) }
            }

            private func ended(_ connection: PostgresConnection, _ lane: Lane, _ failure: PostgresFailure) {
                lanes[lane.rawValue].connections.removeAll { $0 === connection }
                lanes[lane.rawValue].reason = PostgresFailure(.unsent, failure.description)
                // The other connections lead to the same server, which isn't the primary any more. Reads from it would return old data.
                if failure.isReadOnly { replaceConnections() }
                queue.async { if !self.isClosed { self.dispatch(lane) } }
            }

            // MARK: Time

            func startTimer() {
                queue.async {
                    let timer = DispatchSource.makeTimerSource(queue: self.queue)
                    let interval = max(self.configuration.patience.milliseconds / 10, 5)
                    timer.schedule(deadline: .now(), repeating: .milliseconds(interval))
                    timer.setEventHandler { [weak self] in self?.expire() }
                    timer.resume()
                    self.timer = timer
                }
            }

            /// Closes connections whose answer is late. Statements aren't cancelled.
            private func expire() {
                let now = DispatchTime.now()
                for lane in Lane.allCases {
                    for connection in lanes[lane.rawValue].connections {
                        if let deadline = connection.deadline, deadline < now {
                            connection.fail(PostgresFailure(.lost, "The database didn't answer in time."))
                        } else if connection.expires < now {
                            connection.retire()
                        }
                    }
                    let late = lanes[lane.rawValue].waiting.prefix { $0.deadline < now }
                    guard !late.isEmpty else { continue }
                    lanes[lane.rawValue].waiting.removeFirst(late.count)
                    let failure = PostgresFailure(.unsent, "No connection to the database became free in time.")
                    for job in late { job.finish(.failure(failure)) }
                }
            }

            func close() {
                isClosed = true
                timer?.cancel()
                timer = nil
                for lane in Lane.allCases {
                    for connection in lanes[lane.rawValue].connections {
                        connection.fail(PostgresFailure(.lost, "The store was closed."))
                    }
                    lanes[lane.rawValue].reason = PostgresFailure(.unsent, "The store is closed.")
                    failWaiting(lane)
                }
            }
        }
    }

    extension PostgresJob {
        /// Returns a job with the same statements. It passes its answer to this job, or is sent again if it lost a conflict.
        fileprivate func retrying(_ again: @escaping @Sendable (PostgresJob) -> Void) -> PostgresJob {
            let job = PostgresJob(calls) { answer in
                if case .failure(let failure) = answer, failure.isConflict { again(self) } else { self.finish(answer) }
            }
            job.deadline = deadline
            return job
        }
    }

    extension DispatchTimeInterval {
        var milliseconds: Int {
            switch self {
            case .seconds(let value): value * 1_000
            case .milliseconds(let value): value
            case .microseconds(let value): value / 1_000
            case .nanoseconds(let value): value / 1_000_000
            default: .max / 2
            }
        }
    }
#endif
