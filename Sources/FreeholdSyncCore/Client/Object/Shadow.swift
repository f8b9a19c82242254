/// An object with pending work: the server's state, and the client's own changes to it (sync-design.md, section 7,
/// "shadows").
///
/// A store has a shadow for each object with pending work, and for no other object.
public struct Shadow: Hashable, Sendable {
    /// The confirmed properties. `nil` if the object doesn't exist or isn't in view.
    private(set) var confirmed: ClientFields? { didSet { namedAt = Named() } }
    /// The version of the confirmed properties. `nil` if the object isn't confirmed.
    public private(set) var version: StreamVersion?
    /// The confirmed properties, with their version, from before the object left the view. The object can return
    /// (sync-attack.md, H6).
    private var absent: Absent?
    /// The version at which the object was created, as far as the client knows.
    private var born: StreamVersion = 0
    /// The version of this file's last create that the server has answered.
    private var created: StreamVersion = 0
    /// The pending changes, in their order.
    public private(set) var pending: [PendingChange] = []
    /// The versions of this file's answered commits with changes of the object, in rising order.
    private var ownVersions: [StreamVersion] = []
    private var namedAt = Named()

    /// The version at which all lists of the confirmed state have names. It is derived from the other properties, so it
    /// is ignored by `==`.
    private struct Named: Hashable, Sendable {
        var version: StreamVersion?

        static func == (a: Named, b: Named) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Creates the shadow of an object that has no pending work yet.
    ///
    /// - Parameters:
    ///   - contents: The properties that the store shows, which are the confirmed ones. `nil` if the object doesn't
    ///     exist.
    ///   - version: The confirmed version, or `nil` if the object isn't confirmed.
    public init(contents: [SyncString: MergedContent]?, version: StreamVersion?) {
        confirmed = version == nil ? nil : contents.map(ClientFields.init)
        self.version = confirmed == nil ? nil : version
    }

    /// The confirmed properties, or the last ones before the object left the view.
    var named: ClientFields? { confirmed ?? absent?.fields }

    public var isClean: Bool { pending.isEmpty }

    /// The confirmed properties.
    public var confirmedContents: [SyncString: MergedContent]? { confirmed?.contents }

    /// The properties that the client shows.
    public var contents: [SyncString: MergedContent]? { shown?.contents }

    var shown: ClientFields? { replay().fields }

    /// The properties that the client would show without the changes that the server hasn't answered yet.
    var answeredContents: [SyncString: MergedContent]? {
        var replay = Replay(confirmed, born: born, created: created)
        for change in pending where change.version != nil { replay.perform(change) }
        return replay.fields?.contents
    }

    /// Returns the properties that the client would show without the changes of all commits after the given one.
    func contents(throughCommit number: UInt64) -> [SyncString: MergedContent]? {
        var replay = Replay(confirmed, born: born, created: created)
        for change in pending where change.commit <= number { replay.perform(change) }
        return replay.fields?.contents
    }

    /// Returns the state after all pending changes.
    func replay() -> Replay {
        var replay = Replay(confirmed, born: born, created: created)
        for change in pending { replay.perform(change) }
        return replay
    }

    /// Returns whether a change is about the confirmed incarnation of the object. Own pending creates aren't
    /// considered.
    package func means(_ change: PendingChange) -> Bool { born <= max(change.seen ?? 0, created) }

    // MARK: Own work

    /// Assigns to the elements of all lists the names that work on this version uses.
    mutating func nameElements() {
        guard let version, namedAt.version != version else { return }
        confirmed?.forEachList { $0.name(at: version) }
        namedAt.version = version
    }

    mutating func add(_ changes: [PendingChange]) { pending += changes }

    /// The answer to a commit: the version that the commit received, and the indices of its refused changes.
    struct Answer: Hashable {
        let commit: UInt64
        let version: StreamVersion
        /// The changes that are removed immediately.
        let refused: Set<Int>
        /// The refused changes of objects or instances that other files deleted or replaced. They stay until the
        /// download of that deletion. Otherwise the file would show for a moment what the app has removed.
        let late: Set<Int>

        init(commit: UInt64, version: StreamVersion, refusals: [Refusal]) {
            (self.commit, self.version) = (commit, version)
            late = Set(refusals.lazy.filter { $0.reason == .objectGone || $0.reason == .instanceGone }.map(\.index))
            refused = Set(refusals.map(\.index)).subtracting(late)
        }
    }

