/// The figures of a session, for an administrator.
public struct SessionFigures: Sendable {
    /// The progress of a session.
    public enum State: String, Sendable {
        case binding, idle, live, behind, bootstrap
    }

    public var connection: ConnectionNumber
    public var number: SessionNumber
    public var stream: StreamName
    public var user: SyncString
    /// The number of the device's file. It is `FileIdent.me` while the session is being bound.
    public var file: FileIdent
    public var schemaVersion: UInt64
    public var state: State
    /// The number of conditions that the client has subscribed to.
    public var subscriptions: Int
    /// The number of versions of the stream that the node hasn't sent to the client yet, or `nil` before its first bootstrap.
    public var lag: UInt64?
    /// The number of uploaded commits that wait.
    public var waitingCommits: Int
    /// The bytes that the node keeps for the session.
    public var bytes: Int
}

/// The figures of a stream that a node has in memory, for an administrator.
public struct StreamFigures: Sendable {
    public var stream: StreamName
    /// The version up to which the node has sent changes to live sessions.
    public var version: StreamVersion
    public var sessions: Int
    /// The number of commits that wait for a merge.
    public var queuedCommits: Int
    /// The bytes of the rows that the node keeps for merges.
    public var bytes: Int
}

/// Two files wrote one field of an object, and the author of the later version didn't see the other write.
public struct MergedConflict: Hashable, Sendable {
    public var stream: StreamName
    public var object: ObjectName
    public var field: SyncString
    /// The author of the commit that was merged, and the author's file.
    public var user: SyncString
    public var file: FileIdent
    /// The version of the commit that was merged.
    public var version: StreamVersion
    /// The file and the version of the other write.
    public var otherFile: FileIdent
    public var otherVersion: StreamVersion
    /// A Boolean value that indicates whether the merged commit's value is stored. Otherwise the other value is.
    public var isReplaced: Bool
}

/// A change that a merge refused.
public struct RefusedWrite: Sendable {
    public enum Kind: String, Sendable {
        case create, delete, change
    }

    public var stream: StreamName
    public var object: ObjectName
    public var kind: Kind
    public var reason: RefusalReason
    /// The field that the author has no right to write, or the property that the change is about.
    public var field: SyncString?
    /// The author of the commit, and the author's file.
    public var user: SyncString
    public var file: FileIdent
    public var version: StreamVersion
    /// The rights by which the change was judged. `nil` if the author may write everything.
    public var rights: (any SessionRights)?
}

/// A session that the node ended with an error.
public struct EndedSession: Sendable {
    public var stream: StreamName
    public var user: SyncString
    /// The number of the device's file. It is `FileIdent.me` if the session wasn't bound.
    public var file: FileIdent
    public var fault: SyncFault
    public var text: SyncString
}

/// An event for administrators: a conflict, a refused change, or the end of a session. No message of the protocol reports it in this form.
public enum ServerNote: Sendable {
    case conflict(MergedConflict)
    case refusal(RefusedWrite)
    case ended(EndedSession)
}

/// Figures and notes for administrators.
extension ServerMachine {
    /// - Complexity: O(sessions)
    public var sessionFigures: [SessionFigures] {
        sessions.values.map { session in
            let state: SessionFigures.State =
                switch session.state {
                case .binding: .binding
                case .idle: .idle
                case .live: .live
                case .behind, .catchingUp: .behind
                case .bootstrap: .bootstrap
                }
            let head = streams[session.stream]?.known.version
            let lag = cursor(of: session).flatMap { cursor in
                head.map { $0 > cursor.version ? $0 - cursor.version : 0 }
            }
            return SessionFigures(
                connection: session.key.connection,
                number: session.key.number,
                stream: session.stream,
                user: session.user,
                file: session.ident,
                schemaVersion: session.bind.schema.version,
                state: state,
                subscriptions: session.queries?.queries.count ?? 0,
                lag: lag,
                waitingCommits: session.inbox.count,
                bytes: session.bytes.sum
            )
        }
    }

    /// - Complexity: O(streams in memory)
    public var streamFigures: [StreamFigures] {
        streams.map { name, state in
            StreamFigures(
                stream: name,
                version: state.known.version,
                sessions: state.sessions.keys.count,
                queuedCommits: state.queue.count,
                bytes: state.weights.bytes
            )
        }
    }

    /// Returns the conditions of a user's sessions with a stream, in stored names and at most 1,000 of them.
    public func subscriptions(of user: SyncString, to stream: StreamName) -> [ClassQuery] {
        var queries: [ClassQuery] = []
        for key in sessions.keys(of: user) {
            guard let session = sessions[key], session.stream == stream else { continue }
            queries += session.queries?.queries ?? []
            if queries.count >= Self.examined.all { break }
        }
        return Array(queries.prefix(Self.examined.all))
    }

