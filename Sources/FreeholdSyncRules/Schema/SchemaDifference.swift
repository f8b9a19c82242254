public import FreeholdEngine

/// A change between two schemas, which is about one class or one property.
public struct SchemaChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Devices with the old schema can continue. Development mode adopts the change.
        case additive
        /// Devices with the old schema and devices with the new one can't share the class or property.
        case breaking
    }

    public let kind: Kind
    public let className: String
    /// The property. `nil` for a change of the class itself.
    public let property: String?
    /// The old and the new declaration, if they exist: `age: long`, `age: string?`.
    public let old: String?
    public let new: String?
    private let what: String
    /// A Boolean value that indicates whether the class or the property is missing in the new schema.
    let isRemoval: Bool

    init(
        _ kind: Kind,
        _ className: String,
        _ property: String? = nil,
        old: String? = nil,
        new: String? = nil,
        what: String,
        isRemoval: Bool = false
    ) {
        self.kind = kind
        self.className = className
        self.property = property
        self.old = old
        self.new = new
        self.what = what
        self.isRemoval = isRemoval
    }
}

extension SchemaChange: CustomStringConvertible {
    /// A line of text for a person.
    public var description: String {
        let place = property.map { "\(className).\($0)" } ?? className
        let declarations =
            switch (old, new) {
            case (let old?, let new?): " ('\(old)' became '\(new)')"
            case (let one?, nil), (nil, let one?): " ('\(one)')"
            case (nil, nil): ""
            }
        return "\(place) \(what)\(declarations): \(kind == .additive ? "additive" : "breaking")"
    }
}

extension SchemaChange {
    /// Returns the changes from old classes to new ones. Returns an empty array if devices can't distinguish them.
    /// Indexes, delete rules and the order of properties are ignored.
    ///
    /// - Returns: The changes by class and then by property. Breaking changes are first.
    /// - Complexity: O(*n* log *n*) for *n* properties
    public static func changes(from old: [TableSpec], to new: [TableSpec]) -> [SchemaChange] {
        let before = Dictionary(old.map { ($0.name, $0.synced) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.map { ($0.name, $0.synced) }, uniquingKeysWith: { first, _ in first })
        var changes: [SchemaChange] = []
        for name in Set(before.keys).union(after.keys) {
            switch (before[name], after[name]) {
            case (let old?, let new?): changes += Self.changes(old, new)
            case (nil, .some): changes.append(SchemaChange(.additive, name, what: "is new"))
            case (.some, nil):
                changes.append(SchemaChange(.breaking, name, what: "doesn't exist any more", isRemoval: true))
            case (nil, nil): break
            }
        }
        return changes.sorted {
            ($0.kind == .breaking ? 0 : 1, $0.className, $0.property ?? "")
                < ($1.kind == .breaking ? 0 : 1, $1.className, $1.property ?? "")
        }
    }

    private static func changes(_ old: TableSpec, _ new: TableSpec) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        if old.isEmbedded != new.isEmbedded {
            changes.append(
                SchemaChange(.breaking, old.name, what: new.isEmbedded ? "became embedded" : "isn't embedded any more")
            )
        } else if old.isAsymmetric != new.isAsymmetric {
            changes.append(
                SchemaChange(
                    .breaking,
                    old.name,
                    what: new.isAsymmetric ? "became asymmetric" : "isn't asymmetric any more"
                )
            )
        } else if old.primaryKey != new.primaryKey {
            changes.append(
                SchemaChange(
                    .breaking,
                    old.name,
                    old: old.primaryKey,
                    new: new.primaryKey,
                    what: "has another primary key"
                )
            )
        }
        let before = Dictionary(old.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for name in Set(before.keys).union(after.keys) {
            switch (before[name], after[name]) {
            case (let a?, let b?) where a != b:
                changes.append(
                    SchemaChange(
                        .breaking,
                        old.name,
                        name,
                        old: a.declaration,
                        new: b.declaration,
                        what: Self.reason(a, b)
                    )
                )
            case (nil, let b?):
                changes.append(SchemaChange(.additive, old.name, name, new: b.declaration, what: "is new"))
            case (let a?, nil):
                changes.append(
                    SchemaChange(
                        .breaking,
                        old.name,
                        name,
                        old: a.declaration,
                        what: "doesn't exist any more",
                        isRemoval: true
                    )
                )
            default: break
            }
        }
        return changes
    }

    private static func reason(_ old: ColumnSpec, _ new: ColumnSpec) -> String {
        if old.collection != new.collection { return "holds another kind of collection" }
        if old.type != new.type { return "has another type" }
        if old.target != new.target { return "leads to another class" }
        return new.isOptional ? "became optional" : "became required"
    }
}
