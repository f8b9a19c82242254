#if Sync
    public import NIOCore
    import NIOPosix
    import Synchronization

    /// Makes connections: one for each user and host, which the user's sessions share.
    ///
    /// A connection is made with its first session, and ends with the last. Any thread may use a client.
    public final class SyncClient: Sendable {
        private let settings: ConnectionSettings
        private let group: any EventLoopGroup
        private let hosts = Mutex<[Key: HostTransport]>([:])

        private struct Key: Hashable {
            let endpoint: SyncEndpoint
            let user: String
        }

        /// - Parameter group: whose threads work for the connections. The process's shared one, unless another is given.
        public init(settings: ConnectionSettings = ConnectionSettings(), group: (any EventLoopGroup)? = nil) {
            self.settings = settings
            self.group = group ?? MultiThreadedEventLoopGroup.singleton
        }

        /// What a user's sessions with a host use.
        ///
        /// - Parameter user: tells the users of a process apart; it isn't sent.
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

    /// A host's connections: one, and another when that is full.
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
