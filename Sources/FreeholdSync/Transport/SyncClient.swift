#if Sync
    public import NIOCore
    import NIOPosix
    import Synchronization

    /// The connections of a process: one for each user and host, which the user's sessions share.
    ///
    /// A connection is opened for its first session, and ends with its last one. Any thread may use a client.
    public final class SyncClient: Sendable {
        private let settings: ConnectionSettings
        private let group: any EventLoopGroup
        private let hosts = Mutex<[Key: HostTransport]>([:])

        private struct Key: Hashable {
            let endpoint: SyncEndpoint
            let user: String
        }

        /// - Parameters:
        ///   - settings: The times, limits and headers of the connections.
        ///   - group: The event loops of the connections. `nil` stands for the shared ones of the process.
        public init(settings: ConnectionSettings = ConnectionSettings(), group: (any EventLoopGroup)? = nil) {
            self.settings = settings
            self.group = group ?? MultiThreadedEventLoopGroup.singleton
        }

        /// Returns the transport of a user's sessions with a host.
        ///
        /// - Parameters:
        ///   - endpoint: The address of the host.
        ///   - user: A name that distinguishes the users of a process. It isn't sent.
        public func transport(to endpoint: SyncEndpoint, user: String) -> any SyncTransport {
            hosts.withLock { hosts in
                let key = Key(endpoint: endpoint, user: user)
                if let host = hosts[key] { return host }
                let host = HostTransport(Connector(endpoint: endpoint, settings: settings), group)
                hosts[key] = host
                return host
            }
        }
    }

    /// The connections to a host: one, and further ones if the first has the maximum number of sessions.
    final class HostTransport: SyncTransport {
        private let connector: Connector
        private let group: any EventLoopGroup
        private let connections = Mutex<[SyncConnection]>([])

        init(_ connector: Connector, _ group: any EventLoopGroup) {
            (self.connector, self.group) = (connector, group)
        }

        func open(isUrgent: Bool, _ listener: @escaping @Sendable (LineEvent) -> Void) -> any SyncLine {
            connections.withLock { connections in
                for connection in connections {
                    if let line = connection.reserve(listener, isUrgent: isUrgent) { return line }
                }
                while true {
                    let connection = SyncConnection(connector, group.next())
                    connections.append(connection)
                    if let line = connection.reserve(listener, isUrgent: isUrgent) { return line }
                }
            }
        }
    }
#endif
