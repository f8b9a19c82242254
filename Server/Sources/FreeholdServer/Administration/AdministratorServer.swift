import FreeholdBSON
public import NIOHTTP1

/// The administrator's port of a server, for programs that have its key.
public struct AdministratorServer: Sendable {
    public var host: String
    public var port: Int
    public var key: AdministratorKey

    /// The server at the address doesn't have the key, or another program listens there.
    public struct OtherServer: Error, Hashable, Sendable {
        public init() {}
    }

    public init(host: String, port: Int, key: AdministratorKey) { (self.host, self.port, self.key) = (host, port, key) }

    /// Sends a request with the key, after the server has proved that it has the key.
    ///
    /// - Parameters:
    ///   - administrator: The name of the administrator in the server's log.
    ///   - seconds: The maximum time to connect, and then to receive each of two answers.
    /// - Throws: ``OtherServer`` without the proof, ``AdministratorClient/TimedOut`` if the server doesn't answer in time,
    ///   and the error of the system if no program listens there.
    public func send(
        _ method: HTTPMethod,
        _ path: String,
        body: [UInt8] = [],
        administrator: String,
        within seconds: Int64
    ) async throws -> (status: Int, body: String) {
        let number = (0..<2).map { _ in String(UInt64.random(in: 1 << 63 ... .max), radix: 16) }.joined()
        let proof = try await AdministratorClient.get(
            "/admin/v1/proof/\(number)",
            host: host,
            port: port,
            within: seconds
        )
        let given = (try? BSONDocument(extendedJSON: proof.body))?["proof"]?.stringValue
        guard proof.status == 200, let given, AccountSecret.equal(key.proof(of: number), given) else {
            throw OtherServer()
        }
        return try await AdministratorClient.send(
            method,
            path,
            host: host,
            port: port,
            headers: [("Authorization", "Bearer \(key.text)"), ("Freehold-Administrator", administrator)],
            body: body,
            within: seconds
        )
    }
}
