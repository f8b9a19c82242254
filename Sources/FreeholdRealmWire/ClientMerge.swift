/// A changeset among those that are merged.
public struct MergeEntry: Hashable, Sendable {
    public var order: ChangeOrder
    public var changeset: Changeset

    public init(order: ChangeOrder, changeset: Changeset) {
        self.order = order
        self.changeset = changeset
    }
}

/// A pair of instructions that the official client can't merge.
public struct MergeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The effect of the error on the client.
    public enum Effect: Hashable, Sendable {
        /// The client reports a changeset that it can't merge. The session sends and receives nothing afterwards.
        case stopsSession
        /// An assertion of the client fails.
        case terminatesClient
        /// The client might merge the changes, but this library doesn't.
        case exceedsLimit
    }

    public var effect: Effect
    /// The reason, for people. It contains no data.
    public var reason: String

    public init(_ effect: Effect, _ reason: String) {
        self.effect = effect
        self.reason = reason
    }

    public var description: String { reason }
}

/// The merge of the official client: how it changes foreign changesets before it applies them after its own.
///
///     var (own, foreign) = ([mine], [theirs])
///     try ClientMerge.transform(own: &own, incoming: &foreign)
///     try state.apply(foreign[0].changeset)
///
/// The server predicts with it what a client shows. It behaves exactly like the client, including the client's faults: see
/// `docs/realm-protocol.md`.
public enum ClientMerge {
    /// The usual greatest number of pairs of instructions that are compared.
    public static let greatestWork = 4_000_000

    /// Transforms both sides: `incoming` becomes what the client applies after `own`, and `own` becomes the form with which the
    /// client merges later changesets.
    ///
    /// Both sides have to be based on the same state. If the function throws, neither has changed.
    ///
    /// - Parameter limit: The greatest number of pairs. It bounds the time for changesets of a hostile client.
    /// - Complexity: O(*n* + *m* + *p*) for *p* pairs of instructions in the same field, if neither side changes the schema.
    public static func transform(
        own: inout [MergeEntry],
        incoming: inout [MergeEntry],
        limit: Int = greatestWork
    ) throws(MergeError) {
        var merge = MergeRun(own: own, incoming: incoming, limit: limit)
        try merge.run()
        own = try MergeRun.entries(of: merge.own, like: own, isReencoded: true)
        incoming = try MergeRun.entries(of: merge.incoming, like: incoming, isReencoded: false)
    }

    /// Transforms one pair of changesets, and returns both.
    public static func transformed(
        own: MergeEntry,
        incoming: MergeEntry
    ) throws(MergeError) -> (own: Changeset, incoming: Changeset) {
        var (first, second) = ([own], [incoming])
        try transform(own: &first, incoming: &second)
        return (first[0].changeset, second[0].changeset)
    }
}

/// An instruction that is being merged.
struct MergeSlot {
    /// `nil` if the merge removed it.
    var instruction: Instruction? {
        didSet { isChanged = true }
    }
    let order: ChangeOrder
    let form: Changeset.RawForm?
    /// The position of its changeset.
    let entry: Int
    private(set) var isChanged = false

    init(_ instruction: Instruction, order: ChangeOrder, form: Changeset.RawForm? = nil, entry: Int) {
        self.instruction = instruction
        self.order = order
        self.form = form
        self.entry = entry
    }
}

/// The loop over all pairs.
struct MergeRun {
    var own: [MergeSlot]
    var incoming: [MergeSlot]
    /// The positions of the incoming instructions in each field, in order. The paths have no steps.
    private var byField: [WirePath: [Int]] = [:]
    /// The positions of the incoming instructions that create or erase each object.
    private var byObject: [WireObject: [Int]] = [:]
    /// The positions of the incoming instructions that create or erase classes and fields.
    private var schema: [Int] = []
    /// The fields of each object that occur in `byField`.
    private var fields: [WireObject: [WireText]] = [:]
    /// The number of pairs that may still be compared.
    private var work: Int

    init(own: [MergeEntry], incoming: [MergeEntry], limit: Int) {
        work = limit
        self.own = Self.slots(of: own)
        self.incoming = Self.slots(of: incoming)
        index()
    }

