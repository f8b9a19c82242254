import Dispatch
import Foundation
import Synchronization

/// A queue that delivers calls to the place to which a realm is confined, in the order in which they were posted.
final class Mailbox: Sendable {
    /// A call that runs at the place for which it was made, so it needn't be `Sendable`.
    struct Call: @unchecked Sendable {
        let run: () -> Void
    }

    private let place: Place
    private let waiting = Mutex<[Call]>([])

    private enum Place: Sendable {
        case main
        case queue(DispatchQueue)
        case actor(ActorPlace)
        case loop(Loop)
    }

    /// A run loop isn't `Sendable`, but timers may be added from any thread.
    private struct Loop: @unchecked Sendable {
        let loop: RunLoop
    }

    /// Creates the mailbox of a place. Returns nil on a thread without a running run loop, to which calls can't be
    /// delivered. The method must be called at that place.
    init?(_ confinement: Confinement) {
        switch confinement {
        case .main: place = .main
        case .queue(let queue, _): place = .queue(queue)
        case .actor(let actors): place = .actor(actors)
        case .thread:
            let loop = RunLoop.current
            guard loop.currentMode != nil else { return nil }
            place = .loop(Loop(loop: loop))
        case .frozen: return nil
        }
    }

    /// Posts a call. Any thread may call this.
    func post(_ body: @escaping () -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(Call(run: body))
            return waiting.count == 1
        }
        if isFirst, !schedule(Call { self.deliver() }) { drop() }
    }

    /// Delivers a call in a turn of its own, after the calls that the place received earlier. Any thread may call it.
    func postTurn(_ body: @escaping () -> Void) { _ = schedule(Call(run: body)) }

    /// - Returns: `false` if the place is a released actor. The call isn't delivered then.
    private func schedule(_ call: Call) -> Bool {
        switch place {
        case .main: DispatchQueue.main.async { call.run() }
        case .queue(let queue): queue.async { call.run() }
        case .actor(let place):
            guard let actor = place.actor else { return false }
            Task.detached { await self.run(call, on: actor) }
        case .loop(let loop):
            // On Linux, `perform` doesn't wake a sleeping run loop, but a timer that is due does.
            let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in call.run() }
            loop.loop.add(timer, forMode: .default)
        }
        return true
    }

    /// A reference that keeps an actor alive for a later post.
    var resident: (any Actor)? { if case .actor(let place) = place { place.actor } else { nil } }

    private func drop() {
        let calls = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        withExtendedLifetime(calls) {}
    }

    private func run(_ call: Call, on actor: isolated any Actor) { call.run() }

    private func deliver() {
        let calls = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for call in calls { call.run() }
    }
}
