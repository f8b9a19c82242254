import FreeholdEngine
public import FreeholdSyncCore

/// The rights of a user on the objects of a class during a session.
///
/// Two values are equal if they give the same rights. A change of roles or of the user's data that leaves them equal
/// therefore changes no view.
public struct ClassRights: Hashable, Sendable {
    public let className: String
    /// The role that applies. `nil` if no role applies, or if the role can't be used. Then nothing is allowed.
    public let role: String?
    /// The reason why nothing is allowed. `nil` if a role applies.
    public let denial: String?
    /// The condition for objects that can be read. It is combined with each query by AND.
    public let read: RuleCondition
    /// The condition for objects that can be changed. It must be true before and after the change.
    public let write: RuleCondition
    /// The condition for objects that can be created.
    public let insert: RuleCondition
    /// The condition for objects that can be deleted.
    public let delete: RuleCondition
    public let fields: FieldRights

    init(_ className: String, denial: String) {
        self.className = className
        self.denial = denial
        role = nil
        (read, write, insert, delete, fields) = (.never, .never, .never, .never, .none)
    }

    fileprivate static var lacksFilters: RuleError {
        RuleError(["document_filters"], "Sync needs 'document_filters' with 'read' and 'write'.")
    }

    /// - Throws: `RuleError` if a condition of the role isn't possible for the class.
    init(_ className: String, _ role: Role, _ user: RuleUser, _ schema: RuleSchema) throws(RuleError) {
        guard let readFilter = role.readFilter, let writeFilter = role.writeFilter else {
            throw Self.lacksFilters
        }
        func compiled(_ expression: RuleExpression?, _ key: String) throws(RuleError) -> Condition {
            guard let expression else { return .truth(false) }
            do { return try expression.compiled(user, className, schema) } catch {
                throw RuleError([key] + error.path, error.reason)
            }
        }
        self.className = className
        self.role = role.name
        denial = nil
        try FieldRule.checkInner(role.fields, schema.table(className), schema, ["fields"])
        fields = FieldRights(role)
        let reads = try compiled(readFilter, "document_filters.read")
        let writes = try compiled(writeFilter, "document_filters.write")
        read = RuleCondition(fields.readsSome ? .some(of: [reads, writes]) : .truth(false))
        write = RuleCondition(fields.writesSome ? writes : .truth(false))
        insert = RuleCondition(.every([try compiled(role.insert, "insert"), writes]))
        delete = RuleCondition(.every([try compiled(role.delete, "delete"), writes]))
    }
}

extension FieldRule {
    /// - Throws: `RuleError` for rules about fields inside of a field without embedded objects, because such a field
    ///   can only be hidden or shown as a whole.
    fileprivate static func checkInner(
        _ rules: [FieldRule],
        _ table: TableSpec?,
        _ schema: RuleSchema,
        _ path: [String]
    ) throws(RuleError) {
        for rule in rules where !rule.fields.isEmpty {
            // Default roles may name fields that the class doesn't have.
            guard let column = table?.columns.first(where: { $0.name == rule.name }) else { continue }
            guard let target = column.target.flatMap({ schema.table($0) }), target.isEmbedded else {
                throw RuleError(path + [rule.name], "It holds no embedded objects, so there are no fields inside.")
            }
            try checkInner(rule.fields, target, schema, path + [rule.name, "fields"])
        }
    }
}

extension RuleSet {
    /// Returns the rights of a user on the objects of a class. They are those of the first role whose `apply_when` is
    /// true.
    ///
    /// If that role names a field that the class doesn't have, nothing is allowed, and no other role is tested.
    ///
    /// - Complexity: O(size of the class's roles and of the user's values in them)
    public func rights(of user: RuleUser, className: String, schema: RuleSchema) -> ClassRights {
        let (roles, areDefault) = roles(of: className)
        guard let role = roles.first(where: { $0.applyWhen.answer(for: user) == true }) else {
            let whose = areDefault ? "default roles" : "roles of '\(className)'"
            return ClassRights(
                className,
                denial: roles.isEmpty ? "There are no \(whose)." : "None of the \(whose) applies to the user."
            )
        }
        do { return try ClassRights(className, role, user, schema) } catch {
            return ClassRights(className, denial: "The role '\(role.name)' can't be used: \(error)")
        }
    }
}

/// A part of a set of rules that doesn't fit a schema.
public struct RuleProblem: Hashable, Sendable, CustomStringConvertible {
    public let className: String
    public let role: String
    public let reason: String

    public var description: String { "\(className), role '\(role)': \(reason)" }
}

extension RuleSet {
    /// Returns the parts of the rules that don't fit a schema: roles that would give no rights, rules of missing
    /// classes, missing fields, and conditions that the server's matcher doesn't support. Returns an empty array if all
    /// rules fit.
    ///
    /// Default roles are checked for each class without rules of its own.
    ///
    /// - Complexity: O(classes × size of their roles)
    public func problems(schema: RuleSchema, matcher: some ConditionMatcher = QueryMatcher()) -> [RuleProblem] {
        var problems: [RuleProblem] = []
        for rules in classes where schema.table(rules.className)?.isEmbedded != false {
            let isEmbedded = schema.table(rules.className) != nil
            problems.append(
                RuleProblem(
                    className: rules.className,
                    role: rules.roles.first?.name ?? "",
                    reason: isEmbedded
                        ? "Embedded objects go with their owner's rights." : "The class isn't in the schema."
                )
            )
        }
        for className in schema.classNames {
            for role in roles(of: className).roles {
                guard let reason = problem(role, className, schema, matcher) else { continue }
                problems.append(RuleProblem(className: className, role: role.name, reason: reason))
            }
        }
        return problems
    }

    private func problem(_ role: Role, _ className: String, _ schema: RuleSchema, _ matcher: some ConditionMatcher)
        -> String?
    {
        // Such a role gives no rights, regardless of other errors.
        if role.readFilter == nil || role.writeFilter == nil { return "\(ClassRights.lacksFilters)" }
        let user = RuleUser(id: "somebody")
        let expressions = [
            ("document_filters.read", role.readFilter), ("document_filters.write", role.writeFilter),
            ("insert", role.insert),
            ("delete", role.delete),
        ]
        for (key, expression) in expressions {
            guard let expression else { continue }
            do {
                let condition = try expression.condition(for: user, className: className, schema: schema)
                let compiled = try matcher.compile(
                    SyncString(className),
                    SyncString(condition.text),
                    in: schema.conditions
                )
                if compiled.goesThroughLinks { return "\(key): A right can't depend on what lies behind a link." }
            } catch let error as ConditionError {
                return "\(key): \(error.text)"
            } catch {
                return "\(key): \(error)"
            }
        }
        for name in role.fields.map(\.name) {
            if schema.table(className)?.columns.contains(where: { $0.name == name }) != true {
                return "fields: The class has no field '\(name)'."
            }
        }
        // This finds the errors that the rights of all users have in common.
        do { _ = try ClassRights(className, role, user, schema) } catch { return "\(error)" }
        return nil
    }
}
