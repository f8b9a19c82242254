@testable import FreeholdRealmWire

/// A commit of a client's file: a local transaction, an integrated download, or a change of the client's own records.
struct ClientCommit: Sendable {
    var version: UInt64
    /// The bytes that are uploaded, or nothing.
    var bytes: [UInt8] = []
    /// The changeset of a local transaction. It never changes.
    var changeset = Changeset()
    /// The form with which later downloads are merged, if a merge has changed it.
    var reciprocal: Changeset?
    /// The server's version that was integrated last.
    var remote: UInt64
    /// 0 for the own file.
    var origin: UInt64 = 0
    var timestamp: UInt64 = 0

    /// A Boolean value that indicates whether the commit is uploaded.
    var isUploaded: Bool { origin == 0 && !bytes.isEmpty }

    var merged: Changeset { reciprocal ?? changeset }
}

/// A set of subscriptions in a client's file.
struct SubscriptionSet: Sendable {
    enum State: Int, Sendable {
        case pending = 1
        case bootstrapping = 2
        case complete = 3
        case failed = 4
        case awaitingMark = 6
    }

    var version: Int64
    var state = State.pending
    /// The version of the file before the set was committed. Changes up to it are uploaded before the set is sent.
    var snapshot: UInt64
    var queries: [ClassQuery]
    var error: String?

    /// Returns the queries in the form of the protocol: classes in order, each with its distinct texts joined by `OR`.
    static func queries(of texts: [(table: String, text: String)]) -> [ClassQuery] {
        Dictionary(grouping: texts, by: \.table).sorted { WireText($0.key) < WireText($1.key) }.map { table, texts in
            let distinct = Set(texts.map(\.text)).sorted { WireText($0) < WireText($1) }
            return ClassQuery(table: table, text: distinct.map { "(\($0))" }.joined(separator: " OR "))
        }
    }
}

/// The entries of a bootstrap that hasn't ended, in the client's file.
struct PendingBootstrap: Sendable {
    var queryVersion: Int64
    var entries: [DownloadEntry] = []
    /// The cursors of the last message. `nil` before it.
    var last: RealmServerMessage.Download?
}

/// A client reset that hasn't ended.
struct ResetTracker: Hashable, Sendable {
    enum Mode: Hashable, Sendable {
        case recover
        case discard
        case recoverOrDiscard
        case manual
    }

    var mode: Mode
    /// A Boolean value that indicates whether both files have been merged.
    var isMerged = false
}
