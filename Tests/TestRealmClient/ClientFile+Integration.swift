@testable import FreeholdRealmWire

/// A download that a client's file couldn't integrate.
struct IntegrationError: Error, Sendable {
    /// The reasons. The last one prevented the integration.
    var traps: [ClientTrap]
    /// The code that the client reports to the server.
    var code: Int
}

/// The result of an integration.
struct Integration: Sendable {
    var traps: [ClientTrap] = []
    /// The number of instructions that were applied, after the merge.
    var applied = 0
    /// The number of own changesets that took part.
    var merged = 0
}

extension ClientFile {
    /// Merges the entries of changes with the local commits that they don't follow, and applies them, in one transaction.
    ///
    /// - Throws: `IntegrationError` if the client can't integrate them. The file is unchanged then.
    mutating func integrate(
        _ entries: [DownloadEntry],
        of message: RealmServerMessage.Download
    ) throws -> Integration {
        var file = self
        var result = Integration()
        let unanswered = file.history.filter { $0.isUploaded && $0.version > message.upload.client }
        let own = OwnWrites(unanswered, in: state)
        var merged: [Changeset] = []
        var position = 0
        while position < entries.count {
            let base = entries[position].clientVersion
            let end = entries[position...].firstIndex { $0.clientVersion != base } ?? entries.count
            merged += try file.integrate(group: Array(entries[position..<end]), base: base, into: &result)
            position = end
        }
        result.applied = merged.reduce(0) { $0 + $1.instructions.count }
        result.traps += own.hidden(by: merged, in: file.state)
        file.newest += 1
        file.history.append(
            ClientCommit(
                version: file.newest,
                remote: entries.last?.serverVersion ?? file.download.server,
                origin: entries.last?.origin ?? 1
            )
        )
        file.take(message)
        self = file
        return result
    }

    /// Integrates consecutive entries with one base.
    private mutating func integrate(
        group: [DownloadEntry],
        base: UInt64,
        into result: inout Integration
    ) throws -> [Changeset] {
        let positions = local(after: base)
        var own = positions.map { position in
            MergeEntry(
                order: ChangeOrder(timestamp: history[position].timestamp, ident: ident?.ident ?? 0),
                changeset: history[position].merged
            )
        }
        var incoming: [MergeEntry] = []
        for entry in group {
            let changeset: Changeset
            do { changeset = try Changeset(bytes: entry.changeset) } catch {
                throw IntegrationError(
                    traps: result.traps + [ClientTrap(.silences, rule: "7.2.1", "\(error)")],
                    code: 212
                )
            }
            incoming.append(
                MergeEntry(
                    order: ChangeOrder(timestamp: entry.timestamp, ident: entry.origin),
                    changeset: changeset
                )
            )
        }
        var check = IncomingCheck(schema: state.schema)
        for entry in incoming { check.check(entry.changeset) }
        result.traps += check.traps
        let before = own
        do throws(MergeError) {
            try merge.transform(own: &own, incoming: &incoming)
        } catch {
            let effect: ClientTrap.Effect = error.effect == .terminatesClient ? .terminates : .silences
            throw IntegrationError(traps: result.traps + [ClientTrap(effect, rule: "2.4", error.reason)], code: 212)
        }
        for (number, position) in positions.enumerated() where own[number].changeset != before[number].changeset {
            history[position].reciprocal = own[number].changeset
        }
        result.merged += positions.count
        for entry in incoming { try apply(entry.changeset, traps: &result.traps) }
        return incoming.map(\.changeset)
    }

    private mutating func apply(_ changeset: Changeset, traps: inout [ClientTrap]) throws {
        do throws(ApplyError) {
            try state.apply(changeset, as: nil, isStrict: true)
        } catch {
            let instruction = error.position.map { "\(changeset.instructions[$0])" } ?? ""
            do throws(ApplyError) {
                // The client doesn't check the sizes in updates. Wrong ones make later merges wrong.
                try state.apply(changeset)
                traps.append(ClientTrap(.damages, rule: "7.2.8", "\(error.reason) \(instruction)"))
            } catch {
                let effect: ClientTrap.Effect = error.effect == .terminatesClient ? .terminates : .silences
                let trap = ClientTrap(effect, rule: "7.2.20", "\(error.reason) \(instruction)")
                throw IntegrationError(traps: traps + [trap], code: 212)
            }
        }
    }

    /// Stores the cursors of a message.
    mutating func take(_ message: RealmServerMessage.Download) {
        download = message.download
        latest = message.latest
        upload.client = max(upload.client, message.upload.client)
        if message.upload.server > 0 { upload.server = message.upload.server }
        trim()
    }

    // MARK: Bootstraps

    /// Stores a part of a bootstrap.
    ///
    /// - Throws: `ClientTrap` if the client has no such set of subscriptions.
    mutating func store(_ message: RealmServerMessage.Download) throws {
        guard let set = set(message.queryVersion) else {
            throw ClientTrap(.terminates, rule: "7.1.6", "a bootstrap of the unknown set \(message.queryVersion)")
        }
        guard set.state != .failed else {
            throw ClientTrap(.terminates, rule: "7.1.6", "a bootstrap of the failed set \(message.queryVersion)")
        }
        var open =
            bootstrap?.queryVersion == message.queryVersion
            ? bootstrap!
            : PendingBootstrap(
                queryVersion: message.queryVersion
            )
        open.entries += message.entries
        if message.batch == .last {
            guard !open.entries.isEmpty else {
                throw ClientTrap(.terminates, rule: "7.1.8", "a bootstrap without an entry")
            }
            open.last = message
        }
        bootstrap = open
        changeSet(message.queryVersion) { if $0.state == .pending { $0.state = .bootstrapping } }
        note()
    }

    /// Integrates a bootstrap whose last part was stored.
    ///
    /// The client uses transactions of about 1 MiB. The cursors are stored with the last one.
    mutating func integrateBootstrap() throws -> Integration {
        guard let open = bootstrap, let last = open.last else { return Integration() }
        var file = self
        let result = try file.integrate(open.entries, of: last)
        file.bootstrap = nil
        file.changeSet(open.queryVersion) { if $0.state != .complete { $0.state = .awaitingMark } }
        file.sets.removeAll { $0.version < open.queryVersion }
        self = file
        return result
    }
}
