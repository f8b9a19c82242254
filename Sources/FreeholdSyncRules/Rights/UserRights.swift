public import FreeholdSyncCore

/// The rights of one user by an app's rules, for a server's machine.
///
/// The rights on all classes of the schema are computed once, at creation. All other classes are closed.
public struct UserRights: SessionRights {
    private struct OfClass: Sendable {
        let rights: ClassRights
        let judge: RightsJudge
        let mask: FieldMask?
        let writesAll: Bool
    }

    private let classes: [SyncString: OfClass]
    private let schema: RuleSchema

    /// A role with conditions that the matcher doesn't support gives no rights. ``RuleSet/problems(schema:matcher:)``
    /// finds such roles.
    ///
    /// - Complexity: O(number of classes × size of their roles and of the user's values in them)
    public init(
        _ rules: RuleSet,
        user: RuleUser,
        schema: RuleSchema,
        matcher: some ConditionMatcher = QueryMatcher()
    ) {
        self.schema = schema
        var classes: [SyncString: OfClass] = [:]
        for name in schema.classNames {
            let rights = rules.rights(of: user, className: name, schema: schema)
            guard let judge = try? RightsJudge(rights, matcher, in: schema.conditions) else { continue }
            classes[SyncString(name)] = OfClass(
                rights: rights,
                judge: judge,
                mask: rights.fields.readsAll ? nil : rights.fields.mask,
                writesAll: rights.writesAll
            )
        }
        self.classes = classes
    }

    /// Returns the rights on a class, for administrators.
    public func rights(of className: SyncString) -> ClassRights? { classes[className]?.rights }

    private func rights(of className: String) -> ClassRights {
        classes[SyncString(className)]?.rights
            ?? ClassRights(className, denial: "The class isn't in the schema, or its role can't be used.")
    }

    public func narrowed(_ query: ClassQuery) throws(ConditionError) -> SyncString {
        try rights(of: query.className.string).narrowed(query.condition, schema: schema) { rights(of: $0) }
    }

    public func mask(of className: SyncString) -> FieldMask? {
        guard let found = classes[className] else { return FieldMask.none }
        return found.mask
    }

    public func writesAll(of className: SyncString) -> Bool { classes[className]?.writesAll ?? false }

    public func allows(
        _ name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> Bool {
        guard let judge = classes[name.className]?.judge else { return before == nil && after == nil }
        return judge.refusal(name, before: before, after: after) == nil
    }

    public func forbiddenField(
        of name: ObjectName,
        before: [SyncString: MergedContent]?,
        after: [SyncString: MergedContent]?
    ) -> SyncString? {
        guard
            case .field(let path)? = classes[name.className]?.judge.refusal(name, before: before, after: after)?.reason
        else { return nil }
        return SyncString(path.map(\.string).joined(separator: "."))
    }
}

extension ClassRights {
    /// A Boolean value that indicates whether writes of objects needn't be checked.
    var writesAll: Bool {
        role != nil && [read, write, insert, delete].allSatisfy { $0.truth == true } && fields.writesAll
    }
}

extension FieldRights {
    /// A Boolean value that indicates whether all fields can be written, except `_id`, which never changes.
    var writesAll: Bool { root.writesAll }

    /// The mask of the visible fields.
    var mask: FieldMask { root.mask }
}

extension FieldRights.Node {
    fileprivate var mask: FieldMask {
        FieldMask(
            showsOthers: read,
            fields: fields.mapValues(\.mask).filter { $0.value != FieldMask(showsOthers: read) }
        )
    }
}
