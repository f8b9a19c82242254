import FreeholdEngine
public import FreeholdSyncCore

/// A report about the rights of a user on one class, with the reasons for missing rights. Nothing is changed.
///
/// `freehold-server rules check` prints it. It is for administrators, because it describes objects that the user can't
/// see.
public struct RightsReport: Sendable {
    public struct RoleStep: Hashable, Sendable {
        public let role: String
        public let applies: Bool
        /// The reason why the role doesn't apply or isn't tested. `nil` if it applies.
        public let reason: String?
    }

    public let rights: ClassRights
    /// The roles of the class in the order in which they are tested. The first role that applies is used, and the roles
    /// after it aren't tested.
    public let steps: [RoleStep]
    /// The fields of the class that can't be read, and the fields that can't be written.
    public let hiddenFields: [String]
    public let fixedFields: [String]
    /// The fields that each new object has and that can't be written. If there are any, no object can be created,
    /// regardless of the rules for creates. It is empty if these rules forbid all creates.
    public let preventingFields: [String]
}

extension RuleSet {
    /// - Complexity: O(size of the class's roles and of the user's values in them)
    public func report(of user: RuleUser, className: String, schema: RuleSchema) -> RightsReport {
        let roles = roles(of: className).roles
        var steps: [RightsReport.RoleStep] = []
        var applied: String?
        for role in roles {
            if let applied {
                steps.append(.init(role: role.name, applies: false, reason: "It isn't asked: '\(applied)' applies."))
                continue
            }
            let reason = role.applyWhen.node.objection(user)
            if reason == nil { applied = role.name }
            steps.append(.init(role: role.name, applies: reason == nil, reason: reason))
        }
        let rights = rights(of: user, className: className, schema: schema)
        let table = schema.table(className)
        let names = table?.columns.map { SyncString($0.name) } ?? []
        let required = table?.columns.filter { column in
            let isPlain = column.collection == .none && column.type != .link && column.type != .mixed
            return isPlain && !column.isOptional && column.name != table?.primaryKey
        }
        return RightsReport(
            rights: rights,
            steps: steps,
            hiddenFields: names.filter { !rights.fields.canRead([$0]) }.map(\.string),
            fixedFields: names.filter { !rights.fields.canWrite([$0]) }.map(\.string),
            preventingFields: rights.insert.truth == false
                ? [] : (required ?? []).map(\.name).filter { !rights.fields.canWrite([SyncString($0)]) }
        )
    }
}

extension RightsReport: CustomStringConvertible {
    /// Some lines of text for a person.
    public var description: String {
        var lines = ["\(rights.className):"]
        for step in steps { lines.append("  role '\(step.role)': \(step.reason ?? "applies")") }
        if let denial = rights.denial {
            lines.append("  nothing is allowed: \(denial)")
            return lines.joined(separator: "\n")
        }
        lines.append("  reads    \(rights.read)")
        lines.append("  changes  \(rights.write)")
        if preventingFields.isEmpty {
            lines.append("  creates  \(rights.insert)")
        } else {
            let names = preventingFields.joined(separator: ", ")
            lines.append("  creates  nothing: every object has \(names), which the role can't write")
        }
        lines.append("  deletes  \(rights.delete)")
        if !hiddenFields.isEmpty { lines.append("  never sees   \(hiddenFields.joined(separator: ", "))") }
        if !fixedFields.isEmpty { lines.append("  never writes \(fixedFields.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }

    /// Returns the reasons why an object can't be read, changed or deleted. Each of these three has one line.
    ///
    /// - Parameters:
    ///   - name: The name of the object.
    ///   - contents: The contents of the object.
    /// - Returns: An empty array if everything is allowed.
    /// - Throws: `ConditionError` for conditions that the matcher doesn't support.
    public func objections(
        to name: ObjectName,
        _ contents: RightsJudge.Contents,
        matcher: some ConditionMatcher = QueryMatcher()
    ) throws(ConditionError) -> [String] {
        var budget = WorkBudget.unlimited
        return try objections(matcher: matcher).lines(name, contents, budget: &budget)
    }

    /// Compiles the conditions, so that several objects can be compared with them.
    ///
    /// - Throws: `ConditionError` for conditions that the matcher doesn't support.
    public func objections(matcher: some ConditionMatcher = QueryMatcher()) throws(ConditionError) -> RightsObjections {
        var objections = RightsObjections(denial: rights.denial)
        guard objections.denial == nil else { return objections }
        for (verb, condition) in [("read", rights.read), ("changed", rights.write), ("deleted", rights.delete)] {
            var parts: [(text: String, condition: any CompiledCondition)] = []
            for part in condition.parts {
                parts.append((part, try matcher.compile(SyncString(rights.className), SyncString(part))))
            }
            objections.conditions.append((verb, parts))
        }
        return objections
    }
}

/// The compiled conditions of a user's rights on a class. See ``RightsReport/objections(to:_:matcher:)``.
public struct RightsObjections: Sendable {
    fileprivate let denial: String?
    fileprivate var conditions: [(verb: String, parts: [(text: String, condition: any CompiledCondition)])] = []

    fileprivate init(denial: String?) { self.denial = denial }

    /// Returns the reasons why an object can't be read, changed or deleted. If the budget is exceeded afterwards, the result is meaningless.
    public func lines(_ name: ObjectName, _ contents: RightsJudge.Contents, budget: inout WorkBudget) -> [String] {
        if let denial { return [denial] }
        var lines: [String] = []
        for (verb, parts) in conditions {
            var failing: [String] = []
            for part in parts where !part.condition.matches(name, contents, budget: &budget) {
                failing.append(part.text)
            }
            if failing.isEmpty { continue }
            lines.append("It can't be \(verb): this isn't true of it: \(failing.joined(separator: ", and "))")
        }
        return lines
    }
}

extension ExpressionNode {
    /// Returns the reason why an expression isn't true for a user, as a sentence. Returns `nil` if it is true.
    func objection(_ user: RuleUser) -> String? {
        if answer(user) == true { return nil }
        switch self {
        case .truth: return "It never applies."
        case .field, .query: return "It asks of objects."
        case .all(let parts): return parts.lazy.compactMap { $0.objection(user) }.first
        case .any(let parts):
            return parts.isEmpty
                ? "It never applies." : parts.compactMap { $0.objection(user) }.joined(separator: " And: ")
        case .not: return "Something that it excludes is true, or can't be said, of the user."
        case .expansion(let expansion, _):
            guard let value = user.value(expansion) else { return "\(expansion) is missing." }
            return "\(expansion) is \(value), which isn't the required value, or the required value is missing."
        }
    }
}

extension Expansion: CustomStringConvertible {
    var description: String {
        switch self {
        case .truth(let truth): "%%\(truth)"
        case .user(let path): "%%user." + path.joined(separator: ".")
        case .values(let path): "%%values." + path.joined(separator: ".")
        case .environment(let path): "%%environment." + path.joined(separator: ".")
        }
    }
}
