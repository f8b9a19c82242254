/// A clock that runs blocks at given moments, on a thread of the engine.
///
/// It doesn't use Swift's pool or Dispatch, because all of their threads may be waiting for an event that a block causes.
///
/// It is Sendable because the signal's lock guards its state.
final class AlarmClock: WorkerTask, @unchecked Sendable {
    private static let perProcess = PerProcess<AlarmClock> { _ in AlarmClock() }
    /// The clock of this process. A forked child needs its own, because the threads of its parent don't exist in it.
    static var current: AlarmClock { perProcess.value }

    /// A block with the moment at which it runs. It runs once, or never if it is cancelled before.
    final class Alarm: Sendable {
        fileprivate let due: ContinuousClock.Instant
        private let clock: AlarmClock

        fileprivate init(due: ContinuousClock.Instant, _ clock: AlarmClock) { (self.due, self.clock) = (due, clock) }

        /// Removes the block, unless it is running already.
        func cancel() { clock.remove(self) }
    }

    /// The time for which the thread waits for a new alarm after the last one, so that frequent alarms share a thread.
    private static let linger = Duration.milliseconds(100)

    private let changed = ThreadSignal()
    /// The alarms in the order of their moments.
    private var entries: [(alarm: Alarm, body: @Sendable () -> Void)] = []
    /// The moment at which the thread wakes by itself, or `nil` without a thread.
    private var wake: ContinuousClock.Instant?

    /// Runs the block at the moment or soon after it. The block must not wait.
    ///
    /// - Complexity: O(number of alarms with a later moment)
    func set(_ due: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) -> Alarm {
        let alarm = Alarm(due: due, self)
        let needsThread = changed.withLock {
            let place = entries.lastIndex { $0.alarm.due <= due }.map { $0 + 1 } ?? 0
            entries.insert((alarm, body), at: place)
            guard let wake else {
                self.wake = due
                return true
            }
            if due < wake { changed.signal() }
            return false
        }
        if needsThread { WorkerPool.current.run(self) }
        return alarm
    }

    private func remove(_ alarm: Alarm) {
        // The block is released outside the lock.
        let removed = changed.withLock {
            let found = entries.firstIndex { $0.alarm === alarm }.map { entries.remove(at: $0) }
            // A thread that would sleep for a long time ends.
            if entries.isEmpty, let wake, wake - .now > Self.linger { changed.signal() }
            return found
        }
        withExtendedLifetime(removed) {}
    }

    func run() {
        while let body = next() { body() }
    }

    /// Returns the next block when its moment is reached, or `nil` if the thread should end because no alarm is due soon.
    private func next() -> (@Sendable () -> Void)? {
        changed.withLock {
            while true {
                let now = ContinuousClock.now
                if let first = entries.first {
                    if first.alarm.due <= now { return entries.removeFirst().body }
                    wake = first.alarm.due
                    changed.wait(for: first.alarm.due - now)
                    continue
                }
                wake = now + Self.linger
                changed.wait(for: Self.linger)
                if entries.isEmpty {
                    wake = nil
                    return nil
                }
            }
        }
    }
}
