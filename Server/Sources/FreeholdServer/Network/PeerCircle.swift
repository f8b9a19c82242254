#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import NIOCore

/// The connections of one event loop. One timer checks all of them, because a timer for each would cost more than the connection itself.
final class PeerCircle: @unchecked Sendable {
    // Used on the loop only.
    private var peers: [ObjectIdentifier: Peer] = [:]
    private var task: RepeatedTask?
    private let loop: any EventLoop
    private let interval: TimeAmount

    init(_ loop: any EventLoop, _ limits: NodeLimits) {
        self.loop = loop
        let least = min(limits.greetingTimeout, limits.idleTimeout, limits.stallTimeout)
        interval = .milliseconds(max(min(least / 4, 2_000), 10))
    }

    func add(_ peer: Peer) {
        peers[ObjectIdentifier(peer)] = peer
        if task == nil {
            task = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in self.check() }
        }
    }

    func remove(_ peer: Peer) {
        peers[ObjectIdentifier(peer)] = nil
        guard peers.isEmpty else { return }
        task?.cancel()
        task = nil
    }

    private func check() {
        let (now, time) = (NIODeadline.now(), Date().timeIntervalSince1970)
        for peer in peers.values { peer.check(now, time) }
    }
}
