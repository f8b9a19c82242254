public import FreeholdBSON

extension RuleSet {
    /// Creates rules from a text in Extended JSON. The text is an object with `default` and `classes`, or it contains
    /// documents of App Services: one with `database` and `collection`, one with `roles` alone (the default roles), or
    /// an array of such documents.
    ///
    /// - Throws: `RuleError` with the path of the error, also for text that isn't JSON. All texts are safe to read.
    /// - Complexity: O(*n*)
    public init(extendedJSON text: String, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        try self.init(BSONValue.parsed(text, limits), limits: limits)
    }

    /// Creates rules from a value. See ``init(extendedJSON:limits:)``.
    public init(_ value: BSONValue, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        switch value {
        case .array(let documents):
            guard documents.count <= limits.count else { throw RuleError([], "More than \(limits.count) documents.") }
            self.init()
            for (index, document) in documents.enumerated() {
                try add(document, ["\(index)"], limits)
            }
        case .document(let document) where !document.contains(key: "roles"):
            try self.init(flat: value, limits)
        default:
            self.init()
            try add(value, [], limits)
        }
    }

    /// `{"default": {"roles": […]}, "classes": {"Dog": {"roles": […]}}}`
    private init(flat value: BSONValue, _ limits: RuleLimits) throws(RuleError) {
        self.init()
        var reader = try DocumentReader(value, [], what: "A document of rules")
        if let value = reader.value("default") {
            var inner = try DocumentReader(value, ["default"], what: "'default'")
            defaultRoles = try Self.roles(&inner, limits)
            try inner.checkNothingLeft("'default'")
        }
        if let value = reader.value("classes") {
            guard case .document(let entries) = value else {
                throw RuleError(["classes"], "'classes' is an object by names of classes, not \(value.typeName).")
            }
            guard entries.count <= limits.count else {
                throw RuleError(["classes"], "More than \(limits.count) classes.")
            }
            for (name, value) in entries {
                var inner = try DocumentReader(value, ["classes", name], what: "A class's rules")
                guard !name.isEmpty else { throw RuleError(["classes", name], "A class has a name.") }
                try add(ClassRules(name, roles: try Self.roles(&inner, limits)), inner.path)
                try inner.checkNothingLeft("A class's rules")
            }
        }
        try reader.checkNothingLeft("A document of rules")
    }

    /// Adds a document of App Services.
    private mutating func add(_ value: BSONValue, _ path: [String], _ limits: RuleLimits) throws(RuleError) {
        var reader = try DocumentReader(value, path, what: "A document of rules")
        let database = try reader.name("database")
        let identifier = reader.value("_id") ?? reader.value("id")
        let roles = try Self.roles(&reader, limits)
        guard let collection = try reader.name("collection") else {
            guard database == nil else { throw RuleError(path, "'database' needs a 'collection'.") }
            guard defaultRoles == nil else { throw RuleError(path, "There are default roles already.") }
            defaultRoles = roles
            return try reader.checkNothingLeft("A document of rules")
        }
        try reader.checkNothingLeft("A document of rules")
        var rules = ClassRules(collection, roles: roles, database: database)
        rules.identifier = identifier
        try add(rules, path)
    }

    private mutating func add(_ rules: ClassRules, _ path: [String]) throws(RuleError) {
        if classes.contains(where: { $0.className == rules.className }) {
            throw RuleError(path, "The class '\(rules.className)' has rules already.")
        }
        classes.append(rules)
    }

    private static func roles(_ reader: inout DocumentReader, _ limits: RuleLimits) throws(RuleError) -> [Role] {
        guard let values = try reader.list("roles", atMost: limits.count) else {
            throw RuleError(reader.path, "Rules need 'roles'.")
        }
        if let filters = try reader.list("filters", atMost: limits.count), !filters.isEmpty {
            throw RuleError(
                reader.path + ["filters"],
                "Sync has no filters of queries: what a user may see belongs in the roles' 'document_filters'."
            )
        }
        var roles: [Role] = []
        var names: Set<String> = []
        for (index, value) in values.enumerated() {
            let path = reader.path + ["roles", "\(index)"]
            let role = try Role(value, path, limits)
            guard names.insert(role.name).inserted else {
                throw RuleError(path + ["name"], "There are two roles named '\(role.name)'.")
            }
            roles.append(role)
        }
        return roles
    }
}

extension BSONValue {
    /// Returns the value of a text in Extended JSON, within the limits.
    static func parsed(_ text: String, _ limits: RuleLimits) throws(RuleError) -> BSONValue {
        do {
            // The surrounding document adds some levels to an expression, and so does the wrapper of a value.
            let bounds = BSONLimits(depth: 4 * limits.depth + 20, size: limits.size)
            return try BSONValue(extendedJSON: text, options: ExtendedJSONOptions(limits: bounds))
        } catch {
            let place = error.offset.map { " (byte \($0))" } ?? ""
            throw RuleError(error.path, "\(error.reason)\(place).")
        }
    }
}
