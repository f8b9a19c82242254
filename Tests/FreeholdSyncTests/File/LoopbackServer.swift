import Dispatch
import Foundation
import FreeholdSync

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A server's machine and its store in memory, behind a queue: a transport without a network. Every message is encoded
/// and decoded.
final class LoopbackServer: SyncTransport, @unchecked Sendable {
    // Everything is touched on the queue only.
    private let queue = DispatchQueue(label: "test.server")
    private var machine: ServerMachine
    private var store = MemoryServerStore(epoch: 7)
    private var random = SystemRandomNumberGenerator()
    private var listeners: [ConnectionNumber: @Sendable (LineEvent) -> Void] = [:]
    private var last: ConnectionNumber = 0
    private let codec = MessageCodec()
    private var isReachable = true

    private let app: ServerApp
    private let authenticate: @Sendable (SyncString) -> SyncString?

    /// - Parameter authenticate: returns the user of a token; `nil` refuses it.
    init(
        asymmetric: Set<SyncString> = [],
        judge: (@Sendable (SchemaClaim) -> SchemaJudgement)? = nil,
        authenticate: @escaping @Sendable (SyncString) -> SyncString? = { $0 }
    ) {
        var rules = MergeRules()
        rules.createOnly = asymmetric
        var served = ServerApp(rules: rules)
        served.judge = judge
        app = served
        self.authenticate = authenticate
        machine = Self.machine(app, authenticate)
    }

    private static func machine(
        _ app: ServerApp,
        _ authenticate: @escaping @Sendable (SyncString) -> SyncString?
    ) -> ServerMachine {
        var configuration = ServerConfiguration(apps: ["test": app]) { token, _ in authenticate(token.text) }
        configuration.commitSize = { UInt64($0.estimatedSize) }
        return ServerMachine(configuration, matcher: QueryMatcher())
    }

    private struct Line: SyncLine {
        let server: LoopbackServer
        let number: ConnectionNumber

        func send(_ message: ClientMessage) { server.receive(message, number) }
        func close() { server.close(number) }
    }

    func open(isUrgent: Bool, _ listener: @escaping @Sendable (LineEvent) -> Void) -> any SyncLine {
        let number = queue.sync {
            last += 1
            guard isReachable else {
                listener(.closed(TransportError(.unreachable, "Nobody answers.")))
                return last
            }
            listeners[last] = listener
            run(.opened(last))
            listener(.opened)
            return last
        }
        return Line(server: self, number: number)
    }

    private func receive(_ message: ClientMessage, _ number: ConnectionNumber) {
        queue.async {
            guard self.listeners[number] != nil else { return }
            let bytes = try! self.codec.encode(message)
            guard let message = try! self.codec.clientMessage(bytes) else { return }
            self.run(.received(number, message, bytes: UInt64(bytes.count)))
        }
    }

    private func close(_ number: ConnectionNumber) {
        queue.async {
            guard self.listeners.removeValue(forKey: number) != nil else { return }
            self.run(.closed(number))
        }
    }

    private func run(_ event: ServerEvent) {
        var events = [event]
        while !events.isEmpty {
            for action in machine.handle(events.removeFirst(), now: DeviceClock.shared.now(), random: &random) {
                switch action {
                case .send(let connection, let message):
                    guard let message = try! codec.serverMessage(codec.encode(message)) else { continue }
                    listeners[connection]?(.received(message, bytes: message.estimatedSize))
                case .close(let connection):
                    listeners.removeValue(forKey: connection)?(.closed(TransportError(.closed, "The server closed.")))
                case .request(let number, let request):
                    events.append(.answered(number, store.perform(request)))
                case .work(let number, var work): events.append(.worked(number, work.finish()))
                case .submitted, .cancelWork: break
                case .setTimer(let timer, let at):
                    let delay = max(at - DeviceClock.shared.now(), 0)
                    queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay))) { [weak self] in
                        self?.run(.timer(timer))
                    }
                }
            }
        }
    }

    /// Closes all connections. If the argument is `false`, the server also refuses new ones until a call with `true`.
    func setReachable(_ isReachable: Bool) {
        queue.sync {
            self.isReachable = isReachable
            let cut = listeners
            listeners = [:]
            for (number, listener) in cut {
                run(.closed(number))
                listener(.closed(TransportError(.closed, "The line is cut.")))
            }
        }
    }

    var backup: MemoryServerStore { queue.sync { store } }

    /// Goes on, unreachable at first, as a server whose store is a copy.
    func restart(with backup: MemoryServerStore, epoch: UInt64) {
        setReachable(false)
        queue.sync {
            store = backup
            store.wasCopied(epoch: epoch)
            machine = Self.machine(app, authenticate)
        }
    }

    /// The received objects of asymmetric classes.
    var ingested: [ObjectName: [NewField]] { queue.sync { store.ingested(of: StreamName(app: "test")) } }

    var contents: [ObjectName: [SyncString: MergedContent]] {
        queue.sync { store.contents(of: StreamName(app: "test")).mapValues(\.contents) }
    }
}
