@testable import FreeholdRealmWire
@testable import TestRealmClient

/// A client of the tests and the messages of a server, one by one.
struct ClientBench {
    var client: TestRealmClient
    var sent: [RealmClientMessage] = []
    /// All messages of both sides.
    var log: [Message] = []

    enum Message {
        case sent(RealmClientMessage)
        case received(RealmServerMessage)
    }

    /// The next version of the server's downloads.
    var version: UInt64 = 0
    let salt: Int64 = 77

    static let object = WireObject(table: "A", key: .int(1))

    static let schema: [Instruction] = [
        .addTable(
            TableSpec(
                name: "A",
                kind: .topLevel,
                primaryKey: TableSpec.PrimaryKey(field: "_id", kind: .int, isNullable: false)
            )
        ),
        .addTable(TableSpec(name: "E", kind: .embedded, primaryKey: nil)),
        .addTable(
            TableSpec(
                name: "Log",
                kind: .asymmetric,
                primaryKey: TableSpec.PrimaryKey(field: "_id", kind: .int, isNullable: false)
            )
        ),
        .addColumn(ColumnSpec(table: "A", field: "n", kind: .int, isNullable: false)),
        .addColumn(ColumnSpec(table: "A", field: "s", kind: .string, isNullable: true)),
        .addColumn(ColumnSpec(table: "A", field: "l", kind: .int, isNullable: false, collection: .list)),
        .addColumn(ColumnSpec(table: "A", field: "m", kind: .mixed, isNullable: true)),
        .addColumn(ColumnSpec(table: "A", field: "d", kind: .int, isNullable: false, collection: .dictionary)),
        .addColumn(ColumnSpec(table: "A", field: "e", kind: .link, isNullable: true, target: "E")),
        .addColumn(
            ColumnSpec(table: "A", field: "le", kind: .link, isNullable: false, collection: .list, target: "E")
        ),
        .addColumn(ColumnSpec(table: "A", field: "a", kind: .link, isNullable: true, target: "A")),
        .addColumn(ColumnSpec(table: "E", field: "x", kind: .int, isNullable: false)),
        .addColumn(ColumnSpec(table: "Log", field: "v", kind: .int, isNullable: false)),
    ]

    init(resetMode: ResetTracker.Mode = .recoverOrDiscard, version: Int = 14) throws {
        client = try TestRealmClient(schema: Self.schema, resetMode: resetMode, version: version, time: 10)
    }

    // MARK: The client

    /// Lets the client send all that it has to send.
    mutating func flush() {
        while let message = client.nextMessage() {
            sent.append(message)
            log.append(.sent(message))
        }
    }

    /// Returns the messages that the client has sent since the last call.
    mutating func takeSent() -> [RealmClientMessage] {
        flush()
        defer { sent = [] }
        return sent
    }

    mutating func commit(_ changes: [LocalChange], time: UInt64 = 20) throws { try client.commit(changes, time: time) }

    /// Connects, and completes the first bootstrap, the upload of the classes, and a set of subscriptions.
    mutating func begin(subscribing: Bool = true) {
        client.connect()
        flush()
        receive(.ident(session: 1, file: RealmFileIdent(ident: 5, salt: 9)))
        flush()
        bootstrap(0)
        answerMark()
        acknowledge()
        guard subscribing else { return }
        client.subscribe(to: [("A", "TRUEPREDICATE")])
        flush()
        bootstrap(1)
        answerMark()
        acknowledge()
        sent = []
    }

    // MARK: The server

    mutating func receive(_ message: RealmServerMessage) {
        log.append(.received(message))
        client.receive(message)
        flush()
    }

    mutating func answerMark() {
        guard let session = client.sessions.first else { return }
        receive(.mark(session: session.number, number: session.sentMark))
    }

    /// Acknowledges everything that the client has uploaded.
    mutating func acknowledge() {
        flush()
        var message = download([])
        message.download.server = client.file.download.server
        receive(.download(message))
    }

    mutating func bootstrap(_ query: Int64, _ instructions: [Instruction] = []) {
        var message = download(instructions)
        message.batch = .last
        message.queryVersion = query
        if instructions.isEmpty { message.entries = [entry([], client: message.download.client)] }
        receive(.download(message))
    }

    mutating func change(_ instructions: [Instruction], client: UInt64? = nil) {
        receive(.download(download(instructions, client: client)))
    }

    func entry(_ instructions: [Instruction], client: UInt64) -> DownloadEntry {
        DownloadEntry(
            serverVersion: version,
            clientVersion: client,
            changeset: try! Changeset(instructions).encoded()
        )
    }

    /// Returns a download with one entry, or an acknowledgement.
    ///
    /// - Parameter client: The version of the client's changes that it follows. `nil` for all that were uploaded.
    mutating func download(_ instructions: [Instruction], client: UInt64? = nil) -> RealmServerMessage.Download {
        version += 1
        let file = self.client.file(of: self.client.sessions.first?.role ?? .main)
        let position = client ?? self.client.sessions.first?.position ?? 0
        return RealmServerMessage.Download(
            session: self.client.sessions.first?.number ?? 1,
            download: DownloadCursor(server: version, client: position),
            latest: LatestVersion(version: max(version, file.latest.version), salt: salt),
            upload: UploadCursor(
                client: max(position, file.upload.client),
                server: self.client.sessions.first?.sentProgress ?? 0
            ),
            queryVersion: file.activeVersion,
            batch: .steady,
            progress: 1,
            entries: instructions.isEmpty ? [] : [entry(instructions, client: position)]
        )
    }

    func error(_ code: Int, action: String, tryAgain: Bool = false) -> RealmServerMessage {
        .error(
            ServerError(
                session: client.sessions.first?.number ?? 1,
                code: code,
                message: "",
                tryAgain: tryAgain,
                action: action
            )
        )
    }

    static func update(_ field: WireText, _ value: Payload, _ elements: [PathElement] = []) -> Instruction {
        .update(at: path(field, elements), value: value, mark: .field(isDefault: false))
    }

    static func path(_ field: WireText, _ elements: [PathElement] = []) -> WirePath {
        WirePath(object: object, field: field, elements: elements)
    }
}
