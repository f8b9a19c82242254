import Freehold
import FreeholdBSON
public import FreeholdEngine

/// A key with which programs log in as a user.
public struct UserAPIKey: Hashable, Sendable {
    public let name: String
    /// The key itself, which only `createAPIKey` returns. Every owner of the key can log in as the user.
    public let key: String?
    public let objectId: ObjectId
    public let disabled: Bool
}

public typealias RLMUserAPIKey = UserAPIKey

/// The API keys of a user with a log-in. Each method throws `AppError`.
public struct APIKeyAuth: Sendable {
    private let user: User

    init(_ user: User) { self.user = user }

    public var app: App { user.app }

    /// Creates a key. Only this result contains the key itself.
    public func createAPIKey(named name: String) async throws -> UserAPIKey {
        try UserAPIKey(try await send(.POST, "", ["name": .string(name)]))
    }

    public func fetchAPIKey(_ id: ObjectId) async throws -> UserAPIKey {
        try UserAPIKey(try await send(.GET, "/\(id)"))
    }

    public func fetchAPIKeys() async throws -> [UserAPIKey] {
        try (try await send(.GET, "").arrayValue ?? []).map { try UserAPIKey($0) }
    }

    public func deleteAPIKey(_ id: ObjectId) async throws { try await send(.DELETE, "/\(id)") }
    public func enableAPIKey(_ id: ObjectId) async throws { try await send(.PUT, "/\(id)/enable") }
    public func disableAPIKey(_ id: ObjectId) async throws { try await send(.PUT, "/\(id)/disable") }

    /// Requests use the refresh token, so that a stolen access token can't create keys.
    @discardableResult
    private func send(_ method: RLMHTTPMethod, _ path: String, _ body: Document? = nil) async throws -> BSONValue {
        let location = try await app.location()
        return try await app.api.send(
            method,
            location.hostname + AppAPI.authPath + "/api_keys" + path,
            body,
            token: try user.tokens().refresh
        )
    }
}

extension UserAPIKey {
    fileprivate init(_ value: BSONValue) throws(AppError) {
        guard let fields = value.documentValue, let name = fields["name"]?.stringValue,
            let id = fields["_id"]?.objectIdValue
                ?? (fields["_id"]?.stringValue).flatMap({ try? ObjectId(string: $0) })
        else { throw AppError(.httpRequestFailed, "The server's answer isn't an API key.") }
        self.init(
            name: name,
            key: fields["key"]?.stringValue,
            objectId: id,
            disabled: fields["disabled"]?.boolValue ?? false
        )
    }
}
