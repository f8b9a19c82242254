public import FreeholdSyncCore

/// The fields of a class that a user can read and write. They are the same for all objects of the class.
///
/// `_id` has the rights of its object: it can be read with the object, and never be changed. A field that can be
/// written can also be read.
public struct FieldRights: Hashable, Sendable {
    struct Node: Hashable, Sendable {
        var read: Bool
        var write: Bool
        /// The rights of fields of embedded objects, if they differ from those of the field itself.
        var fields: [SyncString: Node] = [:]

        /// A Boolean value that indicates whether any part of the field can be read.
        var readsSome: Bool { read || fields.values.contains(where: \.readsSome) }
        var readsAll: Bool { read && fields.values.allSatisfy(\.readsAll) }
        var writesSome: Bool { write || fields.values.contains(where: \.writesSome) }
        var writesAll: Bool { write && fields.values.allSatisfy(\.writesAll) }

        func node(_ name: SyncString) -> Node { fields[name] ?? Node(read: read, write: write) }
    }

    let root: Node

    static let key: SyncString = "_id"
    /// Rights that allow nothing.
    public static let none = FieldRights(root: Node(read: false, write: false))
    /// Rights that allow everything.
    public static let all = FieldRights(root: Node(read: true, write: true))

    init(root: Node) { self.root = root }

    /// Creates the rights of a role. They are the same for all users with the role.
    ///
    /// `read` and `write` of the role decide for all fields if they are specified. Otherwise `fields` decide for the
    /// fields that they name, and `additional_fields` for all other fields. A right that isn't specified isn't given.
    public init(_ role: Role) {
        let rest = role.additionalFields
        let write = role.write ?? rest.write ?? false
        var root = Node(read: write || (role.read ?? rest.read ?? false), write: write)
        for rule in role.fields { root.fields[SyncString(rule.name)] = Self.node(rule, role, (false, false)) }
        self.root = root
    }

    private static func node(_ rule: FieldRule, _ role: Role, _ outer: (read: Bool, write: Bool)) -> Node {
        let write = role.write ?? rule.access.write ?? outer.write
        let read = write || (role.read ?? rule.access.read ?? outer.read)
        var node = Node(read: read, write: write)
        for field in rule.fields { node.fields[SyncString(field.name)] = Self.node(field, role, (read, write)) }
        return node
    }

    /// Returns whether any part of a field can be read. A path leads into embedded objects.
    public func canRead(_ path: [SyncString]) -> Bool { path == [Self.key] || node(path).readsSome }

    /// Returns whether a query may test the field itself, and not only fields inside of it.
    func canAsk(_ path: [SyncString]) -> Bool { path == [Self.key] || node(path).read }

    /// Returns whether everything in a field can be written.
    public func canWrite(_ path: [SyncString]) -> Bool { path != [Self.key] && node(path).writesAll }

    /// A Boolean value that indicates whether no field is hidden.
    public var readsAll: Bool { root.readsAll }
    /// A Boolean value that indicates whether any field other than `_id` can be read.
    public var readsSome: Bool { root.readsSome }
    public var writesSome: Bool { root.writesSome }

    private func node(_ path: [SyncString]) -> Node {
        path.reduce(root) { $0.node($1) }
    }

    /// Returns the fields of an object that can be read.
    ///
    /// - Complexity: O(*n*), or O(1) if no field is hidden
    public func readable(_ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent] {
        if readsAll { return contents }
        var readable = root.readable(contents)
        readable[Self.key] = contents[Self.key]
        return readable
    }

    /// Returns the first field that a write changes and that can't be written. Returns `nil` if there is none.
    ///
    /// - Complexity: O(*n*), or O(1) if all fields can be written
    public func forbiddenChange(
        from before: [SyncString: MergedContent],
        to after: [SyncString: MergedContent]
    ) -> [SyncString]? {
        if root.writesAll, before.isEmpty || before[Self.key] == after[Self.key] { return nil }
        if !before.isEmpty, before[Self.key] != after[Self.key] { return [Self.key] }
        var (before, after) = (before, after)
        before[Self.key] = nil
        after[Self.key] = nil
        return root.forbiddenChange(before, after)
    }
}

extension FieldRights.Node {
    func readable(_ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent] {
        var readable: [SyncString: MergedContent] = [:]
        for (name, content) in contents { readable[name] = node(name).readable(content) }
        return readable
    }

    /// Returns the readable part of a content, or `nil` if none of it can be read.
    private func readable(_ content: MergedContent) -> MergedContent? {
        if readsAll { return content }
        guard readsSome else { return nil }
        switch content {
        case .embedded(let fields): return .embedded(readable(fields))
        case .list(let elements): return .list(elements.compactMap { readable($0) })
        case .dictionary(let entries): return .dictionary(entries.compactMapValues { readable($0) })
        // Values and sets contain no embedded objects.
        case .value, .set: return read ? content : nil
        }
    }

    func forbiddenChange(
        _ before: [SyncString: MergedContent],
        _ after: [SyncString: MergedContent]
    ) -> [SyncString]? {
        for name in Set(before.keys).union(after.keys).sorted() {
            let node = node(name)
            if node.writesAll { continue }
            let (old, new) = (before[name], after[name])
            if Self.isSame(old, new) { continue }
            if case .embedded(let old)? = old, case .embedded(let new)? = new {
                if let path = node.forbiddenChange(old, new) { return [name] + path }
            } else {
                return [name]
            }
        }
        return nil
    }

    /// Returns whether two contents look the same to a user: null, a missing value and an empty collection do.
    private static func isSame(_ a: MergedContent?, _ b: MergedContent?) -> Bool {
        isNothing(a) ? isNothing(b) : a == b
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
