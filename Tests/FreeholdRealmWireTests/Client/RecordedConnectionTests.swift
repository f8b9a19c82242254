import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// The client of the tests in place of the official one: it receives what the recorded servers sent, and sends the same.
@Suite("Realm client: recorded connections")
struct RecordedConnectionTests {
    @Test(arguments: Golden.connections)
    func `the client sends what the official one sent, and ends with its objects`(_ name: String) throws {
        var run = try RecordedRun(name)
        try run.play()
        expectEqual(run.client.traps, [])
        expect(run.sent >= 6, "\(run.sent) messages")
        for line in try Golden.lines("ends.jsonl") where line["connection"]?.string == name {
            try expectObjects(run.client.shown, line["state"]!)
            run.hasEnd = true
        }
        print("\(name): \(run.sent) messages sent, \(run.received) received, compared at the end: \(run.hasEnd)")
    }

    private func expectObjects(_ state: WireState, _ end: WireJSON) throws {
        for table in end.members {
            let name = WireText(table.name)
            expectEqual(state.tables[name]?.count ?? 0, table.value.members.count, "\(table.name)")
            for member in table.value.members {
                let parts = try WireJSON(bytes: Array(member.name.utf8)[...], depth: 4).members[0]
                let key = try Golden.key(.array([.string(parts.name), parts.value]))
                let object = WireObject(table: name, key: key)
                guard state[object] != nil else {
                    expect(false, "\(table.name) \(member.name) is missing")
                    continue
                }
                for field in member.value.members {
                    // Decimals are recorded as texts.
                    guard let column = state.schema[name]?[WireText(field.name)], column.kind != .decimal else {
                        continue
                    }
                    let expected = try Golden.value(field.value, column, in: state.schema)
                    let shown = state.visible(state.value(of: column.field, in: object)!)
                    expectEqual(shown, expected, "\(table.name) \(member.name) \(field.name)")
                }
            }
        }
    }
}

extension WireState {
    /// Returns a value as an app sees it: links to missing objects are null, and lists and sets leave them out.
    func visible(_ value: WireValue) -> WireValue {
        switch value {
        case .scalar(.link(let object)): self[object] == nil ? .null : value
        case .scalar: value
        case .object(let fields): .object(fields.mapValues(visible))
        case .dictionary(let entries): .dictionary(entries.mapValues(visible))
        case .list(let list):
            .list(WireList(values: list.values.filter { isVisible($0) }.map(visible)))
        case .set(let set): .set(WireSet(set.values.filter { isVisible(.scalar($0)) }))
        }
    }

    private func isVisible(_ value: WireValue) -> Bool {
        guard case .scalar(.link(let object)) = value else { return true }
        return self[object] != nil
    }
}

/// A recorded connection that a client of the tests takes part in.
private struct RecordedRun {
    var client: TestRealmClient
    let lines: [(isClient: Bool, frame: [UInt8])]
    var sent = 0
    var received = 0
    var hasEnd = false
    private let codec = RealmMessageCodec(version: 14, compression: SystemZlib())
    /// The changesets that the recorded client uploaded, without those that it recorded again after a reset.
    private var commits: [UploadEntry] = []
    private var hasReset: Bool

    init(_ name: String) throws {
        client = try TestRealmClient(
            schema: [],
            resetMode: .recover,
            compression: SystemZlib(),
            time: 1
        )
        lines = try Golden.lines(name + ".jsonl").compactMap { line in
            guard let frame = line["frame"]?.string else { return nil }
            return (line["from"]?.string == "client", Golden.bytes(frame))
        }
        hasReset = name == "05-client-reset-connection-2"
        for line in lines where line.isClient {
            guard case .upload(let upload) = try codec.clientMessage(line.frame) else { continue }
            commits += upload.entries
        }
        if hasReset { commits[commits.count - 1] = try Self.offlineCommit(of: commits[commits.count - 1]) }
    }

    /// The transaction that the recorded client made offline, before it recorded it again.
    private static func offlineCommit(of recovered: UploadEntry) throws -> UploadEntry {
        let object = WireObject(table: "A", key: .int(1))
        let changeset = Changeset([
            .update(
                at: WirePath(object: object, field: "s"),
                value: .string("offline"),
                mark: .field(isDefault: false)
            ),
            .arrayInsert(
                at: WirePath(object: object, field: "li", elements: [.index(1)]),
                value: .int(22),
                priorSize: 1
            ),
            .createObject(WireObject(table: "A", key: .int(9))),
        ])
        return UploadEntry(
            clientVersion: recovered.clientVersion,
            serverVersion: 4_000_003,
            timestamp: recovered.timestamp,
            changeset: try changeset.encoded()
        )
    }

