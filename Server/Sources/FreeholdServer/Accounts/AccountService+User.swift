import Foundation
import FreeholdBSON
import NIOHTTP1

/// The requests of users with a log-in.
extension AccountService {
    func authRoute(_ request: AccountRequest, _ path: [String]) async throws -> AccountAnswer {
        switch (path[0], path.count) {
        case ("profile", 1):
            try request.expect(.GET)
            return profile(try await user(request))
        case ("delete", 1):
            try request.expect(.DELETE)
            try await store.deleteUser(try await user(request).id)
            return AccountAnswer(204)
        case ("session", 1):
            guard request.method == .POST || request.method == .DELETE else { throw AccountError.wrongMethod }
            return try await session(request)
        case ("api_keys", 1...3): return try await keys(request, Array(path.dropFirst()))
        default: throw AccountError.noRoute
        }
    }

    private func profile(_ user: AccountUser) -> AccountAnswer {
        let identities = user.identities.map { identity -> BSONValue in
            ["id": .string(identity.id), "provider_type": .string(identity.provider)]
        }
        var data = BSONDocument()
        if let email = user.email { data["email"] = .string(email) }
        return AccountAnswer(
            200,
            .document([
                "user_id": .string(user.id), "type": "normal", "identities": .array(identities),
                "data": .document(data),
            ])
        )
    }

    private func session(_ request: AccountRequest) async throws -> AccountAnswer {
        if request.method == .DELETE {
            try await withRefreshToken(of: request) { try await store.endSession($0) }
            return AccountAnswer(204)
        }
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
            try limiter.attempt(account: nil, address: request.address)
            throw error
        }
    }

    private func keys(_ request: AccountRequest, _ path: [String]) async throws -> AccountAnswer {
        let isKnown: Bool =
            switch (path.count, request.method) {
            case (0, .GET), (0, .POST), (1, .GET), (1, .DELETE): true
            case (2, .PUT): path[1] == "enable" || path[1] == "disable"
            default: false
            }
        guard isKnown else {
            if path.count == 2, path[1] != "enable", path[1] != "disable" { throw AccountError.noRoute }
            throw AccountError.wrongMethod
        }
        let user = try await withRefreshToken(of: request) { try await store.owner(ofRefreshToken: $0) }
        switch (path.count, request.method) {
        case (0, .POST):
            let name = try request.fields().text("name", limit: 256)
            let (key, secret) = try await store.createKey(name, of: user.id)
            var fields = key.fields
            fields["key"] = .string(secret)
            return AccountAnswer(201, .document(fields))
        case (0, _): return AccountAnswer(200, .array(try await store.keys(of: user.id).map { .document($0.fields) }))
        case (1, .GET):
            guard let key = try await store.keys(of: user.id).first(where: { $0.id == path[0] }) else {
                throw AccountError.noKey
            }
            return AccountAnswer(200, .document(key.fields))
        case (1, _): try await store.deleteKey(path[0], of: user.id)
        default: try await store.setKey(path[0], of: user.id, isDisabled: path[1] == "disable")
        }
        return AccountAnswer(204)
    }
}

extension AccountKey {
    fileprivate var fields: BSONDocument {
        ["_id": .string(id), "name": .string(name), "disabled": .bool(isDisabled)]
    }
}
