import Foundation
import FreeholdBSON

/// The requests of users with a log-in.
extension AccountService {
    func profile(_ user: AccountUser) -> AccountAnswer {
        let identities = user.identities.map { identity -> BSONValue in
            ["id": .string(identity.id), "provider_type": .string(identity.provider)]
        }
        return AccountAnswer(
            200,
            .document([
                "user_id": .string(user.id), "type": "normal", "identities": .array(identities),
                "data": .document(user.data),
            ])
        )
    }

    func endSession(_ request: AccountRequest) async throws -> AccountAnswer {
        try await withRefreshToken(of: request) { try await store.endSession($0) }
        return AccountAnswer(204)
    }

    func renewSession(_ request: AccountRequest) async throws -> AccountAnswer {
        let next = try await tokens.refreshToken()
        let session = try await withRefreshToken(of: request) { try await store.renewSession($0, next: next) }
        let answer: BSONDocument = [
            "access_token": .string(try await tokens.sign(session)), "refresh_token": .string(session.token),
        ]
        return AccountAnswer(201, .document(answer))
    }

    /// Calls a closure with the refresh token of a request. An invalid token counts as an attempt of the address. Valid
    /// tokens don't count, because many devices may share one address.
    private func withRefreshToken<Result: Sendable>(
        of request: AccountRequest,
        _ body: @Sendable (String) async throws -> Result
    ) async throws -> Result {
        guard let token = request.bearer else { throw AccountError.invalidSession }
        do { return try await body(token) } catch let error as AccountError where error == .invalidSession {
            try await limiter.attempt(account: nil, address: request.address)
            throw error
        }
    }

    /// The user of a request that has a refresh token.
    private func owner(_ request: AccountRequest) async throws -> AccountUser {
        try await withRefreshToken(of: request) { try await store.owner(ofRefreshToken: $0) }
    }

    func createKey(_ request: AccountRequest) async throws -> AccountAnswer {
        let user = try await owner(request)
        let name = try request.fields().text("name", limit: 256)
        let (key, secret) = try await store.createKey(name, of: user.id)
        var fields = key.fields
        fields["key"] = .string(secret)
        return AccountAnswer(201, .document(fields))
    }

    func listKeys(_ request: AccountRequest) async throws -> AccountAnswer {
        let user = try await owner(request)
        return AccountAnswer(200, .array(try await store.keys(of: user.id).map { .document($0.fields) }))
    }

    func getKey(_ request: AccountRequest) async throws -> AccountAnswer {
        let user = try await owner(request)
        guard let key = try await store.keys(of: user.id).first(where: { $0.id == request.key }) else {
            throw AccountError.noKey
        }
        return AccountAnswer(200, .document(key.fields))
    }

    func deleteKey(_ request: AccountRequest) async throws -> AccountAnswer {
        let user = try await owner(request)
        try await store.deleteKey(request.key, of: user.id)
        return AccountAnswer(204)
    }

    func setKey(_ request: AccountRequest, isDisabled: Bool) async throws -> AccountAnswer {
        let user = try await owner(request)
        try await store.setKey(request.key, of: user.id, isDisabled: isDisabled)
        return AccountAnswer(204)
    }
}

extension AccountKey {
    fileprivate var fields: BSONDocument {
        ["_id": .string(id), "name": .string(name), "disabled": .bool(isDisabled)]
    }
}