    private static func slots(of entries: [MergeEntry]) -> [MergeSlot] {
        var slots: [MergeSlot] = []
        slots.reserveCapacity(entries.reduce(0) { $0 + $1.changeset.instructions.count })
        for (number, entry) in entries.enumerated() {
            for (position, instruction) in entry.changeset.instructions.enumerated() {
                slots.append(
                    MergeSlot(
                        instruction,
                        order: entry.order,
                        form: entry.changeset.rawForms[position],
                        entry: number
                    )
                )
            }
        }
        return slots
    }

    /// Returns the changesets of the slots.
    ///
    /// - Parameter isReencoded: A Boolean value that indicates whether the client writes changed ones again. Their values then have other raw forms.
    static func entries(
        of slots: [MergeSlot],
        like entries: [MergeEntry],
        isReencoded: Bool
    ) throws(MergeError) -> [MergeEntry] {
        var result = entries
        var changed = Set<Int>()
        for slot in slots where slot.isChanged { changed.insert(slot.entry) }
        for number in changed { result[number].changeset = Changeset() }
        for slot in slots where changed.contains(slot.entry) {
            guard let instruction = slot.instruction else { continue }
            if let form = slot.form {
                result[slot.entry].changeset.rawForms[result[slot.entry].changeset.instructions.count] = form
            }
            result[slot.entry].changeset.instructions.append(instruction)
        }
        guard isReencoded else { return result }
        for number in changed where !result[number].changeset.rawForms.isEmpty {
            guard let changeset = try? result[number].changeset.withRawForms(layout: .stringsFirst) else {
                throw MergeError(.stopsSession, "A merged changeset can't be written")
            }
            result[number].changeset = changeset
        }
        return result
    }

    private mutating func index() {
        byField.removeAll(keepingCapacity: true)
        byObject.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        schema.removeAll(keepingCapacity: true)
        for (position, slot) in incoming.enumerated() {
            guard let instruction = slot.instruction else { continue }
            if let path = instruction.path {
                let place = WirePath(object: path.object, field: path.field)
                if byField[place] == nil { fields[path.object, default: []].append(path.field) }
                byField[place, default: []].append(position)
            } else if let object = instruction.object {
                byObject[object, default: []].append(position)
            } else {
                schema.append(position)
            }
        }
    }

    /// Returns the positions of the incoming instructions for which a rule with an own instruction may exist, in order.
    private func candidates(of instruction: Instruction) -> [Int] {
        guard let object = instruction.object else { return Array(incoming.indices) }
        var lists: [[Int]] = []
        if !schema.isEmpty { lists.append(schema) }
        if let same = byObject[object] { lists.append(same) }
        if let path = instruction.path {
            if let same = byField[WirePath(object: object, field: path.field)] { lists.append(same) }
        } else if case .eraseObject = instruction {
            for field in fields[object] ?? [] { lists.append(byField[WirePath(object: object, field: field)]!) }
        }
        return lists.count < 2 ? lists.first ?? [] : lists.joined().sorted()
    }

    mutating func run() throws(MergeError) {
        var position = 0
        while position < own.count {
            position = try merge(ownAt: position) + 1
        }
    }

    /// Merges an own instruction with all incoming ones. Returns its position, which is greater than before if an instruction was inserted before it.
    private mutating func merge(ownAt start: Int) throws(MergeError) -> Int {
        var position = start
        guard let first = own[position].instruction else { return position }
        var waiting = candidates(of: first)[...]
        work -= waiting.count
        guard work >= 0 else { throw MergeError(.exceedsLimit, "Too many pairs of changes are about one place") }
        while let other = waiting.popFirst() {
            guard let major = own[position].instruction else { break }
            guard let minor = incoming[other].instruction else { continue }
            let (length, otherLength) = (major.pathLength, minor.pathLength)
            if length < otherLength {
                try NestedRules.apply(outer: &own[position], inner: &incoming[other])
            } else if length > otherLength {
                try NestedRules.apply(outer: &incoming[other], inner: &own[position])
            }
            guard own[position].instruction != nil else { break }
            guard incoming[other].instruction != nil else { continue }
            let erasedColumn: MergeSlot?
            if major.tag >= minor.tag {
                erasedColumn = try PairRules.apply(left: &own[position], right: &incoming[other])
            } else {
                erasedColumn = try PairRules.apply(left: &incoming[other], right: &own[position])
            }
            guard let erasedColumn else { continue }
            if major.tag >= minor.tag {
                // An own link column is in a class that the other side erased: the own instruction is removed.
                incoming.insert(erasedColumn, at: other)
                index()
                break
            }
            own.insert(erasedColumn, at: position)
            position += 1
        }
        return position
    }
}
