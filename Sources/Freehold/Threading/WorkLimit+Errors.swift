import CFreeholdShims
import FreeholdEngine

extension WorkLimit {
    /// What is thrown because the work had to end.
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

    /// Runs the body under the limit, and throws if the work has to end before or after it, or a query of it was cut short.
    ///
    /// - Parameter endsWithBody: if false, what the body has done stands although the work has to end now.
    func enforce<R>(endsWithBody: Bool = true, _ body: () throws -> R) throws -> R {
        if isOver { throw thrown }
        let result: R
        do { result = try run(body) } catch {
            // Perhaps because of a wrong result.
            if hasCut { throw thrown }
            throw Self.translated(error)
        }
        if hasCut || endsWithBody && isOver { throw thrown }
        return result
    }

    /// Has the queries of a body that may throw end early, if the thread's work has to.
    static func cuttingQueries<R>(_ body: () throws -> R) throws -> R {
        if current == nil { return try body() }
        return try WorkLimit(cutsQueries: true).enforce(body)
    }

    /// For loops that may throw, once an element.
    @inline(__always)
    static func checkOften() throws {
        if fh_work_limit() != nil, let limit = current, limit.isOverAtTimes { throw limit.thrown }
    }

    /// A cancelled task's pending error is thrown as Swift's own.
    private static func translated(_ error: any Error) -> any Error {
        if let error = error as? Realm.Error, error.code == .cancelled { return CancellationError() }
        return error
    }
}

extension RealmCore {
    /// Whether the thread's work has to end, so that nothing more is added. That is recorded, and the write throws it.
    @inline(__always)
    var endsEarly: Bool { fh_work_limit() != nil && recordEnd() }

    /// The same, as far as it is known already.
    var hasEndedEarly: Bool { fh_work_limit() != nil && WorkLimit.current?.reason != nil }

    @inline(never)
    private func recordEnd() -> Bool {
        guard let limit = WorkLimit.current, limit.isOverAtTimes else { return false }
        record(limit.pendingError)
        return true
    }
}

extension Realm {
    /// Runs queries that end early if the task is cancelled, or the time is over.
    ///
    /// ```swift
    /// let hits = try await Realm.read { realm in
    ///     try realm.withInterruptibleQueries(timeout: .seconds(2)) {
    ///         realm.objects(Message.self).where { $0.text.contains("needle") }.sorted(by: \.date).map(\.id) as [Int]
    ///     }
    /// }
    /// ```
    /// `count`, `first`, a sort or an aggregate can't throw. So everywhere else a query runs to its end, even if its task is
    /// cancelled: a program that asks whether there are results and takes the first relies on it. Inside of this block
    /// a query stops within a few thousand objects; then it has no results (no objects, 0, nil), and the block throws
    /// instead of returning, whatever it returns or throws. So a wrong answer can't leave the block. The block should hold the
    /// query alone: code behind it must cope with results that aren't there, and mustn't take the first by `!`.
    ///
    /// The same holds for every realm that the block uses, on this thread. Results that are made in the block and used after
    /// it are found anew.
    ///
    /// - Parameter timeout: how long the block may take; nil for as long as it wants. The `timeout` of an enclosing
    ///   ``read(_:timeout:_:)`` or `write` counts, too.
    /// - Parameter body: the block with the queries.
    /// - Throws: `CancellationError`; ``Error/Code/timedOut``; what the block throws.
    public func withInterruptibleQueries<R>(timeout: Duration? = nil, _ body: () throws -> R) throws -> R {
        core.verifyThread()
        return try WorkLimit(deadline: timeout.map { .now + $0 }, cutsQueries: true).enforce(body)
    }
}
