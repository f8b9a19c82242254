internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// Computes the changes that convert the state that a client shows to the server's state.
struct DifferenceMaker {
    /// An object with the state that the client shows, and the state that it has to show.
    struct Change {
        let object: WireObject
        var shown: WireFields?
        var wanted: WireFields?
        /// A Boolean value that indicates whether the object is written without regard to `shown`.
        var isAbsolute = false
    }

    private(set) var instructions: [Instruction] = []
    private(set) var ids: [ElementID?] = []
    /// The objects that were written as a whole.
    private(set) var absolute = 0

    /// - Parameter schema: The client's classes.
    init(_ changes: [Change], schema: WireSchema) {
        for change in changes.sorted(by: { ($0.object.table, $0.object.key) < ($1.object.table, $1.object.key) }) {
            append(change, schema)
        }
    }

    private mutating func append(_ change: Change, _ schema: WireSchema) {
        let object = change.object
        var (old, new) = (WireState(schema: schema), WireState(schema: schema))
        (old[object], new[object]) = (Self.comparable(change.shown), Self.comparable(change.wanted))
        var changeset: Changeset
        if change.isAbsolute {
            changeset = new.absoluteRepair(of: [object])
            absolute += 1
        } else {
            changeset = old.difference(to: new, of: [object])
        }
        guard !changeset.isEmpty else { return }
        // The changes are applied to the old state as a check. If the result isn't the wanted state, the object is written as a whole.
        if !change.isAbsolute, !Self.leads(from: old, changeset, to: new[object], object) {
            changeset = new.absoluteRepair(of: [object])
            absolute += 1
        }
        instructions += changeset.instructions
        ids += Self.names(changeset, of: object, in: change.wanted, schema)
    }

    /// Elements without names of their own are compared by their values.
    private static func comparable(_ fields: WireFields?) -> WireFields? {
        guard let fields, fields.containsID(\.isPosition) else { return fields }
        return fields.mappingIDs { $0.isPosition ? nil : $0 }
    }

    private static func leads(
        from old: WireState,
        _ changeset: Changeset,
        to wanted: WireFields?,
        _ object: WireObject
    ) -> Bool {
        var state = old
        do throws(ApplyError) { try state.apply(changeset) } catch { return false }
        return state[object] == wanted
    }

    /// Returns the names of the inserted elements in the order of the insertions: the names of the elements at the same places of the
    /// wanted object.
    private static func names(
        _ changeset: Changeset,
        of object: WireObject,
        in wanted: WireFields?,
        _ schema: WireSchema
    ) -> [ElementID?] {
        let insertions = changeset.insertions
        guard !insertions.isEmpty, let wanted else { return insertions.map { _ in nil } }
        // The insertions follow all removals, in rising order within a list. So their positions are the positions in the resulting list.
        return insertions.map { insertion in
            guard let path = insertion.path, let index = path.lastIndex,
                case .list(let list)? = wanted.value(at: path.field, path.elements.dropLast()),
                list.elements.indices.contains(Int(index))
            else { return nil }
            return list.elements[Int(index)].id
        }
    }
}

extension WireFields {
    /// Returns the value at the end of steps.
    func value(at field: WireText, _ steps: ArraySlice<PathElement>) -> WireValue? {
        var value = self[field]
        for step in steps {
            switch (step, value) {
            case (.name(let name), .object(let fields)?): value = fields[name]
            case (.name(let name), .dictionary(let entries)?): value = entries[name]
            case (.index(let index), .list(let list)?):
                value = list.elements.indices.contains(Int(index)) ? list.elements[Int(index)].value : nil
            default: return nil
            }
        }
        return value
    }
}
