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
    /// The maximum number of entries of one user that are kept in a second.
    private static let mostOfUser = 100

    private struct State {
        var refusals = Ring<Refusal>(most: NodeRecords.most)
        var conflicts = Ring<Conflict>(most: NodeRecords.most)
        /// The client resets: ended sessions whose clients have to reset their files.
        var resets = Ring<Ending>(most: NodeRecords.most)
        /// The present second. `counts` has the number of entries of each user in it.
        var second: Int64 = 0
        var counts: [SyncString: Int] = [:]
        /// The numbers of entries since the start, including those that weren't kept. A group of commits reports at most 100 of each kind.
        var refused: UInt64 = 0
        var merged: UInt64 = 0
        var reset: UInt64 = 0

        /// Counts an entry of a user. Returns a Boolean value that indicates whether the entry is kept. The limit prevents a user from replacing the
        /// entries of all other users.
        mutating func keeps(_ user: SyncString) -> Bool {
            counts[user, default: 0] += 1
            return counts[user, default: 0] <= NodeRecords.mostOfUser
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Records notes of a machine.
    func take(_ notes: [ServerNote]) {
        let at = Int64(Date().timeIntervalSince1970 * 1_000)
        state.withLock { state in
            if state.second != at / 1_000 { (state.second, state.counts) = (at / 1_000, [:]) }
            for note in notes {
                switch note {
                case .conflict(let conflict):
                    state.merged += 1
                    guard state.keeps(conflict.user) else { continue }
                    state.conflicts.append(Conflict(conflict, at))
                case .refusal(let write):
                    state.refused += 1
                    guard state.keeps(write.user) else { continue }
                    state.refusals.append(Refusal(write, at))
                case .ended(let session):
                    guard session.fault == .storeReplaced else { continue }
                    state.reset += 1
                    guard state.keeps(session.user) else { continue }
                    state.resets.append(Ending(session, at))
                }
            }
        }
    }

    var refusals: Ring<Refusal> { state.withLock { $0.refusals } }
    var conflicts: Ring<Conflict> { state.withLock { $0.conflicts } }
    var resets: Ring<Ending> { state.withLock { $0.resets } }
    /// The numbers of refused writes, merged conflicts and client resets since the start.
    var counts: (refusals: UInt64, conflicts: UInt64, resets: UInt64) {
        state.withLock { ($0.refused, $0.merged, $0.reset) }
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
