import Foundation
import Synchronization

extension Realm {
    /// The importance of a message. A logger receives the messages of its level and of the more important levels, which
    /// have lower raw values.
    public enum LogLevel: UInt, Sendable, Comparable, CaseIterable {
        /// No messages. A logger of this level is silent.
        case off = 0
        case fatal, error, warn, info, detail, debug, trace, all

        public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
    }

    /// The subject of a message.
    ///
    /// ```text
    /// realm ─┬─ sdk
    ///        └─ storage ─┬─ transaction
    ///                    ├─ query
    ///                    ├─ object
    ///                    └─ notification
    /// ```
    public enum LogCategory: String, Sendable, CaseIterable {
        /// All messages.
        case realm = "Realm"
        /// Messages about the use of the library.
        case sdk = "Realm.SDK"
        /// Messages about files: opening, migration and compaction. The category contains those below.
        case storage = "Realm.Storage"
        /// Messages about write transactions.
        case transaction = "Realm.Storage.Transaction"
        /// Messages about queries that run.
        case query = "Realm.Storage.Query"
        /// Messages about objects. There are none at present.
        case object = "Realm.Storage.Object"
        /// Messages about the delivery of changes to observers.
        case notification = "Realm.Storage.Notification"

        /// The category itself and the categories below it.
        var family: [LogCategory] {
            Self.allCases.filter { $0 == self || $0.rawValue.hasPrefix(rawValue + ".") }
        }
    }

    /// A receiver of the library's messages.
    ///
    /// ```swift
    /// Logger.shared = Logger(level: .debug) { level, message in print("\(level): \(message)") }
    /// Logger.shared.setLogLevel(.trace, category: .query)
    /// ```
    /// With `import Freehold`, the name is `Realm.Logger`, so that it doesn't conflict with the logger of another
    /// library.
    ///
    /// The library logs openings, migrations and compactions at `detail`, write transactions and deliveries to
    /// observers at `debug`, queries at `trace`, and misuse that doesn't end the process at `warn`. The initial value
    /// of ``shared`` has the level `info` and writes to standard error.
    public final class Logger: Sendable {
        private let levels: Mutex<[LogCategory: LogLevel]>
        private let function: @Sendable (LogLevel, LogCategory, String) -> Void

        /// Creates a logger for all categories.
        ///
        /// - Parameter logFunction: A closure that receives the messages. Any thread may call it, and several threads
        ///   may call it at the same time.
        /// - Parameter level: The level of the messages that the closure receives. It also receives more important
        ///   messages.
        public convenience init(
            level: LogLevel,
            logFunction: @escaping @Sendable (_ level: LogLevel, _ message: String) -> Void
        ) {
            self.init(level: level) { level, _, message in logFunction(level, message) }
        }

        /// Creates a logger whose closure also receives the category.
        ///
        /// - Parameter category: The category to which the level applies. Other categories are off.
        /// - Parameter function: A closure that receives the messages. Any thread may call it, and several threads may
        ///   call it at the same time.
        /// - Parameter level: The level of the messages that the closure receives. It also receives more important
        ///   messages.
        public init(
            level: LogLevel,
            category: LogCategory = .realm,
            function: @escaping @Sendable (_ level: LogLevel, _ category: LogCategory, _ message: String) -> Void
        ) {
            levels = Mutex(Dictionary(uniqueKeysWithValues: category.family.map { ($0, level) }))
            self.function = function
        }

        /// The logger that receives the library's messages.
        public static var shared: Logger {
            get { Log.logger }
            set { Log.logger = newValue }
        }

        /// The level of the root category. Setting it sets the level of all categories.
        public var level: LogLevel {
            get { logLevel(for: .realm) }
            set { setLogLevel(newValue) }
        }

        /// Sets the level of a category and of the categories below it.
        public func setLogLevel(_ level: LogLevel, category: LogCategory = .realm) {
            levels.withLock { levels in
                for category in category.family { levels[category] = level }
            }
            Log.didSetLevels()
        }

        /// Sets the level of a category of ``shared`` and of the categories below it.
        public static func setLogLevel(_ level: LogLevel, category: LogCategory = .realm) {
            shared.setLogLevel(level, category: category)
        }

        /// Returns the level of a category.
        public func logLevel(for category: LogCategory) -> LogLevel { levels.withLock { $0[category] ?? .off } }

        /// The highest level of all categories.
        fileprivate var highest: LogLevel { levels.withLock { $0.values.max() ?? .off } }

        fileprivate func take(_ level: LogLevel, _ category: LogCategory, message: String) {
            if level <= logLevel(for: category) { function(level, category, message) }
        }
    }
}

/// Functions that write messages to the logger in use. If no category has the level, a call costs one load.
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

    /// - Parameter message: The message. It is evaluated only if a logger may receive it.
    @inline(__always)
    static func write(_ level: Realm.LogLevel, _ category: Realm.LogCategory, message: @autoclosure () -> String) {
        if level.rawValue <= highest.load(ordering: .relaxed) { pass(level, category, message: message()) }
    }

    @inline(never)
    private static func pass(_ level: Realm.LogLevel, _ category: Realm.LogCategory, message: String) {
        logger.take(level, category, message: "DB: \(message)")
    }
}
