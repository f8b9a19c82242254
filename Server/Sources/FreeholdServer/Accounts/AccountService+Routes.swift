import FreeholdHTTP
import NIOHTTP1

/// The routes of the accounts' API. `docs/openapi.json` describes them; a test compares both.
extension AccountService {
    /// The statuses of all routes: the address has too many attempts, and the accounts can't be reached.
    private static let commonStatuses: Set<Int> = [429, 503]
    /// The statuses of requests that a hook answers.
    private static let hookStatuses: Set<Int> = [502, 504]

    var group: HTTPGroup {
        HTTPGroup(
            root: AccountRequest.root,
            bodyLimit: AccountRequest.bodyLimit,
            routes: appRoutes + userRoutes + hookRoutes + pushRoutes,
            tooLarge: AccountAnswer(.tooLarge).http,
            noRoute: AccountAnswer(.noRoute).http,
            wrongMethod: AccountAnswer(.wrongMethod).http
        )
    }

    private var appRoutes: [HTTPRoute] {
        let providers = "app/{app}/auth/providers"
        let mail = providers + "/" + AccountProvider.emailPassword.rawValue
        return [
            route(.GET, "app/{app}/location", operation: "getLocation", [200, 404]) { service, request in
                service.location(request, try await service.app(request.app))
            },
            route(
                .POST,
                providers + "/{provider}/login",
                operation: "logIn",
                Self.hookStatuses.union([200, 400, 401, 404, 409])
            ) { service, request in
                guard let provider = AccountProvider(rawValue: request.parameters["provider"] ?? "") else {
                    throw AccountError.noProvider
                }
                return try await service.login(try await service.openApp(request.app), provider, request)
            },
            route(
                .POST,
                mail + "/register",
                operation: "registerUser",
                Self.hookStatuses.union([201, 400, 404, 409])
            ) { service, request in
                try await service.emailPassword(request) { try await service.register($0, request, fields: $1) }
            },
            route(.POST, mail + "/confirm", operation: "confirmUser", [200, 400, 404]) { service, request in
                try await service.emailPassword(request) { try await service.confirm($0, request, fields: $1) }
            },
            route(.POST, mail + "/confirm/send", operation: "sendConfirmation", [202, 400, 404]) { service, request in
                try await service.emailPassword(request) { try await service.send($0, isReset: false, request, $1) }
            },
            route(.POST, mail + "/reset/send", operation: "sendPasswordReset", [202, 400, 404]) { service, request in
                try await service.emailPassword(request) { try await service.send($0, isReset: true, request, $1) }
            },
            route(.POST, mail + "/reset", operation: "resetPassword", [200, 400, 404]) { service, request in
                try await service.emailPassword(request) { try await service.reset($0, request, fields: $1) }
            },
        ]
    }

    private var hookRoutes: [HTTPRoute] {
        let mail = "app/{app}/auth/providers/" + AccountProvider.emailPassword.rawValue
        let statuses = Self.hookStatuses.union([200, 202, 400, 404])
        return [
            route(.POST, mail + "/confirm/call", operation: "callConfirmation", statuses) { service, request in
                try await service.emailPassword(request) { try await service.callConfirmation($0, request, fields: $1) }
            },
            route(.POST, mail + "/reset/call", operation: "callPasswordReset", statuses) { service, request in
                try await service.emailPassword(request) { try await service.callReset($0, request, fields: $1) }
            },
            HTTPRoute(
                .POST,
                "app/{app}/functions/call",
                operation: "callFunction",
                statuses: Self.hookStatuses.union([200, 400, 401, 403, 404]).union(Self.commonStatuses),
                bodyLimit: AccountRequest.argumentLimit,
                identify: { await self.identify($0) }
            ) { request in
                await self.answer(AccountRequest(request)) { try await self.callFunction($0) }.http
            },
            // Clients watch collections by server-sent events of this path.
            route(.GET, "app/{app}/functions/call", operation: "watchCollection", [404]) { _, _ in
                throw AccountError.noService
            },
        ]
    }

    private var pushRoutes: [HTTPRoute] {
        let path = "app/{app}/push/providers/{service}/registration"
        return [
            route(.PUT, path, operation: "registerPush", [204, 400, 401]) { try await $0.registerPush($1) },
            route(.DELETE, path, operation: "unregisterPush", [204, 400, 401]) { try await $0.unregisterPush($1) },
        ]
    }

    private var userRoutes: [HTTPRoute] {
        [
            route(.GET, "auth/profile", operation: "getProfile", [200, 401]) { service, request in
                service.profile(try await service.user(request))
            },
            route(.DELETE, "auth/delete", operation: "deleteUser", [204, 401, 404]) { service, request in
                try await service.store.deleteUser(try await service.user(request).id)
                return AccountAnswer(204)
            },
            route(.POST, "auth/session", operation: "renewSession", [201, 401]) { try await $0.renewSession($1) },
            route(.DELETE, "auth/session", operation: "endSession", [204, 401]) { try await $0.endSession($1) },
            route(.GET, "auth/api_keys", operation: "listKeys", [200, 401]) { try await $0.listKeys($1) },
            route(.POST, "auth/api_keys", operation: "createKey", [201, 400, 401, 409]) { try await $0.createKey($1) },
            route(.GET, "auth/api_keys/{id}", operation: "getKey", [200, 401, 404]) { try await $0.getKey($1) },
            route(.DELETE, "auth/api_keys/{id}", operation: "deleteKey", [204, 401, 404]) {
                try await $0.deleteKey($1)
            },
            route(.PUT, "auth/api_keys/{id}/enable", operation: "enableKey", [204, 401, 404]) {
                try await $0.setKey($1, isDisabled: false)
            },
            route(.PUT, "auth/api_keys/{id}/disable", operation: "disableKey", [204, 401, 404]) {
                try await $0.setKey($1, isDisabled: true)
            },
        ]
    }

    /// - Parameter statuses: The statuses in addition to those of all routes.
    private func route(
        _ method: HTTPMethod,
        _ path: String,
        operation: String,
        _ statuses: Set<Int>,
        handler: @escaping @Sendable (AccountService, AccountRequest) async throws -> AccountAnswer
    ) -> HTTPRoute {
        HTTPRoute(method, path, operation: operation, statuses: statuses.union(Self.commonStatuses)) { request in
            await self.answer(AccountRequest(request)) { try await handler(self, $0) }.http
        }
    }
}
