/// The changes that servers follow, by the version of the file and the revisions of its apps.
extension AccountStore: AccountStorage {
    private struct Position: AccountPosition {
        let version: UInt64
        let revisions: [String: AppRevision]
    }

    /// - Complexity: O(1) if the file has the same version, otherwise O(apps, log-ins that ended).
    package func changes(
        after position: (any AccountPosition)?
    ) async throws -> (changes: AccountChanges?, position: any AccountPosition) {
        let version = try await version()
        let position = position as? Position
        if let position, position.version == version { return (nil, position) }
        let (known, now) = (position?.revisions ?? [:], try await revisions())
        var changes = AccountChanges()
        for (id, revision) in now {
            if known[id]?.documents != revision.documents { changes.documents.insert(id) }
            if known[id]?.users != revision.users { changes.users[id] = .since(known[id]?.users ?? 0) }
        }
        changes.ended = try await endings(since: known, now)
        return (changes, Position(version: version, revisions: now))
    }

    /// Returns the log-ins that have ended since the revisions that were seen last.
    private func endings(since known: [String: AppRevision], _ now: [String: AppRevision]) async throws -> EndedLogins {
        // The first check looks up all log-ins, and needs no notes.
        guard !known.isEmpty else { return .these([]) }
        var ended = EndedLogins.these([])
        for (id, revision) in now where known[id]?.endings != revision.endings {
            let found = try await endings(of: id, after: known[id]?.endings, through: revision.endings)
            ended.formUnion(found.map { .these($0) } ?? .any)
        }
        // An app was deleted, and all of its users were, too.
        if known.keys.contains(where: { now[$0] == nil }) { ended = .any }
        return ended
    }

    package func limiter(_ limits: AttemptLimiter.Limits) -> any AttemptCounting { AttemptLimiter(limits, now: now) }
}
