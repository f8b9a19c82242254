// The methods of RealmSwift with completion handlers. Each handler is called once, on a thread of the library. The
// errors are those of the async method.

/// Calls a handler with the value that a closure returns, or with its error.
func complete<Value: Sendable>(
    _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ body: @escaping @Sendable () async throws -> Value
) {
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        handler(result)
    }
}

/// Calls a handler with the error of a closure that returns no value.
func complete(
    _ handler: @escaping @Sendable ((any Error)?) -> Void,
    _ body: @escaping @Sendable () async throws -> Void
) {
    complete(
        { (result: Result<Void, any Error>) in
            if case .failure(let error) = result { handler(error) } else { handler(nil) }
        },
        body
    )
}

extension App {
    /// ``login(credentials:)`` with a completion handler.
    public func login(
        credentials: Credentials,
        _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
    ) {
        complete(completion) { try await self.login(credentials: credentials) }
    }
}

extension User {
    /// ``refreshCustomData()`` with a completion handler.
    public func refreshCustomData(_ completion: @escaping @Sendable (Result<Document, any Error>) -> Void) {
        complete(completion) { try await self.refreshCustomData() }
    }

    /// ``linkUser(credentials:)`` with a completion handler.
    public func linkUser(
        credentials: Credentials,
        _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
    ) {
        complete(completion) { try await self.linkUser(credentials: credentials) }
    }

    /// ``logOut()`` with a completion handler.
    public func logOut(completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await self.logOut() }
    }

    /// ``remove()`` with a completion handler.
    public func remove(completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await self.remove() }
    }

    /// ``delete()`` with a completion handler.
    public func delete(completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await self.delete() }
    }
}

extension EmailPasswordAuth {
    public func registerUser(
        email: String,
        password: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        complete(completion) { try await registerUser(email: email, password: password) }
    }

    public func confirmUser(_ token: String, tokenId: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await confirmUser(token, tokenId: tokenId) }
    }

    public func resendConfirmationEmail(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await resendConfirmationEmail(email) }
    }

    public func retryCustomConfirmation(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await retryCustomConfirmation(email) }
    }

    public func sendResetPasswordEmail(_ email: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await sendResetPasswordEmail(email) }
    }

    public func resetPassword(
        to password: String,
        token: String,
        tokenId: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        complete(completion) { try await resetPassword(to: password, token: token, tokenId: tokenId) }
    }

    public func callResetPasswordFunction(
        email: String,
        password: String,
        args: [AnyBSON],
        _ callback: @escaping @Sendable ((any Error)?) -> Void
    ) {
        complete(callback) { try await callResetPasswordFunction(email: email, password: password, args: args) }
    }
}
