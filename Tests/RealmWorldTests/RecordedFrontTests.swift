import Testing

@testable import FreeholdRealmWire
@testable import FreeholdSyncCore
@testable import SyncWorlds
@testable import TestRealmClient

/// The front end in place of the recorded servers: it receives what the official client sent, and answers alike.
///
/// Versions, salts, idents and times differ, so that those of the recording are replaced. The protocol leaves these differences to a
/// server, so that downloads are compared by their effect on the client's objects:
///
/// - the number of parts of a bootstrap, and of entries in which changes arrive,
/// - the number of acknowledgements without entries, if each upload is acknowledged in the end.
///
/// The merge of the recorded servers differs from Freehold's in two places: see `comparable`.
///
/// All other messages have to arrive in the recorded order, and after the downloads that preceded them in the recording.
@Suite("Realm worlds: recorded connections")
struct RecordedFrontTests {
    @Test(arguments: RecordedConnection.runs.map(\.name))
    func `the front answers like the recorded server`(_ name: String) throws {
        let count = RecordedConnection.runs.first { $0.name == name }!.connections
        var run = try RecordedFrontRun(name, connections: count)
        try run.play()
        print("\(name): \(run.sent) messages received, \(run.compared) answers compared")
        expect(run.compared > 5)
    }
}

/// The connections of a recorded run, at one front end each.
private struct RecordedFrontRun {
    private struct Connection {
        var lines: [RecordedConnection.Line]
        var position = 0
        var index: Int?
        /// The server's versions of downloads, by those of the recorded one that mean the same.
        var versions: [UInt64: UInt64] = [:]
        /// The newest versions of the server and their salts, by those of the recorded one.
        var latest: [UInt64: LatestVersion] = [:]
        var idents: [UInt64: RealmFileIdent] = [:]
        /// The client's file with the recorded downloads, and with those of the front, by session.
        var files: [UInt64: Files] = [:]
        /// The changesets of each session that the client hasn't committed yet.
        var commits: [UInt64: [UploadEntry]] = [:]
        /// A Boolean value that indicates whether the recorded part of the next line was taken already.
        var isTaken = false

        var next: RecordedConnection.Line? { position < lines.count ? lines[position] : nil }
    }

    /// The file of a client with the recorded downloads, and with those of the front.
    private struct Files {
        var recorded: ClientFile
        var shown: ClientFile
        /// The entries of a bootstrap of the front that hasn't ended.
        var parts: [DownloadEntry] = []
        /// The query versions of both.
        var recordedQuery: Int64 = 0
        var shownQuery: Int64 = 0
        private let name: String

        init(of name: String) throws {
            self.name = name
            recorded = try ClientFile(appSchema: [], time: 1)
            shown = recorded
        }

        /// A Boolean value that indicates whether both show the same, and whether the front has acknowledged as much.
        var areEqual: Bool {
            shown.upload.client >= recorded.upload.client && shownQuery == recordedQuery && parts.isEmpty
                && shown.state.schema.tables.keys == recorded.state.schema.tables.keys
                && comparable(recorded.state).difference(to: comparable(shown.state)).isEmpty
        }

        /// The differences between both.
        var text: String {
            """
            The front has acknowledged \(shown.upload.client), and the recorded server \(recorded.upload.client). \
            The query sets are \(shownQuery) and \(recordedQuery), \(parts.count) entries wait, and the front's objects differ in \
            \(comparable(recorded.state).difference(to: comparable(shown.state)).instructions)
            """
        }

        /// Returns a state without the places in which the merges of the servers differ.
        ///
        /// - In `06-repair`, two clients insert into a list that one of them clears. The order of the elements is a server's choice.
        /// - In `08-actions`, the client creates an object again that it has deleted. The recorded server deletes it.
        func comparable(_ state: WireState) -> WireState {
            var state = state
            switch name {
            case "06-repair":
                let object = WireObject(table: "A", key: .int(1))
                if case .list(let list)? = state[object]?["li"] {
                    let values = list.values.sorted { "\($0)" < "\($1)" }
                    state[object]?["li"] = .list(WireList(values: values))
                }
            case "08-actions": state[WireObject(table: "B", key: .string("x"))] = nil
            default: break
            }
            return state
        }

