public import FreeholdBSON

/// What users may do with a class's objects, if it applies to them: a role of App Services.
///
/// Which of a class's roles applies is decided when a session begins: the first whose ``applyWhen`` is true.
public struct Role: Hashable, Sendable {
    public var name: String
    /// Asks of the user, never of an object.
    public var applyWhen: RuleExpression
    /// What of objects can be read. Without it the role gives nothing.
    public var readFilter: RuleExpression?
    /// What of objects can be written, and read, too. Without it the role gives nothing.
    public var writeFilter: RuleExpression?
    /// Whether all fields can be read; ``fields`` are asked if it isn't there.
    public var read: Bool?
    /// Whether all fields can be written, and read, too; ``fields`` are asked if it isn't there.
    public var write: Bool?
    /// Which objects can be created. Without it none.
    public var insert: RuleExpression?
    /// Which objects can be deleted. Without it none.
    public var delete: RuleExpression?
    /// Kept for App Services' search; sync has none.
    public var search: RuleExpression?
    /// By names of stored fields.
    public var fields: [FieldRule]
    /// For fields that ``fields`` doesn't name.
    public var additionalFields: FieldAccess
    /// The identifier that App Services gave the role; kept, and never asked.
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

/// Whether a field can be read and written; nil where nothing is said.
public struct FieldAccess: Hashable, Sendable {
    public var read: Bool?
    public var write: Bool?

    public init(read: Bool? = nil, write: Bool? = nil) {
        self.read = read
        self.write = write
    }
}

/// What is said of a field, and of the fields of the embedded objects in it.
public struct FieldRule: Hashable, Sendable {
    public var name: String
    public var access: FieldAccess
    /// Of embedded objects. A field that isn't named here has what ``access`` says.
    public var fields: [FieldRule]

    public init(_ name: String, _ access: FieldAccess, fields: [FieldRule] = []) {
        self.name = name
        self.access = access
        self.fields = fields
    }
}
