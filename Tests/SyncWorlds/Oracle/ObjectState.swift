import FreeholdSyncCore

/// The content of a property, by its kind. The first change of a property determines the kind.
enum Field: Hashable {
    case value(Register)
    case list(SlotList)
    case set(Entries<SetElement>)
    case dictionary(Entries<SyncString>)
}

/// The properties of an object, or of an embedded one.
typealias Record = [SyncString: Field]

/// An object from a creation to its deletion, and as a tombstone after it: sync-design.md, section 5, "incarnation".
struct Incarnation: Hashable {
    let born: StreamVersion
    var died: StreamVersion?
    /// Files whose own create made this object, or was merged into it. They know it independent of the version that
    /// they saw.
    var makers: Set<FileIdent>
    /// Files that deleted this.
    var deleters: Set<FileIdent> = []
    /// The version of the last change.
    var changed: StreamVersion
    var record: Record = [:]
    /// All embedded objects that were ever assigned in the object. An instance without a register is deleted.
    var instances: [OwnID: Record] = [:]

    subscript(owner: OwnID?, property: SyncString) -> Field? {
        get { owner.map { instances[$0]?[property] } ?? record[property] }
        set {
            if let owner {
                instances[owner]?[property] = newValue
            } else {
                record[property] = newValue
            }
        }
    }
}

/// A place with its references resolved.
struct Target: Hashable {
    enum Holder: Hashable {
        case property
        case element(OwnID)
        case entry(SyncString)
    }

    /// The embedded object whose property it is; nil for the object itself.
    var owner: OwnID?
    var property: SyncString
    var holder = Holder.property
    var path: [SyncString] = []
}

/// Why a change isn't done; it is reported.
struct Dropped: Error {
    let reason: RefusalReason
}

extension Incarnation {
    /// Returns the list at a target, which is empty if it was never written.
    func list(_ target: Target) throws -> SlotList {
        switch self[target.owner, target.property] {
        case .list(let list)?: list
        case nil: SlotList()
        default: throw Dropped(reason: .malformed)
        }
    }

    func set(_ target: Target) throws -> Entries<SetElement> {
        switch self[target.owner, target.property] {
        case .set(let set)?: set
        case nil: Entries()
        default: throw Dropped(reason: .malformed)
        }
    }

    func dictionary(_ target: Target) throws -> Entries<SyncString> {
        switch self[target.owner, target.property] {
        case .dictionary(let entries)?: entries
        case nil: Entries()
        default: throw Dropped(reason: .malformed)
        }
    }

    /// Returns the register at a target, which is empty if it was never written.
    func register(_ target: Target) throws -> Register {
        switch target.holder {
        case .element(let id): return try list(target).elements[id]?.value ?? Register()
        case .entry(let key): return try dictionary(target).registers[key] ?? Register()
        case .property:
            switch self[target.owner, target.property] {
            case .value(let register)?: return register
            case nil: return Register()
            default: throw Dropped(reason: .malformed)
            }
        }
    }

    mutating func put(_ field: Field, at target: Target) { self[target.owner, target.property] = field }

    mutating func write(_ write: Register.Write, to target: Target) throws {
        switch target.holder {
        case .property:
            var register = try register(target)
            register.write(write)
            put(.value(register), at: target)
        case .element(let id):
            var list = try list(target)
            list.write(write, to: id)
            put(.list(list), at: target)
        case .entry(let key):
            var entries = try dictionary(target)
            entries.write(write, to: key)
            put(.dictionary(entries), at: target)
        }
    }
}
