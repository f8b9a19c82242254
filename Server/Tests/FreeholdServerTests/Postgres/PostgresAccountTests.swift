#if PostgreSQL
    import Foundation
    import FreeholdBSON
    import FreeholdEngine
    import FreeholdPostgresAccounts
    import FreeholdPostgresStore
    import FreeholdSyncCore
    import FreeholdSyncRules
    import PostgresProcess
    import ServerTestRandom
    import Synchronization
    import Testing

    @testable import FreeholdServer

    /// Accounts that several servers share in one database.
    @Suite(
        .timeLimit(.minutes(20)),
        .enabled(if: PostgresServer.isRequired || PostgresServer.isThere, "PostgreSQL isn't installed")
    )
    struct PostgresAccountTests {
        private let home: AccountHome

        init() throws { home = try AccountHome(TestDatabase()) }

        /// The servers have the database's time.
        private func server(_ home: AccountHome? = nil) async throws -> AccountProbe {
            try await AccountProbe(home: home ?? self.home)
        }

        // MARK: Two servers

        @Test func `a session never survives its log-out, whichever server renews it`() async throws {
            let servers = [try await server(), try await server()]
            let ways = ["the token", "the user", "disabled", "deleted"]
            var renewals = 0
            // Some at a time, so that log-outs and renewals meet.
            for round in 0..<125 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<8 {
                        let way = number < 5 ? ways[0] : ways[1 + (round + number) % 3]
                        group.addTask { try await Self.race(servers[number % 2], servers[1 - number % 2], way) }
                    }
                    for try await count in group { renewals += count }
                }
            }
            print("\(renewals) renewals were before the log-outs that they met")
            #expect(
                try home.database.sql(
                    """
                    SELECT count(*) FROM freehold.session s
                    WHERE NOT EXISTS (SELECT 1 FROM freehold.login l WHERE l.id = s.login AND NOT l.ended)
                    """
                ) == "0"
            )
            #expect(try home.database.sql("SELECT count(*) FROM freehold.session") == "0")
            #expect(try home.database.sql("SELECT count(*) FROM freehold.login WHERE NOT ended") == "0")
            for server in servers { await server.stop() }
        }

        /// Ends a log-in at one server while another one renews it.
        ///
        /// - Returns: The number of renewals that succeeded.
        private static func race(_ one: AccountProbe, _ other: AccountProbe, _ way: String) async throws -> Int {
            let login = try await one.loginAnonymous()
            let (token, user) = (try #require(login["refresh_token"]), try #require(login["user_id"]))
            let renewals = Task { () async throws -> [AccountProbe.Answer] in
                var (answers, newest) = ([AccountProbe.Answer](), token)
                for _ in 0..<3 {
                    let answer = try await other.renew(newest)
                    answers.append(answer)
                    newest = answer["refresh_token"] ?? newest
                }
                return answers
            }
            switch way {
            case "the token":
                #expect(try await one.send("DELETE", "/auth/session", token: token).status == 204)
            case "the user": try await one.store.logOut(user: user)
            case "disabled": try await one.store.setDisabled(true, user: user)
            default: try await one.store.deleteUser(user)
            }
            let answers = try await renewals.value
            // The log-out was answered: from now on nothing of the log-in is good anywhere.
            for answer in answers where answer.status == 201 {
                let (refresh, access) = (answer["refresh_token"], answer["access_token"])
                #expect(try await other.renew(refresh).status == 401)
                #expect(try await one.profile(access).status == 401)
            }
            for answer in answers { #expect(answer.status == 201 || answer.status == 401, "\(answer)") }
            return answers.count { $0.status == 201 }
        }

        @Test func `a connection to one server ends with the log-out at another one`() async throws {
            let (one, other) = (try await server(), try await server())
            let login = try await one.loginAnonymous()
            let peer = try await RawPeer(port: other.port)
            try await peer.hello(try #require(login["access_token"]))
            #expect(try await peer.next()?.fault == nil)
            let start = ContinuousClock.now
            #expect(try await one.send("DELETE", "/auth/session", token: login["refresh_token"]).status == 204)
            #expect(try await peer.next()?.fault == .auth)
            print("the connection ended after \(ContinuousClock.now - start)")
            for server in [one, other] { await server.stop() }
        }

        @Test func `attempts at several servers count together`() async throws {
            let servers = [try await server(), try await server()]
            try await servers[0].register("ann@example.org")
            for number in 0..<10 {
                #expect(try await servers[number % 2].login("ann@example.org", "wrong").status == 401)
            }
            for server in servers { #expect(try await server.login("ann@example.org").status == 429) }
            for server in servers { await server.stop() }
        }

        private static func classes(_ names: String...) throws -> [FreeholdSyncRules.SchemaDocument] {
            try names.map { name in
                FreeholdSyncRules.SchemaDocument(
                    schema: try BSONDocument(
                        extendedJSON:
                            #"{"title": "\#(name)", "bsonType": "object", "properties": {"_id": {"bsonType": "long"}, "team": {"bsonType": "string"}}, "required": ["_id"]}"#
                    )
                )
            }
        }

        @Test func `apps, classes, rules and users' data that one server changes are used by another one`() async throws
        {
            let (one, other) = (try await server(), try await server())
            let served = try #require(other.running.watch?.accounts.served)
            let start = ContinuousClock.now
            let classes = try Self.classes("Thing")
            try await one.store.changeDocuments(of: "test") { try $0.push(classes) }
            try await eventually("the classes") { served["test"]?.tables.map(\.name) == ["Thing"] }
            print("the classes were used after \(ContinuousClock.now - start)")
            let rules = try RuleSet(
                extendedJSON: #"{"classes": {"Thing": {"roles": [{"name": "team", "apply_when": {}, "read": true}]}}}"#
            )
            try await one.store.changeDocuments(of: "test") { $0.rules = rules }
            try await eventually("the rules") { served["test"]?.hasRules == true }
            try await one.store.createApp(AccountApp(id: "later", allowsAnonymous: true, access: .everyone))
            try await eventually("the app") { served["later"] != nil }
            #expect(try await other.send("POST", "/app/later/auth/providers/anon-user/login", [:]).status == 200)
            // A user that the other server knows.
            let login = try await other.loginAnonymous()
            let user = try #require(login["user_id"])
            let peer = try await RawPeer(port: other.port)
            try await peer.hello(try #require(login["access_token"]))
            #expect(try await peer.next()?.fault == nil)
            try await one.store.setCustomData(#"{"team": "red"}"#, user: user)
            let looks = try #require(other.running.watch?.looks)
            try await eventually("the user's data") { looks.users.load(ordering: .relaxed) > 0 }
            try await one.store.deleteApp("test")
            #expect(try await peer.next()?.fault == .auth)
            for server in [one, other] { await server.stop() }
        }

        @Test func `changes of one app at the same time are all kept`() async throws {
            let stores = [try await home.open(), try await home.open()]
            try await stores[0].createApp(AccountApp(id: "test"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        let classes = try Self.classes("Class\(number)")
                        try await stores[number % 2].changeDocuments(of: "test") { try $0.push(classes) }
                    }
                }
                try await group.waitForAll()
            }
            let documents = try await stores[0].documents(of: "test")
            #expect(Set(documents.schemas.map(\.className)) == Set((0..<24).map { "Class\($0)" }))
            #expect(try await stores[1].documents(of: "test") == documents)
        }

        @Test func `accounts that are made at the same time have one name, and links keep one owner`() async throws {
            let stores = [try await home.open(), try await home.open()]
            try await stores[0].createApp(AccountApp(id: "test", allowsAnonymous: true))
            for round in 0..<20 {
                let name = "ann\(round)@example.org"
                let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            do {
                                _ = try await stores[number % 2].createUser(
                                    NewUser(app: "test", provider: .emailPassword, name: name, password: "hash")
                                )
                                return true
                            } catch let error as AccountError where error == .nameInUse { return false }
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(made == 1)
                // Several users claim the address, and its own user logs in.
                let owner = try #require(try await stores[0].identity("test", .emailPassword, name)?.user)
                let others = [
                    try await stores[0].createUser(NewUser(app: "test", provider: .anonymous, name: "a\(round)")).id,
                    try await stores[0].createUser(NewUser(app: "test", provider: .anonymous, name: "b\(round)")).id,
                ]
                let token = RefreshToken(text: "t\(round)", created: Date(), expires: Date() + 1_000)
                let begun = Task { try await stores[0].beginSession(of: owner, token: token) }
                let links = others.enumerated().map { index, user in
                    Task { try await stores[index].link(user, .emailPassword, name) }
                }
                var winners: [String] = []
                for (user, link) in zip(others, links) { if (try? await link.value) != nil { winners.append(user) } }
                let session = try? await begun.value
                let now = try await stores[1].identity("test", .emailPassword, name)?.user
                if let session {
                    #expect(winners.isEmpty && now == owner && session.user.id == owner)
                } else {
                    #expect(winners.count == 1 && now == winners.first)
                    #expect(try await stores[1].user(owner) == nil)
                }
            }
        }

        // MARK: Faults

        @Test func `log-ins are 503 while the database is away, and connections stay`() async throws {
            let postgres = try await onThread { try PostgresServer() }
            defer { try? postgres.stop(.immediate) }
            let home = try AccountHome(try TestDatabase(postgres))
            let server = try await server(home)
            try await server.register("ann@example.org")
            let login = try await server.login("ann@example.org")
            let peer = try await RawPeer(port: server.port)
            try await peer.hello(try #require(login["access_token"]))
            #expect(try await peer.next()?.fault == nil)
            for mode in [PostgresServer.StopMode.fast, .immediate] {
                try await onThread { try postgres.stop(mode) }
                for answer in [
                    try await server.login("ann@example.org"), try await server.renew(login["refresh_token"]),
                    try await server.profile(login["access_token"]), try await server.register("bob@example.org"),
                ] {
                    #expect(answer.status == 503 && answer.code == "InternalServerError", "\(answer)")
                }
                // The token of a new connection isn't refused.
                let late = try await RawPeer(port: server.port)
                try await late.hello(try #require(login["access_token"]))
                guard case .transient? = try await late.next()?.fault else {
                    Issue.record("a token was refused while accounts couldn't be read")
                    return
                }
                try await peer.send(.ping(Ping(deviceTime: 0)))
                guard case .pong? = try await peer.next() else {
                    Issue.record("a connection ended")
                    return
                }
                try await onThread { try postgres.start() }
                try await eventually("a log-in") { try await server.login("ann@example.org").status == 200 }
                #expect(try await server.profile(login["access_token"]).status == 200)
                try await peer.send(.ping(Ping(deviceTime: 0)))
                guard case .pong? = try await peer.next() else {
                    Issue.record("a connection ended")
                    return
                }
            }
            await server.stop()
        }

        @Test func `a database that takes no writes answers 503, and log-ins that were read before stay good`()
            async throws
        {
            let server = try await server()
            let login = try await server.loginAnonymous()
            let database = try home.database
            let name = try database.sql("SELECT current_database()")
            try database.sql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            try database.sql(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = '\(name)' AND pid <> pg_backend_pid()
                """
            )
            try await eventually("503") { try await server.loginAnonymous().status == 503 }
            #expect(try await server.renew(login["refresh_token"]).status == 503)
            try database.sql("BEGIN READ WRITE; ALTER DATABASE \(name) SET default_transaction_read_only = off; COMMIT")
            try await eventually("a log-in") { try await server.loginAnonymous().status == 200 }
            #expect(try await server.renew(login["refresh_token"]).status == 201)
            await server.stop()
        }

        @Test func `a statement that expires changes nothing, and the next one works`() async throws {
            let database = try home.database
            let name = try database.sql("SELECT current_database()")
            let server = try await server()
            let login = try await server.loginAnonymous()
            let (user, token) = (try #require(login["user_id"]), try #require(login["refresh_token"]))
            try database.sql("ALTER DATABASE \(name) SET statement_timeout = '300ms'")
            try database.sql(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = '\(name)' AND pid <> pg_backend_pid()
                """
            )
            // Another transaction has locked the log-in and its user.
            let lock = Task {
                try await onThread {
                    try database.sql(
                        """
                        SET statement_timeout = 0; BEGIN; UPDATE freehold.login SET stamp = stamp WHERE usr = '\(user)';
                        UPDATE freehold.app_user SET disabled = disabled WHERE id = '\(user)'; SELECT pg_sleep(600); COMMIT
                        """
                    )
                }
            }
            try await eventually("the lock") {
                try database.sql(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND query LIKE '%pg_sleep(600)%' AND wait_event = 'PgSleep'"
                ) != "0"
            }
            try await eventually("503") { try await server.renew(token).status == 503 }
            #expect(try await server.profile(login["access_token"]).status == 200, "reads wait for no lock")
            let logOut = await #expect(throws: AccountStorageFailure.self) {
                try await server.store.logOut(user: user)
            }
            #expect(logOut?.description.contains("timeout") == true, "\(String(describing: logOut))")
            try database.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = '\(name)'"
            )
            _ = try? await lock.value
            try await eventually("a renewal") { try await server.renew(token).status == 201 }
            await server.stop()
        }

        @Test func `backends that are killed lose no log-in that was answered`() async throws {
            let server = try await server()
            let database = try home.database
            let killer = Task {
                var random = SeededRandom(test: "PostgresAccountTests, kills")
                while !Task.isCancelled {
                    try await onThread {
                        _ = try database.sql(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                            """
                        )
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...40, using: &random)))
                }
            }
            var (good, refused): ([String], Int) = ([], 0)
            for number in 0..<150 {
                let answer = try await server.loginAnonymous()
                #expect(answer.status == 200 || answer.status == 503, "\(answer)")
                guard answer.status == 200, let token = answer["refresh_token"] else {
                    refused += 1
                    continue
                }
                guard number % 3 == 0 else {
                    good.append(token)
                    continue
                }
                let next = try await server.renew(token)
                #expect(next.status == 201 || next.status == 503, "\(next)")
                // If the answer is lost, the client presents its old token again.
                good.append(next["refresh_token"] ?? token)
            }
            killer.cancel()
            _ = try? await killer.value
            print("\(good.count) log-ins, \(refused) without an answer")
            for token in good {
                try await eventually("a renewal") { try await server.renew(token).status == 201 }
            }
            await server.stop()
        }

        // MARK: The database

        @Test func `passwords, tokens and keys are in the database as hashes only`() async throws {
            let server = try await server()
            try await server.register("ann@example.org", "a very secret password")
            let login = try await server.login("ann@example.org", "a very secret password")
            let key = try await server.send("POST", "/auth/api_keys", ["name": "robot"], token: login["refresh_token"])
            _ = try await server.userpass("reset/send", ["email": "ann@example.org"])
            let mail = try await server.mailer.next()
            await server.stop()
            let secrets = try [
                "a very secret password", mail.token, #require(login["refresh_token"]), #require(login["access_token"]),
                #require(key["key"]),
            ]
            for table in ["app_user", "identity", "login", "session", "api_key", "code", "attempt", "change_note"] {
                let rows = try home.database.sql("SELECT string_agg(t::text, ' ') FROM freehold.\(table) t")
                #expect(!rows.isEmpty, "\(table)")
                for secret in secrets { #expect(!rows.contains(secret), "\(table)") }
            }
        }

        @Test func `texts that no row can have are refused, and nothing is stored`() async throws {
            let server = try await server()
            let login = try await server.loginAnonymous()
            let token = login["refresh_token"]
            let made = try await server.send("POST", "/auth/api_keys", ["name": "a\u{0}b"], token: token)
            #expect(made.status == 400, "\(made)")
            #expect(try await server.send("GET", "/auth/api_keys", token: token).body == .array([]))
            #expect(try await server.login("a\u{0}b@example.org").status < 500)
            let byKey = try await server.login(key: "a\u{0}b")
            #expect([400, 401].contains(byKey.status), "\(byKey)")
            await server.stop()
        }

        @Test func `old notes, log-ins, codes and attempts are removed`() async throws {
            let clock = TestClock()
            let home = try AccountHome(.postgres)
            let store = try await home.open(clock)
            try await store.createApp(AccountApp(id: "test", allowsAnonymous: true))
            let user = try await store.createUser(NewUser(app: "test", provider: .anonymous, name: "a")).id
            _ = try await store.createUser(
                NewUser(app: "test", provider: .emailPassword, name: "ann@example.org", password: "hash")
            )
            _ = try await store.createCode("test", "ann@example.org", isReset: true)
            let token = RefreshToken(text: "t", created: clock.now, expires: clock.now + 1_000)
            _ = try await store.beginSession(of: user, token: token)
            try await store.endSession("t")
            try await store.limiter(AttemptLimiter.Limits()).attempt(account: "a", address: "192.0.2.1")
            var (changes, position) = try await store.changes(after: nil)
            #expect(changes?.documents == ["test"])
            clock.advance(12 * 3_600)
            (changes, position) = try await store.changes(after: position)
            #expect(changes == nil)
            func counts() throws -> [String] {
                try ["change_note", "login", "code", "attempt"].map {
                    try home.database.sql("SELECT count(*) FROM freehold.\($0)")
                }
            }
            #expect(try counts() == ["2", "1", "0", "0"])
            clock.advance(12 * 3_600 + 1)
            (changes, position) = try await store.changes(after: position)
            #expect(changes == nil)
            #expect(try counts() == ["0", "0", "0", "0"])
            // Notes that this server needs may be missing: everything counts as changed.
            clock.advance(24 * 3_600)
            (changes, _) = try await store.changes(after: position)
            #expect(changes?.documents == ["test"] && changes?.ended == .any)
        }

        @Test func `a note with an earlier time than the last one is followed`() async throws {
            let store = try await home.open()
            try await store.createApp(AccountApp(id: "test"))
            let (_, position) = try await store.changes(after: nil)
            // A transaction that began before the last read, and was committed after it.
            let at = "(extract(epoch FROM clock_timestamp()) * 1000000)::int8 - 20000000"
            try home.database.sql(
                "INSERT INTO freehold.change_note(at, id, app, kind, subject) VALUES (\(at), 1, 'test', 'login', 'late')"
            )
            let (changes, next) = try await store.changes(after: position)
            #expect(changes?.ended == .these(["late"]))
            #expect(try await store.changes(after: next).changes == nil, "once")
        }

        @Test(arguments: AccountStatement.all + AccountStatement.copies)
        func `statements use what distributed databases accept`(
            _ statement: PostgresDatabase.Statement
        ) {
            let words = statement.sql.uppercased()
            for forbidden in [
                "NEXTVAL", "SERIAL", "TRIGGER", "ADVISORY", "LISTEN", "NOTIFY", "XMIN", "TXID", "FOR SHARE", "CURSOR",
                " TEMP ", "TEMPORARY", "COPY ", "LOCK TABLE", "CTID", "SELECT FROM",
            ] { #expect(!words.contains(forbidden)) }
            // A statement changes each table once.
            var changed: [String] = []
            for keyword in ["INSERT INTO ", "DELETE FROM ", "UPDATE "] {
                for part in words.replacing("FOR UPDATE", with: "").components(separatedBy: keyword).dropFirst()
                where !part.hasPrefix("SET") {
                    changed.append(String(part.prefix { $0.isLetter || $0 == "_" }))
                }
            }
            #expect(Set(changed).count == changed.count, "\(changed)")
        }
    }
#endif
