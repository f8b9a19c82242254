public import FreeholdBSON

extension Role {
    /// Creates a role from its document.
    ///
    /// - Throws: `RuleError` for an unknown key, a value of another type, an invalid expression, and for rules that
    ///   sync can't decide: a right of a field that isn't `true` or `false`, an `apply_when` that names a field, rights
    ///   for `_id`.
    /// - Complexity: O(size of the document)
    public init(_ value: BSONValue, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        try self.init(value, [], limits)
    }

    init(_ value: BSONValue, _ path: [String], _ limits: RuleLimits) throws(RuleError) {
        var reader = try DocumentReader(value, path, what: "A role")
        guard let name = try reader.name("name") else { throw RuleError(path, "A role needs a 'name'.") }
        guard let applyWhen = reader.value("apply_when") else {
            throw RuleError(path, "The role '\(name)' needs 'apply_when': {} applies to everybody.")
        }
        self.init(name, readFilter: nil, writeFilter: nil)
        let scope = ExpressionParser(limits: limits, scope: .user)
        self.applyWhen = try scope.expression(applyWhen, path + ["apply_when"])
        let parser = ExpressionParser(limits: limits, scope: .object)
        func expression(_ key: String, _ reader: inout DocumentReader) throws(RuleError) -> RuleExpression? {
            guard let value = reader.value(key) else { return nil }
            return try parser.expression(value, reader.path + [key])
        }
        if let filters = reader.value("document_filters") {
            var filters = try DocumentReader(filters, path + ["document_filters"], what: "'document_filters'")
            readFilter = try expression("read", &filters)
            writeFilter = try expression("write", &filters)
            try filters.checkNothingLeft("'document_filters'")
        }
        read = try FieldAccess.right("read", &reader)
        write = try FieldAccess.right("write", &reader)
        insert = try expression("insert", &reader)
        delete = try expression("delete", &reader)
        search = try expression("search", &reader)
        if let value = reader.value("fields") {
            var count = 0
            fields = try FieldRule.list(value, path + ["fields"], limits, depth: 0, count: &count)
            if fields.contains(where: { $0.name == "_id" }) {
                throw RuleError(
                    path + ["fields", "_id"],
                    "'_id' goes with its object: it can't have rights of its own."
                )
            }
        }
        if let value = reader.value("additional_fields") {
            var rest = try DocumentReader(value, path + ["additional_fields"], what: "'additional_fields'")
            additionalFields = try FieldAccess(&rest)
            try rest.checkNothingLeft("'additional_fields'")
        }
        identifier = reader.value("_id")
        try reader.checkNothingLeft("A role")
    }
}

extension FieldAccess {
    fileprivate init(_ reader: inout DocumentReader) throws(RuleError) {
        self.init(read: try Self.right("read", &reader), write: try Self.right("write", &reader))
    }

    fileprivate static func right(_ key: String, _ reader: inout DocumentReader) throws(RuleError) -> Bool? {
        switch reader.value(key) {
        case nil: return nil
        case .bool(let value)?: return value
        case let value?:
            throw RuleError(
                reader.path + [key],
                "A right of fields is true or false, not \(value.typeName): sync decides it before it sees objects. "
                    + "What depends on an object belongs in 'document_filters'."
            )
        }
    }
}

extension FieldRule {
    fileprivate static func list(
        _ value: BSONValue,
        _ path: [String],
        _ limits: RuleLimits,
        depth: Int,
        count: inout Int
    ) throws(RuleError) -> [FieldRule] {
        guard case .document(let document) = value else {
            throw RuleError(path, "'fields' is an object, not \(value.typeName).")
        }
        guard depth < limits.depth else { throw RuleError(path, "Fields nest deeper than \(limits.depth) levels.") }
        var rules: [FieldRule] = []
        for (name, value) in document {
            let path = path + [name]
            count += 1
            guard count <= limits.count else { throw RuleError(path, "A role names \(limits.count) fields at most.") }
            guard !name.isEmpty, !name.hasPrefix("$"), !name.hasPrefix("%"), !name.contains(".") else {
                throw RuleError(
                    path,
                    "'\(name)' isn't the name of a field. Fields of embedded objects stand in 'fields' of theirs."
                )
            }
            var reader = try DocumentReader(value, path, what: "A field's rule")
            var rule = FieldRule(name, try FieldAccess(&reader))
            if let inner = reader.value("fields") {
                rule.fields = try list(inner, path + ["fields"], limits, depth: depth + 1, count: &count)
            }
            try reader.checkNothingLeft("A field's rule")
            rules.append(rule)
        }
        return rules
    }
}
