/// Something that the database did, for whoever logs or measures it. See `Diagnostics`.
package enum DiagnosticEvent: Sendable {
    case opened(Opening)
    case closed(path: String)
    case wrote(Write)
    case queried(Query)
    case changedSchema(SchemaChange)
    case compacted(Compaction)
    case heldJournal(HeldJournal)

    /// The process opened a file that it didn't have open, or a database in memory.
    package struct Opening: Sendable {
        package var path: String
        package var version: UInt64
        package var fileBytes: UInt64
        package var isReadOnly: Bool
        package var isEncrypted: Bool
    }

    /// A write transaction ended, or never began.
    package struct Write: Sendable {
        package enum Outcome: String, Sendable {
            case committed
            /// It changed nothing, so that there is no new version.
            case unchanged
            case rolledBack
            /// Other writers took longer than the caller wanted to wait.
            case busy
            /// The task was cancelled while it waited.
            case cancelled
        }

        package var path: String
        package var outcome: Outcome
        /// The newest version after it.
        package var version: UInt64
        /// How long it waited for other writers.
        package var waited: Duration
        /// From its begin to its end.
        package var lasted: Duration
        /// The part of `lasted` that the commit took.
        package var commit: Duration
        /// Bytes of the blocks that the commit wrote.
        package var bytes: Int
        /// How many writers of this process waited when it ended.
        package var waiting: Int
        package var fileBytes: UInt64
        /// How many versions are held, and how many there are from the oldest of them on, or `nil` if nobody listens to `.readers`.
        package var readers: Int?
        package var activeVersions: UInt64?
    }

    /// A query was run over objects: not a look-up by primary key, nor a count of a whole class.
    package struct Query: Sendable {
        package enum Operation: String, Sendable { case objects, count, first, aggregate }

        package var path: String
        package var className: String
        package var operation: Operation
        package var lasted: Duration
        /// The conditions, sorts and limits in words; only of queries that took longer than
        /// `Diagnostics.describedQueryDuration`.
        package var text: String?
    }

    /// Opening a file changed its schema.
    package struct SchemaChange: Sendable {
        package enum Action: String, Sendable { case create, extend, migrate, reset }

        package var path: String
        package var action: Action
        package var oldVersion: UInt64
        package var newVersion: UInt64
        package var lasted: Duration

        package init(path: String, action: Action, oldVersion: UInt64, newVersion: UInt64, lasted: Duration) {
            self.path = path
            self.action = action
            self.oldVersion = oldVersion
            self.newVersion = newVersion
            self.lasted = lasted
        }
    }

    /// A journal's cursor that nobody moves keeps what the file could do without.
    package struct HeldJournal: Sendable {
        package var path: String
        package var cursor: String
        /// About the bytes that it keeps.
        package var bytes: Int
        /// In milliseconds since 1970.
        package var movedAt: Int64
    }

    package struct Compaction: Sendable {
        package var path: String
        package var bytesBefore: UInt64
        package var bytesAfter: UInt64
        package var lasted: Duration
    }
}

extension DiagnosticEvent.Query {
    package init(
        path: String,
        className: String,
        operation: Operation,
        lasted: Duration,
        text: @autoclosure () -> String
    ) {
        self.path = path
        self.className = className
        self.operation = operation
        self.lasted = lasted
        self.text = lasted >= Diagnostics.describedQueryDuration ? text() : nil
    }
}
