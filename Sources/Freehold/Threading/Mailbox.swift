import Dispatch
import Foundation
import Synchronization

/// Delivers calls to where a realm is confined to, in the order in which they were posted.
final class Mailbox: Sendable {
    /// A call that runs at the place that it is made for, so that it need not be `Sendable` itself.
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

    /// A run loop is no `Sendable`, but timers may be added from any thread.
    private struct Loop: @unchecked Sendable {
        let loop: RunLoop
    }

    /// Nil where nothing can be delivered: on a thread without a running run loop. To be called at that place.
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

    /// From any thread.
    func post(_ body: @escaping () -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(Call(run: body))
            return waiting.count == 1
        }
        if isFirst, !schedule(Call { self.deliver() }) { drop() }
    }

    /// Delivers a call in a turn of its own, behind what the place was given before. Any thread may call it.
    func postTurn(_ body: @escaping () -> Void) { _ = schedule(Call(run: body)) }

    /// - Returns: false if the place is an actor that was released: what belonged to it isn't delivered.
    private func schedule(_ call: Call) -> Bool {
        switch place {
        case .main: DispatchQueue.main.async { call.run() }
        case .queue(let queue): queue.async { call.run() }
        case .actor(let place):
            guard let actor = place.actor else { return false }
            Task.detached { await self.run(call, on: actor) }
        case .loop(let loop):
            // `perform` doesn't wake a sleeping loop on Linux; a timer that is due does.
            let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in call.run() }
            loop.loop.add(timer, forMode: .default)
        }
        return true
    }

    /// Keeps an actor alive for one who will post later.
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
