import Foundation
import Freehold
import Synchronization
import TestScript
import Testing

private typealias Logger = Realm.Logger
private typealias LogLevel = Realm.LogLevel

@Suite("Realm: the logger", .serialized)
struct LoggerTests {
    /// The messages that name the file, because other suites log at the same time.
    private final class Messages: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ level: LogLevel, _ text: String) { lines.withLock { $0.append("\(level) \(text)") } }

        func of(_ configuration: Realm.Configuration) -> [String] {
            lines.withLock { $0.filter { $0.contains(configuration.inMemoryIdentifier!) } }
        }

        var all: [String] { lines.withLock { $0 } }
    }

    private func logging(_ body: (Messages) async throws -> Void) async rethrows {
        let before = Logger.shared
        let messages = Messages()
        Logger.shared = Logger(level: .off) { messages.add($0, $1) }
        defer { Logger.shared = before }
        try await body(messages)
    }

    @Test
    func `openings and writes are logged at their level`() async throws {
        expectEqual(Logger.shared.level, .info)
        try await logging { messages in
            let configuration = threadingConfiguration()
            let keeper = try threadingRealm(configuration)
            expect(messages.of(configuration).isEmpty)
            Logger.shared.level = .detail
            expectEqual(Logger.shared.level, .detail)
            try onAnotherThread { _ = try Realm(configuration: configuration) }
            expectEqual(messages.of(configuration).map { $0.hasPrefix("detail DB: Opened") }, [true])
            Logger.shared.level = .all
            try onAnotherThread { _ = try Realm(configuration: configuration) }
            expect(messages.of(configuration).contains { $0.hasPrefix("trace DB: ") })
            try keeper.write { keeper.create(THPerson.self, value: ["id": 99]) }
            expect(messages.of(configuration).contains { $0.hasPrefix("debug DB: Committed version") })
            expect(keeper.objects(THPerson.self).where { $0.age >= 0 }.sorted(by: \.name).last != nil)
            expect(messages.all.contains { $0.contains("Found") && $0.contains("of THPerson") }, "\(messages.all)")
        }
        expectEqual(Logger.shared.level, .info)
    }

    @Test
    func `categories have levels of their own`() async throws {
        try await logging { messages in
            let configuration = threadingConfiguration()
            Logger.setLogLevel(.debug, category: .transaction)
            expectEqual(Logger.shared.logLevel(for: .transaction), .debug)
            expectEqual(Logger.shared.logLevel(for: .query), .off)
            let keeper = try threadingRealm(configuration)
            expect(!messages.of(configuration).isEmpty)
            expect(messages.of(configuration).allSatisfy { $0.hasPrefix("debug DB: ") })
            Logger.shared.setLogLevel(.trace, category: .storage)
            expect(Logger.shared.logLevel(for: .notification) == .trace && Logger.shared.logLevel(for: .sdk) == .off)
            withExtendedLifetime(keeper) {}
        }
        let logger = Logger(level: .warn, category: .sdk) { (_: LogLevel, _: Realm.LogCategory, _: String) in }
        expect(logger.logLevel(for: .sdk) == .warn && logger.level == .off)
    }

    @Test
    func `an abandoned write is logged as a warning`() async throws {
        try await logging { messages in
            let configuration = threadingConfiguration()
            let keeper = try threadingRealm(configuration)
            Logger.shared.level = .warn
            try onAnotherThread { try Realm(configuration: configuration).beginWrite() }
            expect(try await eventually { messages.of(configuration).contains { $0.hasPrefix("warn DB: ") } })
            withExtendedLifetime(keeper) {}
        }
    }
}
