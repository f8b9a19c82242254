@testable import FreeholdRealmWire

// The messages of the server: sections 5.5 to 5.9 and 7.1 of the rules.

extension TestRealmClient {
    /// Takes a frame of the server.
    mutating func receive(frame: [UInt8]) {
        let message: RealmServerMessage
        do { message = try codec.serverMessage(frame) } catch {
            return cut(rule: "7.1.13", "a message can't be read: \(error)")
        }
        receive(message)
    }

    mutating func receive(_ message: RealmServerMessage) {
        guard isConnected else { return }
        counts["received \(message.name)", default: 0] += 1
        if case .pong(let timestamp) = message {
            guard let index = pings.firstIndex(of: timestamp) else {
                return cut(rule: "7.1.13", "a pong without its ping")
            }
            pings.remove(at: index)
            return
        }
        if case .log(_, let level, _, _) = message {
            let levels = ["fatal", "error", "warn", "info", "detail", "debug", "trace"]
            if !levels.contains(level) { cut(rule: "7.1.14", "the log level \(level)") }
            if codec.version < 10 { cut(rule: "3", "a log message in version \(codec.version)") }
            return
        }
        if case .error(let error) = message {
            checkForm(of: error)
            if error.session == 0 { return endConnection(error) }
        }
        guard let index = sessions.firstIndex(where: { $0.number == message.session && $0.isBindSent }) else {
            return cut(rule: "7.1.13", "\(message.name) of the unknown session \(message.session)")
        }
        if sessions[index].isDead {
            switch message {
            case .download, .mark, .unbound, .error:
                return cut(rule: "N8", "\(message.name) after the error of session \(message.session)")
            default: return
            }
        }
        if case .unbound = message {
            guard sessions[index].isUnbindSent else { return cut(rule: "7.1.13", "unbound without its unbind") }
            sessions.remove(at: index)
            return
        }
        // The client ignores what the server sent before it received the unbind.
        if sessions[index].isUnbindSent { return }
        switch message {
        case .ident(_, let ident): take(ident, at: index)
        case .download(let download): take(download, at: index)
        case .mark(_, let number): takeMark(number, at: index)
        case .error(let error): take(error, at: index)
        case .queryError(_, _, let version, let text): takeQueryError(version, text, at: index)
        case .pong, .log, .unbound: return
        }
    }

    /// Closes the connection because of a message that breaks the protocol. All sessions stop.
    mutating func cut(rule: String, _ reason: String) {
        trap(.disconnects, rule: rule, reason)
        sessions = []
        isStopped = true
        disconnect()
    }

    // MARK: The ident

    private mutating func take(_ ident: RealmFileIdent, at index: Int) {
        let role = sessions[index].role
        guard file(of: role).ident == nil else { return cut(rule: "7.1.13", "a second ident") }
        guard ident.ident >= 1, ident.salt != 0 else { return cut(rule: "5.2.2", "an ident or a salt is 0") }
        change(role) { file in
            file.ident = ident
            file.note()
            file.upload.client = 0
            file.download.client = 0
        }
    }

    // MARK: Downloads

    private mutating func take(_ message: RealmServerMessage.Download, at index: Int) {
        // After an own error, the client ignores downloads until the next bind.
        if sessions[index].ownError != nil { return }
        let role = sessions[index].role
        guard sessions[index].isIdentSent else { return cut(rule: "7.1.13", "a download before the ident") }
        if let reason = fault(of: message, file: file(of: role)) { return cut(rule: "5.5.1", reason) }
        if let reason = progressFault(of: message) { return cut(rule: reason.rule, reason.text) }
        let isFirst = file(of: role).sets.first { $0.version == 0 }.map {
            $0.state == .pending || $0.state == .bootstrapping
        }
        if isFirst == true, message.batch == .steady || message.queryVersion != 0 {
            trap(.damages, rule: "N11", "a download precedes the end of the first bootstrap")
        }
        do {
            switch message.batch {
            case .steady: try takeSteady(message, at: index)
            case .more, .last: try takeBootstrap(message, at: index)
            }
        } catch let error as IntegrationError {
            if !(mayDisagree && error.code == 212) { traps += error.traps }
            sessions[index].ownError = error.code
        } catch let error as ClientTrap {
            traps.append(error)
        } catch {
            trap(.terminates, rule: "5.5.6", "\(error)")
        }
    }

