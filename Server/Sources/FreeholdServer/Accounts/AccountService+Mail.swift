import Foundation
import FreeholdBSON
import Logging

/// The requests of registration, confirmation and password resets.
extension AccountService {
    /// Runs a handler for an app where users have passwords.
    ///
    /// - Throws: `AccountError`
    func emailPassword(
        _ request: AccountRequest,
        _ handler: (AccountApp, BSONDocument) async throws -> AccountAnswer
    ) async throws -> AccountAnswer {
        let app = try await openApp(request.app)
        guard app.emailPassword != .closed || request.operation != "registerUser" else { throw AccountError.noProvider }
        return try await handler(app, try request.fields())
    }

    func confirm(_ app: AccountApp, _ request: AccountRequest, fields: BSONDocument) async throws -> AccountAnswer {
        try await limiter.attempt(account: nil, address: request.address)
        let (id, token) = try (fields.text("tokenId"), fields.text("token"))
        try await store.confirm(app.id, id: id, token: token)
        return AccountAnswer(200, [:])
    }

    func reset(_ app: AccountApp, _ request: AccountRequest, fields: BSONDocument) async throws -> AccountAnswer {
        try await limiter.attempt(account: nil, address: request.address)
        let (id, token) = try (fields.text("tokenId"), fields.text("token"))
        let password = try AccountName.checkedPassword(try fields.text("password"))
        guard try await store.isResetCode(app.id, id: id, token: token) else { throw AccountError.invalidCode }
        let hash = try await hasher.hash(password)
        try await store.reset(app.id, id: id, token: token, password: hash)
        return AccountAnswer(200, [:])
    }

    func register(_ app: AccountApp, _ request: AccountRequest, fields: BSONDocument) async throws
        -> AccountAnswer
    {
        let name = try AccountName.checked(try fields.text("email"))
        let password = try AccountName.checkedPassword(try fields.text("password"))
        try await limiter.attempt(account: nil, address: request.address)
        let stored = try await store.storedName(app.id, name)
        guard try await store.identity(app.id, .emailPassword, stored) == nil else { throw AccountError.nameInUse }
        let hash = try await hasher.hash(password)
        let isConfirmed = app.emailPassword == .autoConfirm
        _ = try await store.createUser(
            NewUser(app: app.id, provider: .emailPassword, name: name, password: hash, isConfirmed: isConfirmed)
        )
        if app.emailPassword == .hook {
            try await confirmNew(app, name, request)
        } else if !isConfirmed {
            try await mail(app, name, isReset: false)
        }
        return AccountAnswer(201, [:])
    }

    /// Sends a mail. The answer doesn't depend on whether an account has the address.
    func send(
        _ app: AccountApp,
        isReset: Bool,
        _ request: AccountRequest,
        _ fields: BSONDocument
    ) async throws -> AccountAnswer {
        let typed = try fields.text("email")
        let account = "mail/" + StoredIdentity.key(app.id, .emailPassword, AccountName.normal(typed))
        try await limiter.attempt(account: account, address: request.address)
        // The answer doesn't wait for this task, because its duration would reveal whether an account has the address.
        Task {
            do {
                let name = try await store.storedName(app.id, typed)
                let known = try await store.identity(app.id, .emailPassword, name)
                if let known, isReset || !known.isConfirmed { try await mail(app, name, isReset: isReset) }
            } catch { logger.error("a mail can't be prepared", metadata: ["kind": "\(type(of: error))"]) }
        }
        return AccountAnswer(202, [:])
    }

    private func mail(_ app: AccountApp, _ address: String, isReset: Bool) async throws {
        guard let code = try await store.createCode(app.id, address, isReset: isReset) else { return }
        let mail = AccountMail(
            app: app.id,
            address: address,
            purpose: isReset ? .passwordReset : .confirmation,
            tokenId: code.id,
            token: code.token
        )
        let (mailer, logger) = (mailer, logger)
        // The answer doesn't wait for this task, because its duration would reveal whether an account has the address.
        Task {
            do { try await mailer.send(mail) } catch {
                logger.error("a mail can't be sent", metadata: ["kind": "\(type(of: error))"])
            }
        }
    }
}
