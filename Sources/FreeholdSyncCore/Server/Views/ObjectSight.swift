/// The visible part of the objects of one class for a reader: the objects that fulfil a condition, within the rights of
/// the reader. It is for programs that read a stream without a file of their own.
public struct ObjectSight: Sendable {
    public let className: SyncString
    private let condition: any CompiledCondition
    private let mask: FieldMask?
    private let canFail: Bool

    /// The keys of all objects that can be visible. `nil` if any key is possible.
    public var keys: Set<PrimaryKey>? { condition.keys }

    /// The maximum number of comparisons to decide whether an object is visible.
    public var comparisons: Int { condition.comparisons }

    /// - Parameters:
    ///   - text: The condition in the query language.
    ///   - rights: The rights of the reader. `nil` if the reader may see everything.
    ///   - schema: The stored classes, as far as they are known.
    /// - Throws: `ConditionError` for a condition that is invalid, leads through links, or uses hidden fields.
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

    /// Checks that the condition doesn't fail for an object.
    ///
    /// It does nothing for readers with restricted rights, since the object may be hidden from them.
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

    /// Returns the visible content of an object, or `nil` if the object isn't visible. If the budget is exceeded
    /// afterwards, the result is meaningless.
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

    /// Returns the visible content of an object, without a budget. Returns `nil` if the object isn't visible.
    public func contents(_ name: ObjectName, _ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent]? {
        var budget = WorkBudget.unlimited
        return self.contents(name, contents, budget: &budget)
    }

    /// Returns the version of the last visible change.
    public func version(_ object: MergedObject) -> StreamVersion { object.version(mask) }
}

extension FieldMask {
    /// Returns the visible part of an object's contents.
    func shown(_ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent] {
        var shown: [SyncString: MergedContent] = [:]
        for (name, content) in contents { shown[name] = ofObject(name).shown(content) }
        return shown
    }

    /// Returns the visible part of a content, or `nil` if none of it is visible.
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
