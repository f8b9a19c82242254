#if PostgreSQL
    import Foundation
    import PostgresProcess
    import Testing

    /// A database for the servers of one test. It is dropped with the object.
    final class TestDatabase: Sendable {
        let server: PostgresServer
        private let name: String

        /// - Parameter server: By default the one that tests share.
        init(_ server: PostgresServer? = nil) throws {
            self.server = try server ?? #require(PostgresServer.shared)
            name = try self.server.makeDatabase()
        }

        deinit { server.dropDatabase(name) }

        var address: String { server.address(database: name) }
        /// The flags of commands and servers.
        var flags: [String] { ["--store", address] }

        @discardableResult func sql(_ statements: String) throws -> String { try server.sql(statements, in: name) }

        /// Executes the statements of a text one by one. They end with a semicolon at the end of a line.
        @discardableResult func sql(each text: String) throws -> String {
            let parts = (text + "\n").split(separator: ";\n").map(String.init)
            return try server.sql(each: parts.filter { !$0.allSatisfy(\.isWhitespace) }, in: name)
        }

        /// Expects that `verify` finds nothing, and that each commit of each file is stored once.
        func expectSound(_ folder: TestFolder, at location: SourceLocation = #_sourceLocation) throws {
            let verify = try ServerProcess.run(["verify", folder.path] + flags, takesErrors: true)
            #expect(verify.status == 0, "\(verify.output)", sourceLocation: location)
            #expect(verify.output.contains(", 0 of them damaged."), "\(verify.output)", sourceLocation: location)
        }
    }

    extension Trait where Self == ConditionTrait {
        /// The test needs PostgreSQL and the server's program.
        static var needsPostgresServer: Self {
            .enabled(
                if: PostgresServer.isRequired || (PostgresServer.isThere && ServerProcess.isBuilt),
                "PostgreSQL isn't installed, or freehold-server isn't built"
            )
        }
    }

    /// Runs a body that blocks on a thread of its own.
    func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// Waits up to two minutes for a condition.
    func eventually(
        _ what: String,
        at location: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ isSo: () async throws -> Bool
    ) async throws {
        for _ in 0..<2_400 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("It didn't come: \(what)", sourceLocation: location)
    }
#endif
