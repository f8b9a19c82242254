#if (canImport(Combine) || Combine) && Sync
    #if canImport(Combine)
        public import Combine
    #endif
    public import FreeholdSync
    public import Freehold

    // The requests of apps and users as futures. A request begins when its future is created, like in RealmSwift. Its errors
    // are those of the async method.

    /// Returns a future of the value that a closure returns, or of its error.
    private func future<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Future<Value, any Error> {
        Future { promise in
            let promise = Promise(fulfil: promise)
            Task {
                do { promise.fulfil(.success(try await body())) } catch { promise.fulfil(.failure(error)) }
            }
        }
    }

    /// The promise of a future. Any thread may fulfil it.
    private struct Promise<Value>: @unchecked Sendable {
        let fulfil: (Result<Value, any Error>) -> Void
    }

    extension App {
        /// Logs a user in: see ``App/login(credentials:)-(Credentials)``.
        public func login(credentials: Credentials) -> Future<User, any Error> {
            future { try await self.login(credentials: credentials) }
        }
    }

    extension User {
        /// Adds credentials with which the user can log in.
        public func linkUser(credentials: Credentials) -> Future<User, any Error> {
            future { try await self.linkUser(credentials: credentials) }
        }

        /// Requests the custom user data again.
        public func refreshCustomData() -> Future<Document, any Error> {
            future { try await self.refreshCustomData() }
        }

        /// Logs the user out, and deletes the user's files on this device.
        public func remove() -> Future<Void, any Error> { future { try await self.remove() } }

        /// Logs the user out.
        public func logOut() -> Future<Void, any Error> { future { try await self.logOut() } }

        /// Deletes the user on the server and on this device.
        public func delete() -> Future<Void, any Error> { future { try await self.delete() } }
    }

    extension EmailPasswordAuth {
        public func registerUser(email: String, password: String) -> Future<Void, any Error> {
            future { try await self.registerUser(email: email, password: password) }
        }

        public func confirmUser(_ token: String, tokenId: String) -> Future<Void, any Error> {
            future { try await self.confirmUser(token, tokenId: tokenId) }
        }

        public func resendConfirmationEmail(email: String) -> Future<Void, any Error> {
            future { try await self.resendConfirmationEmail(email) }
        }

        public func retryCustomConfirmation(email: String) -> Future<Void, any Error> {
            future { try await self.retryCustomConfirmation(email) }
        }

        public func sendResetPasswordEmail(email: String) -> Future<Void, any Error> {
            future { try await self.sendResetPasswordEmail(email) }
        }

        public func resetPassword(to password: String, token: String, tokenId: String) -> Future<Void, any Error> {
            future { try await self.resetPassword(to: password, token: token, tokenId: tokenId) }
        }

        public func callResetPasswordFunction(
            email: String,
            password: String,
            args: [AnyBSON]
        ) -> Future<Void, any Error> {
            future { try await self.callResetPasswordFunction(email: email, password: password, args: args) }
        }
    }

    extension APIKeyAuth {
        public func createAPIKey(named name: String) -> Future<UserAPIKey, any Error> {
            future { try await self.createAPIKey(named: name) }
        }

        public func fetchAPIKey(_ id: ObjectId) -> Future<UserAPIKey, any Error> {
            future { try await self.fetchAPIKey(id) }
        }

        public func fetchAPIKeys() -> Future<[UserAPIKey], any Error> { future { try await self.fetchAPIKeys() } }

        public func deleteAPIKey(_ id: ObjectId) -> Future<Void, any Error> {
            future { try await self.deleteAPIKey(id) }
        }

        public func enableAPIKey(_ id: ObjectId) -> Future<Void, any Error> {
            future { try await self.enableAPIKey(id) }
        }

        public func disableAPIKey(_ id: ObjectId) -> Future<Void, any Error> {
            future { try await self.disableAPIKey(id) }
        }
    }

    extension SyncSubscriptionSet {
        /// Changes the subscriptions. The future is fulfilled when the file has all objects of the set.
        public func updateSubscriptions(_ block: @escaping () -> Void) -> Future<Void, any Error> {
            Future { promise in
                let promise = Promise(fulfil: promise)
                update(block) { error in
                    if let error { promise.fulfil(.failure(error)) } else { promise.fulfil(.success(())) }
                }
            }
        }
    }
#endif
