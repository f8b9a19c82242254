/// The properties of an object, or of an embedded one, as a client has them while it works on them.
typealias ClientFields = [SyncString: ClientNode]

/// What stands at a place, with the names that pending work may use for it (sync-design.md, sections 6 and 7).
enum ClientNode: Hashable, Sendable {
    /// Never an embedded object.
    case value(SyncValue)
    case instance(ClientInstance)
    case list(ClientList)
    case set([SetElement: SyncValue])
    case dictionary(ClientFields)
}

/// An embedded object.
struct ClientInstance: Hashable, Sendable {
    /// The number that this file gave it. Nil if another file made it, or it was there before the work that is pending.
    var number: OwnNumber?
    /// The version that made it. `pendingVersion` until that is known.
    var since: StreamVersion
    var fields: ClientFields

    static let pendingVersion = StreamVersion.max

    /// Whether the other is the same embedded object, edited.
    func isSame(as other: ClientInstance) -> Bool {
        if let number, let own = other.number { return number == own }
        return number == nil && other.number == nil && since == other.since
    }
}

/// Names a slot of a list in one client. It is never sent.
struct SlotID: Hashable, Sendable {
    let isOwn: Bool
    /// An own number, or one that counts the slots which others made.
    let number: UInt64

    static func own(_ number: OwnNumber) -> SlotID { SlotID(isOwn: true, number: number) }
    static func confirmed(_ number: UInt64) -> SlotID { SlotID(isOwn: false, number: number) }
}

/// Slots with numbers that follow each other.
struct SlotRun: Hashable, Sendable {
    let first: SlotID
    var count: Int

    func contains(_ id: SlotID) -> Bool {
        id.isOwn == first.isOwn && id.number >= first.number && id.number - first.number < UInt64(count)
    }
}

/// A list, with slots that are dead where pending work may name them.
struct ClientList: Hashable, Sendable {
    struct Slot: Hashable, Sendable {
        let id: SlotID
        /// The slot that the element was put into first.
        let element: SlotID
        /// Nil if nothing stands there any more.
        var node: ClientNode?
    }

    var slots = SlotSequence()
    /// Of slots that others made.
    var nextNumber: UInt64 = 0
    /// The slots that were alive in the confirmed list at versions that pending work names.
    var names: [StreamVersion: [SlotRun]] = [:]

    var alive: [Slot] { slots.filter { $0.node != nil } }

    // MARK: Making

    init() {}

    /// Elements that nobody has names for yet.
    init(_ nodes: [ClientNode]) {
        slots = SlotSequence(nodes.map { slot(nextID(), $0) })
    }

    func slot(_ id: SlotID, _ node: ClientNode) -> Slot { Slot(id: id, element: id, node: node) }

    mutating func nextID() -> SlotID {
        nextNumber += 1
        return .confirmed(nextNumber)
    }

    // MARK: Names

    /// Remembers what `.confirmed` means in work that saw this version.
    mutating func name(at version: StreamVersion) {
        guard names[version] == nil else { return }
        var runs: [SlotRun] = []
        for slot in slots where slot.node != nil {
            if let last = runs.last, last.first.isOwn == slot.id.isOwn,
                last.first.number &+ UInt64(last.count) == slot.id.number
            {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(SlotRun(first: slot.id, count: 1))
            }
        }
        names[version] = runs
    }

    func slotID(_ reference: ElementReference, seen: StreamVersion) -> SlotID? {
        switch reference {
        case .own(let number): return .own(number)
        case .confirmed(let index):
            var rest = index
            for run in names[seen] ?? [] where rest >= 0 {
                if rest < run.count {
                    return SlotID(isOwn: run.first.isOwn, number: run.first.number &+ UInt64(rest))
                }
                rest -= run.count
            }
            return nil
        }
    }

    /// What work that sees this version calls a slot that is alive.
    func reference(to id: SlotID, seen: StreamVersion?) -> ElementReference? {
        var index = 0
        for run in seen.flatMap({ names[$0] }) ?? [] {
            if run.contains(id) { return .confirmed(index + Int(id.number - run.first.number)) }
            index += run.count
        }
        return id.isOwn ? .own(id.number) : nil
    }

    /// The index in `slots` of the slot itself, be it dead.
    func index(of id: SlotID) -> Int? { slots.index(of: id) }

    /// The element that stood in a slot.
    func element(_ id: SlotID) -> SlotID? { index(of: id).map { slots[$0].element } }

    /// The index in `slots` of the place where an element is now.
    func place(of element: SlotID) -> Int? { slots.place(of: element) }

    // MARK: Positions

    /// The number of elements that are shown.
    var aliveCount: Int { slots.aliveCount }

    /// Returns the indices in `slots` of the elements that are shown at some positions. Returns `nil` if the list isn't as long.
    func indices(ofAlive positions: Range<Int>) -> [Int]? { slots.indices(ofAlive: positions) }

    /// Returns the slot of the element that is shown at a position.
    func slot(ofAlive position: Int) -> Slot? {
        guard position >= 0, position < Int.max else { return nil }
        return indices(ofAlive: position..<position + 1).map { slots[$0[0]] }
    }
}

extension ClientNode? {
    // What is taken out has one owner, so that an edit of it copies nothing.

    mutating func takeList() -> ClientList? {
        guard case .list(let list)? = self else { return nil }
        self = nil
        return list
    }

    mutating func takeSet() -> [SetElement: SyncValue]? {
        guard case .set(let set)? = self else { return nil }
        self = nil
        return set
    }

    mutating func takeEntries() -> ClientFields? {
        guard case .dictionary(let entries)? = self else { return nil }
        self = nil
        return entries
    }
}
