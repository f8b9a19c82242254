/// The accounts with an e-mail address and a password.
///
/// Each method throws `AppError`. No method needs a log-in.
public struct EmailPasswordAuth: Sendable {
    public let app: App

    init(_ app: App) { self.app = app }

    /// Creates an account. The server decides whether it has to be confirmed before the first log-in.
    public func registerUser(email: String, password: String) async throws {
        try await send("register", ["email": .string(email), "password": .string(password)])
    }

    /// Confirms an account with the token that was sent to its address.
    public func confirmUser(_ token: String, tokenId: String) async throws {
        try await send("confirm", ["token": .string(token), "tokenId": .string(tokenId)])
    }

    public func resendConfirmationEmail(_ email: String) async throws {
        try await send("confirm/send", ["email": .string(email)])
    }

    public func retryCustomConfirmation(_ email: String) async throws {
        try await send("confirm/call", ["email": .string(email)])
    }

    /// Asks the server to send a token to an address. The token lets the owner of the address choose another password.
    public func sendResetPasswordEmail(_ email: String) async throws {
        try await send("reset/send", ["email": .string(email)])
    }

    public func resetPassword(to password: String, token: String, tokenId: String) async throws {
        try await send(
            "reset",
            ["password": .string(password), "token": .string(token), "tokenId": .string(tokenId)]
        )
    }

    /// Asks a function of the server to change a password.
    public func callResetPasswordFunction(email: String, password: String, args: [AnyBSON]) async throws {
        try await send(
            "reset/call",
            ["email": .string(email), "password": .string(password), "arguments": .array(args)]
        )
    }

    private func send(_ path: String, _ body: Document) async throws {
        let location = try await app.location()
        try await app.api.send(
            .POST,
            location.hostname + app.api.appPath + "/auth/providers/\(Provider.usernamePassword.rawValue)/" + path,
            body
        )
    }
}