        /// Commits a changeset of the client in both files.
        mutating func commit(_ entry: UploadEntry) throws {
            let instructions = try Changeset(bytes: entry.changeset).instructions
            for path in [\Files.recorded, \Files.shown] {
                self[keyPath: path].note(upTo: entry.clientVersion - 1)
                try self[keyPath: path].commit(instructions, time: entry.timestamp)
            }
        }
    }

    private var bench: FrontBench
    private let name: String
    private var connections: [Connection] = []
    /// The number of changesets that became commits.
    private var commits: UInt64 = 1
    var sent = 0
    var compared = 0

    init(_ name: String, connections count: Int) throws {
        self.name = name
        var rules = MergeRules()
        if name == "03-refused-writes" {
            // The recorded server refused all changes of the second client in class B.
            rules.forbids = { file, _, object in file.rawValue == 2 && object.className == "B" }
        }
        if name == "04-asymmetric" { rules.createOnly = ["M"] }
        bench = FrontBench(rules: rules)
        for number in 1...count {
            let recorded = try RecordedConnection("\(name)-connection-\(number)", compression: SystemZlib())
            var connection = Connection(lines: recorded.lines)
            for case .client(.upload(let upload)) in recorded.lines {
                connection.commits[upload.session, default: []] += upload.entries
            }
            connections.append(connection)
        }
    }

    mutating func play() throws {
        var isStuck = false
        while connections.contains(where: { $0.next != nil }) {
            var progress = false
            for number in connections.indices {
                while try step(number, isStuck: isStuck) {
                    progress = true
                    isStuck = false
                }
            }
            if progress { continue }
            guard !isStuck else {
                for (number, connection) in connections.enumerated() where connection.next != nil {
                    let files = connection.files[connection.next!.session]
                    let next = connection.index.flatMap { bench.connections[$0].sent.first }
                    expect(
                        false,
                        """
                        \(name) \(number + 1), line \(connection.position): no answer like \(connection.next!). \
                        The next message is \(next.map { "\($0)" } ?? "missing"). \(files?.text ?? "")
                        """
                    )
                }
                return
            }
            isStuck = true
        }
        for (number, connection) in connections.enumerated() {
            for session in connection.files.keys.sorted() {
                try takeDownloads(of: session, on: number)
                expectEqualFiles(session, on: number, at: "\(name) \(number + 1), end")
            }
        }
        guard name == "06-repair" else { return }
        let ends = connections.compactMap { $0.files.max { $0.key < $1.key }?.value.shown.state }
        expectEqual(ends.count, 2)
        expect(ends[0].difference(to: ends[1]).isEmpty, "\(ends[0].difference(to: ends[1]).instructions)")
    }

    /// Plays the next line of a connection. Returns `false` if it has to wait for another connection.
    private mutating func step(_ number: Int, isStuck: Bool) throws -> Bool {
        guard let line = connections[number].next else { return false }
        switch line {
        case .client(let message):
            if number > 0, connections[number].index == nil, !mayBegin(number) { return false }
            if case .upload(let upload) = message, !upload.entries.isEmpty, !isStuck {
                // The recorded server made these commits after the downloads of the other connections.
                guard !waits(for: commits + 1, except: number) else { return false }
            }
            try send(message, number)
        case .server(let message):
            if case .download(let download) = message, download.download.server / 1_000_000 > commits, !isStuck {
                // The download contains commits of another connection that weren't made yet.
                return false
            }
            guard try receive(message, number) else { return false }
        }
        connections[number].isTaken = false
        connections[number].position += 1
        return true
    }

    /// Returns a Boolean value that indicates whether the recorded commits before the first download were made.
    private func mayBegin(_ number: Int) -> Bool {
        for case .server(.download(let download)) in connections[number].lines {
            return download.download.server / 1_000_000 <= commits
        }
        return true
    }

    /// Returns a Boolean value that indicates whether another connection has to receive the changes before a commit first.
    private func waits(for commit: UInt64, except number: Int) -> Bool {
        connections.enumerated().contains { other, connection in
            guard other != number else { return false }
            for case .server(.download(let download)) in connection.lines[connection.position...]
            where !download.entries.isEmpty {
                return download.download.server / 1_000_000 < commit
            }
            return false
        }
    }

