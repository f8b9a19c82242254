internal import CFreeholdShims

/// A limit for the work of a thread, which has to end if its task is cancelled or its time is over.
///
/// Long loops of the engine check it once for each cluster of 1,000 objects. On a thread without a limit, a check costs one thread-local load.
/// Throwing functions then throw an error. Functions that can't throw (queries) continue, unless the limit allows that queries are cut short. Then a
/// query returns a partial result, the limit records this, and the code that set the limit throws an error instead of using any result.
///
/// A limit is used by the thread that runs `run`, during this call.
package final class WorkLimit {
    package enum Reason: Sendable { case cancelled, timedOut }

    private let deadline: ContinuousClock.Instant?
    /// A Boolean value that indicates whether loops that can't throw end early, too.
    private let cutsQueries: Bool
    /// Returns whether the work has been cancelled in another way than by its task.
    private let isCancelled: (@Sendable () -> Bool)?
    private var parent: WorkLimit?
    /// The reason why the work has to end, as soon as it is detected.
    package private(set) var reason: Reason?
    /// A Boolean value that indicates whether a query was cut short, so that its result is wrong.
    package private(set) var hasCut = false
    private var looks = 0

    package init(
        deadline: ContinuousClock.Instant? = nil,
        cutsQueries: Bool = false,
        isCancelled: (@Sendable () -> Bool)? = nil
    ) {
        self.deadline = deadline
        self.cutsQueries = cutsQueries
        self.isCancelled = isCancelled
    }

    /// The limit of the current thread.
    package static var current: WorkLimit? {
        guard let limit = fh_work_limit() else { return nil }
        return Unmanaged<WorkLimit>.fromOpaque(limit).takeUnretainedValue()
    }

    /// Runs the body under this limit and under the thread's existing limit.
    package func run<R>(_ body: () throws -> R) rethrows -> R {
        let outer = fh_work_limit()
        parent = Self.current
        fh_set_work_limit(Unmanaged.passUnretained(self).toOpaque())
        defer {
            fh_set_work_limit(outer)
            parent = nil
        }
        return try withExtendedLifetime(self) { try body() }
    }

    /// A Boolean value that indicates whether the work has to end.
    package var isOver: Bool { look(atClock: true) }

    /// Like `isOver`, for frequent checks. It reads the clock in every eighth call.
    package var isOverByNow: Bool {
        looks &+= 1
        return look(atClock: looks & 7 == 0)
    }

    /// Like `isOver`, for checks of every object. It reads the clock in every sixteenth call.
    package var isOverAtTimes: Bool {
        looks &+= 1
        return reason != nil || looks & 15 == 0 && look(atClock: true)
    }

    private func look(atClock: Bool) -> Bool {
        if reason != nil { return true }
        if Task.isCancelled || isCancelled?() == true {
            reason = .cancelled
        } else if atClock, let deadline, .now >= deadline {
            reason = .timedOut
        } else if let parent, parent.look(atClock: atClock) {
            reason = parent.reason
        }
        return reason != nil
    }

    /// - Throws: `.cancelled` or `.timedOut` if the work has to end.
    package func check() throws(EngineError) { if isOver { throw error } }

    package var error: EngineError {
        reason == .timedOut
            ? EngineError(.timedOut, "The time for it was over before it was done.")
            : EngineError(.cancelled, "The task was cancelled before it was done.")
    }

    // MARK: The limit of the thread

    /// - Throws: `.cancelled` or `.timedOut` if the thread's work has to end.
    @inline(__always)
    package static func check() throws(EngineError) {
        if fh_work_limit() != nil { try current!.check() }
    }

    /// A Boolean value that indicates whether a loop that can't throw should end. If it is true, the result of the loop isn't used.
    @inline(__always)
    static var cutsHere: Bool { fh_work_limit() != nil && current!.cut() }

    /// A Boolean value that indicates whether a query of the thread was cut short.
    @inline(__always)
    package static var hasCutQueries: Bool { fh_work_limit() != nil && current!.hasCut }

    @inline(never)
    private func cut() -> Bool {
        guard cutsQueries, isOverByNow else { return false }
        hasCut = true
        return true
    }
}

extension Array where Element == ObjectKey {
    /// Returns the objects for which the condition holds. If the thread's work has to end, returns only some of them.
    func filterWithinLimit(_ isIncluded: (ObjectKey) -> Bool) -> [ObjectKey] {
        var found: [ObjectKey] = []
        for start in stride(from: 0, to: count, by: 1024) {
            if WorkLimit.cutsHere { break }
            for key in self[start..<Swift.min(start + 1024, count)] where isIncluded(key) { found.append(key) }
        }
        return found
    }

    /// Calls the body with each object until the thread's work has to end.
    func forEachWithinLimit(_ body: (ObjectKey) -> Void) {
        forEachWithinLimitUntil {
            body($0)
            return true
        }
    }

    /// Calls the body with each object until the body returns false or the thread's work has to end.
    func forEachWithinLimitUntil(_ body: (ObjectKey) -> Bool) {
        for start in stride(from: 0, to: count, by: 1024) {
            if WorkLimit.cutsHere { return }
            for key in self[start..<Swift.min(start + 1024, count)] where !body(key) { return }
        }
    }
}
