/// The properties of an object or an embedded object, in the form that a client edits.
typealias ClientFields = [SyncString: ClientNode]

/// The content at a place, with the names that pending work may use for it (sync-design.md, sections 6 and 7).
enum ClientNode: Hashable, Sendable {
    /// A value that isn't an embedded object.
    case value(SyncValue)
    case instance(ClientInstance)
    case list(ClientList)
    case set([SetElement: SyncValue])
    case dictionary(ClientFields)
}

/// An embedded object.
struct ClientInstance: Hashable, Sendable {
    /// The number that this file gave the embedded object. `nil` if another file created it, or if it existed before
    /// the pending work.
    var number: OwnNumber?
    /// The version that created it. `pendingVersion` until that version is known.
    var since: StreamVersion
    var fields: ClientFields

    static let pendingVersion = StreamVersion.max

    /// Returns whether the other value is the same embedded object, possibly edited.
    func isSame(as other: ClientInstance) -> Bool {
        if let number, let own = other.number { return number == own }
        return number == nil && other.number == nil && since == other.since
    }
}

/// The name of a slot of a list. It is valid in one client only, and never sent.
struct SlotID: Hashable, Sendable {
    let isOwn: Bool
    /// An own number, or a number that this client assigned to a slot of another file.
    let number: UInt64

    static func own(_ number: OwnNumber) -> SlotID { SlotID(isOwn: true, number: number) }
    static func confirmed(_ number: UInt64) -> SlotID { SlotID(isOwn: false, number: number) }
}

/// A sequence of slots with consecutive numbers.
struct SlotRun: Hashable, Sendable {
    let first: SlotID
    var count: Int

    func contains(_ id: SlotID) -> Bool {
        id.isOwn == first.isOwn && id.number >= first.number && id.number - first.number < UInt64(count)
    }
}

/// A list with its slots. Removed elements keep a dead slot if pending work may name them.
struct ClientList: Hashable, Sendable {
    struct Slot: Hashable, Sendable {
        let id: SlotID
        /// The first slot of the element. A move gives the element another slot.
        let element: SlotID
        /// The content, or `nil` if the slot is dead.
        var node: ClientNode?
    }

    var slots = SlotSequence()
    /// The number for the next slot of another file.
    var nextNumber: UInt64 = 0
    /// The slots that were alive in the confirmed list, for each version that pending work names.
    var names: [StreamVersion: [SlotRun]] = [:]

    var alive: [Slot] { slots.filter { $0.node != nil } }

    // MARK: Creation

    init() {}

    /// Creates a list of elements that have no names yet.
    init(_ nodes: [ClientNode]) {
        slots = SlotSequence(nodes.map { slot(nextID(), $0) })
    }

    func slot(_ id: SlotID, _ node: ClientNode) -> Slot { Slot(id: id, element: id, node: node) }

    mutating func nextID() -> SlotID {
        nextNumber += 1
        return .confirmed(nextNumber)
    }

    // MARK: Names

    /// Records the slots to which `.confirmed` refers in work that saw this version.
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
        case .made: return nil
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

    /// Returns the reference to a slot in work that saw the version.
    func reference(to id: SlotID, seen: StreamVersion?) -> ElementReference? {
        var index = 0
        for run in seen.flatMap({ names[$0] }) ?? [] {
            if run.contains(id) { return .confirmed(index + Int(id.number - run.first.number)) }
            index += run.count
        }
        return id.isOwn ? .own(id.number) : nil
    }

    /// Returns the index of a slot in `slots`. The slot may be dead.
    func index(of id: SlotID) -> Int? { slots.index(of: id) }

    /// Returns the element that was put into a slot.
    func element(_ id: SlotID) -> SlotID? { index(of: id).map { slots[$0].element } }

    /// Returns the index in `slots` of the current place of an element.
    func place(of element: SlotID) -> Int? { slots.place(of: element) }

    // MARK: Positions

    /// The number of elements that are shown.
    var aliveCount: Int { slots.aliveCount }

    /// Returns the indices in `slots` of the elements that are shown at some positions. Returns `nil` if the list is
    /// too short.
    func indices(ofAlive positions: Range<Int>) -> [Int]? { slots.indices(ofAlive: positions) }

    /// Returns the slot of the element that is shown at a position.
    func slot(ofAlive position: Int) -> Slot? {
        guard position >= 0, position < Int.max else { return nil }
        return indices(ofAlive: position..<position + 1).map { slots[$0[0]] }
    }
}

extension ClientNode? {
    // The value has one owner while it is edited, so that an edit copies nothing.

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
