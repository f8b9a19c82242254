#if PostgreSQL
    internal import FreeholdSyncCore
    internal import Synchronization

    /// Reads of the heads of streams. Heads that are requested while a statement is in progress are read together by the next statement, so that a
    /// server with many streams sends few statements. Any thread may use it.
    final class HeadReads: Sendable {
        struct Answer: Sendable {
            let head: StreamHead
            /// The hash of the version that was requested with the head.
            let known: RunningHash?
        }

        private struct Read {
            let stream: Int64
            let known: StreamVersion?
            let continuation: CheckedContinuation<Result<Answer, any Error>, Never>
        }

        /// The maximum number of streams of one statement.
        private static let most = 20_000

        private struct State {
            var waiting: [Read] = []
            var isReading = false
        }

        private let state = Mutex(State())

        /// - Parameter known: A version whose hash is also read, or `nil` for none.
        /// - Throws: `PostgresFailure`, `MissingStream`, `RowDamage`
        func read(_ stream: Int64, known: StreamVersion?, _ pool: PostgresPool) async throws -> Answer {
            let answer = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Answer, any Error>, Never>) in
                let isFirst = state.withLock { state in
                    state.waiting.append(Read(stream: stream, known: known, continuation: continuation))
                    defer { state.isReading = true }
                    return !state.isReading
                }
                if isFirst { Task { await work(pool) } }
            }
            return try answer.get()
        }

        private func work(_ pool: PostgresPool) async {
            while let reads = take() {
                let parameters: [Parameter] = [
                    .ints(reads.map(\.stream)), .ints(reads.map { $0.known.map { Int64(clamping: $0) } ?? -1 }),
                ]
                do {
                    let rows = try await pool.run(.reading, .heads, parameters).rows
                    var found: [Int: QueryResult.Row] = [:]
                    for row in rows { found[Int(try row.int(0)) - 1] = row }
                    for (index, read) in reads.enumerated() {
                        read.continuation.resume(returning: Result { try Self.answer(found[index]) })
                    }
                } catch {
                    for read in reads { read.continuation.resume(returning: .failure(error)) }
                }
            }
        }

        /// Returns the waiting reads. Returns `nil` if no read waits. The task then ends, and the next read starts a new one.
        private func take() -> [Read]? {
            state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.isReading = false
                    return nil
                }
                let reads = Array(state.waiting.prefix(Self.most))
                state.waiting.removeFirst(reads.count)
                return reads
            }
        }

        private static func answer(_ row: QueryResult.Row?) throws -> Answer {
            guard let row else { throw PostgresStore.MissingStream() }
            return Answer(head: try row.head(from: 1), known: try row.optional(8) == nil ? nil : row.hash(8))
        }
    }
#endif