    /// Returns whether the client shows the same content after these answers.
    ///
    /// The answer to a create can decide which incarnation later changes are about. It doesn't if the object isn't
    /// confirmed and the pending work begins with a create.
    func isShownAlike(without answers: [Answer]) -> Bool {
        guard answers.allSatisfy({ $0.refused.isEmpty && $0.late.isEmpty }) else { return false }
        if confirmed == nil, let first = pending.first, !first.isBeforeErasure, case .create = first.change {
            return true
        }
        let commits = Set(answers.map(\.commit))
        return !pending.contains { change in
            guard case .create = change.change else { return false }
            return commits.contains(change.commit)
        }
    }

    /// Applies the server's answers to commits. Each answer has the version of the commit and its refused changes.
    ///
    /// - Parameter answers: The answers, in rising order of the commits.
    mutating func acknowledge(_ answers: [Answer]) {
        let byCommit = Dictionary(answers.map { ($0.commit, $0) }) { $1 }
        var dropped: [PendingChange] = []
        for index in pending.indices {
            guard let answer = byCommit[pending[index].commit] else { continue }
            pending[index].version = answer.version
            if answer.refused.contains(pending[index].index) {
                dropped.append(pending[index])
            } else if answer.late.contains(pending[index].index) {
                continue
            } else if case .create = pending[index].change {
                created = max(created, answer.version)
            }
        }
        for answer in answers {
            let place = ownVersions.partitioned { $0 >= answer.version }
            if place == ownVersions.count || ownVersions[place] != answer.version {
                ownVersions.insert(answer.version, at: place)
            }
        }
        guard !dropped.isEmpty else { return }
        pending.removeAll { byCommit[$0.commit]?.refused.contains($0.index) ?? false }
        leaveDead(dropped)
    }

    /// Removes the answered changes that the confirmed state contains now.
    ///
    /// - Parameter version: The version up to which the client has the stream.
    mutating func settle(upTo version: StreamVersion) {
        let limit = max(version, self.version ?? 0)
        let dropped = pending.filter { $0.version.map { $0 <= limit } ?? false }
        guard !dropped.isEmpty else { return }
        pending.removeAll { $0.version.map { $0 <= limit } ?? false }
        leaveDead(dropped)
        forgetNames()
    }

    /// Removes all pending work on the object.
    mutating func discard() { pending = [] }

    mutating func discard(_ isDiscarded: (PendingChange) -> Bool) { pending.removeAll(where: isDiscarded) }

    mutating func renumber(_ number: (UInt64) -> UInt64) {
        for index in pending.indices { pending[index].commit = number(pending[index].commit) }
    }

    /// Adds dead slots for elements that removed changes had inserted, because later changes may name them.
    private mutating func leaveDead(_ changes: [PendingChange]) {
        guard !pending.isEmpty, !changes.isEmpty else { return }
        var replay = Replay(confirmed, born: born, created: created)
        replay.isDead = true
        for change in changes { replay.perform(change) }
        confirmed = replay.fields
    }

    private mutating func forgetNames() {
        let seen = Set(pending.compactMap(\.seen))
        confirmed?.forEachList { list in list.names = list.names.filter { seen.contains($0.key) } }
    }

    /// Replaces the names of properties by those of another version of the file's schema.
    mutating func rename(_ names: NameChanges, of className: SyncString) {
        confirmed = confirmed.map { names.fields($0, of: className) }
        absent = absent.map { Absent(fields: names.fields($0.fields, of: className), version: $0.version) }
        pending = pending.map { names.pending($0) }
    }

    /// Removes the pending work on a property that the app's classes can no longer store.
    ///
    /// - Parameter content: The content that the client shows for the property from then on. An object that isn't
    ///   confirmed doesn't have the property.
    /// - Returns: The removed changes. For a create, a create with this property only.
    mutating func giveUp(_ property: SyncString, showing content: MergedContent) -> [PendingChange] {
        var dropped: [PendingChange] = []
        pending = pending.compactMap { change in
            if case .create(let name, let fields) = change.change {
                let own = fields.filter { $0.name == property }
                guard !own.isEmpty else { return change }
                dropped.append(change.with(.create(name, own)))
                return change.with(.create(name, fields.filter { $0.name != property }))
            }
            guard change.change.place?.path.first == .property(property) else { return change }
            dropped.append(change)
            return nil
        }
        confirmed?[property] = ClientNode(content)
        if let last = absent {
            absent = Absent(fields: last.fields.filter { $0.key != property }, version: last.version)
        }
        return dropped
    }

