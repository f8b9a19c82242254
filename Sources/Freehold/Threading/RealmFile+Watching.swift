import FreeholdEngine
import Synchronization

/// The live realms of a file that are notified of commits.
final class Watchers: Sendable {
    private struct Entry: @unchecked Sendable {
        // This reference is used only at the realm's place.
        weak var life: RealmLife?
        let mailbox: Mailbox
        /// A Boolean value that indicates whether a posted call hasn't run yet. That call will see all commits before
        /// it.
        var isPosted = false
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ core: RealmCore) {
        guard let mailbox = core.mailbox else { return }
        let entry = Entry(life: core.life, mailbox: mailbox)
        entries.withLock { entries in
            if entries[ObjectIdentifier(core.life)]?.life != nil { return }
            entries = entries.filter { $0.value.life != nil }
            entries[ObjectIdentifier(core.life)] = entry
        }
    }

    /// Notifies the realms after a commit. Any thread may call this.
    func didCommit() {
        let due = entries.withLock { entries in
            var due: [(ObjectIdentifier, Entry)] = []
            for (id, entry) in entries where !entry.isPosted {
                entries[id]!.isPosted = true
                due.append((id, entry))
            }
            return due
        }
        for (id, entry) in due {
            entry.mailbox.post {
                self.entries.withLock { $0[id]?.isPosted = false }
                entry.life?.core?.didCommitElsewhere()
            }
        }
    }
}

extension RealmCore {
    /// Starts the notification of commits, if calls can be delivered to the realm.
    func watch() {
        if isFrozen || configuration.readOnly { return }
        file.watchers.add(self)
        if mailbox != nil { file.hub.listenSoon() }
    }

    /// Handles a commit of any realm of the file. Runs at the realm's place, some time after the commit.
    func didCommitElsewhere() {
        guard transaction == nil, let version = snapshotVersion else { return }
        if !autorefresh {
            let newest = database.lastVersion
            if version < newest, refreshRequired < newest {
                refreshRequired = newest
                realmObservers.tell(.refreshRequired)
            }
            return
        }
        // With observers, the realm moves when their changes have been computed.
        if observers?.isActive ?? false { return }
        // If the file can no longer be read, the next use reports the error.
        _ = try? refresh()
    }
}
