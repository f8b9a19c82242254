import CFreeholdShims
import FreeholdEngine

extension WorkLimit {
    /// The error to throw because the work had to end.
    var thrown: any Error {
        guard reason == .timedOut else { return CancellationError() }
        return Realm.Error(
            .timedOut,
            "The time for it was over before it was done. Give it more by `timeout`, or have it do less.",
            cause: error
        )
    }

    /// The pending error of a write that had to end.
    var pendingError: Realm.Error {
        Realm.Error(
            reason == .timedOut ? .timedOut : .cancelled,
            reason == .timedOut
                ? "The time of the write was over before it was done." : "The task of the write was cancelled.",
            cause: error
        )
    }

    /// Runs the body under the limit. Throws if the work has to end before or after the body, or if a query of the body
    /// was stopped.
    ///
    /// - Parameter endsWithBody: If false, the result of the body is kept even if the work has to end now.
    func enforce<R>(endsWithBody: Bool = true, _ body: () throws -> R) throws -> R {
        if isOver { throw thrown }
        let result: R
        do { result = try run(body) } catch {
            // An incomplete result of a query may have caused the error.
            if hasCut { throw thrown }
            throw Self.translated(error)
        }
        if hasCut || endsWithBody && isOver { throw thrown }
        return result
    }

    /// Runs a body that may throw, and lets its queries stop early if the work of the thread has to end.
    static func cuttingQueries<R>(_ body: () throws -> R) throws -> R {
        if current == nil { return try body() }
        return try WorkLimit(cutsQueries: true).enforce(body)
    }

    /// Checks the limit in a loop that may throw. It is called once for each element.
    @inline(__always)
    static func checkOften() throws {
        if fh_work_limit() != nil, let limit = current, limit.isOverAtTimes { throw limit.thrown }
    }

    /// Converts the pending error of a cancelled task to Swift's `CancellationError`.
    private static func translated(_ error: any Error) -> any Error {
        if let error = error as? Realm.Error, error.code == .cancelled { return CancellationError() }
        return error
    }
}

extension RealmCore {
    /// A Boolean value that indicates whether the work of the thread has to end, so that no more data is added. Reading
    /// it records the end, and the write then throws.
    @inline(__always)
    var endsEarly: Bool { fh_work_limit() != nil && recordEnd() }

    /// The value of `endsEarly`, without a new check of the limit.
    var hasEndedEarly: Bool { fh_work_limit() != nil && WorkLimit.current?.reason != nil }

    @inline(never)
    private func recordEnd() -> Bool {
        guard let limit = WorkLimit.current, limit.isOverAtTimes else { return false }
        record(limit.pendingError)
        return true
    }
}

extension Realm {
    /// Runs queries that stop early if the task is cancelled or the timeout has passed.
    ///
    /// ```swift
    /// let hits = try await Realm.read { realm in
    ///     try realm.withInterruptibleQueries(timeout: .seconds(2)) {
    ///         realm.objects(Message.self).where { $0.text.contains("needle") }.sorted(by: \.date).map(\.id) as [Int]
    ///     }
    /// }
    /// ```
    /// `count`, `first`, sorts and aggregates can't throw, so outside this block a query always runs to its end, even
    /// in a cancelled task. Programs rely on this, for example if they check that results aren't empty and take the
    /// first one.
    ///
    /// Inside this block, a query stops within a few thousand objects. It then has an empty result (no objects, 0,
    /// `nil`), and the block throws, regardless of what it returns or throws. An incomplete result can't leave the
    /// block. The block should contain only the query. Code after the query must handle empty results, and mustn't
    /// unwrap the first result with `!`.
    ///
    /// These rules apply to all realms that the block uses on this thread. Results that are made in the block and used
    /// after it are computed again.
    ///
    /// - Parameter timeout: The time limit of the block, or `nil` for no limit. The `timeout` of an enclosing
    ///   ``read(_:timeout:_:)`` or `write` applies, too.
    /// - Parameter body: A closure that runs the queries.
    /// - Throws: `CancellationError`; ``Error/Code/timedOut``; the error of the block.
    public func withInterruptibleQueries<R>(timeout: Duration? = nil, _ body: () throws -> R) throws -> R {
        core.verifyThread()
        return try WorkLimit(deadline: timeout.map { .now + $0 }, cutsQueries: true).enforce(body)
    }
}
