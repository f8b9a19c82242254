import Foundation
import FreeholdSync
import FreeholdSyncCore
import Testing

@testable import FreeholdServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Compares the systemd unit and the Dockerfile with the program.
@Suite(.timeLimit(.minutes(20))) struct DeployTests {
    private static func lines(_ name: String) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Deploy")
        return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    private static func value(_ key: String, _ lines: [String]) throws -> String {
        String(try #require(lines.first { $0.hasPrefix(key) }).dropFirst(key.count))
    }

    private static func list(_ key: String, _ lines: [String]) throws -> [String] {
        let line = try #require(lines.first { $0.hasPrefix(key) })
        let json = try #require(line.range(of: "[").map { line[$0.lowerBound...] })
        return try JSONDecoder().decode([String].self, from: Data(json.utf8))
    }

    @Test func `ports, folders, users and times are those of the program`() throws {
        let (docker, unit) = (try Self.lines("Dockerfile"), try Self.lines("freehold-server.service"))
        let settings = ServerSettings(node: NodeConfiguration(apps: [:]))
        #expect(try Self.value("EXPOSE ", docker) == "\(settings.port)")
        let folder = "/var/lib/freehold"
        #expect(try Self.value("VOLUME ", docker) == folder)
        #expect(try Self.value("StateDirectory=", unit) == "freehold")
        #expect(try Self.value("User=", unit) == "freehold" && Self.value("Group=", unit) == "freehold")
        let user = try Self.value("USER ", docker)
        #expect(docker.contains { $0.contains("--uid \(user) --home-dir \(folder) ") })
        #expect(docker.contains { $0.contains("install -d -o freehold -g freehold -m 700 \(folder)") })
        let stop = try #require(Int(try Self.value("TimeoutStopSec=", unit)))
        #expect(stop > 2 * settings.drainTime / 1_000)
        #expect(docker.contains { $0.contains("docker stop --time 30") })
        // Packages that the program and its webhooks over TLS need.
        #expect(docker.contains { $0.contains("ca-certificates liblmdb0 zlib1g") })
        // The image and the unit have the program at the same path.
        #expect(docker.contains { $0.hasPrefix("COPY --from=build /freehold-server /usr/local/bin/freehold-server") })
        #expect(try Self.value("ExecStart=", unit).hasPrefix("/usr/local/bin/freehold-server serve \(folder)"))
    }

    /// Runs the commands with another folder and a free port.
    @Test(
        .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"),
        arguments: ["Dockerfile", "freehold-server.service"]
    )
    func `the commands of the image and the unit serve`(_ file: String) async throws {
        let lines = try Self.lines(file)
        var words: [String]
        if file == "Dockerfile" {
            #expect(try Self.list("ENTRYPOINT", lines) == ["freehold-server"])
            words = try Self.list("CMD", lines)
        } else {
            words = try Self.value("ExecStart=", lines).split(separator: " ").dropFirst().map(String.init)
        }
        #expect(words.prefix(2) == ["serve", "/var/lib/freehold"])
        words.removeFirst(2)
        let folder = try ServerProcess.folder()
        var launcher: [String] = []
        func start() async throws -> ServerProcess {
            launcher = ["env", "FREEHOLD_ADMIN_PORT=\(try await Self.freePort())"]
            return try ServerProcess(folder.path, words, launcher: launcher)
        }
        let server: ServerProcess
        // Another test can have taken the port in the meantime.
        do { server = try await start() } catch { server = try await start() }
        if file == "Dockerfile" {
            let health = try #require(lines.first { $0.hasPrefix("HEALTHCHECK") }?.components(separatedBy: "CMD ").last)
            #expect(health == #"["freehold-server", "status", "/var/lib/freehold"]"#)
        }
        #expect(try ServerProcess.run(["status", folder.path], launcher: launcher).status == 0)
        await server.end(SIGTERM)
        #expect(try ServerProcess.run(["status", folder.path], launcher: launcher).status == 1)
    }

    #if PostgreSQL
        /// The lines of the unit, followed by those of its settings for PostgreSQL.
        private static func unitWithPostgres() throws -> [String] {
            try lines("freehold-server.service") + lines("postgresql.conf")
        }

        @Test(.needsPostgresServer) func `the unit with PostgreSQL serves from the database`() async throws {
            let lines = try Self.unitWithPostgres()
            let variable = try Self.value("Environment=\"FREEHOLD_STORE=", lines)
            // systemd keeps what is between the quotation marks.
            #expect(variable == "postgresql:///freehold\"")
            #expect(lines.contains("After=postgresql.service") && lines.contains("StartLimitIntervalSec=0"))
            let words = try Self.value("ExecStart=", lines).split(separator: " ").dropFirst(3).map(String.init)
            let (folder, database) = (try ServerProcess.folder(), try TestDatabase())
            let environment = [
                "env", "FREEHOLD_STORE=\(database.address)", "FREEHOLD_ADMIN_PORT=\(try await Self.freePort())",
            ]
            let server = try ServerProcess(folder.path, words, launcher: environment)
            let client = try await TestClient(port: server.port)
            try await client.subscribe()
            try client.create(.int(1))
            try await client.session.waitForUpload()
            #expect(try database.sql("SELECT count(*) FROM freehold.object") == "1")
            await client.close()
            await server.end(SIGTERM)
        }

        @Test(.needsPostgresServer) func `the command of compose serves from the database`() async throws {
            let lines = try Self.lines("compose.yaml").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(lines.contains("FREEHOLD_STORE: postgresql://freehold@database/freehold"))
            #expect(lines.contains("POSTGRES_USER: freehold") && lines.contains("POSTGRES_DB: freehold"))
            #expect(lines.contains("args: {TRAITS: PostgreSQL}"))
            let settings = ServerSettings(node: NodeConfiguration(apps: [:]))
            #expect(lines.contains("ports: [\"127.0.0.1:\(settings.port):\(settings.port)\"]"))
            let docker = try Self.lines("Dockerfile")
            #expect(docker.contains("ARG TRAITS=\"\"") && docker.contains { $0.contains("libpq5") })
            let volume = try Self.value("VOLUME ", docker)
            #expect(lines.contains("volumes: [\"server:\(volume)\"]"))
            let stop = try #require(
                lines.last { $0.hasPrefix("stop_grace_period: ") }.flatMap { Int($0.dropFirst(19).dropLast()) }
            )
            #expect(stop > 2 * settings.drainTime / 1_000)
            var words = try Self.list("command:", lines)
            #expect(words.prefix(2) == ["serve", volume])
            words.removeFirst(2)
            // Two dollar signs are one.
            let entry = try Self.list("entrypoint:", lines).map { $0.replacing("$$", with: "$") }
            let (folder, database) = (try ServerProcess.folder(), try TestDatabase())
            let secret = "\(folder.path)/postgres.password"
            try "no password is asked for".write(toFile: secret, atomically: true, encoding: .utf8)
            // The shell's script gets the path of the program and that of the secret.
            let script = entry[2].replacing("/run/secrets/postgres.password", with: secret)
                .replacing("exec freehold-server ", with: "exec ")
            let environment = [
                "env", "FREEHOLD_STORE=\(database.address)", "FREEHOLD_ADMIN_PORT=\(try await Self.freePort())",
            ]
            let server = try ServerProcess(
                folder.path,
                words,
                launcher: environment + [entry[0], entry[1], script, entry[3]]
            )
            #expect(try database.sql("SELECT count(*) FROM freehold.store") == "1")
            await server.end(SIGTERM)
        }
    #endif

    static func freePort() async throws -> Int {
        let server = try await TestServer { $0.administratorPort = nil }
        await server.stop()
        return server.port
    }
}