    // MARK: The client

    private mutating func send(_ message: RealmClientMessage, _ number: Int) throws {
        if connections[number].index == nil { connections[number].index = bench.connect() }
        sent += 1
        let session = message.session
        var message = message
        switch message {
        case .ident(var ident):
            if name == "05-client-reset", ident.file.ident == 3, ident.session == 2 {
                // The recorded server had forgotten the file.
                ident.file.salt ^= 1
            } else if let own = connections[number].idents[ident.file.ident] {
                ident.file = own
            }
            ident.download.server = version(ident.download.server, number)
            if let latest = connections[number].latest[ident.latest.version] { ident.latest = latest }
            message = .ident(ident)
            // Another session of the file continues with its objects.
            if ident.download.server > 0, connections[number].files[session] == nil,
                let other = connections[number].files.keys.max()
            {
                connections[number].files[session] = connections[number].files[other]
            }
        case .upload(var upload):
            upload.progress.server = version(upload.progress.server, number)
            upload.lockedServer = version(upload.lockedServer, number)
            let known = Set(upload.entries.map(\.clientVersion))
            while let entry = connections[number].commits[session]?.first, known.contains(entry.clientVersion) {
                try commit(entry, session, number)
            }
            for position in upload.entries.indices {
                upload.entries[position].serverVersion = version(upload.entries[position].serverVersion, number)
                bench.schema.adopt(try Changeset(bytes: upload.entries[position].changeset).instructions)
                commits += 1
            }
            message = .upload(upload)
        case .query(let session, 2, _) where name == "07-errors":
            // The recorded server refused a query that the front end can evaluate.
            message = .query(session: session, version: 2, queries: [ClassQuery(table: "A", text: "(missing == 5)")])
        default: break
        }
        try bench.send(message, connections[number].index!)
    }

    private func version(_ recorded: UInt64, _ number: Int) -> UInt64 {
        connections[number].versions[recorded] ?? recorded
    }

    private mutating func commit(_ entry: UploadEntry, _ session: UInt64, _ number: Int) throws {
        connections[number].commits[session]!.removeFirst()
        var files = try connections[number].files[session] ?? Files(of: name)
        try files.commit(entry)
        connections[number].files[session] = files
    }

    /// Commits what the client had committed at a version of the recorded server.
    private mutating func commitAll(basedOn version: UInt64, _ session: UInt64, _ number: Int) throws {
        while let entry = connections[number].commits[session]?.first, entry.serverVersion == version {
            try commit(entry, session, number)
        }
    }

    // MARK: The server

    /// Compares the next messages of the front with a recorded one. Returns `false` if the front hasn't sent enough.
    private mutating func receive(_ recorded: RealmServerMessage, _ number: Int) throws -> Bool {
        guard let index = connections[number].index else { return false }
        // The recorded server ended a session by the order of its operator.
        if name == "07-errors", case .error = recorded { return true }
        if name == "07-errors", case .unbound? = bench.connections[index].sent.first { _ = bench.next(index) }
        let place = "\(name) \(number + 1), line \(connections[number].position)"
        if case .download(let download) = recorded { return try follow(download, on: number, at: place) }
        try takeDownloads(of: recorded.session, on: number)
        guard let message = bench.next(index) else { return false }
        compared += 1
        switch (recorded, message) {
        case (.ident(_, let old), .ident(let session, let new)):
            expectEqual(session, recorded.session, "\(place)")
            connections[number].idents[old.ident] = new
        case (.error(let old), .error(let new)):
            expectEqual(new.session, old.session, "\(place)")
            expectEqual(new.code, old.code, "\(place)")
            expectEqual(new.action, old.action, "\(place)")
            expectEqual(new.tryAgain, old.tryAgain, "\(place)")
            expectEqual(new.compensation?.clientVersion, old.compensation?.clientVersion, "\(place)")
            let (objects, recorded) = (new.compensation?.updates.map(\.object), old.compensation?.updates.map(\.object))
            expectEqual(objects.map { Set($0) }, recorded.map { Set($0) }, "\(place)")
        case (.queryError(let session, _, let version, _), .queryError(let other, _, let own, _)):
            expectEqual(other, session, "\(place)")
            expectEqual(own, version, "\(place)")
        case (.mark, .mark):
            expectEqual(message, recorded, "\(place)")
            expectEqualFiles(recorded.session, on: number, at: place)
        default: expectEqual(message, recorded, "\(place)")
        }
        return true
    }

