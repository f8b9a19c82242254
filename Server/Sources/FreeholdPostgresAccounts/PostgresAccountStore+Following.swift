#if PostgreSQL
    import FreeholdPostgresStore
    package import FreeholdServer

    /// The changes that servers follow. Each transaction that changes something inserts a note about it, and servers read the notes.
    extension PostgresAccountStore: AccountStorage {
        /// The time, in microseconds, for which notes are read again. A transaction may commit late, so a note can become visible after notes with
        /// later times.
        private static let window: Int64 = 60_000_000
        /// The time for which notes are kept, in microseconds.
        private static let kept: Int64 = 24 * 3_600_000_000
        private static let hour: Int64 = 3_600_000_000

        private struct Note: Hashable {
            let at: Int64
            let id: Int64
            let app: String
            let kind: String
            let subject: String

            init(_ row: Row) throws {
                (at, id) = (try row.int(0), try row.int(1))
                (app, kind, subject) = (try row.text(2), try row.text(3), try row.text(4))
            }
        }

        private struct Position: AccountPosition {
            /// The database's time at the last read.
            var readAt: Int64
            /// The database's time of the last removal of old rows.
            var removedAt: Int64
            /// The notes of the window that were already processed.
            var seen: Set<Note>
        }

        package func changes(
            after position: (any AccountPosition)?
        ) async throws -> (changes: AccountChanges?, position: any AccountPosition) {
            let known = position as? Position
            let results = try await read([
                Call(AccountStatement.now, [time]),
                Call(
                    AccountStatement.notes,
                    [.optional(known.map { $0.readAt - Self.window }), time, .int(Self.window)]
                ),
                Call(AccountStatement.allApps),
            ])
            guard let now = try results[0].first?.int(0) else {
                throw AccountStorageFailure("The database returned no time.")
            }
            let notes = Set(try results[1].map { try Note($0) })
            let apps = try results[2].map { try $0.text(0) }
            // If the last read is too long ago, notes may have been removed. All apps and users then count as changed.
            guard let known, now - known.readAt < Self.kept - Self.hour else {
                var all = AccountChanges(documents: Set(apps))
                for app in apps { all.users[app] = .all }
                all.ended = known == nil ? .these([]) : .any
                return (all, Position(readAt: now, removedAt: now, seen: notes))
            }
            let new = notes.subtracting(known.seen)
            var next = known
            next.readAt = now
            next.seen = known.seen.union(new).filter { $0.at >= now - 2 * Self.window }
            if now - known.removedAt > Self.hour {
                next.removedAt = now
                try await removeOld()
            }
            return (new.isEmpty ? nil : Self.changes(new), next)
        }

        private static func changes(_ notes: Set<Note>) -> AccountChanges {
            var changes = AccountChanges()
            var users: [String: Set<String>] = [:]
            for note in notes {
                switch note.kind {
                case "app": changes.documents.insert(note.app)
                // The deletion of an app ends its log-ins without a note for each of them.
                case "gone": changes.ended = .any
                case "user": users[note.app, default: []].insert(note.subject)
                case "login": changes.ended.formUnion(.these([note.subject]))
                // A later version of the server inserted the note.
                default: continue
                }
            }
            changes.users = users.mapValues { .these($0) }
            return changes
        }

        private func removeOld() async throws {
            try await write([
                Call(AccountStatement.dropNotes, [time, .int(Self.kept)]),
                Call(AccountStatement.dropLogins, [time, .int(Self.kept)]), Call(AccountStatement.dropCodes, [time]),
                Call(AccountStatement.dropAttempts, [time]),
            ])
        }

        package func limiter(_ limits: AttemptLimiter.Limits) -> any AttemptCounting {
            PostgresAttempts(store: self, limits: limits)
        }
    }
#endif
