import Foundation
import FreeholdBSON
import Logging
import TestReceiver
import Testing

@testable import FreeholdServer

/// A server with accounts whose app `test` has hooks at a receiver.
struct HookServer: Sendable {
    static let secret = "a secret of hooks in the tests"

    let probe: AccountProbe
    let receiver: Receiver

    /// - Parameters:
    ///   - purposes: The purposes of the hooks.
    ///   - timeout: The time of a call, in seconds.
    ///   - answer: Returns the answer for the body of a request.
    init(
        _ purposes: [String],
        app: AccountApp = AccountApp(id: "test", allowsAnonymous: true, emailPassword: .autoConfirm, access: .everyone),
        timeout: Int = 600,
        shares: HookShares.Limits = HookShares.Limits(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        answer: @escaping @Sendable (BSONDocument) -> Receiver.Answer
    ) async throws {
        let folder = try TestFolder()
        try (Self.secret + "\n").write(toFile: folder.path + "/hook.secret", atomically: true, encoding: .utf8)
        receiver = try await Receiver { _, request in
            answer((try? BSONDocument(extendedJSON: request.body)) ?? [:])
        }
        let address = receiver.address
        let store = try AccountStore(at: folder.path)
        try await store.createApp(app)
        try await store.changeDocuments(of: app.id) { documents in
            for text in purposes {
                let purpose = try #require(HookPurpose(text))
                let target = SinkSettings.HookTarget(
                    address: address,
                    secretFile: folder.path + "/hook.secret",
                    timeout: timeout
                )
                documents.hooks.append(HookSettings(purpose: purpose, target: target))
            }
        }
        var hooks = HookCaller.Limits()
        hooks.shares = shares
        probe = try await AccountProbe(folder: folder, app: app, logger: logger, hooks: hooks) {
            $0.administratorPort = 0
        }
    }

    /// Returns the lines of the server's metrics.
    func metrics() async throws -> [String] {
        let port = try #require(probe.running.administratorPort)
        let answer = try await RawConnection.ask(["GET /metrics HTTP/1.1", "Host: localhost"], port: port)
        return answer.text.split(whereSeparator: \.isNewline).map(String.init)
    }

    func stop() async {
        await probe.stop()
        await receiver.close()
    }

    /// Returns the access token of a new anonymous user.
    func token() async throws -> String { try #require(try await probe.loginAnonymous()["access_token"]) }

    func call(_ body: BSONDocument, token: String?, app: String = "test") async throws -> AccountProbe.Answer {
        try await probe.send("POST", "/app/\(app)/functions/call", body, token: token)
    }

    /// Returns the content of the requests that the receiver got.
    var calls: [BSONDocument] {
        get throws { try receiver.requests.map { try BSONDocument(extendedJSON: $0.body) } }
    }
}