    /// Returns the fault of the cursors of a message, or `nil`.
    private func fault(of message: RealmServerMessage.Download, file: ClientFile) -> String? {
        let (old, new) = (file.download, message.download)
        if message.latest.version < file.latest.version { return "the latest version falls" }
        if message.latest.salt == 0 { return "the latest version has no salt" }
        if message.latest.version < new.server { return "the download is newer than the latest version" }
        if new.server < old.server { return "the server's version of the download falls" }
        if new.client < old.client { return "the client's version of the download falls" }
        if new.client > message.upload.client { return "the download follows changes that aren't acknowledged" }
        if message.upload.client > file.newest { return "a version is acknowledged that the client doesn't have" }
        if message.upload.client < file.upload.client { return "an acknowledgement falls" }
        if message.upload.server > new.server { return "the upload's version is above the download's" }
        if message.queryVersion < 0 { return "the query version is negative" }
        var (last, client) = (max(old.server, 1), old.client)
        for entry in message.entries {
            if entry.serverVersion < last { return "the versions of entries fall" }
            if entry.serverVersion > new.server { return "an entry is newer than its download" }
            if entry.clientVersion < client { return "the client's versions of entries fall" }
            if entry.clientVersion > new.client { return "an entry follows newer changes than its download" }
            if entry.origin == 0 || entry.origin == file.ident?.ident { return "an entry has the own ident, or none" }
            (last, client) = (entry.serverVersion, entry.clientVersion)
        }
        return nil
    }

    private func progressFault(of message: RealmServerMessage.Download) -> (rule: String, text: String)? {
        if !(0...1).contains(message.progress) { return ("5.5.1", "the progress isn't between 0 and 1") }
        if codec.version < 12, message.progress != 0, message.progress != 1 {
            return ("3", "a fraction of a progress in version \(codec.version)")
        }
        return nil
    }

    private mutating func takeSteady(_ message: RealmServerMessage.Download, at index: Int) throws {
        let role = sessions[index].role
        let old = file(of: role).download
        guard let first = message.entries.first?.serverVersion, let last = message.entries.last?.serverVersion else {
            if message.download.server != old.server {
                trap(.repeats, rule: "N1", "a download without entries has the new version \(message.download.server)")
            }
            change(role) { file in
                file.note()
                file.take(message)
            }
            return endReset()
        }
        if first <= old.server {
            trap(.damages, rule: "N3", "two downloads have the version \(first)")
        }
        if last != message.download.server {
            trap(.repeats, rule: "N2", "the version of a download isn't its last entry's")
        }
        // After a lost connection, changes may precede the next bootstrap, although the file has a part of the earlier one.
        if sessions[index].isBootstrapping {
            trap(.damages, rule: "5.6", "a change precedes the end of a bootstrap")
        }
        try checkRefusals(at: index, entries: message.entries, old: old.server)
        let result = try change(role) { try $0.integrate(message.entries, of: message) }
        note(result)
        report(at: index, upTo: last)
    }

    private mutating func takeBootstrap(_ message: RealmServerMessage.Download, at index: Int) throws {
        let role = sessions[index].role
        let old = file(of: role).download.server
        if let first = message.entries.first?.serverVersion, first <= old, file(of: role).bootstrap == nil {
            trap(.damages, rule: "N3", "a bootstrap has the version \(first) of an earlier download")
        }
        sessions[index].isBootstrapping = message.batch == .more
        try change(role) { try $0.store(message) }
        guard message.batch == .last else { return }
        let result = try change(role) { try $0.integrateBootstrap() }
        note(result)
        if let refusal = sessions[index].refusals.first(where: {
            ($0.compensation?.serverVersion ?? 0) <= message.download.server
        }) {
            trap(.terminates, rule: "7.1.5", "the refusal \(refusal.code) lies in a bootstrap")
        }
    }

    private mutating func note(_ result: Integration) {
        traps += result.traps
        integrations += 1
        merges += result.merged
        applied += result.applied
    }

