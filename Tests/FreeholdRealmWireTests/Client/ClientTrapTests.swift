import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// Messages that an official client doesn't survive: the client of the tests notices each.
@Suite("Realm client: traps")
struct ClientTrapTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var rule: String
        var name: String
        var play: @Sendable (inout ClientBench) throws -> Void

        init(_ rule: String, _ name: String, play: @escaping @Sendable (inout ClientBench) throws -> Void) {
            self.rule = rule
            self.name = name
            self.play = play
        }

        var testDescription: String { "\(rule): \(name)" }
    }

    @Test(arguments: messages + cursors + changesets)
    func `a client notices a message that it must not receive`(_ test: Case) throws {
        var bench = try ClientBench()
        bench.begin()
        expectEqual(bench.client.traps, [], "before the message")
        try test.play(&bench)
        expect(bench.client.traps.contains { $0.rule == test.rule }, "\(bench.client.traps)")
    }

    static let messages: [Case] = [
        Case("N1", "an acknowledgement with a new version") { bench in
            let message = bench.download([])
            bench.receive(.download(message))
        },
        Case("N1", "an exchange without end") { bench in
            for _ in 0..<40 {
                bench.version += 1
                let message = bench.download([])
                bench.receive(.download(message))
            }
        },
        Case("N3", "two downloads with one version") { bench in
            bench.change([.createObject(ClientBench.object)])
            bench.version -= 1
            bench.change([ClientBench.update("n", .int(2))])
        },
        Case("N7", "a refusal that can't be tried again") { bench in
            bench.receive(bench.refusal(of: bench.version + 1, tryAgain: false))
        },
        Case("N8", "a mark after an error") { bench in
            bench.client.waitForDownloads()
            bench.flush()
            let session = bench.client.sessions[0]
            bench.client.receive(bench.error(200, action: "Transient", tryAgain: true))
            bench.client.receive(.mark(session: session.number, number: session.sentMark))
        },
        Case("N8", "a download after an error") { bench in
            let message = bench.download([.createObject(ClientBench.object)])
            bench.client.receive(bench.error(200, action: "Transient", tryAgain: true))
            bench.client.receive(.download(message))
        },
        Case("N13", "an unknown action") { bench in bench.receive(bench.error(200, action: "Sleep")) },
        Case("7.1.1", "an impossible code") { bench in bench.receive(bench.error(203, action: "Warning")) },
        Case("7.1.2", "refused changes without their list") { bench in
            bench.receive(bench.error(231, action: "Warning", tryAgain: true))
        },
        Case("7.1.3", "an earlier schema without its version") { bench in
            bench.receive(bench.error(236, action: "MigrateSchema", tryAgain: true))
        },
        Case("7.1.5", "a refusal after its entry") { bench in
            bench.change([.createObject(ClientBench.object)])
            bench.receive(bench.refusal(of: bench.version))
        },
        Case("7.1.5", "a refusal whose entry is left out") { bench in
            bench.receive(bench.refusal(of: bench.version + 1))
            bench.version += 1
            bench.change([.createObject(ClientBench.object)])
        },
        Case("7.1.6", "a bootstrap of an unknown query set") { bench in bench.bootstrap(9) },
        Case("7.1.7", "an error of a complete query set") { bench in
            bench.receive(.queryError(session: 1, code: 226, version: 1, message: ""))
        },
        Case("7.1.8", "a bootstrap without an entry") { bench in
            bench.client.subscribe(to: [("A", "n == 1")])
            bench.flush()
            var message = bench.download([])
            (message.batch, message.queryVersion) = (.last, 2)
            bench.receive(.download(message))
        },
        Case("7.1.13", "a second ident") { bench in
            bench.receive(.ident(session: 1, file: RealmFileIdent(ident: 6, salt: 1)))
        },
        Case("7.1.13", "a mark that wasn't asked for") { bench in bench.receive(.mark(session: 1, number: 99)) },
        Case("7.1.13", "a pong without a ping") { bench in bench.receive(.pong(timestamp: 4)) },
        Case("7.1.13", "an unknown session") { bench in bench.receive(.mark(session: 8, number: 1)) },
        Case("7.1.13", "an unbound session") { bench in bench.receive(.unbound(session: 1)) },
        Case("7.1.13", "an unreadable message") { bench in bench.client.receive(frame: Array("hello 1\n".utf8)) },
        Case("7.1.14", "an unknown level of a log") { bench in
            bench.receive(.log(session: 1, level: "loud", message: "", coID: ""))
        },
        Case("7.1.16", "a transient error without another try") { bench in
            bench.receive(bench.error(200, action: "Transient"))
        },
        Case("7.1.17", "the code 1000") { bench in bench.client.closed(code: 1000) },
        Case("7.1.19", "a mark before the bootstrap of its query set") { bench in
            bench.client.subscribe(to: [("A", "n == 1")])
            bench.flush()
            bench.answerMark()
        },
    ]

    static let cursors: [Case] = [
        Case("5.5.1", "a latest version that falls") { bench in
            bench.change([.createObject(ClientBench.object)])
            var message = bench.download([ClientBench.update("n", .int(1))])
            message.latest.version = 1
            bench.receive(.download(message))
        },
        Case("5.5.1", "an acknowledgement of a missing version") { bench in
            var message = bench.download([.createObject(ClientBench.object)])
            message.upload.client = 900
            bench.receive(.download(message))
        },
        Case("5.5.1", "a download after changes that aren't acknowledged") { bench in
            try bench.commit([.create(ClientBench.object)])
            var message = bench.download([.createObject(WireObject(table: "A", key: .int(3)))])
            message.download.client = bench.client.file.newest
            message.upload.client = bench.client.file.upload.client
            bench.receive(.download(message))
        },
        Case("5.5.1", "an entry of the own file") { bench in
            var message = bench.download([.createObject(ClientBench.object)])
            message.entries[0].origin = 5
            bench.receive(.download(message))
        },
        Case("5.5.1", "an entry that is newer than its download") { bench in
            var message = bench.download([.createObject(ClientBench.object)])
            message.entries[0].serverVersion += 1
            bench.receive(.download(message))
        },
        Case("5.5.1", "a missing salt") { bench in
            var message = bench.download([.createObject(ClientBench.object)])
            message.latest.salt = 0
            bench.receive(.download(message))
        },
    ]

    static let changesets: [Case] = [
        Case("N6", "a collection in a mixed value after another object") { bench in
            bench.change([
                .createObject(ClientBench.object), .createObject(WireObject(table: "A", key: .int(2))),
                ClientBench.update("m", .list),
            ])
        },
        Case("7.2.1", "an unreadable changeset") { bench in
            var message = bench.download([.createObject(ClientBench.object)])
            message.entries[0].changeset = [0x3E]
            bench.receive(.download(message))
        },
        Case("7.2.4", "a long name") { bench in
            let name = WireText(String(repeating: "a", count: 64))
            bench.change([.addColumn(ColumnSpec(table: "A", field: name, kind: .int, isNullable: false))])
        },
        Case("7.2.8", "a wrong size in an update") { bench in
            bench.change([
                .createObject(ClientBench.object),
                .arrayInsert(at: ClientBench.path("l", [.index(0)]), value: .int(1), priorSize: 0),
                .update(at: ClientBench.path("l", [.index(0)]), value: .int(2), mark: .element(priorSize: 4)),
            ])
        },
        Case("7.2.9", "a key with a dot") { bench in
            bench.change([.createObject(ClientBench.object), ClientBench.update("d", .int(1), [.name("a.b")])])
        },
        Case("7.2.13", "an erased field") { bench in bench.change([.eraseColumn(table: "A", field: "n")]) },
        Case("7.2.14", "an updated primary key") { bench in
            bench.change([.createObject(ClientBench.object), ClientBench.update("_id", .int(2))])
        },
        Case("7.2.18", "a move in a list of objects") { bench in
            bench.change([
                .createObject(ClientBench.object),
                .arrayInsert(at: ClientBench.path("le", [.index(0)]), value: .object, priorSize: 0),
                .arrayInsert(at: ClientBench.path("le", [.index(1)]), value: .object, priorSize: 1),
                .arrayMove(at: ClientBench.path("le", [.index(0)]), target: 1, priorSize: 2),
            ])
        },
        Case("7.2.19", "a field of another type") { bench in
            bench.change([.addColumn(ColumnSpec(table: "A", field: "n", kind: .string, isNullable: false))])
        },
        Case("7.2.20", "a wrong size in an insertion") { bench in
            bench.change([
                .createObject(ClientBench.object),
                .arrayInsert(at: ClientBench.path("l", [.index(0)]), value: .int(1), priorSize: 3),
            ])
        },
        Case("7.2.20", "a change of a missing object") { bench in bench.change([ClientBench.update("n", .int(1))]) },
        Case("7.2.23", "an asymmetric object") { bench in
            bench.change([.createObject(WireObject(table: "Log", key: .int(1)))])
        },
        Case("11.2", "an own write that disappears before its answer") { bench in
            bench.change([.createObject(ClientBench.object)])
            try bench.commit([.set(ClientBench.path("n"), .scalar(.int(7)))], time: 20)
            // A server whose time is later than the client's hides the write.
            var message = bench.download([ClientBench.update("n", .int(8))], client: bench.client.file.upload.client)
            message.entries[0].timestamp = 900
            bench.receive(.download(message))
        },
    ]

    @Test func `a fraction of a progress stops old clients`() throws {
        var bench = try ClientBench(version: 11)
        bench.begin()
        expectEqual(bench.client.traps, [])
        var message = bench.download([.createObject(ClientBench.object)])
        message.progress = 0.5
        bench.receive(.download(message))
        expectEqual(bench.client.traps.map(\.rule), ["3"])
    }

    @Test func `the first bootstrap precedes everything`() throws {
        var bench = try ClientBench()
        bench.client.connect()
        bench.flush()
        bench.receive(.ident(session: 1, file: RealmFileIdent(ident: 5, salt: 9)))
        bench.change(ClientBench.schema)
        expect(bench.client.traps.contains { $0.rule == "N11" }, "\(bench.client.traps)")
    }
}

extension ClientBench {
    func refusal(of version: UInt64, tryAgain: Bool = true) -> RealmServerMessage {
        var error = ServerError(session: 1, code: 231, message: "", tryAgain: tryAgain, action: "Warning")
        error.compensation = ServerError.Compensation(
            serverVersion: version,
            clientVersion: client.file.newest,
            updates: [ServerError.Compensation.Update(reason: "no", object: Self.object)]
        )
        return .error(error)
    }
}
