internal import CFreeholdShims

/// When the work of a thread has to end early: its task was cancelled, or its time is over.
///
/// Long loops of the engine ask for it, once for each cluster of 1,000 objects. A thread without a limit pays one thread-local
/// load. What throws, throws then. What can't throw (a query) goes on, unless the limit says that queries are cut short:
/// then it ends with what it has, the limit notes it, and the one who set the limit throws instead of using any result.
///
/// Used by the thread that runs `run`, while it does.
package final class WorkLimit {
    package enum Reason: Sendable { case cancelled, timedOut }

    private let deadline: ContinuousClock.Instant?
    /// A Boolean value that indicates whether loops that can't throw end early, too.
    private let cutsQueries: Bool
    private var parent: WorkLimit?
    /// Why the work has to end, as soon as that was seen.
    package private(set) var reason: Reason?
    /// A Boolean value that indicates whether a query was cut short, so that its result is wrong.
    package private(set) var hasCut = false
    private var looks = 0

    package init(deadline: ContinuousClock.Instant? = nil, cutsQueries: Bool = false) {
        self.deadline = deadline
        self.cutsQueries = cutsQueries
    }

    /// That of the thread.
    package static var current: WorkLimit? {
        guard let limit = fh_work_limit() else { return nil }
        return Unmanaged<WorkLimit>.fromOpaque(limit).takeUnretainedValue()
    }

    /// Runs the body under the limit, and under the one that holds already.
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

    /// The same, for those who ask often: the clock is looked at by every eighth.
    package var isOverByNow: Bool {
        looks &+= 1
        return look(atClock: looks & 7 == 0)
    }

    /// The same, for those who ask once an object: it is looked at by every sixteenth.
    package var isOverAtTimes: Bool {
        looks &+= 1
        return reason != nil || looks & 15 == 0 && look(atClock: true)
    }

    private func look(atClock: Bool) -> Bool {
        if reason != nil { return true }
        if Task.isCancelled {
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

    // MARK: Of the thread

    /// - Throws: `.cancelled` or `.timedOut` if the thread's work has to end.
    @inline(__always)
    package static func check() throws(EngineError) {
        if fh_work_limit() != nil { try current!.check() }
    }

    /// A Boolean value that indicates whether a loop that can't throw shall end now. Its result isn't used then.
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
    /// Those for which the condition holds; some of them if the thread's work has to end.
    func filterWithinLimit(_ isIncluded: (ObjectKey) -> Bool) -> [ObjectKey] {
        var found: [ObjectKey] = []
        for start in stride(from: 0, to: count, by: 1024) {
            if WorkLimit.cutsHere { break }
            for key in self[start..<Swift.min(start + 1024, count)] where isIncluded(key) { found.append(key) }
        }
        return found
    }

    /// Until the thread's work has to end.
    func forEachWithinLimit(_ body: (ObjectKey) -> Void) {
        forEachWithinLimitUntil {
            body($0)
            return true
        }
    }

    /// Until the body returns false, or the thread's work has to end.
    func forEachWithinLimitUntil(_ body: (ObjectKey) -> Bool) {
        for start in stride(from: 0, to: count, by: 1024) {
            if WorkLimit.cutsHere { return }
            for key in self[start..<Swift.min(start + 1024, count)] where !body(key) { return }
        }
    }
}
