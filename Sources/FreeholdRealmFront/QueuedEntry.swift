internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// An entry that was sent to a client and isn't in the base of any upload yet.
struct QueuedEntry: Sendable {
    /// The version of the entry on the wire.
    let serverVersion: UInt64
    /// The version of the stream that the client has with the entry.
    let streamVersion: StreamVersion
    /// The client's version up to which its changes were in the entry's base.
    let clientVersion: UInt64
    /// The bytes that were sent. They are sent again if the connection is lost. Empty for the entry of a bootstrap.
    let original: [UInt8]
    /// The changes, transformed over the later uploads of the client. For a bootstrap, only the changes of kept objects.
    private(set) var changeset: Changeset
    /// The names of the inserted elements, in the order of the insertions.
    private(set) var ids: [ElementID?]
    /// The state before a bootstrap. If the connection is lost during the bootstrap, the client returns to this state. `nil` for other entries.
    var bootstrap: BeforeBootstrap?
    /// The refused changes that are reported before the entry.
    var refusals: ServerError.Compensation?

    struct BeforeBootstrap: Hashable, Sendable {
        var streamVersion: StreamVersion?
        var view: UInt64
        var queryVersion: Int64
    }

    init(
        serverVersion: UInt64,
        streamVersion: StreamVersion,
        clientVersion: UInt64,
        original: [UInt8],
        changeset: Changeset,
        ids: [ElementID?]
    ) {
        (self.serverVersion, self.streamVersion, self.clientVersion) = (serverVersion, streamVersion, clientVersion)
        (self.original, self.changeset, self.ids) = (original, changeset, ids)
    }

    var objects: Set<WireObject> { Set(changeset.instructions.compactMap(\.object)) }

    func touches(_ objects: Set<WireObject>) -> Bool {
        changeset.instructions.contains { $0.object.map(objects.contains) ?? false }
    }

    /// Applies the changes of some objects to a state.
    func apply(to state: inout WireState, of objects: Set<WireObject>? = nil) throws(ApplyError) {
        var (instructions, names): ([Instruction], [ElementID?]) = ([], [])
        var insertions = 0
        for instruction in changeset.instructions {
            let isTouched = objects.map { set in instruction.object.map(set.contains) ?? false } ?? true
            if isTouched { instructions.append(instruction) }
            guard case .arrayInsert = instruction else { continue }
            if isTouched { names.append(ids.indices.contains(insertions) ? ids[insertions] : nil) }
            insertions += 1
        }
        try state.apply(Changeset(instructions), naming: names)
    }

    /// Replaces the changes by the result of a merge.
    mutating func replace(by new: Changeset) {
        guard new != changeset else { return }
        let known = Array(zip(changeset.insertions, ids))
        var next = 0
        ids = new.insertions.map { insertion in
            while next < known.count {
                defer { next += 1 }
                if known[next].0.isSame(as: insertion) { return known[next].1 }
            }
            return nil
        }
        changeset = new
    }

    /// The approximate size of the entry in memory, in bytes.
    var keptBytes: Int { original.count + 96 * changeset.instructions.count + 24 * ids.count + 128 }
}

extension Changeset {
    /// The insertions into lists.
    var insertions: [Instruction] {
        instructions.filter { if case .arrayInsert = $0 { true } else { false } }
    }
}

extension Instruction {
    /// Returns a Boolean value that indicates whether two insertions are of one value into one list. A merge may change the positions.
    fileprivate func isSame(as other: Instruction) -> Bool {
        guard case .arrayInsert(let path, let value, _) = self,
            case .arrayInsert(let otherPath, let otherValue, _) = other
        else { return false }
        return path.object == otherPath.object && path.field == otherPath.field
            && path.elements.count == otherPath.elements.count && value == otherValue
    }
}

extension WireState {
    /// The mark of elements that a changeset has just inserted.
    private static let fresh = UInt64.max

    /// Applies a changeset, and names the elements that it inserts.
    ///
    /// - Complexity: O(*s*) for *s* values in the objects that the changeset touches
    mutating func apply(_ changeset: Changeset, naming ids: [ElementID?]) throws(ApplyError) {
        guard !ids.isEmpty else { return try apply(changeset) }
        try apply(changeset, as: Self.fresh)
        for object in Set(changeset.insertions.compactMap(\.object)) {
            self[object] = self[object]?.mappingIDs { id in
                guard id.change == Self.fresh else { return id }
                return id.number < UInt64(ids.count) ? ids[Int(id.number)] : nil
            }
        }
    }
}