    // MARK: Downloads

    /// Applies the server's message about the object.
    ///
    /// - Throws: `MisfitUpdate` if the message doesn't fit the client's state. Then nothing is changed.
    mutating func apply(_ content: ObjectUpdate.Content) throws {
        switch content {
        case .present: break
        case .erased:
            guard let fields = confirmed else { break }
            absent = Absent(fields: fields, version: version ?? 0)
            confirmed = nil
            version = nil
            var isKept = false
            for index in pending.indices {
                if case .delete = pending[index].change { isKept = true }
                if !isKept { pending[index].isBeforeErasure = true }
            }
        case .whole(let version, let born, let fields):
            let last = confirmed.map { Absent(fields: $0, version: self.version ?? 0) } ?? absent
            // If pending work saw this version, the client has had the incarnation of that version, even if another one
            // is confirmed now.
            let isKnown = pending.contains { $0.seen == version }
            let old = last.flatMap { born <= $0.version || isKnown ? $0.fields : nil } ?? [:]
            let new = try reader(version).fields(fields, over: old)
            try checkNames(of: new, at: version)
            confirmed = new
            absent = nil
            self.version = version
            self.born = born
        case .difference(let version, let base, let differences):
            guard let confirmed, base == self.version, version >= base else { throw MisfitUpdate() }
            let new = try reader(version).fields(differences, in: confirmed)
            try checkNames(of: new, at: version)
            self.confirmed = new
            self.version = version
        }
        settle(upTo: 0)
    }

    /// Checks the names of lists at a version that pending work saw. Because a version has one content, the names must
    /// still fit the lists. A list that isn't shown is empty and fits.
    private func checkNames(of fields: ClientFields, at version: StreamVersion) throws {
        guard pending.contains(where: { $0.seen == version }) else { return }
        var (isRight, copy) = (true, fields)
        copy.forEachList { list in
            guard let names = list.names[version], !names.isEmpty, list.aliveCount > 0 else { return }
            list.names[version] = nil
            list.name(at: version)
            isRight = isRight && list.names[version] == names
        }
        guard isRight else { throw MisfitUpdate() }
    }

    private struct Absent: Hashable, Sendable {
        let fields: ClientFields
        let version: StreamVersion
    }

    private func reader(_ target: StreamVersion) -> UpdateReader {
        var elements: [OwnNumber: SlotID] = [:]
        let hasNames =
            pending.contains { $0.change.makesElements } || confirmed?.values.contains { $0.mayHaveList } ?? false
        if !pending.isEmpty, hasNames {
            var shown = self.shown
            shown?.forEachList { list in
                for slot in list.slots.own { elements[slot.id.number] = slot.element }
            }
        }
        return UpdateReader(
            ownVersions: ownVersions,
            keepsDead: !pending.isEmpty,
            elements: elements,
            lastVersion: version ?? absent?.version ?? 0,
            version: target
        )
    }
}

extension Shadow: Kept {
    func write(to bytes: inout [UInt8]) {
        confirmed.write(to: &bytes)
        version.write(to: &bytes)
        (absent?.fields).write(to: &bytes)
        (absent?.version ?? 0).write(to: &bytes)
        born.write(to: &bytes)
        created.write(to: &bytes)
        pending.write(to: &bytes)
        ownVersions.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self.init(contents: nil, version: nil)
        confirmed = try ClientFields?(from: &reader)
        version = try StreamVersion?(from: &reader)
        guard (confirmed == nil) == (version == nil) else {
            throw reader.cursor.error(.inconsistent, "A confirmed object has a version, and no other")
        }
        let fields = try ClientFields?(from: &reader)
        let last = try StreamVersion(from: &reader)
        absent = fields.map { Absent(fields: $0, version: last) }
        born = try StreamVersion(from: &reader)
        created = try StreamVersion(from: &reader)
        pending = try [PendingChange](from: &reader)
        ownVersions = try [StreamVersion](from: &reader).sorted()
    }
}
