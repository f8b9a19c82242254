import Foundation
public import FreeholdServer
public import FreeholdStudio
public import FreeholdStudioServer

/// The program that shows a sync server. It sends requests to the administrator's port of the server, and stores no data itself.
public struct ServerHost: StudioHost {
    /// The options with which the program was started.
    public struct Options: Sendable {
        /// The address of the administrator's port.
        public var host: String
        public var port: Int
        public var key: AdministratorKey
        /// The name of the server on the page.
        public var name: String
        /// The first argument of the commands that the page shows: the server's folder.
        public var folder: String
        /// The name of the administrator in the server's log.
        public var administrator: String
        /// The seconds within which the server has to answer.
        public var patience: Int64 = 30
        /// A Boolean value that indicates whether requests may change something.
        public var isWritable = false
        /// The backups of the server's folder. `nil` for a server on another machine.
        public var backups: ServerBackups?
        /// The name of a time zone such as `Europe/Berlin`, or `nil` for that of the browser.
        public var timeZone: String?

        public init(
            host: String,
            port: Int,
            key: AdministratorKey,
            name: String,
            folder: String,
            administrator: String
        ) {
            (self.host, self.port, self.key) = (host, port, key)
            (self.name, self.folder, self.administrator) = (name, folder, administrator)
        }
    }

    private let options: Options
    private let memory = DocumentMemory()

    public init(_ options: Options) { self.options = options }

    public var welcome: StudioJSON {
        [
            "welcome": [
                "program": .string(StudioProgram.version), "protocol": 1, "write": .bool(options.isWritable),
                "timeZone": options.timeZone.map { .string($0) } ?? .null, "files": [], "recent": [],
                "history": false,
                "server": [
                    "name": .string(options.name), "folder": .string(options.folder),
                    "backups": options.backups.map { .string($0.folder) } ?? .null,
                ],
            ]
        ]
    }

    public var downloads: StudioTickets? { nil }

    public func open(_ send: @escaping @Sendable ([UInt8]) -> Void) -> any StudioPageSession {
        ServerSession(options, memory, send)
    }
}
