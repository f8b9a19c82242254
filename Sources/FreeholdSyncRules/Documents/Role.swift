public import FreeholdBSON

/// A role of App Services: the rights of users on the objects of a class.
///
/// The role of a user is chosen at the start of a session. It is the first role of the class whose ``applyWhen`` is
/// true.
public struct Role: Hashable, Sendable {
    public var name: String
    /// The condition for the role to apply. It tests the user, and never an object.
    public var applyWhen: RuleExpression
    /// The condition for objects that can be read. Without it the role gives no rights.
    public var readFilter: RuleExpression?
    /// The condition for objects that can be written, and therefore also read. Without it the role gives no rights.
    public var writeFilter: RuleExpression?
    /// A Boolean value that indicates whether all fields can be read. If it is `nil`, ``fields`` decide.
    public var read: Bool?
    /// A Boolean value that indicates whether all fields can be written, and therefore also read. If it is `nil`,
    /// ``fields`` decide.
    public var write: Bool?
    /// The condition for objects that can be created. If it is `nil`, none can.
    public var insert: RuleExpression?
    /// The condition for objects that can be deleted. If it is `nil`, none can.
    public var delete: RuleExpression?
    /// A setting for App Services' search. It is stored and has no effect.
    public var search: RuleExpression?
    /// The rights for stored fields, by their names.
    public var fields: [FieldRule]
    /// The rights for fields that ``fields`` doesn't name.
    public var additionalFields: FieldAccess
    /// The identifier of the role in App Services. It is stored and has no effect.
    public var identifier: BSONValue?

    public init(
        _ name: String,
        applyWhen: RuleExpression = .always,
        readFilter: RuleExpression? = .always,
        writeFilter: RuleExpression? = .always,
        read: Bool? = nil,
        write: Bool? = nil,
        insert: RuleExpression? = nil,
        delete: RuleExpression? = nil,
        search: RuleExpression? = nil,
        fields: [FieldRule] = [],
        additionalFields: FieldAccess = FieldAccess()
    ) {
        self.name = name
        self.applyWhen = applyWhen
        self.readFilter = readFilter
        self.writeFilter = writeFilter
        self.read = read
        self.write = write
        self.insert = insert
        self.delete = delete
        self.search = search
        self.fields = fields
        self.additionalFields = additionalFields
    }
}

/// The rights to read and write a field. `nil` if nothing is specified.
public struct FieldAccess: Hashable, Sendable {
    public var read: Bool?
    public var write: Bool?

    public init(read: Bool? = nil, write: Bool? = nil) {
        self.read = read
        self.write = write
    }
}

/// The rights for a field, and for the fields of the embedded objects in it.
public struct FieldRule: Hashable, Sendable {
    public var name: String
    public var access: FieldAccess
    /// The rights for the fields of embedded objects. ``access`` applies to fields that aren't named here.
    public var fields: [FieldRule]

    public init(_ name: String, _ access: FieldAccess, fields: [FieldRule] = []) {
        self.name = name
        self.access = access
        self.fields = fields
    }
}
