/// The registration of devices for push messages.
extension AccountService {
    func registerPush(_ request: AccountRequest) async throws -> AccountAnswer {
        let (user, login, service) = try await device(request)
        let token = try request.fields().text("registrationToken", limit: 4_096)
        try await store.register(app: user.app, user: user.id, login: login, service: service, token: token)
        return AccountAnswer(204)
    }

    func unregisterPush(_ request: AccountRequest) async throws -> AccountAnswer {
        let (_, login, service) = try await device(request)
        try await store.unregister(login: login, service: service)
        return AccountAnswer(204)
    }

    private func device(_ request: AccountRequest) async throws -> (user: AccountUser, login: String, service: String) {
        let (user, login) = try await session(request.bearer)
        guard user.app == request.app else { throw AccountError.invalidSession }
        let service = request.parameters["service"] ?? ""
        guard AccountApp.isID(service) else {
            throw AccountError.bad("the name of a service has 1 to 64 letters, digits, '-' and '_'")
        }
        return (user, login, service)
    }
}