    /// Integrates a bootstrap that was stored completely before a restart.
    mutating func integrateStoredBootstrap() {
        do { note(try file.integrateBootstrap()) } catch {
            traps += (error as? IntegrationError)?.traps ?? [ClientTrap(.terminates, rule: "5.6", "\(error)")]
        }
    }

    // MARK: Marks and queries

    private mutating func takeMark(_ number: UInt64, at index: Int) {
        guard number > sessions[index].answeredMark, number <= sessions[index].sentMark else {
            return cut(rule: "7.1.13", "the mark \(number) isn't expected")
        }
        let role = sessions[index].role
        // The marks of skipped query sets may be answered at any time.
        if let version = sessions[index].markedSets[number], let set = file(of: role).set(version),
            version == sessions[index].sentQuery, set.state == .pending || set.state == .bootstrapping
        {
            trap(.damages, rule: "7.1.19", "a mark is answered before the bootstrap of the set \(version)")
        }
        sessions[index].markedSets = sessions[index].markedSets.filter { $0.key > number }
        sessions[index].answeredMark = number
        guard number == sessions[index].wantedMark else { return }
        sessions[index].isBlocked = false
        if role == .main {
            events.append(.marked)
            endReset()
        }
        let active = file(of: role).activeSet
        guard active?.state == .awaitingMark, let version = active?.version else { return }
        change(role) { file in
            file.changeSet(version) { $0.state = .complete }
            file.note()
        }
        if role == .main {
            events.append(.subscriptionComplete(version))
        } else if version == 1 {
            // The fresh file is complete. Its session ends, and the one of the main file begins.
            sessions[index].mustUnbind = true
            isFreshComplete = true
            begin(.main, reason: 1)
        }
    }

    private mutating func takeQueryError(_ version: Int64, _ text: String, at index: Int) {
        let role = sessions[index].role
        guard let set = file(of: role).set(version), set.state != .complete, set.state != .failed else {
            return trap(.terminates, rule: "7.1.7", "an error of the query set \(version), which isn't waiting")
        }
        if set.state == .bootstrapping {
            trap(.terminates, rule: "7.1.7", "an error of the query set \(version) during its bootstrap")
        }
        change(role) { file in
            file.changeSet(version) {
                $0.state = .failed
                $0.error = text
            }
            file.note()
        }
        if role == .main {
            events.append(.subscriptionFailed(version, text))
        } else {
            failReset("a query failed: \(text)")
        }
    }

    // MARK: Refusals

    /// Checks that the entry of each refusal is among the integrated ones.
    private mutating func checkRefusals(at index: Int, entries: [DownloadEntry], old: UInt64) throws {
        let last = entries[entries.count - 1].serverVersion
        for refusal in sessions[index].refusals {
            guard let version = refusal.compensation?.serverVersion, version <= last else { continue }
            guard entries.contains(where: { $0.serverVersion == version }) else {
                throw ClientTrap(.terminates, rule: "7.1.5", "the entry \(version) of a refusal was left out")
            }
        }
    }

    private mutating func report(at index: Int, upTo version: UInt64) {
        while let refusal = sessions[index].refusals.first, let compensation = refusal.compensation,
            compensation.serverVersion <= version
        {
            sessions[index].refusals.removeFirst()
            events.append(
                .refused(
                    code: refusal.code,
                    version: compensation.clientVersion,
                    objects: compensation.updates.map(\.object)
                )
            )
        }
    }

    /// Holds a refusal until its entry arrives.
    mutating func hold(_ error: ServerError, at index: Int) {
        let version = error.compensation?.serverVersion ?? 0
        let last = sessions[index].refusals.last?.compensation?.serverVersion
        let stored = file(of: sessions[index].role).download.server
        if version <= last ?? stored {
            trap(.terminates, rule: "7.1.5", "the refusal of version \(version) is late or out of order")
        }
        sessions[index].refusals.append(error)
    }
}

extension RealmServerMessage {
    /// The first word of the message.
    var name: String {
        switch self {
        case .ident: "ident"
        case .download: "download"
        case .mark: "mark"
        case .unbound: "unbound"
        case .pong: "pong"
        case .error: "json_error"
        case .queryError: "query_error"
        case .log: "log_message"
        }
    }
}
