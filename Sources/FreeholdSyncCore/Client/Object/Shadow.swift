/// An object with pending work: what the server has, and what the client's own commits do to it (sync-design.md, section 7, "shadows").
///
/// A store keeps one for each such object and for no other.
public struct Shadow: Hashable, Sendable {
    /// What is confirmed. Nil if there is no such object, or none in view.
    private(set) var confirmed: ClientFields? { didSet { namedAt = Named() } }
    /// The version of it. Nil if it isn't there.
    public private(set) var version: StreamVersion?
    /// What was confirmed before the object left, and of which version that was. It can come back (sync-attack.md, H6).
    private var absent: Absent?
    /// The version at which it was made, as far as the client knows.
    private var born: StreamVersion = 0
    /// The version of the last own create that was answered.
    private var created: StreamVersion = 0
    /// In order.
    public private(set) var pending: [PendingChange] = []
    /// Versions that own commits with work on the object took, rising.
    private var ownVersions: [StreamVersion] = []
    private var namedAt = Named()

    /// The version at which all lists of what is confirmed have names. It follows from these, so it says nothing about equality.
    private struct Named: Hashable, Sendable {
        var version: StreamVersion?

        static func == (a: Named, b: Named) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// An object that has no pending work yet.
    ///
    /// - Parameters:
    ///   - contents: what the store shows, which is what is confirmed. Nil if there is no such object.
    ///   - version: nil if it isn't confirmed.
    public init(contents: [SyncString: MergedContent]?, version: StreamVersion?) {
        confirmed = version == nil ? nil : contents.map(ClientFields.init)
        self.version = confirmed == nil ? nil : version
    }

    /// What is confirmed, or was when the object left.
    var named: ClientFields? { confirmed ?? absent?.fields }

    public var isClean: Bool { pending.isEmpty }

    /// What is confirmed.
    public var confirmedContents: [SyncString: MergedContent]? { confirmed?.contents }

    /// What the client shows.
    public var contents: [SyncString: MergedContent]? { shown?.contents }

    var shown: ClientFields? { replay().fields }

    /// What the client would show without the work that isn't answered yet.
    var answeredContents: [SyncString: MergedContent]? {
        var replay = Replay(confirmed, born: born, created: created)
        for change in pending where change.version != nil { replay.perform(change) }
        return replay.fields?.contents
    }

    /// What the client would show if it hadn't done what lies behind a commit.
    func contents(throughCommit number: UInt64) -> [SyncString: MergedContent]? {
        var replay = Replay(confirmed, born: born, created: created)
        for change in pending where change.commit <= number { replay.perform(change) }
        return replay.fields?.contents
    }

    /// The state behind all pending work.
    func replay() -> Replay {
        var replay = Replay(confirmed, born: born, created: created)
        for change in pending { replay.perform(change) }
        return replay
    }

    /// Whether a change is about the incarnation that is confirmed, as far as no own create takes part.
    package func means(_ change: PendingChange) -> Bool { born <= max(change.seen ?? 0, created) }

    // MARK: Own work

    /// Gives the elements of all lists the names that work on this version uses.
    mutating func nameElements() {
        guard let version, namedAt.version != version else { return }
        confirmed?.forEachList { $0.name(at: version) }
        namedAt.version = version
    }

    mutating func add(_ changes: [PendingChange]) { pending += changes }

    /// The answer to a commit: the version that it took, and the indices of its changes that were refused.
    struct Answer: Hashable {
        let commit: UInt64
        let version: StreamVersion
        /// The changes that are taken back at once.
        let refused: Set<Int>
        /// The changes of what other files had deleted or replaced. They stay until the download says so, or the file would show for a moment
        /// what the app has removed.
        let late: Set<Int>

        init(commit: UInt64, version: StreamVersion, refusals: [Refusal]) {
            (self.commit, self.version) = (commit, version)
            late = Set(refusals.lazy.filter { $0.reason == .objectGone || $0.reason == .instanceGone }.map(\.index))
            refused = Set(refusals.map(\.index)).subtracting(late)
        }
    }

    /// Whether the client shows the same after commits are answered.
    ///
    /// An answer to a create can show which incarnation later work is about. It doesn't if nothing is confirmed and the work begins with one.
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

    /// Commits were answered: each took a version, and some of their changes were refused.
    ///
    /// - Parameter answers: by rising commits.
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

    /// What was answered falls away once the confirmed state holds it.
    ///
    /// - Parameter version: up to which the client has the stream.
    mutating func settle(upTo version: StreamVersion) {
        let limit = max(version, self.version ?? 0)
        let dropped = pending.filter { $0.version.map { $0 <= limit } ?? false }
        guard !dropped.isEmpty else { return }
        pending.removeAll { $0.version.map { $0 <= limit } ?? false }
        leaveDead(dropped)
        forgetNames()
    }

    /// All work on the object is given up.
    mutating func discard() { pending = [] }

    mutating func discard(_ isDiscarded: (PendingChange) -> Bool) { pending.removeAll(where: isDiscarded) }

    mutating func renumber(_ number: (UInt64) -> UInt64) {
        for index in pending.indices { pending[index].commit = number(pending[index].commit) }
    }

    /// What was put into lists leaves slots that are dead, as later work names them.
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

    /// Gives the object the names of another version of the file's schema.
    mutating func rename(_ names: NameChanges, of className: SyncString) {
        confirmed = confirmed.map { names.fields($0, of: className) }
        absent = absent.map { Absent(fields: names.fields($0.fields, of: className), version: $0.version) }
        pending = pending.map { names.pending($0) }
    }

    /// Gives up the work on a property, which the app's classes have no room for any more.
    ///
    /// - Parameter content: what the client shows of the property from then on. An object that isn't confirmed doesn't have the property.
    /// - Returns: the changes that were given up. A create has only the property.
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

    /// Takes in what the server says.
    ///
    /// - Throws: `MisfitUpdate` if it doesn't fit what the client holds. Nothing is changed then.
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
            // A version that pending work saw is one of an incarnation that was here, whatever the version before this one.
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

    /// A version has one content: where pending work saw the version, its names must mean what is there now. A list that isn't shown is empty.
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
