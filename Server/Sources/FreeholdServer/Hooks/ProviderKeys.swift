import Foundation
import FreeholdBSON
import JWTKit
import Logging

/// The public keys of providers, and the check of their id tokens.
///
/// Keys in files are read again after the file has changed. Keys at an address are requested at the first log-in, after
/// `lifetime`, and, at most once in `pause`, for a token that no known key signed.
actor ProviderKeys {
    private struct Known {
        let keys: JWTKeyCollection
        let time: Date
        /// The time of the last change of a file.
        let changed: Date?
    }

    static let lifetime: TimeInterval = 6 * 3_600
    static let pause: TimeInterval = 60
    /// The largest key set, in bytes.
    static let mostBytes = 256 << 10

    private let now: @Sendable () -> Date
    private let logger: Logger
    private let client: HookClient
    private var failures = FailureLog()
    private var known: [ProviderSettings.Keys: Known] = [:]
    private var requests: [String: Task<[UInt8], any Error>] = [:]
    /// The times of the last requests, also of those that failed.
    private var asked: [String: Date] = [:]

    init(now: @escaping @Sendable () -> Date, logger: Logger, client: HookClient = HookClient()) {
        (self.now, self.logger, self.client) = (now, logger, client)
    }

    /// Returns the user of an id token.
    ///
    /// - Throws: `AccountError` if the token isn't valid for the settings, or if the keys can't be read.
    func user(of token: String, _ settings: ProviderSettings) async throws -> ExternalUser {
        guard token.utf8.count <= 16_384, token.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 else {
            throw AccountError.invalidIDToken
        }
        let claims = try await claims(token, settings.keys)
        let now = now()
        guard claims.exp.value > now, (claims.nbf?.value).map({ $0 <= now.addingTimeInterval(60) }) ?? true,
            let issuer = claims.iss?.value, settings.issuers.contains(issuer),
            let audiences = claims.aud?.values, audiences.contains(where: settings.audiences.contains),
            let user = ExternalUser(id: claims.sub.value, claims.profile)
        else { throw AccountError.invalidIDToken }
        return user
    }

    private func claims(_ token: String, _ place: ProviderSettings.Keys) async throws -> IDClaims {
        if let keys = try await keys(at: place, isStale: false), let claims = try? await verified(token, keys) {
            return claims
        }
        // The provider may have a new key.
        guard let keys = try await keys(at: place, isStale: true) else { throw AccountError.invalidIDToken }
        do { return try await verified(token, keys) } catch { throw AccountError.invalidIDToken }
    }

    private func verified(_ token: String, _ keys: JWTKeyCollection) async throws -> IDClaims {
        try await keys.claims(of: token, as: IDClaims.self)
    }

    /// Returns the keys.
    ///
    /// - Parameter isStale: A Boolean value that indicates whether the known keys don't suffice.
    /// - Returns: `nil` if the known keys are the newest.
    private func keys(at place: ProviderSettings.Keys, isStale: Bool) async throws -> JWTKeyCollection? {
        let (now, last) = (now(), known[place])
        switch place {
        case .file(let path):
            let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            if let last, last.changed == changed { return isStale ? nil : last.keys }
            guard let data = FileManager.default.contents(atPath: path), data.count <= Self.mostBytes,
                let keys = await Self.collection(Array(data))
            else {
                log(path, "The file can't be read, or isn't a key set.")
                return try kept(last, isStale)
            }
            known[place] = Known(keys: keys, time: now, changed: changed)
            return keys
        case .address(let address):
            if let last, !isStale, now.timeIntervalSince(last.time) < Self.lifetime { return last.keys }
            if requests[address] == nil, let before = asked[address], abs(now.timeIntervalSince(before)) < Self.pause {
                return try kept(last, isStale)
            }
            do {
                guard let keys = await Self.collection(try await request(address, now)) else {
                    throw IngestFailure("The answer isn't a key set.")
                }
                known[place] = Known(keys: keys, time: now, changed: nil)
                return keys
            } catch {
                let reason = (error as? IngestFailure)?.description ?? (error as? HookLate)?.description
                log(String(address.prefix { $0 != "?" }), reason ?? "\(type(of: error))")
                return try kept(last, isStale)
            }
        }
    }

    /// Logs that keys can't be read, after growing pauses.
    private func log(_ place: String, _ reason: String) {
        guard failures.takes(reason, of: place, at: Int64(now().timeIntervalSince1970 * 1_000)) else { return }
        logger.warning("a provider's keys can't be read", metadata: ["keys": "\(place)", "reason": "\(reason)"])
    }

    /// Returns earlier keys, if new ones can't be read.
    ///
    /// - Throws: `AccountError` if no keys are known.
    private func kept(_ last: Known?, _ isStale: Bool) throws -> JWTKeyCollection? {
        guard let last else { throw AccountError.noProviderKeys }
        return isStale ? nil : last.keys
    }

    /// Requests a key set. Calls during a request wait for its answer.
    private func request(_ address: String, _ now: Date) async throws -> [UInt8] {
        if let running = requests[address] { return try await running.value }
        asked[address] = now
        let client = client
        let task = Task { () throws -> [UInt8] in
            let answer = try await client.post(
                HookRequest(
                    address: try HookAddress(address),
                    headers: [("Accept", "application/json"), ("User-Agent", "freehold-server")],
                    body: [],
                    timeout: .seconds(10),
                    isGet: true,
                    kept: HookRequest.Kept(most: Self.mostBytes, take: { _, _ in true }, give: { _ in })
                )
            )
            guard answer.status == 200 else { throw IngestFailure("The keys' address answered with \(answer.status).") }
            return answer.body
        }
        requests[address] = task
        defer { requests[address] = nil }
        return try await task.value
    }

    /// Returns the keys of a JSON Web Key Set. Returns `nil` if it can't be read, or has no key.
    private static func collection(_ bytes: [UInt8]) async -> JWTKeyCollection? {
        let keys = JWTKeyCollection()
        guard (try? BSONDocument(extendedJSON: bytes)["keys"]?.arrayValue?.isEmpty) == false,
            (try? await keys.add(jwksJSON: String(decoding: bytes, as: UTF8.self))) != nil
        else { return nil }
        return keys
    }
}

/// The claims of an id token.
private struct IDClaims: JWTPayload {
    let sub: SubjectClaim
    let exp: ExpirationClaim
    let nbf: NotBeforeClaim?
    let iss: IssuerClaim?
    let aud: TokenAudiences?
    let email: String?
    let email_verified: Truth?
    let name: String?
    let given_name: String?
    let family_name: String?
    let picture: String?

    /// A Boolean value that some providers write as a text.
    struct Truth: Codable, Sendable {
        let value: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = (try? container.decode(Bool.self)) ?? ((try? container.decode(String.self)) == "true")
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// The profile. An email address that the provider hasn't verified isn't a part of it, because rules may trust it.
    var profile: BSONDocument {
        var profile: BSONDocument = [:]
        for (field, text) in [
            ("name", name), ("email", email_verified?.value == true ? email : nil), ("first_name", given_name),
            ("last_name", family_name), ("picture", picture),
        ] {
            if let text { profile.append(field, .string(text)) }
        }
        return profile
    }

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

extension AccountError {
    static let invalidIDToken = AccountError(401, "AuthError", "the id token isn't valid for this app")
    static let noProviderKeys = AccountError(503, "InternalServerError", "the provider's keys can't be read")
}
