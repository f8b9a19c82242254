import FreeholdBSON
import FreeholdHTTP
import NIOHTTP1

/// The requests that hooks of the app answer.
extension AccountService {
    /// Identifies the user of a request by its head, before the body is read.
    func identify(_ head: HTTPRequestHead) async -> HTTPIdentification {
        let answer: AccountAnswer
        do { return .known(AccountCaller(account: try await session(head.bearer).user)) } catch let error
            as AccountError
        {
            answer = AccountAnswer(error)
        } catch is TokenRefusal {
            answer = AccountAnswer(.invalidSession)
        } catch {
            answer = AccountAnswer(.unavailable)
        }
        return .refused(answer.http)
    }

    /// Calls a function of the app.
    func callFunction(_ request: AccountRequest) async throws -> AccountAnswer {
        guard let user = request.caller, user.app == request.app else { throw AccountError.invalidSession }
        let fields = try request.fields(depth: 100, limit: AccountRequest.argumentLimit)
        let name = try fields.text("name", limit: 128)
        var content: BSONDocument = ["name": .string(name)]
        let hook: HookSettings?
        switch fields["service"] {
        case nil, .null?: hook = self.hook(request.app, .function(name)) ?? self.hook(request.app, .otherFunctions)
        case .string(let service)?:
            guard HookPurpose.isName(service) else { throw AccountError.noService }
            content.append("service", .string(service))
            hook = self.hook(request.app, .service(service))
            guard hook != nil else { throw AccountError.noService }
        default: throw AccountError.missing("service")
        }
        guard HookPurpose.isName(name), let hook else { throw AccountError.noFunction }
        switch fields["arguments"] {
        case nil, .null?: content.append("arguments", .array([]))
        case .array(let arguments)?: content.append("arguments", .array(arguments))
        default: throw AccountError.missing("arguments")
        }
        content.append("user", .document(user.caller))
        switch try await call(hook, request, content, owner: "user/" + user.id) {
        case .value(let value):
            var answer = AccountAnswer(200, value)
            answer.format = .canonical
            return answer
        case .refused(let code, let text): throw AccountError.function(code, text)
        }
    }

    /// Returns the app's hook for a purpose.
    func hook(_ app: String, _ purpose: HookPurpose) -> HookSettings? { served[app]?.hook(purpose) }

    /// Calls a hook for a request.
    ///
    /// - Parameters:
    ///   - content: The fields in addition to those of all calls.
    ///   - owner: The user that the call counts for. `nil` for the address of the client.
    func call(
        _ hook: HookSettings,
        _ request: AccountRequest,
        _ content: BSONDocument,
        owner: String? = nil
    ) async throws -> HookCaller.Outcome {
        var content = content
        content.append(
            "request",
            ["id": .string(request.id), "remoteAddress": .string(request.address)]
        )
        return try await hooks.call(
            hook,
            HookCaller.Call(
                app: request.app,
                fields: content,
                owner: owner ?? "address/" + AddressGroup.name(of: request.address),
                budget: request.budget
            )
        )
    }
}

extension AccountUser {
    /// The user as hooks receive it.
    fileprivate var caller: BSONDocument {
        let ways = identities.map { identity -> BSONValue in
            ["id": .string(identity.id), "provider_type": .string(identity.provider), "name": .string(identity.name)]
        }
        return [
            "id": .string(id), "type": "normal", "data": .document(data),
            "custom_data": .document((try? BSONDocument(extendedJSON: customData)) ?? [:]),
            "identities": .array(ways),
        ]
    }
}
