/// An event of the database, for logs and metrics. See `Diagnostics`.
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

    /// A write transaction ended, or couldn't begin.
    package struct Write: Sendable {
        package enum Outcome: String, Sendable {
            case committed
            /// The transaction made no changes, so it didn't create a version.
            case unchanged
            case rolledBack
            /// Other writers didn't finish before the caller's deadline.
            case busy
            /// The task was cancelled while it waited.
            case cancelled
        }

        package var path: String
        package var outcome: Outcome
        /// The newest version after the transaction.
        package var version: UInt64
        /// The time for which the transaction waited for other writers.
        package var waited: Duration
        /// The time from the transaction's begin to its end.
        package var lasted: Duration
        /// The part of `lasted` that the commit took.
        package var commit: Duration
        /// The size of the blocks that the commit wrote, in bytes.
        package var bytes: Int
        /// The number of writers of this process that waited when the transaction ended.
        package var waiting: Int
        package var fileBytes: UInt64
        /// The number of versions that are in use, or `nil` without listeners to `.readers`. `activeVersions` is the number of versions from the
        /// oldest of them on.
        package var readers: Int?
        package var activeVersions: UInt64?
    }

    /// A query of objects was run. Look-ups by primary key and counts of a whole class aren't reported.
    package struct Query: Sendable {
        package enum Operation: String, Sendable { case objects, count, first, aggregate }

        package var path: String
        package var className: String
        package var operation: Operation
        package var lasted: Duration
        /// A description of the conditions, sorts and limits, for queries that took longer than `Diagnostics.describedQueryDuration`.
        package var text: String?
    }

    /// The schema of a file changed when it was opened.
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

    /// A cursor of the journal that isn't moved prevents the removal of entries.
    package struct HeldJournal: Sendable {
        package var path: String
        package var cursor: String
        /// The approximate size of the entries, in bytes.
        package var bytes: Int
        /// The time at which the cursor was last moved, in milliseconds since 1970.
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