    /// Takes a recorded download, and those of the front until the client shows the same.
    private mutating func follow(
        _ old: RealmServerMessage.Download,
        on number: Int,
        at place: String
    ) throws -> Bool {
        if !connections[number].isTaken {
            var files = try connections[number].files[old.session] ?? Files(of: name)
            if !old.entries.isEmpty {
                connections[number].files[old.session] = files
                try commitAll(basedOn: files.recorded.download.server, old.session, number)
                files = connections[number].files[old.session]!
            }
            try integrate(old.entries, of: old, into: &files.recorded)
            files.recordedQuery = old.queryVersion
            connections[number].files[old.session] = files
            connections[number].isTaken = true
            compared += 1
        }
        while !connections[number].files[old.session]!.areEqual {
            guard try takeDownload(of: old.session, on: number) else { return false }
        }
        let file = connections[number].files[old.session]!.shown
        connections[number].versions[old.download.server] = file.download.server
        connections[number].latest[old.latest.version] = file.latest
        return true
    }

    private mutating func takeDownloads(of session: UInt64, on number: Int) throws {
        while try takeDownload(of: session, on: number) {}
    }

    /// Takes the next message of the front if it is a download. Returns `false` otherwise.
    private mutating func takeDownload(of session: UInt64, on number: Int) throws -> Bool {
        let index = connections[number].index!
        guard case .download(let new)? = bench.connections[index].sent.first, new.session == session else {
            return false
        }
        _ = bench.next(index)
        let place = "\(name) \(number + 1), line \(connections[number].position)"
        expectEqual(new.progress, new.batch == .more ? 0.5 : 1, "\(place)")
        expect(new.entries.allSatisfy { $0.timestamp == 1 && $0.origin == 1 }, "\(place)")
        var files = try connections[number].files[session] ?? Files(of: name)
        if new.batch == .steady {
            expectEqual(new.queryVersion, files.shownQuery, "\(place)")
            expect(files.parts.isEmpty, "\(place): a change precedes the end of a bootstrap")
            expectEqual(new.entries.isEmpty, new.download.server == files.shown.download.server, "\(place)")
        }
        files.parts += new.entries
        if new.batch != .more {
            expect(new.batch == .steady || !files.parts.isEmpty, "\(place): a bootstrap has no entry")
            let traps = try integrate(files.parts, of: new, into: &files.shown)
            expectEqual(traps, [], "\(place)")
            (files.parts, files.shownQuery) = ([], new.queryVersion)
        }
        connections[number].files[session] = files
        return true
    }

    /// Expects that the client shows equal objects after the recorded downloads and after those of the front.
    private func expectEqualFiles(_ session: UInt64, on number: Int, at place: String) {
        guard let files = connections[number].files[session] else { return }
        let (recorded, shown) = (files.comparable(files.recorded.state), files.comparable(files.shown.state))
        let difference = recorded.difference(to: shown)
        expect(difference.isEmpty, "\(place): \(difference.instructions)")
        expect(files.parts.isEmpty, "\(place)")
        expectEqual(files.shownQuery, files.recordedQuery, "\(place)")
        expectEqual(files.shown.upload.client, files.recorded.upload.client, "\(place)")
        expectEqual(
            files.shown.state.schema.tables.keys.sorted(),
            files.recorded.state.schema.tables.keys.sorted(),
            "\(place)"
        )
    }

    @discardableResult
    private func integrate(
        _ entries: [DownloadEntry],
        of message: RealmServerMessage.Download,
        into file: inout ClientFile
    ) throws -> [ClientTrap] {
        file.note(upTo: message.upload.client)
        guard !entries.isEmpty else {
            file.take(message)
            return []
        }
        return try file.integrate(entries, of: message).traps
    }
}
