import FreeholdEngine
import Synchronization

/// The live realms of a file that are told of commits.
final class Watchers: Sendable {
    private struct Entry: @unchecked Sendable {
        // Used at the realm's place only.
        weak var life: RealmLife?
        let mailbox: Mailbox
        /// Whether a call is on its way, which will see all that is committed until then.
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

    /// On any thread, after a commit.
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
    /// From now on the realm hears of commits, where calls can be delivered to it.
    func watch() {
        if isFrozen || configuration.readOnly { return }
        file.watchers.add(self)
        if mailbox != nil { file.hub.listenSoon() }
    }

    /// At the realm's place, some time after a commit of any realm of the file.
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
        // Else it moves when what its observers are to be told is known.
        if observers?.isActive ?? false { return }
        // A file that can't be read any more is found so by the next use, which says it.
        _ = try? refresh()
    }
}
