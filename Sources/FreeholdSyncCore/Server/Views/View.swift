/// What a query set shows of a stream. Sessions with equal queries share one.
///
/// Whether an object is in a view depends on nothing but the object. So no list of members is kept: what left is known from what it was.
struct View: Sendable {
    /// By rising class names; of each the conditions that were understood.
    let classes: [SyncString]
    private let conditions: [SyncString: [Part]]
    /// The conditions that may have no answer about an object, with their places among the queries of their class.
    private let uncertain: [SyncString: [(index: UInt64, condition: any CompiledCondition)]]
    /// Of classes of which not all is shown.
    private let masks: [SyncString: FieldMask]
    let identity: ViewIdentity

    /// A condition, and its place among the queries of its class.
    private struct Part: Sendable {
        let text: SyncString
        let index: UInt64
        let condition: any CompiledCondition
    }
    /// How those who have the view see it. Nil: as it is stored.
    let lens: (any SessionLens)?
    private(set) var errors: [QueryError] = []

    /// What clients call the view: equal for equal queries and rights, on every node.
    var number: UInt64 { identity.number }

    /// Nothing.
    static let empty = View(Queries(version: 0, queries: []), EmptyMatcher())

    /// - Parameters:
    ///   - rights: what may be seen of what the queries ask for. Nil: all.
    ///   - lens: it has checked the queries.
    ///   - schema: the stored classes, as far as they are known.
    init(
        _ queries: Queries,
        _ matcher: some ConditionMatcher,
        _ rights: (any SessionRights)? = nil,
        _ lens: (any SessionLens)? = nil,
        in schema: ConditionSchema? = nil
    ) {
        var narrowed: Set<ClassQuery> = []
        var uncertain: [SyncString: [(index: UInt64, condition: any CompiledCondition)]] = [:]
        var conditions: [SyncString: [Part]] = [:]
        var counts: [SyncString: UInt64] = [:]
        for query in queries.queries {
            let index = counts[query.className, default: 0]
            counts[query.className] = index + 1
            do throws(ConditionError) {
                if lens == nil { try schema?.check(query) }
                let text = try rights?.narrowed(query) ?? query.condition
                let condition = try matcher.compile(query.className, text, in: schema)
                if condition.goesThroughLinks {
                    throw ConditionError(position: 0, text: "Conditions that go through links aren't served.")
                }
                guard narrowed.insert(ClassQuery(className: query.className, condition: text)).inserted else {
                    continue
                }
                conditions[query.className, default: []].append(Part(text: text, index: index, condition: condition))
                // With rights the object may be hidden: then its contents aren't mentioned.
                if rights == nil, condition.canFail {
                    uncertain[query.className, default: []].append((index, condition))
                }
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
        // A class without any condition that was understood is in the view: it has no objects.
        classes = Set(queries.queries.map(\.className)).sorted()
        // Equal views compare in one order, so that the same objects take too much work.
        self.conditions = conditions.mapValues { $0.sorted { $0.text < $1.text } }
        self.uncertain = uncertain
        var masks: [SyncString: FieldMask] = [:]
        for name in classes {
            if let mask = rights?.mask(of: name), !mask.showsAll { masks[name] = mask }
        }
        self.masks = masks
        self.lens = lens
        identity = ViewIdentity(classes, narrowed, masks, lens)
    }

    func mask(of className: SyncString) -> FieldMask? { masks[className] }

    /// Of each condition its class, and what objects that fulfil it hold.
    var equalities: [(className: SyncString, equality: ConditionEquality?)] {
        conditions.flatMap { name, parts in parts.map { (name, $0.condition.equality) } }
    }

    /// The keys of all objects of a class that can be in the view, rising. Nil if any object can.
    ///
    /// - Complexity: O(*n* log *n*) for *n* keys.
    func keys(of className: SyncString) -> [PrimaryKey]? {
        var all: Set<PrimaryKey> = []
        for part in conditions[className] ?? [] {
            guard let keys = part.condition.keys else { return nil }
            all.formUnion(keys)
        }
        return all.sorted()
    }

    /// The number of comparisons that it can take to know whether an object of a class is in the view.
    func comparisons(of className: SyncString) -> Int {
        conditions[className]?.reduce(0) { $0 + $1.condition.comparisons } ?? 0
    }

    /// A Boolean value that indicates whether there can be objects about which a condition has no answer.
    var canFail: Bool { !uncertain.isEmpty }

    /// The conditions that have no answer about an object. Those of `known` are left out.
    func failures(
        _ name: ObjectName,
        _ contents: StepContents.Contents?,
        except known: Set<QueryPlace>,
        budget: inout WorkBudget
    ) -> [QueryPlace: ConditionError] {
        guard let contents, let conditions = uncertain[name.className] else { return [:] }
        var failures: [QueryPlace: ConditionError] = [:]
        for (index, condition) in conditions {
            let place = QueryPlace(className: name.className, index: index)
            if !known.contains(place) { failures[place] = condition.failure(name, contents, budget: &budget) }
        }
        return failures
    }

    /// Whether a view shows an object.
    enum Membership: Hashable, Sendable {
        case shown
        case hidden
        /// It isn't shown, since comparing the condition with it takes more work than allowed.
        case exceeded(QueryPlace)

        var isShown: Bool { self == .shown }
    }

    /// Returns whether the view shows an object, as far as a budget allows it to be found out.
    func membership(_ name: ObjectName, _ object: MergedObject?, budget: inout WorkBudget) -> Membership {
        guard let object, object.isAlive, conditions[name.className] != nil else { return .hidden }
        return membership(name, object.contents, budget: &budget)
    }

    /// Returns whether the view shows an object, as far as a budget allows it to be found out.
    func membership(_ name: ObjectName, _ contents: StepContents.Contents?, budget: inout WorkBudget) -> Membership {
        guard let contents, let parts = conditions[name.className] else { return .hidden }
        for part in parts {
            let isShown = part.condition.matches(name, contents, budget: &budget)
            if budget.isOver { return .exceeded(QueryPlace(className: name.className, index: part.index)) }
            if isShown { return .shown }
        }
        return .hidden
    }

    /// The version of the last change of an object that can be seen.
    func version(_ name: ObjectName, _ object: MergedObject) -> StreamVersion {
        object.version(masks[name.className])
    }

    /// What can be seen of an object that is in the view.
    func whole(_ name: ObjectName, _ object: MergedObject) -> ObjectUpdate {
        let mask = masks[name.className]
        return object.update(name.key, object.whole(mask), mask: mask)
    }

    /// Returns the update that leads from an object's state before a step to the one after it, for sessions that hold the view at the step's
    /// start. Returns `nil` if nothing that they see has changed.
    ///
    /// - Parameters:
    ///   - membership: whether the view shows the object before and after the step.
    ///   - isWhole: whether differences can't be made any more.
    func update(
        _ object: StepContents.Object,
        _ membership: (was: Bool, isIn: Bool),
        isWhole: Bool
    ) -> ObjectUpdate? {
        let step = object.step
        let mask = masks[step.name.className]
        guard let content = content(object, membership, mask: mask, isWhole: isWhole) else { return nil }
        return step.after?.update(step.name.key, content, mask: mask) ?? ObjectUpdate(step.name.key, content)
    }

    private func content(
        _ object: StepContents.Object,
        _ membership: (was: Bool, isIn: Bool),
        mask: FieldMask?,
        isWhole: Bool
    ) -> ObjectUpdate.Content? {
        let step = object.step
        guard membership.isIn, let after = step.after else { return membership.was ? .erased : nil }
        guard membership.was, let before = step.before, before.born == after.born, !isWhole else {
            return after.whole(mask)
        }
        let version = before.version(mask)
        if version == after.version(mask) { return nil }
        return after.difference(since: version, old: object.before, mask)
    }
}

/// The place of a query among those of its class.
struct QueryPlace: Hashable, Sendable {
    let className: SyncString
    let index: UInt64
}

/// What tells views apart. It is compared as a whole: whoever writes queries could find two with equal numbers, and would be sent what
/// somebody else may see.
struct ViewIdentity: Hashable, Sendable {
    /// The upper half is of the conditions, the lower one of what is hidden of the objects or shown otherwise: 0 for nothing.
    let number: UInt64
    private let classes: [SyncString]
    /// Narrowed to what may be seen, sorted, each once.
    private let conditions: [ClassQuery]
    private let masks: [SyncString: FieldMask]
    private let lens: RunningHash?

    init(
        _ classes: [SyncString],
        _ narrowed: Set<ClassQuery>,
        _ masks: [SyncString: FieldMask],
        _ lens: (any SessionLens)? = nil
    ) {
        self.classes = classes
        self.lens = lens?.identity
        conditions = narrowed.sorted { ($0.className, $0.condition) < ($1.className, $1.condition) }
        self.masks = masks
        var hash = RunningHash.empty
        for name in classes { hash = hash.appending(Array(name.string.utf8)) }
        for query in conditions {
            hash = hash.appending(Array(query.className.string.utf8)).appending(Array(query.condition.string.utf8))
        }
        let made = lens?.conditions ?? 0
        if made != 0 { hash = hash.appending((0..<4).map { UInt8(truncatingIfNeeded: made >> ($0 * 8)) }) }
        var hidden = RunningHash.empty
        for (name, mask) in masks.sorted(by: { $0.key < $1.key }) {
            hidden = mask.hashed(into: hidden.appending(Array(name.string.utf8)))
        }
        let shown = lens?.shown ?? 0
        if shown != 0 { hidden = hidden.appending((0..<4).map { UInt8(truncatingIfNeeded: shown >> ($0 * 8)) }) }
        let low = masks.isEmpty && shown == 0 ? 0 : max(UInt32(truncatingIfNeeded: hidden.low), 1)
        number = UInt64(UInt32(truncatingIfNeeded: hash.low)) << 32 | UInt64(low)
    }

    /// What a view's number says of what is hidden.
    static func masks(of number: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: number) }

    var masksNumber: UInt32 { Self.masks(of: number) }

    static func == (a: ViewIdentity, b: ViewIdentity) -> Bool {
        a.number == b.number && a.conditions == b.conditions && a.masks == b.masks && a.classes == b.classes
            && a.lens == b.lens
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
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
