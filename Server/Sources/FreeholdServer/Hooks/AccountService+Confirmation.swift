import FreeholdBSON

/// Confirmations and password resets by hooks of the app.
extension AccountService {
    /// The decision of a hook about a user.
    private enum Decision { case success, pending, failure(String) }

    /// Confirms a new user by the app's hook. A user that the hook refuses is deleted.
    ///
    /// - Throws: `AccountError`
    func confirmNew(_ app: AccountApp, _ name: String, _ request: AccountRequest) async throws {
        guard let code = try await store.createCode(app.id, name, isReset: false) else { return }
        do {
            switch try await decision(for: request, of: app, name: name, code: code) {
            case .success: try await store.confirm(app.id, id: code.id, token: code.token)
            case .pending: break
            case .failure(let text): throw AccountError.bad(text)
            }
        } catch {
            try await store.deleteUnconfirmed(app.id, code: code.id)
            throw error
        }
    }

    /// Asks the app's hook again whether a user is confirmed.
    func callConfirmation(_ app: AccountApp, _ request: AccountRequest, fields: BSONDocument) async throws
        -> AccountAnswer
    {
        guard hook(app.id, .confirmation) != nil else { throw AccountError.noFunction }
        let (name, known) = try await attempt(app, fields, request)
        // The answer for an unknown address is equal to the answer for a known one.
        guard let known, !known.isConfirmed, let code = try await store.createCode(app.id, name, isReset: false) else {
            return AccountAnswer(202, [:])
        }
        switch try await decision(for: request, of: app, name: name, code: code) {
        case .success:
            try await store.confirm(app.id, id: code.id, token: code.token)
            return AccountAnswer(200, [:])
        case .pending: return AccountAnswer(202, [:])
        case .failure(let text): throw AccountError.bad(text)
        }
    }

    /// Asks the app's hook whether a user may have another password.
    func callReset(_ app: AccountApp, _ request: AccountRequest, fields: BSONDocument) async throws -> AccountAnswer {
        guard let hook = hook(app.id, .passwordReset) else { throw AccountError.noFunction }
        let password = try AccountName.checkedPassword(try fields.text("password"))
        let (name, known) = try await attempt(app, fields, request)
        guard let known, let code = try await store.createCode(app.id, name, isReset: true) else {
            return AccountAnswer(202, [:])
        }
        var content = Self.content(name, code)
        content.append("currentPasswordValid", .bool(try await hasher.matches(password, known.password)))
        content.append("arguments", .array(fields["arguments"]?.arrayValue ?? []))
        switch Self.decision(try await call(hook, request, content)) {
        case .success:
            let hash = try await hasher.hash(password)
            try await store.reset(app.id, id: code.id, token: code.token, password: hash)
            return AccountAnswer(200, [:])
        case .pending: return AccountAnswer(202, [:])
        case .failure(let text): throw AccountError.bad(text)
        }
    }

    /// Counts an attempt, and returns the stored name of an address, and its identity if an account has the address.
    private func attempt(_ app: AccountApp, _ fields: BSONDocument, _ request: AccountRequest) async throws
        -> (name: String, known: (user: String, password: String, isConfirmed: Bool)?)
    {
        let typed = try fields.text("email")
        let account = "mail/" + StoredIdentity.key(app.id, .emailPassword, AccountName.normal(typed))
        try await limiter.attempt(account: account, address: request.address)
        let name = try await store.storedName(app.id, typed)
        return (name, try await store.identity(app.id, .emailPassword, name))
    }

    private func decision(
        for request: AccountRequest,
        of app: AccountApp,
        name: String,
        code: (id: String, token: String)
    ) async throws -> Decision {
        guard let hook = hook(app.id, .confirmation) else { throw AccountError.noFunction }
        return Self.decision(try await call(hook, request, Self.content(name, code)))
    }

    private static func content(_ name: String, _ code: (id: String, token: String)) -> BSONDocument {
        ["username": .string(name), "tokenId": .string(code.id), "token": .string(code.token)]
    }

    /// Reads the answer of a hook: `{"status": "success"}`, `pending` or `fail`. Any other answer is a failure.
    private static func decision(_ outcome: HookCaller.Outcome) -> Decision {
        switch outcome {
        case .refused(_, let text): return .failure(text)
        case .value(let value):
            switch value.documentValue?["status"]?.stringValue {
            case "success": return .success
            case "pending": return .pending
            default: return .failure("the function refused the request")
            }
        }
    }
}