    /// Removes and returns the notes since the last call. At most 1,000 of them are remembered.
    public mutating func takeNotes() -> [ServerNote] {
        guard !notes.isEmpty else { return [] }
        defer { notes = [] }
        return notes
    }

    mutating func note(_ note: ServerNote) {
        if notes.count < Self.examined.all { notes.append(note) }
    }

    /// Remembers the changes of a group that were refused.
    mutating func noteRefusals(_ group: Group, _ transaction: GroupTransaction, _ name: StreamName) {
        var found = 0
        for (item, answer) in group.results where !answer.answer.refusals.isEmpty {
            // The commit of an earlier attempt is already stored, and was noted then.
            guard answer.answer.version > transaction.expected.version else { continue }
            for refusal in answer.answer.refusals {
                found += 1
                guard found <= Self.examined.refusals else { return }
                // The refusal contains the author's names, and the commit the stored ones.
                let changes = item.commit.changes
                let change = changes.indices.contains(refusal.index) ? changes[refusal.index] : refusal.change
                note(
                    .refusal(
                        RefusedWrite(
                            stream: name,
                            object: change.object,
                            kind: change.writeKind,
                            reason: refusal.reason,
                            field: refusal.field ?? change.property,
                            user: item.user,
                            file: item.ident,
                            version: answer.answer.version,
                            rights: item.rights
                        )
                    )
                )
            }
        }
    }

    /// The maximum numbers of examined changes, of remembered conflicts and of remembered refusals, each for one group, and of all notes together.
    private static let examined = (changes: 10_000, conflicts: 100, refusals: 100, all: 1_000)

    /// Remembers the fields of a group that two files wrote without having seen each other's write.
    mutating func noteConflicts(_ group: Group, _ transaction: GroupTransaction, _ name: StreamName) {
        var (changes, found) = (0, 0)
        for (item, answer) in group.results where item.commit.base < transaction.head.version {
            let version = answer.answer.version
            // The commit of an earlier attempt is already stored.
            guard version > transaction.expected.version else { continue }
            let parents = transaction.parents(of: item.ident)
            for change in item.commit.changes {
                changes += 1
                guard changes <= Self.examined.changes, found < Self.examined.conflicts else { return }
                guard case .set(let place, _, .real) = change, place.path.count == 1,
                    case .property(let field) = place.path[0],
                    let states = transaction.states(of: place.object)
                else { continue }
                let seen = item.commit.seen[place.object] ?? item.commit.base
                guard states.after.changed > seen, let after = states.after.writeMark(of: field) else { continue }
                func isForeign(_ mark: Mark) -> Bool {
                    mark.isReal && mark.version > seen && mark.stamp.ident != item.ident
                        && !parents.contains { $0.ident == mark.stamp.ident && mark.version <= $0.version }
                }
                let isReplaced = after.version == version && after.stamp.ident == item.ident
                let other = isReplaced ? states.before?.writeMark(of: field) : after
                guard let other, isForeign(other) else { continue }
                found += 1
                note(
                    .conflict(
                        MergedConflict(
                            stream: name,
                            object: place.object,
                            field: field,
                            user: item.user,
                            file: item.ident,
                            version: version,
                            otherFile: other.stamp.ident,
                            otherVersion: other.version,
                            isReplaced: isReplaced
                        )
                    )
                )
            }
        }
    }
}

extension GroupTransaction {
    /// Returns the states of an object before and after the group. Returns `nil` if the group didn't change it.
    fileprivate func states(of name: ObjectName) -> (before: MergedObject?, after: MergedObject)? {
        change(of: name).map { ($0.before, $0.after) }
    }
}

extension Change {
    fileprivate var writeKind: RefusedWrite.Kind {
        switch self {
        case .create: .create
        case .delete: .delete
        default: .change
        }
    }

    /// The property that the change is about. `nil` for a whole object.
    var property: SyncString? {
        switch self {
        case .create, .delete: nil
        case .set(let place, _, _), .increment(let place, _), .insert(let place, _, _, _), .remove(let place, _),
            .move(let place, _, _, _), .clearList(let place, _), .assignList(let place, _, _, _, _),
            .insertIntoSet(let place, _), .removeFromSet(let place, _), .clearSet(let place, _),
            .assignSet(let place, _, _), .removeEntry(let place), .clearDictionary(let place, _),
            .assignDictionary(let place, _, _):
            if case .property(let name)? = place.path.first { name } else { nil }
        }
    }
}

extension MergedObject {
    /// Returns the mark of the last write of a property with a single value. Returns `nil` for other properties.
    fileprivate func writeMark(of name: SyncString) -> Mark? {
        guard case .register(let register)? = record.fields[name] else { return nil }
        return register.mark ?? record.base
    }
}
