import Foundation
import FreeholdBSON
import FreeholdSync
import Synchronization

/// Accounts in memory, in the shape of App Services' client API: enough to see what clients send.
final class AccountServer: RLMNetworkTransport {
    struct Account: Sendable {
        var provider: String
        var name: String
        var password = ""
        var identities: [[String: String]] = []
        var customData: Document = [:]
    }

    struct State: Sendable {
        var accounts: [String: Account] = [:]
        var refresh: [String: String] = [:]
        var keys: [String: (id: String, user: String, name: String, isDisabled: Bool)] = [:]
        var last = 0
        var requests: [String] = []
        var isReachable = true
        /// The schemes of its reported address.
        var scheme = ("https", "wss")
        /// The generation of valid access tokens. Other tokens are refused.
        var generation = 0
    }

    let state = Mutex(State())

    var requests: [String] { state.withLock { $0.requests } }

    func sendRequestToServer(_ request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void) {
        completion(state.withLock { $0.answer(request) })
    }
}

extension AccountServer.State {
    fileprivate mutating func answer(_ request: RLMRequest) -> RLMResponse {
        guard isReachable else { return RLMResponse(httpStatusCode: 0, customStatusCode: 1, body: "Nobody answers.") }
        let path = request.url.replacing("https://account.test", with: "")
        requests.append("\(request.method.rawValue) \(path)")
        let body = (try? BSONDocument(extendedJSON: request.body)) ?? BSONDocument()
        let token = request.headers["Authorization"]?.replacing("Bearer ", with: "")
        let route = path.replacing("/api/client/v2.0", with: "").split(separator: "?")[0]
        switch (request.method, route) {
        case (.GET, "/app/test/location"):
            return json([
                "hostname": .string("\(scheme.0)://account.test"), "ws_hostname": .string("\(scheme.1)://account.test"),
                "deployment_model": "LOCAL",
            ])
        case (.POST, "/app/test/auth/providers/local-userpass/register"):
            let name = body["email"]?.stringValue ?? ""
            guard !accounts.values.contains(where: { $0.name == name }) else {
                return error(409, "AccountNameInUse", "name already in use")
            }
            make("local-userpass", name, body["password"]?.stringValue ?? "")
            return json([:], 201)
        case (.POST, "/app/test/auth/providers/local-userpass/login"):
            let found = accounts.first { $0.value.name == body["username"]?.stringValue }
            guard let found, found.value.password == body["password"]?.stringValue else {
                return error(401, "InvalidPassword", "invalid username/password")
            }
            if path.hasSuffix("?link=true"), let token, let user = user(token) {
                accounts[user]?.identities.append(["id": found.value.name, "provider_type": "local-userpass"])
                return login(user)
            }
            return login(found.key)
        case (.POST, "/app/test/auth/providers/anon-user/login"): return login(make("anon-user", "", ""))
        case (.POST, "/app/test/auth/providers/api-key/login"):
            guard let key = keys[body["key"]?.stringValue ?? ""], !key.isDisabled else {
                return error(401, "InvalidSession", "invalid API key")
            }
            return login(key.user)
        case (.GET, "/auth/profile"):
            guard let token, let user = user(token), let account = accounts[user] else { return refused }
            let identities = account.identities.map {
                BSONValue.document(BSONDocument($0.map { ($0.key, .string($0.value)) }))
            }
            return json([
                "user_id": .string(user), "identities": .array(identities), "data": ["email": .string(account.name)],
            ])
        case (.POST, "/auth/session"):
            guard let token, let user = refresh[token] else { return refused }
            return json(["access_token": .string(access(user))], 201)
        case (.DELETE, "/auth/session"):
            guard let token, refresh.removeValue(forKey: token) != nil else { return refused }
            return json([:], 204)
        case (.DELETE, "/auth/delete"):
            guard let token, let user = user(token) else { return refused }
            accounts[user] = nil
            return json([:], 204)
        case (.POST, "/auth/api_keys"):
            guard let token, let user = refresh[token] else { return refused }
            last += 1
            let (id, key) = (String(format: "%024x", last), "key-\(last)")
            keys[key] = (id, user, body["name"]?.stringValue ?? "", false)
            return json(
                ["_id": .string(id), "name": body["name"] ?? .null, "key": .string(key), "disabled": false],
                201
            )
        case (.GET, "/auth/api_keys"):
            guard let token, let user = refresh[token] else { return refused }
            let mine = keys.values.filter { $0.user == user }.map { key in
                BSONValue.document([
                    "_id": .string(key.id), "name": .string(key.name), "disabled": .bool(key.isDisabled),
                ])
            }
            return RLMResponse(httpStatusCode: 200, body: (try? BSONValue.array(mine).extendedJSON()) ?? "")
        case (.PUT, _) where route.hasPrefix("/auth/api_keys/"):
            let parts = route.split(separator: "/")
            guard let token, refresh[token] != nil, let key = keys.first(where: { $0.value.id == parts[2] })?.key else {
                return refused
            }
            keys[key]?.isDisabled = parts[3] == "disable"
            return json([:], 204)
        default: return error(404, "ValueNotFound", "there is no \(route)")
        }
    }

    @discardableResult
    private mutating func make(_ provider: String, _ name: String, _ password: String) -> String {
        last += 1
        let id = "user\(last)"
        accounts[id] = AccountServer.Account(
            provider: provider,
            name: name,
            password: password,
            identities: [["id": "identity\(last)", "provider_type": provider]]
        )
        return id
    }

    private func access(_ user: String) -> String { "access.\(generation).\(user)" }

    private func user(_ token: String) -> String? {
        let parts = token.split(separator: ".")
        return parts.count == 3 && parts[1] == "\(generation)" ? String(parts[2]) : nil
    }

    private mutating func login(_ user: String) -> RLMResponse {
        last += 1
        let token = "refresh\(last)"
        refresh[token] = user
        return json([
            "access_token": .string(access(user)), "refresh_token": .string(token), "user_id": .string(user),
            "device_id": "5f0000000000000000000000",
        ])
    }

    private var refused: RLMResponse { error(401, "InvalidSession", "invalid session") }

    private func json(_ document: BSONDocument, _ status: Int = 200) -> RLMResponse {
        RLMResponse(httpStatusCode: status, body: (try? document.extendedJSON()) ?? "")
    }

    private func error(_ status: Int, _ code: String, _ text: String) -> RLMResponse {
        json(["error": .string(text), "error_code": .string(code)], status)
    }
}

/// An app of a test, in a folder of its own.
func testApp(
    _ folder: TemporaryFolder,
    _ accounts: AccountServer,
    _ server: LoopbackServer? = nil,
    id: String = "test"
) -> App {
    var configuration = AppConfiguration(baseURL: "https://account.test", transport: accounts)
    configuration.rootDirectory = URL(fileURLWithPath: folder.path, isDirectory: true)
    if let server { configuration.syncTransport = { _ in server } }
    return App(id: id, configuration: configuration)
}
