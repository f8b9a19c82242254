import Foundation
import FreeholdBSON

/// The requests of an app, in the format of App Services' client API (version 2.0).
struct AppAPI: Sendable {
    let appId: String
    let transport: any RLMNetworkTransport
    let timeout: TimeInterval

    /// The addresses of an app.
    struct Location: Hashable, Sendable {
        /// The address for HTTP requests, without a slash at the end.
        let hostname: String
        /// The address for sync.
        let wsHostname: String
    }

    struct Login {
        let accessToken: String
        let refreshToken: String
        let userId: String
        let deviceId: String
    }

    struct Profile {
        let identities: [RLMUserIdentity]
        let data: Document
    }

    private static let root = "/api/client/v2.0"

    var appPath: String { "\(Self.root)/app/\(Self.escaped(appId))" }
    static let authPath = "\(root)/auth"

    /// Returns the text escaped for use in a path.
    static func escaped(_ text: String) -> String {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    // MARK: Requests

    /// - Throws: `AppError`
    @discardableResult
    func send(
        _ method: RLMHTTPMethod,
        _ url: String,
        _ body: Document? = nil,
        token: String? = nil
    ) async throws(AppError) -> BSONValue {
        var headers = ["Accept": "application/json"]
        var text = ""
        if let body {
            headers["Content-Type"] = "application/json;charset=utf-8"
            do { text = try body.bson.extendedJSON(.relaxed) } catch {
                throw AppError(.invalidParameter, "What is to be sent isn't JSON: \(error.reason).")
            }
        }
        if let token { headers["Authorization"] = "Bearer \(token)" }
        let response = await transport.send(
            RLMRequest(method: method, url: url, timeout: timeout, headers: headers, body: text)
        )
        guard response.customStatusCode == 0, (200..<300).contains(response.httpStatusCode) else {
            throw AppError(response)
        }
        if response.body.isEmpty { return .null }
        do { return try BSONValue(extendedJSON: response.body) } catch {
            throw AppError(
                .httpRequestFailed,
                "The answer of the server isn't understood.",
                httpStatusCode: response.httpStatusCode
            )
        }
    }

    private static func text(_ document: BSONValue, _ name: String) throws(AppError) -> String {
        guard let text = document.documentValue?[name]?.stringValue else {
            throw AppError(.httpRequestFailed, "The answer of the server lacks '\(name)'.")
        }
        return text
    }

    func location(_ baseURL: String) async throws(AppError) -> Location {
        let answer = try await send(.GET, baseURL.withoutSlash + appPath + "/location")
        var (host, sync) = (try Self.text(answer, "hostname"), try Self.text(answer, "ws_hostname"))
        if baseURL.lowercased().hasPrefix("https:") {
            // A server behind a proxy may not know that the request used TLS. The client must nevertheless not send
            // passwords and tokens without TLS.
            host = host.replacingScheme("http:", by: "https:")
            sync = sync.replacingScheme("ws:", by: "wss:")
        }
        return Location(hostname: host.withoutSlash, wsHostname: sync.withoutSlash)
    }

    /// - Parameter link: The access token of a user, if the credentials become an additional way for this user to log
    ///   in.
    func login(
        _ location: Location,
        _ credentials: Credentials,
        device: Document,
        link: String? = nil
    ) async throws(AppError) -> Login {
        var body = try credentials.fields()
        body["options"] = .document(["device": .document(device)])
        let path = appPath + "/auth/providers/\(credentials.provider.rawValue)/login"
        let answer = try await send(
            .POST,
            location.hostname + path + (link == nil ? "" : "?link=true"),
            body,
            token: link
        )
        return Login(
            accessToken: try Self.text(answer, "access_token"),
            refreshToken: (answer.documentValue?["refresh_token"])?.stringValue ?? "",
            userId: try Self.text(answer, "user_id"),
            deviceId: answer.documentValue?["device_id"]?.stringValue ?? ""
        )
    }

    func profile(_ location: Location, _ accessToken: String) async throws(AppError) -> Profile {
        let answer = try await send(.GET, location.hostname + Self.authPath + "/profile", token: accessToken)
        guard let fields = answer.documentValue else {
            throw AppError(.httpRequestFailed, "The profile isn't understood.")
        }
        let identities = (fields["identities"]?.arrayValue ?? []).compactMap { value -> RLMUserIdentity? in
            guard let identity = value.documentValue, let type = identity["provider_type"]?.stringValue,
                let id = identity["id"]?.stringValue
            else { return nil }
            return RLMUserIdentity(providerType: type, identifier: id)
        }
        return Profile(identities: identities, data: fields["data"]?.documentValue.map { Document($0) } ?? [:])
    }

    func refresh(_ location: Location, _ refreshToken: String) async throws(AppError) -> UserTokens {
        let answer = try await send(.POST, location.hostname + Self.authPath + "/session", token: refreshToken)
        // A server that rotates refresh tokens returns a new one.
        let next = answer.documentValue?["refresh_token"]?.stringValue ?? refreshToken
        return UserTokens(access: try Self.text(answer, "access_token"), refresh: next)
    }
}

extension String {
    var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }

    fileprivate func replacingScheme(_ old: String, by new: String) -> String {
        lowercased().hasPrefix(old) ? new + dropFirst(old.count) : self
    }
}
