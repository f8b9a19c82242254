#if PostgreSQL
    internal import Foundation
    internal import Synchronization

    /// A PostgreSQL server of a test process, in a temporary folder. It ends with the process.
    ///
    /// PostgreSQL refuses to run as root: the tests then run it as another user.
    package final class PostgresServer: Sendable {
        package let port: Int
        private let binaries: String
        private let folder: String
        private let user: String?

        /// The server that tests share. It is started when the first test needs it. Nil if PostgreSQL isn't installed.
        package static let shared: PostgresServer? = {
            do { return try PostgresServer() } catch {
                print("Tests of PostgreSQL: \(error)")
                return nil
            }
        }()

        /// A Boolean value that indicates whether tests of the database run. With `FREEHOLD_REQUIRE_POSTGRES` they fail instead of being skipped.
        package static var isThere: Bool { isRequired || shared != nil }

        /// A Boolean value that indicates whether `FREEHOLD_REQUIRE_POSTGRES` is set.
        package static var isRequired: Bool {
            ProcessInfo.processInfo.environment["FREEHOLD_REQUIRE_POSTGRES"] != nil
        }

        package struct Failure: Error, CustomStringConvertible {
            package let description: String

            package init(description: String) { self.description = description }
        }

        /// Starts a server. A test that stops the server has one of its own.
        package init() throws {
            guard let binaries = Self.findBinaries() else {
                throw Failure(description: "PostgreSQL isn't installed: these tests are skipped")
            }
            self.binaries = binaries
            let isRoot = getuid() == 0
            user = isRoot ? ["postgres", "nobody"].first { getpwnam($0) != nil } : nil
            // The path of a socket has a hundred bytes at most.
            folder = "/tmp/freehold-pg-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            port = try Self.freePort()
            if let user {
                guard let entry = getpwnam(user) else { throw Failure(description: "There is no user \(user).") }
                chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
            }
            try run(
                "\(binaries)/initdb",
                ["-D", folder + "/data", "-U", "freehold", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
            )
            let settings = [
                "port = \(port)", "listen_addresses = '127.0.0.1'", "unix_socket_directories = '\(folder)'",
                "fsync = off",
                "full_page_writes = off", "max_connections = 200", "shared_buffers = 32MB", "autovacuum = on",
                "log_min_messages = fatal",
            ]
            try run(
                "sh",
                ["-c", "printf '%s\\n' \"$@\" >> \(folder)/data/postgresql.conf", "sh"] + settings
            )
            Self.watch(binaries: binaries, folder: folder, user: user)
            try start()
        }

        /// Starts the server again after `stop(_:)`, and waits until it answers.
        package func start() throws {
            // Not by pg_ctl: `Process` waits for all processes that a program leaves behind.
            _ = try start("\(binaries)/postgres", ["-D", folder + "/data"], user)
            for _ in 0..<600 {
                if (try? sql("SELECT 1")) != nil { return }
                usleep(100_000)
            }
            throw Failure(description: "PostgreSQL doesn't answer.")
        }

        package enum StopMode: String, Sendable {
            /// Transactions are undone, and connections are ended.
            case fast
            /// As if the server were killed: the next start recovers from the log.
            case immediate
        }

        /// Stops the server, and waits until it has ended.
        package func stop(_ mode: StopMode) throws {
            try run("\(binaries)/pg_ctl", ["-D", folder + "/data", "-m", mode.rawValue, "-w", "stop"])
        }

        private static func findBinaries() -> String? {
            let environment = ProcessInfo.processInfo.environment
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
            let places =
                [environment["FREEHOLD_POSTGRES_BIN"]].compactMap { $0 }
                + versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
                + (environment["PATH"] ?? "").split(separator: ":").map { String($0) }
            return places.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
        }

        private static func freePort() throws -> Int {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isBound else { throw Failure(description: "There is no free port.") }
            return Int(UInt16(bigEndian: address.sin_port))
        }

        /// Stops the server and removes its folder when the test process ends, however it ends.
        private static func watch(binaries: String, folder: String, user: String?) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let stop = command("\(binaries)/pg_ctl", ["-D", folder + "/data", "-m", "immediate", "stop"], user)
            let script = "while kill -0 \(getpid()); do sleep 1; done; \"$@\"; rm -rf \(folder)"
            process.arguments = ["-c", script, "sh"] + stop
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try? process.run()
        }

        private static func command(_ path: String, _ arguments: [String], _ user: String?) -> [String] {
            guard let user else { return [path] + arguments }
            return ["runuser", "-u", user, "--", path] + arguments
        }

        /// Starts a program, whose output goes to a file.
        private func start(_ path: String, _ arguments: [String], _ user: String?) throws -> (Process, output: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = Self.command(path, arguments, user)
            process.currentDirectoryURL = URL(fileURLWithPath: "/")
            let output = folder + "/output-" + (path.split(separator: "/").last ?? "")
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let handle = FileHandle(forWritingAtPath: output) ?? FileHandle.nullDevice
            (process.standardOutput, process.standardError) = (handle, handle)
            try process.run()
            return (process, output)
        }

        private func run(_ path: String, _ arguments: [String]) throws {
            let (process, output) = try start(path, arguments, user)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                throw Failure(description: "\(path) failed: \(text)")
            }
        }

        // MARK: Use

        /// The address of the server's database, over TCP.
        package func address(port: Int? = nil, database: String = "postgres") -> String {
            "postgresql://freehold@127.0.0.1:\(port ?? self.port)/\(database)?sslmode=disable"
        }

        /// Creates an empty database.
        ///
        /// - Returns: The name.
        package func makeDatabase() throws -> String {
            let name = "test_\(UInt64.random(in: 0 ... .max))"
            // Two copies of one template at the same time are refused.
            _ = try Self.making.withLock { _ in try sql("CREATE DATABASE \(name) TEMPLATE template0") }
            return name
        }

        private static let making = Mutex(())

        /// Drops a database, and ends its connections.
        package func dropDatabase(_ name: String) { _ = try? sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }

        /// The address over the socket.
        package var socketAddress: String { "host=\(folder) port=\(port) user=freehold dbname=postgres" }

        /// Executes statements with psql.
        ///
        /// - Parameter database: By default the one that `address` names.
        /// - Returns: The rows as text, their columns separated by `|`.
        @discardableResult package func sql(_ statements: String, in database: String = "postgres") throws -> String {
            try sql(each: [statements], in: database)
        }

        /// Executes statements with psql, one after the other in one session. Each is a transaction of its own.
        @discardableResult package func sql(each statements: [String], in database: String) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: binaries + "/psql")
            process.arguments =
                [
                    "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                    socketAddress.replacing("dbname=postgres", with: "dbname=\(database)"),
                ] + statements.flatMap { ["-c", $0] }
            // An argument has at most 128 KiB.
            let isLong = statements.count == 1 && statements[0].utf8.count > 100_000
            let script = folder + "/script-\(UInt64.random(in: 0 ... .max))"
            if isLong {
                try statements[0].write(toFile: script, atomically: false, encoding: .utf8)
                process.arguments?.removeLast(2)
                process.arguments? += ["-1", "-f", script]
            }
            defer { if isLong { try? FileManager.default.removeItem(atPath: script) } }
            let output = Pipe()
            let errors = folder + "/errors-\(UInt64.random(in: 0 ... .max))"
            _ = FileManager.default.createFile(atPath: errors, contents: nil)
            defer { try? FileManager.default.removeItem(atPath: errors) }
            let handle = FileHandle(forWritingAtPath: errors) ?? FileHandle.nullDevice
            (process.standardOutput, process.standardError) = (output, handle)
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
                throw Failure(description: "psql failed: \(text) \(statements)")
            }
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
#endif
