#if PostgreSQL
    internal import Dispatch

    /// Statements that are sent together, up to one synchronisation point. They are one transaction.
    ///
    /// After `finish` was called, nothing is. The job belongs to the queue of its pool.
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
        /// The time after which the answer isn't waited for any more.
        var deadline = DispatchTime.distantFuture
        /// The number of times that it was sent.
        var attempts = 0

        init(_ calls: [Call], _ done: @escaping @Sendable (Answer) -> Void) { (self.calls, self.done) = (calls, done) }

        func finish(_ answer: Answer) {
            done?(answer)
            done = nil
        }
    }
#endif
