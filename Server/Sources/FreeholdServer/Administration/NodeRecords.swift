import Foundation
import FreeholdSyncCore
import FreeholdSyncRules
import Synchronization

/// The last refused writes, merged conflicts and ended sessions of a node, for administrators. Any thread may use it.
///
/// An entry contains names, but no values of documents. The length of its texts is limited.
final class NodeRecords: Sendable {
    /// A refused write.
    struct Refusal: Sendable {
        /// The time in milliseconds since 1970.
        let at: Int64
        let app: String
        let stream: String?
        let className: String
        let key: String
        let kind: RefusedWrite.Kind
        let reason: RefusalReason
        let field: String?
        /// The name of the role that applied to the user. `rule` is the rule that refused the write.
        let role: String?
        let rule: String?
        let user: String
        let file: UInt32
        let version: UInt64
    }

    /// A conflict: two files wrote a field, and neither had received the write of the other file.
    struct Conflict: Sendable {
        let at: Int64
        let app: String
        let stream: String?
        let className: String
        let key: String
        let field: String
        let user: String
        let file: UInt32
        let version: UInt64
        let otherFile: UInt32
        let otherVersion: UInt64
        let isReplaced: Bool
    }

    /// A session that the node ended with an error.
    struct Ending: Sendable {
        let at: Int64
        let app: String
        let stream: String?
        let user: String
        let file: UInt32
        let fault: String
        let reason: String
    }

    /// The maximum number of kept entries of each kind.
    static let most = 1_000
    /// The entries of each kind that are kept of one user in a second, so that one user can't replace those of all others.
    private static let mostOfUser = 100

    /// The entries of one kind.
    private struct Kept<Entry: Sendable> {
        var ring = Ring<Entry>(most: NodeRecords.most)
        /// The number of entries since the start, also of those that weren't kept. A group of commits notes at most 100 of each kind.
        var count: UInt64 = 0
        /// The numbers of entries by users in the present second.
        private var second: Int64 = 0
        private var ofUsers: [SyncString: Int] = [:]

        mutating func add(of user: SyncString, at time: Int64, _ entry: () -> Entry) {
            count += 1
            if second != time / 1_000 { (second, ofUsers) = (time / 1_000, [:]) }
            ofUsers[user, default: 0] += 1
            if ofUsers[user, default: 0] <= NodeRecords.mostOfUser { ring.append(entry()) }
        }
    }

    private struct State {
        var refusals = Kept<Refusal>()
        var conflicts = Kept<Conflict>()
        /// The client resets: sessions whose clients have to start again.
        var resets = Kept<Ending>()
    }

    private let state = Mutex(State())

    init() {}

    /// Records notes of a machine.
    func take(_ notes: [ServerNote]) {
        let at = Int64(Date().timeIntervalSince1970 * 1_000)
        state.withLock { state in
            for note in notes {
                switch note {
                case .conflict(let conflict): state.conflicts.add(of: conflict.user, at: at) { Conflict(conflict, at) }
                case .refusal(let write): state.refusals.add(of: write.user, at: at) { Refusal(write, at) }
                case .ended(let session):
                    guard session.fault == .storeReplaced else { continue }
                    state.resets.add(of: session.user, at: at) { Ending(session, at) }
                }
            }
        }
    }

    var refusals: Ring<Refusal> { state.withLock { $0.refusals.ring } }
    var conflicts: Ring<Conflict> { state.withLock { $0.conflicts.ring } }
    var resets: Ring<Ending> { state.withLock { $0.resets.ring } }
    /// The numbers of refused writes, merged conflicts and client resets since the start.
    var counts: (refusals: UInt64, conflicts: UInt64, resets: UInt64) {
        state.withLock { ($0.refusals.count, $0.conflicts.count, $0.resets.count) }
    }
}

extension StreamName {
    /// The value of the stream, with a limited length. `nil` for the only stream of an app.
    var shownValue: String? {
        switch value {
        case nil: nil
        case .string(let text)?: text.string.shortened
        case let value?: "\(value)".shortened
        }
    }
}

extension String {
    /// The text, cut after 256 bytes. A character can have any number of bytes, so it isn't the unit.
    var shortened: String {
        guard utf8.count > 256 else { return self }
        var (short, bytes) = (String.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= 256 else { break }
            short.append(scalar)
        }
        return String(short) + "…"
    }
}

extension PrimaryKey {
    /// The key as a text with a limited length.
    var shown: String {
        switch self {
        case .string(let text): text.string.shortened
        case .int(let number): "\(number)"
        default: "\(self)".shortened
        }
    }
}

extension NodeRecords.Refusal {
    init(_ write: RefusedWrite, _ at: Int64) {
        let rights = (write.rights as? UserRights)?.rights(of: write.object.className)
        var rule: String?
        if write.reason == .forbidden {
            rule =
                rights.flatMap { rights in
                    rights.denial
                        ?? {
                            switch write.kind {
                            case .create: "insert: \(rights.insert)"
                            case .delete: "delete: \(rights.delete)"
                            case .change: "write: \(rights.write)"
                            }
                        }()
                }
                ?? "the access of the app"
        }
        self.init(
            at: at,
            app: write.stream.app.string,
            stream: write.stream.shownValue,
            className: write.object.className.string.shortened,
            key: write.object.key.shown,
            kind: write.kind,
            reason: write.reason,
            field: write.field?.string.shortened,
            role: rights?.role?.shortened,
            rule: rule?.shortened,
            user: write.user.string.shortened,
            file: write.file.rawValue,
            version: write.version
        )
    }
}

extension NodeRecords.Conflict {
    init(_ conflict: MergedConflict, _ at: Int64) {
        self.init(
            at: at,
            app: conflict.stream.app.string,
            stream: conflict.stream.shownValue,
            className: conflict.object.className.string.shortened,
            key: conflict.object.key.shown,
            field: conflict.field.string.shortened,
            user: conflict.user.string.shortened,
            file: conflict.file.rawValue,
            version: conflict.version,
            otherFile: conflict.otherFile.rawValue,
            otherVersion: conflict.otherVersion,
            isReplaced: conflict.isReplaced
        )
    }
}

extension NodeRecords.Ending {
    init(_ session: EndedSession, _ at: Int64) {
        self.init(
            at: at,
            app: session.stream.app.string.shortened,
            stream: session.stream.shownValue,
            user: session.user.string.shortened,
            file: session.file.rawValue,
            fault: "\(session.fault)",
            reason: session.text.string.shortened
        )
    }
}
