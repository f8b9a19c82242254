import Testing

@testable import FreeholdRealmWire

private func object(_ key: Int64) -> WireObject { WireObject(table: "A", key: .int(key)) }

private func path(_ field: WireText, _ elements: PathElement...) -> WirePath {
    WirePath(object: object(1), field: field, elements: elements)
}

/// Returns a session after its first bootstrap.
private func session(version: Int = 14) throws -> SessionValidator {
    var validator = SessionValidator(version: version)
    try validator.receive(.bind(.init(session: 1, needsIdent: true)))
    try validator.send(.ident(session: 1, file: RealmFileIdent(ident: 7, salt: 5)))
    try validator.receive(
        .ident(
            .init(
                session: 1,
                file: RealmFileIdent(ident: 7, salt: 5),
                download: DownloadCursor(server: 0, client: 0),
                latest: LatestVersion(version: 0, salt: 0),
                queryVersion: 0,
                queries: []
            )
        )
    )
    try validator.send(.download(download(1, batch: .last, entries: [entry(1)])))
    return validator
}

private func entry(_ version: UInt64, origin: UInt64 = 1, client: UInt64 = 0) -> DownloadEntry {
    DownloadEntry(serverVersion: version, clientVersion: client, origin: origin, changeset: [])
}

private func download(
    _ version: UInt64,
    batch: RealmServerMessage.Download.Batch = .steady,
    query: Int64 = 0,
    client: UInt64 = 0,
    progress: Double = 1,
    entries: [DownloadEntry]
) -> RealmServerMessage.Download {
    RealmServerMessage.Download(
        session: 1,
        download: DownloadCursor(server: version, client: client),
        latest: LatestVersion(version: max(version, 10), salt: 3),
        upload: UploadCursor(client: client, server: 0),
        queryVersion: query,
        batch: batch,
        progress: progress,
        entries: entries
    )
}

private func refusal(_ version: UInt64, tryAgain: Bool = true) -> RealmServerMessage {
    var error = ServerError(session: 1, code: 231, message: "", tryAgain: tryAgain, action: "Warning")
    error.compensation = .init(serverVersion: version, clientVersion: 1, updates: [])
    return .error(error)
}

private func error(_ code: Int, action: String = "Warning", tryAgain: Bool = true) -> RealmServerMessage {
    .error(ServerError(session: code >= 200 ? 1 : 0, code: code, message: "", tryAgain: tryAgain, action: action))
}

/// Messages and changesets that would stop an official client.
@Suite("Realm wire: validators")
struct ValidatorTests {
    // MARK: Changesets

    @Test(arguments: refusedChangesets)
    func `a changeset that would stop a client is refused`(_ instructions: [Instruction]) throws {
        var state = WireState(schema: try Golden.schema())
        try state.apply(
            Changeset([
                .createObject(object(1)),
                .arrayInsert(at: path("li", .index(0)), value: .int(1), priorSize: 0),
                .arrayInsert(at: path("le", .index(0)), value: .object, priorSize: 0),
                .arrayInsert(at: path("le", .index(1)), value: .object, priorSize: 1),
            ])
        )
        let before = state
        #expect(throws: OutgoingError.self) {
            try ChangesetValidator(version: 14).apply(Changeset(instructions), to: &state)
        }
        expect(state.hasSameObjects(as: before))
    }

    @Test func `collections in mixed values need version 13`() throws {
        var state = WireState(schema: try Golden.schema())
        let changeset = Changeset([
            .createObject(object(1)), .update(at: path("m"), value: .list, mark: .field(isDefault: false)),
            .clear(at: path("m"), kind: .list),
        ])
        #expect(throws: OutgoingError.self) { try ChangesetValidator(version: 12).apply(changeset, to: &state) }
        try ChangesetValidator(version: 13).apply(changeset, to: &state)
    }

    // MARK: Messages

    @Test(arguments: refusedMessages)
    func `a message that would stop a client is refused`(_ messages: [RealmServerMessage]) throws {
        var validator = try session()
        for message in messages.dropLast() { try validator.send(message) }
        #expect(throws: OutgoingError.self) { try validator.send(messages.last!) }
    }

    @Test func `changes before the first bootstrap are refused`() throws {
        var validator = SessionValidator(version: 14)
        try validator.receive(.bind(.init(session: 1, needsIdent: true)))
        #expect(throws: OutgoingError.self) {
            try validator.send(.download(download(1, batch: .last, entries: [entry(1)])))
        }
        #expect(throws: OutgoingError.self) {
            try validator.send(.ident(session: 1, file: RealmFileIdent(ident: 0, salt: 5)))
        }
    }

    @Test func `versions below 12 only have a progress of 0 or 1`() throws {
        var validator = try session(version: 11)
        let half = download(2, batch: .more, progress: 0.5, entries: [entry(2)])
        #expect(throws: OutgoingError.self) { try validator.send(.download(half)) }
        #expect(throws: WireError.self) { try RealmMessageCodec(version: 11).encoded(.download(half)) }
    }

    @Test func `a mark follows the bootstrap of its query set`() throws {
        var validator = try session()
        try validator.receive(.query(session: 1, version: 1, queries: []))
        try validator.receive(.mark(session: 1, number: 1))
        #expect(throws: OutgoingError.self) { try validator.send(.mark(session: 1, number: 1)) }
        try validator.send(.download(download(2, batch: .last, query: 1, entries: [entry(2)])))
        try validator.send(.mark(session: 1, number: 1))
        #expect(throws: OutgoingError.self) { try validator.send(.mark(session: 1, number: 1)) }
    }

    @Test func `a refusal is followed by its entry`() throws {
        var validator = try session()
        try validator.send(refusal(2))
        try validator.send(.download(download(2, entries: [entry(2)])))
        try validator.send(refusal(3))
    }
}

