public import FreeholdBSON

/// The rules of an app: the roles of each class, and the default roles of classes without roles of their own.
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
/// If no role of a class applies to a user, the default roles don't apply either. Users have no rights on a class
/// without rules.
public struct RuleSet: Hashable, Sendable {
    public var classes: [ClassRules]
    /// The roles of classes that ``classes`` doesn't name. `nil` if nothing is specified.
    public var defaultRoles: [Role]?

    public init(classes: [ClassRules] = [], defaultRoles: [Role]? = nil) {
        self.classes = classes
        self.defaultRoles = defaultRoles
    }

    /// Returns the roles of a class.
    ///
    /// - Returns: The roles in the order in which they are tested, and whether they are the default roles.
    /// - Complexity: O(number of classes)
    public func roles(of className: String) -> (roles: [Role], areDefault: Bool) {
        if let own = classes.first(where: { $0.className == className }) { return (own.roles, false) }
        return (defaultRoles ?? [], true)
    }
}

/// The roles of a class, in the order in which they are tested.
public struct ClassRules: Hashable, Sendable {
    /// The stored name of the class. In documents of App Services, the name of the collection.
    public var className: String
    public var roles: [Role]
    /// The database in documents of App Services. It is stored and has no effect.
    public var database: String?
    /// The identifier in documents of App Services. It is stored and has no effect.
    public var identifier: BSONValue?

    public init(_ className: String, roles: [Role], database: String? = nil) {
        self.className = className
        self.roles = roles
        self.database = database
    }
}
