import FreeholdEngine
public import FreeholdSyncCore

/// What a user may do with a class's objects during a session.
///
/// Two are equal if they give the same: a change of roles or of the user's data that leaves them equal changes no view.
public struct ClassRights: Hashable, Sendable {
    public let className: String
    /// The role that applies. Nil if none does, or if the one that does can't be used: then nothing is allowed.
    public let role: String?
    /// Why nothing is allowed. Nil if a role applies.
    public let denial: String?
    /// Which objects can be read: to be put to each query with AND.
    public let read: RuleCondition
    /// Which objects can be changed. It has to be true before and after.
    public let write: RuleCondition
    /// Which objects can be created.
    public let insert: RuleCondition
    /// Which objects can be deleted.
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

    /// - Throws: `RuleError` if the role asks for what the class can't answer.
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
    /// - Throws: `RuleError` for fields inside of what is no embedded object: what lies in it is hidden or shown as a whole.
    fileprivate static func checkInner(
        _ rules: [FieldRule],
        _ table: TableSpec?,
        _ schema: RuleSchema,
        _ path: [String]
    ) throws(RuleError) {
        for rule in rules where !rule.fields.isEmpty {
            // A class needn't have all fields that default roles name.
            guard let column = table?.columns.first(where: { $0.name == rule.name }) else { continue }
            guard let target = column.target.flatMap({ schema.table($0) }), target.isEmbedded else {
                throw RuleError(path + [rule.name], "It holds no embedded objects, so there are no fields inside.")
            }
            try checkInner(rule.fields, target, schema, path + [rule.name, "fields"])
        }
    }
}

extension RuleSet {
    /// What a user may do with a class's objects: what the first role gives whose `apply_when` is true.
    ///
    /// If that role asks for a field that the class hasn't, nothing is allowed, and no other role is asked.
    ///
    /// - Complexity: O(size of the class's roles and of the user's values in them).
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

/// Something in a set of rules that doesn't fit a schema.
public struct RuleProblem: Hashable, Sendable, CustomStringConvertible {
    public let className: String
    public let role: String
    public let reason: String

    public var description: String { "\(className), role '\(role)': \(reason)" }
}

extension RuleSet {
    /// What of the rules doesn't fit a schema: roles that would give nothing, rules of classes that aren't there, fields that aren't
    /// there, conditions that the server's matcher doesn't serve. Empty if all is well.
    ///
    /// Default roles are looked at for each class without rules of its own.
    ///
    /// - Complexity: O(classes × size of their roles).
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
        // Whatever else is wrong with it: such a role gives nothing.
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
        // What all users' rights have in common.
        do { _ = try ClassRights(className, role, user, schema) } catch { return "\(error)" }
        return nil
    }
}
