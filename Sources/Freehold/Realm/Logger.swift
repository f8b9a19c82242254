import Foundation
import Synchronization

extension Realm {
    /// How important a message is. A logger of one level takes the messages of that level and of those before it.
    public enum LogLevel: UInt, Sendable, Comparable, CaseIterable {
        /// No message has it: a logger of this level is silent.
        case off = 0
        case fatal, error, warn, info, detail, debug, trace, all

        public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
    }

    /// What a message is about.
    ///
    /// ```text
    /// realm ─┬─ sdk
    ///        └─ storage ─┬─ transaction
    ///                    ├─ query
    ///                    ├─ object
    ///                    └─ notification
    /// ```
    public enum LogCategory: String, Sendable, CaseIterable {
        /// Everything.
        case realm = "Realm"
        /// What the library says of how it is used.
        case sdk = "Realm.SDK"
        /// Files: opening, migrating, compacting them; and the categories below.
        case storage = "Realm.Storage"
        /// Write transactions.
        case transaction = "Realm.Storage.Transaction"
        /// Queries that are run.
        case query = "Realm.Storage.Query"
        /// Objects. Nothing is said of them at present.
        case object = "Realm.Storage.Object"
        /// What observers are told.
        case notification = "Realm.Storage.Notification"

        /// Itself, and what it has below it.
        var family: [LogCategory] {
            Self.allCases.filter { $0 == self || $0.rawValue.hasPrefix(rawValue + ".") }
        }
    }

    /// Takes the library's messages.
    ///
    /// ```swift
    /// Logger.shared = Logger(level: .debug) { level, message in print("\(level): \(message)") }
    /// Logger.shared.setLogLevel(.trace, category: .query)
    /// ```
    /// (With `import Freehold` it is `Realm.Logger`, so that it isn't taken for the logger of another library.)
    ///
    /// Openings, migrations and compactions are said at `detail`, write transactions and what observers are told at
    /// `debug`, queries at `trace`, and misuse that doesn't end the process at `warn`. At first ``shared`` has the level
    /// `info` and writes to standard error.
    public final class Logger: Sendable {
        private let levels: Mutex<[LogCategory: LogLevel]>
        private let function: @Sendable (LogLevel, LogCategory, String) -> Void

        /// - Parameter logFunction: gets the messages of that level and of those before it, on any thread, on several at
        ///   once, too.
        /// - Parameter level: the messages that it gets: those of this level and of more important ones.
        public convenience init(
            level: LogLevel,
            logFunction: @escaping @Sendable (_ level: LogLevel, _ message: String) -> Void
        ) {
            self.init(level: level) { level, _, message in logFunction(level, message) }
        }

        /// The same, for a function that is told the category.
        ///
        /// - Parameter category: which the level is for; others are off.
        /// - Parameter function: gets the messages, on any thread, on several at once, too.
        /// - Parameter level: the messages that it gets: those of this level and of more important ones.
        public init(
            level: LogLevel,
            category: LogCategory = .realm,
            function: @escaping @Sendable (_ level: LogLevel, _ category: LogCategory, _ message: String) -> Void
        ) {
            levels = Mutex(Dictionary(uniqueKeysWithValues: category.family.map { ($0, level) }))
            self.function = function
        }

        /// Where the library's messages go.
        public static var shared: Logger {
            get { Log.logger }
            set { Log.logger = newValue }
        }

        /// The level of everything; setting it sets it for each category.
        public var level: LogLevel {
            get { logLevel(for: .realm) }
            set { setLogLevel(newValue) }
        }

        /// Sets the level of a category and of those below it.
        public func setLogLevel(_ level: LogLevel, category: LogCategory = .realm) {
            levels.withLock { levels in
                for category in category.family { levels[category] = level }
            }
            Log.didSetLevels()
        }

        /// Sets the level of a category of ``shared``, and of those below it.
        public static func setLogLevel(_ level: LogLevel, category: LogCategory = .realm) {
            shared.setLogLevel(level, category: category)
        }

        /// The level of a category.
        public func logLevel(for category: LogCategory) -> LogLevel { levels.withLock { $0[category] ?? .off } }

        /// The highest level of any category.
        fileprivate var highest: LogLevel { levels.withLock { $0.values.max() ?? .off } }

        fileprivate func take(_ level: LogLevel, _ category: LogCategory, _ message: String) {
            if level <= logLevel(for: category) { function(level, category, message) }
        }
    }
}

/// Says something to the logger in use. That nobody listens costs one load.
enum Log {
    fileprivate static let highest = Atomic<UInt>(Realm.LogLevel.info.rawValue)
    private static let used = Mutex(
        Realm.Logger(level: .info) { level, message in
            FileHandle.standardError.write(Data("\(level): \(message)\n".utf8))
        }
    )

    fileprivate static var logger: Realm.Logger {
        get { used.withLock { $0 } }
        set {
            used.withLock { $0 = newValue }
            didSetLevels()
        }
    }

    fileprivate static func didSetLevels() { highest.store(logger.highest.rawValue, ordering: .relaxed) }

    /// - Parameter message: made only where somebody may take it.
    @inline(__always)
    static func write(_ level: Realm.LogLevel, _ category: Realm.LogCategory, _ message: @autoclosure () -> String) {
        if level.rawValue <= highest.load(ordering: .relaxed) { pass(level, category, message()) }
    }

    @inline(never)
    private static func pass(_ level: Realm.LogLevel, _ category: Realm.LogCategory, _ message: String) {
        logger.take(level, category, "DB: \(message)")
    }
}
