#if PostgreSQL
    internal import Dispatch

    /// Statements that are sent together, up to one synchronisation point. They are one transaction.
    ///
    /// After `finish` was called, nothing is. The job belongs to the queue of its pool.
    final class PostgresJob: @unchecked Sendable {
        struct Call: Sendable {
            let statement: Statement
            let parameters: [Parameter]

            init(_ statement: Statement, _ parameters: [Parameter]) {
                (self.statement, self.parameters) = (statement, parameters)
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
