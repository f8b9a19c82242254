import Foundation
import FreeholdBSON
import Testing

@testable import FreeholdServer

/// Users that are imported with their ids.
@Suite(.timeLimit(.minutes(20))) struct UserImportTests {
    private static let id = "5f0000000000000000000001"

    private func user(_ text: String) throws -> ImportedUser { try ImportedUser(BSONDocument(extendedJSON: text)) }

    @Test func `a user of App Services' list keeps its id, its data and its log-ins`() async throws {
        let server = try await AccountProbe(app: AccountApp(id: "test"))
        let imported = try user(
            """
            {"_id": "\(Self.id)", "type": "normal", "disabled": false, "creation_date": 1600000000,
             "data": {"email": "Ann@example.org"}, "custom_data": {"team": "red"},
             "identities": [
               {"id": "5f00000000000000000000aa", "provider_type": "local-userpass", "provider_id": "5f00000000000000000000bb",
                "provider_data": {"email": "Ann@example.org"}},
               {"id": "1084", "provider_type": "oauth2-google", "provider_data": {"name": "Ann", "email": "x@example.org"}},
               {"id": "zzz", "provider_type": "anon-user"}]}
            """
        )
        let report = try await server.store.importUsers([imported], app: "test")
        #expect(report.created == 1)
        #expect(report.withoutPassword == 1)
        #expect(report.refusals.isEmpty)
        let stored = try #require(try await server.store.user(Self.id))
        #expect(stored.customData == #"{"team":"red"}"#)
        #expect(stored.created == Date(timeIntervalSince1970: 1_600_000_000))
        #expect(
            Set(stored.identities.map { "\($0.provider) \($0.name)" }) == [
                "local-userpass ann@example.org", "oauth2-google 1084",
            ]
        )
        // Without a password, the user has to reset it by mail, and is the same user then.
        #expect(try await server.login("ann@example.org", "").code == "MissingParameter")
        #expect(try await server.login("ann@example.org").code == "InvalidPassword")
        _ = try await server.userpass("reset/send", ["email": "ann@example.org"])
        let mail = try await server.mailer.next()
        let body: BSONDocument = [
            "tokenId": .string(mail.tokenId), "token": .string(mail.token), "password": "a new password",
        ]
        #expect(try await server.userpass("reset", body).status == 200)
        #expect(try await server.login("ann@example.org", "a new password")["user_id"] == Self.id)
        await server.stop()
    }

    @Test(arguments: [
        "$2b$04$abcdefghijklmnopqrstuunJ0u00SLiuoTA7qEltWZhxMUdJFZu5q",
        "pbkdf2-sha256$1000$c29tZSBzYWx0$lnjUVFcZ66pru9XUYJUTwyKagrzjA2K2BqidbF79wxk=",
    ])
    func `a password of another server is accepted, and stored in the usual form after the first log-in`(_ hash: String)
        async throws
    {
        let server = try await AccountProbe(app: AccountApp(id: "test"))
        let document: BSONDocument = [
            "_id": .string(Self.id),
            "identities": [
                ["provider_type": "local-userpass", "email": "ann@example.org", "password_hash": .string(hash)]
            ],
        ]
        _ = try await server.store.importUsers([try ImportedUser(document)], app: "test")
        func stored() async throws -> String? {
            try await server.store.identity("test", .emailPassword, "ann@example.org")?.password
        }
        #expect(try await server.login("ann@example.org", "a wrong password").code == "InvalidPassword")
        #expect(try await stored() == hash)
        #expect(try await server.login("ann@example.org")["user_id"] == Self.id)
        #expect(try await stored()?.hasPrefix("scrypt$") == true)
        #expect(try await server.login("ann@example.org")["user_id"] == Self.id)
        #expect(try await server.login("ann@example.org", "a wrong password").code == "InvalidPassword")
        await server.stop()
    }

    @Test func `API keys are imported by themselves or by their hashes`() async throws {
        let server = try await AccountProbe(app: AccountApp(id: "test"))
        let (first, second) = ("a key of the earlier server", "another key of the earlier server")
        let document: BSONDocument = [
            "_id": try BSONValue(extendedJSON: #"{"$oid": "\#(Self.id)"}"#), "identities": [],
            "api_keys": [
                ["name": "a", "key": .string(first)],
                ["name": "b", "sha256": .string(SecretDigest.hexadecimal(second)), "disabled": true],
            ],
        ]
        let user = try ImportedUser(document)
        _ = try await server.store.importUsers([user], app: "test")
        #expect(try await server.login(key: first)["user_id"] == Self.id)
        #expect(try await server.login(key: second).code == "InvalidSession")
        let keys = try await server.store.keys(of: Self.id)
        try await server.store.setKey(try #require(keys.first { $0.name == "b" }).id, of: Self.id, isDisabled: false)
        #expect(try await server.login(key: second)["user_id"] == Self.id)
        #expect(try await server.store.importUsers([user], app: "test").unchanged == 1)
        await server.stop()
    }

    @Test func `an import can be repeated, and leaves later changes of the user`() async throws {
        let server = try await AccountProbe(app: AccountApp(id: "test"))
        let hash = try PasswordHash("an old password", rounds: 1 << 10).text
        func document(_ data: String) throws -> ImportedUser {
            try user(
                """
                {"_id": "\(Self.id)", "custom_data": \(data), "identities": [
                  {"provider_type": "local-userpass", "email": "ann@example.org", "password_hash": "\(hash)"}]}
                """
            )
        }
        _ = try await server.store.importUsers([try document("{}")], app: "test")
        let again = try await server.store.importUsers([try document("{}")], app: "test")
        #expect((again.created, again.changed, again.unchanged) == (0, 0, 1))
        #expect(try await server.store.importUsers([try document(#"{"a": 1}"#)], app: "test").changed == 1)
        let code = try #require(try await server.store.createCode("test", "ann@example.org", isReset: true))
        let new = try PasswordHash("a new password", rounds: 1 << 10).text
        try await server.store.reset("test", id: code.id, token: code.token, password: new)
        _ = try await server.store.importUsers([try document("{}")], app: "test")
        #expect(try await server.login("ann@example.org", "a new password").status == 200)
        let dry = try await server.store.importUsers(
            [
                try user(
                    #"{"_id": "5f0000000000000000000002", "identities": [{"provider_type": "custom-token", "id": "x"}]}"#
                )
            ],
            app: "test",
            isDry: true
        )
        #expect(dry.created == 1)
        #expect(try await server.store.users(of: "test").count == 1)
        await server.stop()
    }

    @Test func `what belongs to another user or app is refused, and the rest is imported`() async throws {
        let server = try await AccountProbe(app: AccountApp(id: "test"))
        try await server.store.createApp(AccountApp(id: "other"))
        let ann = try await server.store.createUser(app: "test", email: "ann@example.org", password: "a long password")
        let theirs = try await server.store.createUser(
            app: "other",
            email: "x@example.org",
            password: "a long password"
        )
        let report = try await server.store.importUsers(
            [
                try user(
                    """
                    {"_id": "\(Self.id)", "identities": [{"provider_type": "local-userpass", "email": "ANN@example.org"},
                     {"provider_type": "custom-token", "id": "ann"}]}
                    """
                ),
                try user(#"{"_id": "\#(theirs.id)", "identities": [{"provider_type": "custom-token", "id": "bob"}]}"#),
            ],
            app: "test"
        )
        #expect(report.created == 1)
        #expect(report.refusals.count == 2)
        #expect(report.refusals[0].contains(ann.id))
        #expect(try await server.store.user(Self.id)?.identities.map(\.provider) == ["custom-token"])
        await #expect(throws: AccountError.self) {
            try await server.store.importUsers([try user(Self.any)], app: "none")
        }
        await server.stop()
    }

    private static let any =
        #"{"_id": "5f0000000000000000000003", "identities": [{"provider_type": "custom-token", "id": "x"}]}"#

    @Test func `an imported user can't be taken over by a link`() async throws {
        let server = try await AccountProbe()
        let hash = try PasswordHash("a long password", rounds: 1 << 10).text
        let document = """
            {"_id": "\(Self.id)", "identities": [
              {"provider_type": "local-userpass", "email": "ann@example.org", "password_hash": "\(hash)"}]}
            """
        _ = try await server.store.importUsers([try user(document)], app: "test")
        let token = try await server.loginAnonymous()["access_token"]
        let body: BSONDocument = ["username": "ann@example.org", "password": "a long password"]
        #expect(try await server.userpass("login?link=true", body, token: token).code == "AccountNameInUse")
        await server.stop()
    }

    @Test(arguments: [
        "{}", #"{"_id": "short", "identities": []}"#, #"{"_id": 7, "identities": []}"#,
        #"{"_id": "5f0000000000000000000001"}"#, #"{"_id": "5f0000000000000000000001", "identities": []}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [7]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [{"provider_type": "anon-user", "id": "x"}]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [{"provider_type": "oauth1", "id": "x"}]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [{"provider_type": "custom-token"}]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [{"provider_type": "local-userpass", "email": "no address"}]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [{"provider_type": "local-userpass", "email": "a@b", "password_hash": "x"}]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [{"provider_type": "custom-token", "id": "x"}], "custom_data": 7}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [], "api_keys": [{"name": "a", "key": "short"}]}"#,
        #"{"_id": "5f0000000000000000000001", "identities": [], "api_keys": [{"key": "a key that is long enough"}]}"#,
    ])
    func `a document that isn't a user is refused`(_ text: String) {
        #expect(throws: ImportedUser.Misfit.self) { try user(text) }
    }
}
