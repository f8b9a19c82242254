#if PostgreSQL
    internal import Dispatch

    /// Statements that are sent together, with one synchronisation point of libpq's pipeline after the last one. They
    /// are one transaction.
    ///
    /// Only the first call of `finish` delivers an answer. Only the queue of the pool uses a job.
    final class PostgresJob: @unchecked Sendable {
        struct Call: Sendable {
            /// The name of the statement, which is prepared once for each connection.
            let name: String
            let sql: String
            let parameters: [Parameter]

            init(_ statement: Statement, _ parameters: [Parameter]) {
                self.init(name: statement.rawValue, sql: statement.sql, parameters: parameters)
            }

            init(name: String, sql: String, parameters: [Parameter]) {
                (self.name, self.sql, self.parameters) = (name, sql, parameters)
            }
        }

        typealias Answer = Result<[QueryResult], PostgresFailure>

        let calls: [Call]
        private var done: (@Sendable (Answer) -> Void)?
        /// The time at which the pool stops waiting for the answer.
        var deadline = DispatchTime.distantFuture
        /// The number of times that the job was sent.
        var attempts = 0

        init(_ calls: [Call], _ done: @escaping @Sendable (Answer) -> Void) { (self.calls, self.done) = (calls, done) }

        func finish(_ answer: Answer) {
            done?(answer)
            done = nil
        }
    }
#endif