    mutating func play() throws {
        client.connect()
        for line in lines {
            if line.isClient {
                try send(codec.clientMessage(line.frame))
                sent += 1
            } else {
                let message = try codec.serverMessage(line.frame)
                if case .download(let download) = message {
                    if !download.entries.isEmpty { try commitAll(basedOn: client.file.download.server) }
                    if client.fresh == nil { client.file.note(upTo: download.upload.client) }
                }
                client.receive(frame: line.frame)
                received += 1
            }
            client.checkInvariants()
        }
    }

    /// Commits what the recorded client had committed at a version of the server.
    private mutating func commitAll(basedOn version: UInt64) throws {
        while let entry = commits.first, entry.serverVersion == version, client.fresh == nil { try commit(entry) }
    }

    private mutating func commit(_ entry: UploadEntry) throws {
        commits.removeFirst()
        try require(client.file.newest < entry.clientVersion)
        client.file.note(upTo: entry.clientVersion - 1)
        try client.file.commit(Changeset(bytes: entry.changeset).instructions, time: entry.timestamp)
    }

    /// Lets the client send its next message, after the app's part, and compares it with the recorded one.
    private mutating func send(_ expected: RealmClientMessage) throws {
        switch expected {
        case .bind(let bind):
            if client.isPaused {
                // The app made its next transactions without a session. Later downloads would take their versions.
                try commitAll(basedOn: client.file.download.server)
                client.resume()
            }
            if client.sessions.contains(where: { $0.number == bind.session && $0.bindsAgain }) { client.bindAgain() }
        case .query(_, _, let queries):
            // The second file of a reset has the set already.
            if client.fresh == nil, client.file.sets.last?.state != .pending || client.file.sets.last?.version == 0 {
                client.subscribe(to: queries.map { ($0.table, String($0.text.dropFirst().dropLast())) })
            }
        case .upload(let upload):
            while let first = commits.first, upload.entries.contains(where: { $0.clientVersion == first.clientVersion })
            {
                try commit(first)
            }
            client.file.note(upTo: upload.progress.client)
        case .mark(let session, let number):
            // The app waits.
            if let index = client.sessions.firstIndex(where: { $0.number == session }) {
                // The official client numbers the marks of a session that crossed its error.
                if client.sessions[index].isDead { return }
                if client.sessions[index].wantedMark < number { client.waitForDownloads() }
            } else {
                return
            }
        case .unbind(let session):
            if let index = client.sessions.firstIndex(where: { $0.number == session }),
                !client.sessions[index].isDead, !client.sessions[index].mustUnbind
            {
                client.pause()
            }
        case .ping(let timestamp, _):
            expectEqual(client.ping(timestamp: timestamp), expected)
            return
        case .ident, .error: break
        }
        if case .upload(let upload) = expected, upload.entries.isEmpty {
            // The official client acknowledges downloads in several messages, at its own times.
            var next = client
            guard case .upload(let own) = next.nextMessage(), own.entries.isEmpty else { return }
            expect(own.progress.server >= upload.progress.server)
            client = next
            return
        }
        let message = client.nextMessage()
        guard case .upload(let upload) = expected, case .upload(let own) = message else {
            return expectEqual(message, expected)
        }
        expectEqual(own.session, upload.session)
        // The official client states its progress before the last downloads and commits.
        expect(own.progress.client >= upload.progress.client && own.progress.server >= upload.progress.server)
        expectEqual(own.lockedServer, upload.lockedServer)
        expectEqual(own.entries.count, upload.entries.count)
        for (entry, recorded) in zip(own.entries, upload.entries) {
            expectEqual(entry.clientVersion, recorded.clientVersion)
            expectEqual(entry.serverVersion, recorded.serverVersion)
            expectEqual(entry.timestamp, recorded.timestamp)
            try expectEqual(
                Changeset(bytes: entry.changeset).instructions,
                Changeset(bytes: recorded.changeset).instructions
            )
        }
    }
}
