@testable import FreeholdSyncCore

/// The rights of simulated users' roles for objects of `Thing`. Other classes have no restrictions.
struct SimulatedRole: Hashable, Sendable, SessionRights {
    /// Objects with this value in `mail` aren't readable.
    var hiddenMail: Int64?
    var hiddenFields: Set<SyncString> = []
    /// Fields that can be read and not written.
    var fixedFields: Set<SyncString> = []
    var creates = true
    var deletes = true

    static let all: [SimulatedRole] = [
        SimulatedRole(),
        SimulatedRole(hiddenMail: 1),
        SimulatedRole(hiddenFields: ["g", "list", "home"]),
        SimulatedRole(hiddenMail: 2, hiddenFields: ["f", "map", "set"], creates: false, deletes: false),
        SimulatedRole(fixedFields: ["f", "list", "count"], deletes: false),
        SimulatedRole(hiddenMail: 0, fixedFields: ["mail"]),
    ]

    var isLimited: Bool { self != SimulatedRole() }

    func canRead(_ contents: [SyncString: MergedContent]) -> Bool {
        guard let hiddenMail else { return true }
        return contents["mail"] != .value(.int(hiddenMail))
    }

    func narrowed(_ query: ClassQuery) throws(ConditionError) -> SyncString {
        guard query.className == "Thing", let hiddenMail else { return query.condition }
        return SyncString("\(query.condition.string) & mail != \(hiddenMail)")
    }

    func mask(of className: SyncString) -> FieldMask? {
        guard className == "Thing", !hiddenFields.isEmpty else { return nil }
        return FieldMask(
            showsOthers: true,
            fields: Dictionary(uniqueKeysWithValues: hiddenFields.map { ($0, FieldMask.none) })
        )
    }

    func writesAll(of className: SyncString) -> Bool { className != "Thing" || !isLimited }

    func allows(
        _ name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> Bool {
        guard name.className == "Thing", before != after else { return true }
        if let before, !canRead(before) { return false }
        if let after, !canRead(after) { return false }
        guard let after else { return deletes }
        if before == nil, !creates { return false }
        return hiddenFields.union(fixedFields).allSatisfy { field in
            let (old, new) = (before?[field], after[field])
            return old == new || Self.isNothing(old) && Self.isNothing(new)
        }
    }

    private static func isNothing(_ content: MergedContent?) -> Bool {
        switch content {
        case nil, .value(.null)?: true
        case .list(let elements)?: elements.isEmpty
        case .set(let elements)?: elements.isEmpty
        case .dictionary(let entries)?: entries.isEmpty
        default: false
        }
    }
}

/// A role whose conditions are in the query language.
struct QueryRole: SessionRights {
    let role: SimulatedRole

    func narrowed(_ query: ClassQuery) throws(ConditionError) -> SyncString {
        guard query.className == "Thing", let hiddenMail = role.hiddenMail else { return query.condition }
        return SyncString("(\(query.condition.string)) AND mail != \(hiddenMail)")
    }

    func mask(of className: SyncString) -> FieldMask? { role.mask(of: className) }
    func writesAll(of className: SyncString) -> Bool { role.writesAll(of: className) }

    func allows(
        _ name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> Bool { role.allows(name, before: before, after: after) }
}

/// The roles of a world's users, as an administrator sets them. Nodes read them for each check.
final class SimulatedRoles: @unchecked Sendable {
    // A world is one thread.
    private var roles: [SyncString: SimulatedRole] = [:]

    subscript(user: SyncString) -> SimulatedRole {
        get { roles[user] ?? SimulatedRole() }
        set { roles[user] = newValue }
    }
}
