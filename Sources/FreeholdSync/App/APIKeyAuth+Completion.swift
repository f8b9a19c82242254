public import FreeholdEngine

extension APIKeyAuth {
    public func createAPIKey(
        named name: String,
        completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
    ) {
        complete(completion) { try await createAPIKey(named: name) }
    }

    public func fetchAPIKey(
        _ id: ObjectId,
        _ completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
    ) {
        complete(completion) { try await fetchAPIKey(id) }
    }

    public func fetchAPIKeys(_ completion: @escaping @Sendable (Result<[UserAPIKey], any Error>) -> Void) {
        complete(completion) { try await fetchAPIKeys() }
    }

    public func deleteAPIKey(_ id: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await deleteAPIKey(id) }
    }

    public func enableAPIKey(_ id: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await enableAPIKey(id) }
    }

    public func disableAPIKey(_ id: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void) {
        complete(completion) { try await disableAPIKey(id) }
    }
}
