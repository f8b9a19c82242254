import FreeholdSyncCore

/// A client that is simple enough to be obviously right: a whole copy of the confirmed state, with the replay of its
/// own pending commits.
///
/// sync-design.md, section 2. Its pending writes win over everything that it downloads, until they are answered
/// (section 7).
struct ModelClient {
    let ident: FileIdent
    /// The stream up to the client's cursor.
    private(set) var confirmed: Oracle
    /// Own commits that `confirmed` doesn't contain, sent or not.
    private(set) var pending: [Commit] = []
    private(set) var display: Oracle
    private(set) var clock = Clock.zero
    private(set) var commits: UInt64 = 0
    private var numbers: OwnNumber = 0
    private var draft: [Change]?

    init(ident: FileIdent, of stream: Oracle) {
        self.ident = ident
        confirmed = stream
        display = stream
        show()
    }

    var cursor: StreamVersion { confirmed.version }

    /// The least version that unsent work can refer to.
    var leastBase: StreamVersion {
        pending.flatMap { [$0.base] + $0.seen.values }.min().map { min($0, cursor) } ?? cursor
    }

    // MARK: Commits

    /// Makes a commit of the changes that the closure does, and shows it.
    @discardableResult
    mutating func commit(wall: Int64, _ body: (inout ModelClient) -> Void) -> Commit {
        clock = Clock.ofCommit(wall: wall, last: clock)
        commits += 1
        draft = []
        body(&self)
        let commit = drafted()
        draft = nil
        pending.append(commit)
        show()
        return commit
    }

    /// Adds a change to the commit in progress. Later changes see it.
    ///
    /// - Returns: The index of the change in the commit.
    @discardableResult
    mutating func perform(_ change: Change) -> Int {
        precondition(draft != nil)
        draft?.append(change)
        show()
        return (draft?.count ?? 0) - 1
    }

    /// Returns the first of `count` numbers for objects that the next change creates.
    mutating func number(_ count: Int = 1) -> OwnNumber {
        defer { numbers += OwnNumber(count) }
        return numbers + 1
    }

    private func drafted() -> Commit {
        var seen: [ObjectName: StreamVersion] = [:]
        for change in draft ?? [] {
            if let object = confirmed.objects[change.object], object.died == nil {
                seen[change.object] = object.changed
            }
        }
        return Commit(number: commits, clock: clock, base: cursor, seen: seen, changes: draft ?? [])
    }

    private mutating func show() {
        display = confirmed
        display.rules = OracleRules()
        for commit in draft == nil ? pending : pending + [drafted()] {
            let clock = Clock(rawValue: UInt64.max / 2 + commit.number)
            _ = try! display.apply(commit, from: ident, serverNow: 0, clock: clock)
        }
    }

    // MARK: Downloads

    /// Adopts the stream up to a version. Own commits that are in it aren't pending any more.
    mutating func download(_ stream: Oracle, upTo version: StreamVersion, wall: Int64) {
        precondition(version >= cursor)
        confirmed = stream.upTo(version)
        confirmed.rules = OracleRules()
        let file = confirmed.files[ident]
        pending.removeAll { $0.number <= file?.lastCommit ?? 0 }
        // The server may have held the clock back. Without pending work, the client continues from the effective clock.
        if let last = file?.lastClock, pending.isEmpty { clock = last }
        clock = clock.pushed(by: confirmed.clocks[confirmed.clocks.count - 1], wall: wall)
        show()
    }

    // MARK: References

    /// The slots of a list as it is shown, hidden elements included.
    func slots(of object: ObjectName, _ target: Target) -> [OwnID] {
        (try? display.objects[object]?.list(target).alive.map(\.id)) ?? []
    }

    /// Returns the journal's reference to a shown slot: a confirmed one if possible, otherwise an own one.
    func reference(to slot: OwnID, of object: ObjectName, _ target: Target) -> ElementReference {
        let confirmed = try? self.confirmed.objects[object]?.list(target).alive.firstIndex { $0.id == slot }
        return confirmed.map { .confirmed($0) } ?? .own(slot.number)
    }

    /// The gap before the element that is shown at an index.
    func gap(at index: Int, of object: ObjectName, _ target: Target) -> Gap {
        let slots = slots(of: object, target)
        return Gap(
            after: index > 0 ? reference(to: slots[index - 1], of: object, target) : nil,
            before: index < slots.count ? reference(to: slots[index], of: object, target) : nil
        )
    }

    /// Returns the journal's reference to the embedded object that is shown at a place, or `nil` if the place has none.
    func instance(of object: ObjectName, _ target: Target) -> (InstanceReference, OwnID)? {
        guard case .instance(let id)? = try? display.objects[object]?.register(target).value else { return nil }
        if case .instance(id)? = try? confirmed.objects[object]?.register(target).value { return (.confirmed, id) }
        return (.own(id.number), id)
    }
}
