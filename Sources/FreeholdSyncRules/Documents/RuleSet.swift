public import FreeholdBSON

/// An app's rules: the roles of each class, and those of classes that have none of their own.
///
/// ```swift
/// let rules = try RuleSet(extendedJSON: """
///     {"default": {"roles": [{
///         "name": "owner", "apply_when": {},
///         "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
///         "read": true, "write": true, "insert": true, "delete": true}]}}
///     """)
/// ```
///
/// A class whose roles don't apply to a user doesn't fall back on the default ones. A class without any rule is closed.
public struct RuleSet: Hashable, Sendable {
    public var classes: [ClassRules]
    /// Nil if nothing is said of other classes.
    public var defaultRoles: [Role]?

    public init(classes: [ClassRules] = [], defaultRoles: [Role]? = nil) {
        self.classes = classes
        self.defaultRoles = defaultRoles
    }

    /// - Returns: the roles that are asked for a class, in order, and whether they are the default ones.
    /// - Complexity: O(number of classes).
    public func roles(of className: String) -> (roles: [Role], areDefault: Bool) {
        if let own = classes.first(where: { $0.className == className }) { return (own.roles, false) }
        return (defaultRoles ?? [], true)
    }
}

/// The roles of a class, in the order in which they are asked.
public struct ClassRules: Hashable, Sendable {
    /// The class's stored name. In App Services' documents, the collection's.
    public var className: String
    public var roles: [Role]
    /// Of App Services' documents; kept, and never asked.
    public var database: String?
    /// Of App Services' documents; kept, and never asked.
    public var identifier: BSONValue?

    public init(_ className: String, roles: [Role], database: String? = nil) {
        self.className = className
        self.roles = roles
        self.database = database
    }
}
