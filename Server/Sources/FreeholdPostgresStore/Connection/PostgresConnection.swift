#if PostgreSQL
    internal import CLibPQ
    internal import Dispatch

    /// A connection in libpq's pipeline mode that doesn't block. It executes one job at a time. Only the queue of the pool uses it.
    final class PostgresConnection: @unchecked Sendable {
        private let queue: DispatchQueue
        private let mostBytes: Int
        /// The time at which the connection is replaced.
        let expires: DispatchTime
        private var handle: OpaquePointer?
        private var readSource: (any DispatchSourceRead)?
        private var writeSource: (any DispatchSourceWrite)?
        private var isWriting = false
        /// The names of the statements that are prepared.
        private var prepared: Set<String> = []
        private var current: Work?
        /// A closure that is called once, when the connection is closed.
        private let onClose: (PostgresConnection, PostgresFailure) -> Void
        /// A closure that is called after each job, when the connection is idle.
        private let onIdle: (PostgresConnection) -> Void

        /// A job in progress, and the part of its answer that has arrived.
        private struct Work {
            enum Step {
                case prepare(name: String, sql: String)
                case execute
            }

            let job: PostgresJob
            /// The steps whose results haven't arrived completely.
            var steps: ArraySlice<Step>
            var results: [QueryResult] = []
            var rows: QueryResult?
            var bytes = 0
            var failure: PostgresFailure?
            var warning: String?
            /// The number of results that ended although no step was left.
            var extraEnds = 0
        }

        /// - Parameters:
        ///   - handle: An established connection of libpq. This object closes it.
        ///   - mostBytes: The maximum number of bytes of the rows in the answer to a job.
        init(
            _ handle: OpaquePointer,
            on queue: DispatchQueue,
            mostBytes: Int,
            expires: DispatchTime,
            onIdle: @escaping (PostgresConnection) -> Void,
            onClose: @escaping (PostgresConnection, PostgresFailure) -> Void
        ) {
            (self.handle, self.queue, self.mostBytes, self.expires) = (handle, queue, mostBytes, expires)
            (self.onIdle, self.onClose) = (onIdle, onClose)
        }

        var isIdle: Bool { handle != nil && current == nil && !isRetired }

        /// A Boolean value that indicates whether the connection is closed after its present job.
        private var isRetired = false

        /// Closes the connection as soon as it is idle. The pool replaces it.
        func retire() {
            dispatchPrecondition(condition: .onQueue(queue))
            isRetired = true
            if current == nil { fail(.replaced) }
        }

        /// The time at which the pool stops waiting for the answer to the present job.
        var deadline: DispatchTime? { current?.job.deadline }

        /// Begins to wait for data and errors of the connection.
        func start() -> Bool {
            dispatchPrecondition(condition: .onQueue(queue))
            guard let handle, PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1, PQsocket(handle) >= 0
            else {
                return false
            }
            let me = Unmanaged.passUnretained(self).toOpaque()
            PQsetNoticeReceiver(handle, { me, notice in PostgresConnection.take(notice, of: me) }, me)
            let readSource = DispatchSource.makeReadSource(fileDescriptor: PQsocket(handle), queue: queue)
            let writeSource = DispatchSource.makeWriteSource(fileDescriptor: PQsocket(handle), queue: queue)
            // The sources hold the connection until they are cancelled.
            readSource.setEventHandler { self.read() }
            writeSource.setEventHandler { self.flush() }
            let closing = Closing(handle)
            readSource.setCancelHandler { closing.end() }
            writeSource.setCancelHandler { closing.end() }
            (self.readSource, self.writeSource) = (readSource, writeSource)
            readSource.resume()
            return true
        }

        /// Closes the handle after both sources have stopped using its descriptor.
        private final class Closing: @unchecked Sendable {
            private let handle: OpaquePointer
            private var rest = 2

            init(_ handle: OpaquePointer) { self.handle = handle }

            func end() {
                rest -= 1
                guard rest == 0 else { return }
                PQsetNoticeReceiver(handle, { _, _ in }, nil)
                PQfinish(handle)
            }
        }

        // MARK: Sending

        /// Sends a job. If only a part of it can be sent, the connection is closed, and it isn't known whether the job was executed.
        func send(_ job: PostgresJob) {
            dispatchPrecondition(condition: .onQueue(queue))
            guard let handle, current == nil else {
                return job.finish(.failure(PostgresFailure(.unsent, "The connection is in use.")))
            }
            var steps: [Work.Step] = []
            var new: Set<String> = []
            for call in job.calls {
                if !prepared.contains(call.name), new.insert(call.name).inserted {
                    steps.append(.prepare(name: call.name, sql: call.sql))
                }
                steps.append(.execute)
            }
            current = Work(job: job, steps: steps[...])
            var calls = job.calls[...]
            for step in steps {
                let isSent: Bool
                switch step {
                case .prepare(let name, let sql): isSent = PQsendPrepare(handle, name, sql, 0, nil) == 1
                case .execute:
                    guard let call = calls.popFirst() else { continue }
                    isSent = call.send(handle)
                }
                guard isSent else { return fail() }
            }
            guard PQpipelineSync(handle) == 1 else { return fail() }
            flush()
            if self.handle != nil { read(consuming: false) }
        }

        private func flush() {
            guard let handle else { return }
            let rest = PQflush(handle)
            guard rest >= 0 else {
                // The server may have sent the reason for ending the connection.
                return read()
            }
            if rest > 0, !isWriting {
                isWriting = true
                writeSource?.resume()
            } else if rest == 0, isWriting {
                isWriting = false
                writeSource?.suspend()
            }
        }

        // MARK: Receiving

        private func read(consuming: Bool = true) {
            guard let handle else { return }
            if consuming, PQconsumeInput(handle) == 0 {
                takeResults(handle)
                return fail()
            }
            if isWriting { flush() }
            takeResults(handle)
            if self.handle != nil, PQstatus(handle) == CONNECTION_BAD { fail() }
        }

        private func takeResults(_ handle: OpaquePointer) {
            while self.handle != nil, current != nil {
                // This call has an effect only before the first row of a statement.
                if current?.rows == nil { PQsetSingleRowMode(handle) }
                guard PQisBusy(handle) == 0 else { return }
                guard let result = PQgetResult(handle) else {
                    guard endStep() else { return }
                    continue
                }
                defer { PQclear(result) }
                take(result)
            }
        }

        /// Handles the end of the results of a step.
        ///
        /// - Returns: `false` if no step is left to which the results can belong.
        private func endStep() -> Bool {
            guard current != nil else { return false }
            guard let step = current?.steps.popFirst() else {
                current?.extraEnds += 1
                return current.map { $0.extraEnds < 3 } ?? false
            }
            guard current?.failure == nil else { return true }
            switch step {
            case .prepare(let name, _): prepared.insert(name)
            case .execute:
                let rows = current?.rows ?? QueryResult(columns: 0)
                current?.rows = nil
                current?.results.append(rows)
            }
            return true
        }

        private func take(_ result: OpaquePointer) {
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK: takeRows(result)
            case PGRES_COMMAND_OK, PGRES_PIPELINE_ABORTED: break
            case PGRES_FATAL_ERROR:
                if current?.failure == nil { current?.failure = PostgresFailure(result) }
            case PGRES_PIPELINE_SYNC: finish()
            default:
                // Results of COPY, and answers that libpq can't parse.
                fail(PostgresFailure(.malformed, "The database answered with something that no statement returns."))
            }
        }

        private func takeRows(_ result: OpaquePointer) {
            guard var work = current else { return }
            // `current` is set to `nil` so that appending doesn't copy the rows.
            current = nil
            let columns = Int(PQnfields(result))
            var rows = work.rows ?? QueryResult(columns: columns)
            work.rows = nil
            for row in 0..<PQntuples(result) {
                for column in 0..<PQnfields(result) {
                    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
                        rows.append(nil)
                        continue
                    }
                    let count = Int(PQgetlength(result, row, column))
                    work.bytes += count
                    rows.append(UnsafeRawBufferPointer(start: value, count: max(count, 0)))
                }
            }
            work.bytes += 64 * Int(PQntuples(result))
            work.rows = rows
            let isOversized = work.bytes > mostBytes
            current = work
            if isOversized {
                fail(PostgresFailure(.oversized, "The database's answer has more than \(mostBytes) bytes."))
            }
        }

        private static func take(_ notice: OpaquePointer?, of me: UnsafeMutableRawPointer?) {
            guard let notice, let me else { return }
            let severity = PQresultErrorField(notice, PostgresFailure.field("V")).map { String(cString: $0) }
            guard severity == "WARNING" else { return }
            let connection = Unmanaged<PostgresConnection>.fromOpaque(me).takeUnretainedValue()
            connection.current?.warning = PostgresFailure(notice).description
        }

        /// Handles the end of a job that the server has executed or refused.
        private func finish() {
            guard let work = current else { return }
            current = nil
            if let failure = work.failure {
                work.job.finish(.failure(failure))
                // The connection is closed if the server is a standby or is shutting down, because another server may accept writes, and if prepared
                // statements are missing, because a new connection prepares them again.
                if failure.isReadOnly || failure.isShared || failure.kind == .lost { fail(failure) }
            } else if let warning = work.warning {
                work.job.finish(.failure(PostgresFailure(.warned, warning)))
            } else if work.results.count == work.job.calls.count {
                work.job.finish(.success(work.results))
            } else {
                work.job.finish(.failure(.malformed("results are missing")))
                fail(.malformed("results are missing"))
            }
            if handle != nil, isRetired { fail(.replaced) }
            if handle != nil { onIdle(self) }
        }

        // MARK: Ending

        /// Closes the connection. The present job ends with the failure.
        ///
        /// - Parameter failure: The failure, or `nil` for the error that the server or the system has reported.
        func fail(_ failure: PostgresFailure? = nil) {
            dispatchPrecondition(condition: .onQueue(queue))
            guard let handle else { return }
            let text = PQerrorMessage(handle).map { String(cString: $0).trimmed } ?? ""
            let lost = PostgresFailure(.lost, text.isEmpty ? "The connection to the database ended." : text)
            let failure = failure ?? lost
            self.handle = nil
            let job = current?.job
            // If the server had refused the statement before the connection ended, the statement wasn't executed.
            let outcome = current?.failure ?? (failure.kind == .unsent ? lost : failure)
            current = nil
            if let readSource, let writeSource {
                readSource.cancel()
                // A source that is suspended can't be cancelled.
                if !isWriting { writeSource.resume() }
                writeSource.cancel()
                (self.readSource, self.writeSource) = (nil, nil)
            } else {
                PQfinish(handle)
            }
            job?.finish(.failure(outcome))
            onClose(self, failure)
        }
    }

    extension PostgresJob.Call {
        /// Passes the statement to libpq, which copies it.
        fileprivate func send(_ handle: OpaquePointer) -> Bool {
            var buffer: [UInt8] = []
            var lengths: [Int32] = []
            var starts: [Int?] = []
            buffer.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
            for parameter in parameters {
                starts.append(parameter.bytes == nil ? nil : buffer.count)
                lengths.append(Int32(clamping: parameter.bytes?.count ?? 0))
                if let bytes = parameter.bytes { buffer.append(contentsOf: bytes) }
            }
            // An address that is `nil` would mean NULL, so the buffer mustn't be empty.
            buffer.append(0)
            let formats = [Int32](repeating: 1, count: parameters.count)
            return buffer.withUnsafeBufferPointer { buffer in
                let values = starts.map { start in
                    start.flatMap { start in
                        buffer.baseAddress.map { UnsafeRawPointer($0 + start).assumingMemoryBound(to: CChar.self) }
                    }
                }
                let count = Int32(clamping: parameters.count)
                return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
        }
    }

    extension PostgresFailure {
        /// Returns the code of a field of errors and notices.
        static func field(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

        /// Creates the failure that a result or a notice describes.
        init(_ result: OpaquePointer) {
            func field(_ letter: Unicode.Scalar) -> String? {
                PQresultErrorField(result, Self.field(letter)).map { String(cString: $0) }
            }
            // The detail of an error can contain values of rows, which mustn't appear in logs.
            let text = field("M") ?? PQresultErrorMessage(result).map { String(cString: $0).trimmed } ?? ""
            let severity = field("V")
            let code = field("C")
            let isShared = code.map { Self.sharedCodes.contains($0) } ?? false
            self.init(
                code: code,
                isFatal: severity == "FATAL" || severity == "PANIC",
                isShared ? text + Self.sharedText : text
            )
        }
    }

    extension String {
        /// The text without white space at its end, and in one line.
        var trimmed: String {
            var text = self
            while let last = text.last, last.isWhitespace { text.removeLast() }
            return text.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
    }
#endif
