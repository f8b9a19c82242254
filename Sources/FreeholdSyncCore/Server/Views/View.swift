/// What a query set shows of a stream. Sessions with equal queries share one.
///
/// Whether an object is in a view depends on nothing but the object. So no list of members is kept: what left is known from what it was.
struct View: Sendable {
    /// By rising class names; of each the conditions that were understood.
    let classes: [SyncString]
    private let conditions: [SyncString: [any CompiledCondition]]
    /// What clients call the view: equal for equal queries, on every node.
    let number: UInt64
    private(set) var errors: [QueryError] = []

    /// Nothing.
    static let empty = View(Queries(version: 0, queries: []), EmptyMatcher())

    init(_ queries: Queries, _ matcher: some ConditionMatcher) {
        var conditions: [SyncString: [any CompiledCondition]] = [:]
        var counts: [SyncString: UInt64] = [:]
        var hash = RunningHash.empty
        for query in queries.queries {
            let index = counts[query.className, default: 0]
            counts[query.className] = index + 1
            do throws(ConditionError) {
                let condition = try matcher.compile(query.className, query.condition)
                if condition.goesThroughLinks {
                    throw ConditionError(position: 0, text: "Conditions that go through links aren't served.")
                }
                conditions[query.className, default: []].append(condition)
            } catch {
                errors.append(
                    QueryError(
                        version: queries.version,
                        className: query.className,
                        index: index,
                        position: error.position,
                        text: error.text
                    )
                )
            }
        }
        for query in Self.normalised(queries) {
            hash = hash.appending(Array(query.className.string.utf8)).appending(Array(query.condition.string.utf8))
        }
        // A class without any condition that was understood is in the view: it has no objects.
        classes = Set(queries.queries.map(\.className)).sorted()
        self.conditions = conditions
        number = hash.low
    }

    /// Queries of equal views are equal: sorted, each once.
    static func normalised(_ queries: Queries) -> [ClassQuery] {
        Set(queries.queries).sorted { ($0.className, $0.condition) < ($1.className, $1.condition) }
    }

    /// Of each condition its class, and what objects that fulfil it hold.
    var equalities: [(className: SyncString, equality: ConditionEquality?)] {
        conditions.flatMap { name, conditions in conditions.map { (name, $0.equality) } }
    }

    func contains(_ name: ObjectName, _ object: MergedObject?) -> Bool {
        guard let object, object.isAlive, conditions[name.className] != nil else { return false }
        return contains(name, object.contents)
    }

    func contains(_ name: ObjectName, _ contents: StepContents.Contents?) -> Bool {
        guard let contents, let conditions = conditions[name.className] else { return false }
        return conditions.contains { $0.matches(name, contents) }
    }

    /// What a session that holds the view at the step's start has to be told.
    ///
    /// - Parameter indices: of the objects that the view can be concerned by. Nil for all.
    func batches(_ contents: StepContents, _ indices: [Int]? = nil, horizon: StreamVersion) -> [ClassBatch] {
        var updates: [(SyncString, ObjectUpdate)] = []
        for index in indices ?? Array(contents.objects.indices) {
            let object = contents.objects[index]
            guard let content = content(object, isWhole: contents.step.from.version < horizon) else { continue }
            updates.append((object.step.name.className, ObjectUpdate(object.step.name.key, content)))
        }
        return updates.isEmpty ? [] : [ClassBatch](updates)
    }

    private func content(_ object: StepContents.Object, isWhole: Bool) -> ObjectUpdate.Content? {
        let step = object.step
        let was = contains(step.name, object.before)
        guard contains(step.name, object.after), let after = step.after else { return was ? .erased : nil }
        guard was, let before = step.before, before.born == after.born, !isWhole else { return after.whole }
        if before.changed == after.changed { return nil }
        return after.difference(since: before.changed, old: object.before)
    }
}

private struct EmptyMatcher: ConditionMatcher {
    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition {
        throw ConditionError(position: 0, text: "There are no queries.")
    }
}

extension [ClassBatch] {
    /// Batches by rising class names, objects by rising keys.
    init(_ updates: [(SyncString, ObjectUpdate)]) {
        self = Dictionary(grouping: updates) { $0.0 }
            .map { ClassBatch(className: $0.key, objects: $0.value.map(\.1).sorted { $0.key < $1.key }) }
            .sorted { $0.className < $1.className }
    }
}
