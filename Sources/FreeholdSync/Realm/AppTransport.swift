import FreeholdSyncCore
import Synchronization

#if Sync
    import NIOCore
    import NIOPosix
#endif

/// The transport to an app's server. The address of the server is requested at the first connection.
final class AppTransport: SyncTransport {
    private let user: User

    init(_ user: User) { self.user = user }

    func open(isUrgent: Bool, _ listener: @escaping @Sendable (LineEvent) -> Void) -> any SyncLine {
        let line = AppLine()
        let user = user
        Task {
            do {
                let location = try await user.app.location()
                line.take(try Self.transport(location, user).open(isUrgent: isUrgent, listener))
            } catch let error as TransportError {
                listener(.closed(error))
            } catch {
                listener(.closed(TransportError(.unreachable, "The app's location isn't known: \(error)")))
            }
        }
        return line
    }

    private static func transport(_ location: AppAPI.Location, _ user: User) throws -> any SyncTransport {
        if let transport = user.app.configuration.syncTransport { return transport(user) }
        #if Sync
            guard let endpoint = SyncEndpoint(location.wsHostname) else {
                throw TransportError(.unreachable, "'\(location.wsHostname)' isn't an address of a server.")
            }
            return user.app.syncManager.client().transport(to: endpoint, user: "\(user.app.appId)/\(user.id)")
        #else
            throw TransportError(
                .unreachable,
                "This program was built without Freehold's trait Sync. Name it in the dependency: traits: [\"Sync\"]."
            )
        #endif
    }
}

/// A line whose connection is opened later.
final class AppLine: SyncLine {
    private struct State {
        var line: (any SyncLine)?
        var isClosed = false
        /// The messages that were sent before the line was available. They are sent as soon as it is.
        var unsent: [ClientMessage] = []
    }

    private let state = Mutex(State())

    func take(_ line: any SyncLine) {
        while true {
            let unsent: [ClientMessage]? = state.withLock { state in
                defer { state.unsent = [] }
                if state.isClosed || state.unsent.isEmpty {
                    state.line = line
                    return nil
                }
                return state.unsent
            }
            guard let unsent else { break }
            for message in unsent { line.send(message) }
        }
        if state.withLock({ $0.isClosed }) { line.close() }
    }

    func send(_ message: ClientMessage) {
        let line: (any SyncLine)? = state.withLock { state in
            if state.line == nil { state.unsent.append(message) }
            return state.line
        }
        line?.send(message)
    }

    func close() {
        let line = state.withLock { state in
            state.isClosed = true
            return state.line
        }
        line?.close()
    }
}

#if Sync
    extension SyncManager {
        /// Returns the client of the app, which is created at the first connection.
        func client() -> SyncClient {
            clientOfApp.withLock { known in
                if let client = known.client as? SyncClient { return client }
                var settings = ConnectionSettings()
                settings.connectTimeout = Int64(timeoutOptions.connectTimeout)
                settings.answerTimeout = Int64(timeoutOptions.pongKeepaliveTimeout)
                settings.headers = (customRequestHeaders ?? [:]).map { (name: $0.key, value: $0.value) }
                if !userAgent.isEmpty { settings.headers.append((name: "User-Agent", value: userAgent)) }
                let client = SyncClient(settings: settings)
                known.client = client
                return client
            }
        }
    }
#endif