private let refusedChangesets: [[Instruction]] = [
    [.eraseTable(name: "A")],
    [.eraseColumn(table: "A", field: "n")],
    [.addTable(TableSpec(name: WireText(String(repeating: "x", count: 58)), kind: .embedded, primaryKey: nil))],
    [
        .addColumn(
            ColumnSpec(
                table: "A",
                field: WireText(String(repeating: "x", count: 64)),
                kind: .int,
                isNullable: false
            )
        )
    ],
    [.addColumn(ColumnSpec(table: "A", field: "n", kind: .string, isNullable: false))],
    [
        .addColumn(
            ColumnSpec(table: "A", field: "es", kind: .link, isNullable: false, collection: .set, target: "E")
        )
    ],
    [.update(at: path("li", .index(0)), value: .int(1), mark: .element(priorSize: 9))],
    [.update(at: path("_id"), value: .int(4), mark: .field(isDefault: false))],
    [.update(at: path("di", .name("$a")), value: .int(4), mark: .field(isDefault: false))],
    [.update(at: path("s"), value: .string(WireText(bytes: [0xFF])), mark: .field(isDefault: false))],
    [.update(at: path("t"), value: .date(WireDate(seconds: 1, nanoseconds: -1)), mark: .field(isDefault: false))],
    [.update(at: WirePath(object: object(9), field: "n"), value: .int(4), mark: .field(isDefault: false))],
    [.clear(at: path("m"), kind: .single)],
    [.arrayMove(at: path("le", .index(0)), target: 1, priorSize: 2)],
    [.arrayErase(at: path("li", .index(0)), priorSize: 3)],
    [
        .createObject(object(5)), .createObject(object(6)),
        .update(at: WirePath(object: object(5), field: "m"), value: .list, mark: .field(isDefault: false)),
    ],
]

private let refusedMessages: [[RealmServerMessage]] = [
    // N1 and N2
    [.download(download(2, entries: []))],
    // The own ident, and no ident
    [.download(download(2, entries: [entry(2, origin: 7)]))],
    [.download(download(2, entries: [entry(2, origin: 0)]))],
    // Cursors
    [.download(download(2, entries: [entry(3)]))],
    [.download(download(0, entries: [entry(0)]))],
    [.download(download(3, entries: [entry(3), entry(2)]))],
    [.download(download(2, entries: [entry(2, client: 4)]))],
    // Bootstraps
    [.download(download(2, batch: .last, query: 3, entries: [entry(2)]))],
    [.download(download(2, batch: .more, entries: [entry(2)])), .download(download(3, entries: [entry(3)]))],
    [.download(download(1, batch: .last, entries: []))],
    // N7, and the order of refusals
    [refusal(2, tryAgain: false)],
    [refusal(1)],
    [refusal(3), refusal(2)],
    [refusal(2), .download(download(3, entries: [entry(3)]))],
    [error(231)],
    // N13, and codes that the client doesn't know
    [error(200, action: "Unknown")],
    [error(200, action: "Transient", tryAgain: false)],
    [error(202)],
    [error(104)],
    [error(236)],
    // N8
    [error(200), error(200)],
    [error(200), .download(download(2, entries: [entry(2)]))],
    // Marks, pings, ends
    [.mark(session: 1, number: 1)],
    [.pong(timestamp: 4)],
    [.unbound(session: 1)],
    [.unbound(session: 2)],
    [.ident(session: 1, file: RealmFileIdent(ident: 7, salt: 5))],
    [.queryError(session: 1, code: 226, version: 0, message: "")],
    [.queryError(session: 1, code: 226, version: 5, message: "")],
    [.log(session: 1, level: "loud", message: "", coID: "")],
]
