/// What somebody sees of objects of one class: those that fulfil a condition, as far as rights show them. For programs that read a stream
/// without holding a file.
public struct ObjectSight: Sendable {
    public let className: SyncString
    private let condition: any CompiledCondition
    private let mask: FieldMask?
    private let canFail: Bool

    /// The keys of all objects that can be seen. Nil if any object can.
    public var keys: Set<PrimaryKey>? { condition.keys }

    /// The number of comparisons that it can take to know whether an object can be seen.
    public var comparisons: Int { condition.comparisons }

    /// - Parameters:
    ///   - text: as the query language has it.
    ///   - rights: nil: everything may be seen.
    ///   - schema: the stored classes, as far as they are known.
    /// - Throws: `ConditionError` for a condition that can't be read, that goes through links, or that asks for what is hidden.
    public init(
        _ className: SyncString,
        _ text: SyncString,
        _ matcher: some ConditionMatcher,
        _ rights: (any SessionRights)?,
        in schema: ConditionSchema? = nil
    ) throws(ConditionError) {
        self.className = className
        let narrowed = try rights?.narrowed(ClassQuery(className: className, condition: text)) ?? text
        condition = try matcher.compile(className, narrowed, in: schema)
        guard !condition.goesThroughLinks else {
            throw ConditionError(position: 0, text: "Conditions that go through links aren't served.")
        }
        mask = rights?.mask(of: className)
        canFail = rights == nil && condition.canFail
    }

    /// Checks that the condition has an answer about an object.
    ///
    /// It does nothing for users with rights, since the object may be hidden from them.
    /// - Throws: `ConditionError` if the condition leads through a link of the object.
    /// - Complexity: O(size of the object)
    public func check(
        _ name: ObjectName,
        _ contents: [SyncString: MergedContent],
        budget: inout WorkBudget
    ) throws(ConditionError) {
        guard canFail, name.className == className, let failure = condition.failure(name, contents, budget: &budget)
        else {
            return
        }
        throw failure
    }

    /// What is seen of an object. Nil if nothing is. If the budget is over afterwards, the result says nothing.
    public func contents(
        _ name: ObjectName,
        _ contents: [SyncString: MergedContent],
        budget: inout WorkBudget
    ) -> [SyncString: MergedContent]? {
        guard name.className == className, condition.matches(name, contents, budget: &budget), !budget.isOver else {
            return nil
        }
        return mask?.shown(contents) ?? contents
    }

    /// What is seen of an object, however much work it takes to find that out. Nil if nothing is.
    public func contents(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent]? {
        var budget = WorkBudget.unlimited
        return self.contents(name, contents, budget: &budget)
    }

    /// The version of the last change that is seen.
    public func version(_ object: MergedObject) -> StreamVersion { object.version(mask) }
}

extension FieldMask {
    /// What is shown of an object's contents.
    func shown(_ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent] {
        var shown: [SyncString: MergedContent] = [:]
        for (name, content) in contents { shown[name] = ofObject(name).shown(content) }
        return shown
    }

    /// Nil if nothing of it is shown.
    private func shown(_ content: MergedContent) -> MergedContent? {
        if showsAll { return content }
        guard showsSome else { return nil }
        switch content {
        case .embedded(let fields):
            var inner: [SyncString: MergedContent] = [:]
            for (name, content) in fields { inner[name] = self[name].shown(content) }
            return .embedded(inner)
        case .list(let elements): return .list(elements.map { shown($0) ?? .value(.null) })
        case .dictionary(let entries): return .dictionary(entries.mapValues { shown($0) ?? .value(.null) })
        case .value, .set: return showsOthers ? content : nil
        }
    }
}
