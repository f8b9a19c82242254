import FreeholdEngine
import Synchronization

/// The version that the realm shows, and its moves to other versions.
extension RealmCore {
    /// Returns the version for the first read. It is the version of the opening. After `invalidate()` it is the newest
    /// version. If that isn't available, it is a version that another reader holds and that isn't older than the last
    /// version of this realm.
    func beginRead() -> DataView {
        if let unread {
            snapshot = unread
            self.unread = nil
            return unread
        }
        do {
            let snapshot: Snapshot
            do { snapshot = try database.snapshot() } catch {
                guard let held = database.heldSnapshot(), held.version >= lastVersion else { throw error }
                snapshot = held
            }
            try checkFits(snapshot.schema)
            let own = own(snapshot)
            self.snapshot = own
            follow(own.schema)
            return own
        } catch {
            programmerError("\(self) can't be read after invalidate(): \(error). Open it anew, which throws.")
        }
    }

    /// The last committed version that this realm knows. During a transaction it is the version before it.
    var committed: Snapshot {
        if let transaction { return transaction.base }
        return view as! Snapshot
    }

    /// The number of the version, or nil after `invalidate()` until the next read.
    var snapshotVersion: UInt64? { (snapshot ?? unread)?.version }

    /// Moves to the newest version. Returns whether a newer version existed.
    ///
    /// - Throws: An error if the newest version can't be read, or the classes no longer fit it. The realm then stays at
    ///   its version.
    func refresh() throws(Realm.Error) -> Bool {
        verifyThread()
        guard transaction == nil, !isFrozen else { return false }
        if let unread {
            snapshot = unread
            self.unread = nil
        }
        do throws(Realm.Error) {
            let isNewer = try moveToNewest()
            refreshError = nil
            return isNewer
        } catch {
            refreshError = error
            throw error
        }
    }

    /// Moves at least to a version that another realm of the file holds. This needs no reader slot.
    func catchUp(with target: Snapshot) {
        guard transaction == nil, !isFrozen else { return }
        if let version = snapshotVersion, version >= target.version { return }
        if (try? refresh()) != nil, committed.version >= target.version { return }
        guard (try? checkFits(target.schema)) != nil else { return }
        observers?.drain(upTo: target, self)
        move(to: target)
    }

    private func moveToNewest() throws(Realm.Error) -> Bool {
        let newest: Snapshot
        do throws(EngineError) {
            newest = try database.snapshot()
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
        let isNewer = snapshot?.version != newest.version
        if isNewer { try checkFits(newest.schema) }
        observers?.drain(upTo: newest, self)
        move(to: newest)
        if !isNewer, let snapshot, !newest.sharesCaches(with: snapshot) {
            // For an encrypted file: the old snapshot holds too many decrypted bytes.
            self.snapshot = own(newest)
            advance()
        }
        return isNewer
    }

    /// Prepares the realm for resolving a reference of that version. The realm then shows the version or a newer one.
    ///
    /// - Parameter isUncommitted: A Boolean value that indicates whether the target of the reference may belong to the
    ///   next version.
    func reach(_ version: Snapshot, isUncommitted: Bool) {
        verifyThread()
        if isFrozen || transaction != nil { return }
        if let snapshot {
            if snapshot.version > version.version || snapshot.version == version.version && !isUncommitted { return }
        } else if !isUncommitted, (try? checkFits(version.schema)) != nil {
            unread = nil
            snapshot = own(version)
            advance()
            // The realm wasn't notified of later commits.
            if version.version < database.lastVersion { mailbox?.post { [life] in life.core?.didCommitElsewhere() } }
            return
        }
        Realm(core: self).refresh()
        catchUp(with: version)
    }

    /// Moves to a later version.
    func move(to newer: Snapshot) {
        if transaction != nil || snapshot.map({ $0.version >= newer.version }) ?? false { return }
        tracking(from: snapshot, to: newer) {
            snapshot = own(newer)
            advance()
        }
        observers?.didMove(to: newer)
        if hasRealmObservers { realmObservers.tell(.didChange) }
    }

    func invalidate() {
        verifyThread()
        if isFrozen { return isClosed.store(true, ordering: .relaxed) }
        cancel()
        observers?.endAll()
        observers = nil
        lastVersion = snapshot?.version ?? lastVersion
        snapshot = nil
        unread = nil
        advance()
        invalidations.before = stateVersion
    }

    /// - Throws: `.schemaMismatch` if another process has migrated the file so that the classes no longer fit it.
    func checkFits(_ schema: DatabaseSchema) throws(Realm.Error) {
        if schema.origin === boundSchema?.origin { return }
        guard
            let table = tables.first(where: { !$0.fits(schema) })
                ?? dynamicTables.values.first(where: { !$0.fits(schema) })
        else { return }
        throw Realm.Error(
            .schemaMismatch,
            "The file was migrated while it was open here: class '\(table.table.name)' has changed. Let go of the realm, "
                + "and open it with the new classes.",
            className: table.info.className,
            fileURL: configuration.fileURL
        )
    }
}
