/// The part of a stream that a query set shows. Sessions with equal queries share a view.
///
/// An object alone decides whether it is in a view. The view therefore needs no list of its members: the earlier state
/// of an object shows whether the object was in the view.
struct View: Sendable {
    /// The classes of the view, in rising order.
    let classes: [SyncString]
    private let conditions: [SyncString: [Part]]
    /// The conditions that can fail for an object, with their indices among the queries of their class.
    private let uncertain: [SyncString: [(index: UInt64, condition: any CompiledCondition)]]
    /// The masks of classes that are shown in part.
    private let masks: [SyncString: FieldMask]
    let identity: ViewIdentity

    /// A condition, and its index among the queries of its class.
    private struct Part: Sendable {
        let text: SyncString
        let index: UInt64
        let condition: any CompiledCondition
    }
    /// The lens of the view's sessions. `nil` if they see the stored form.
    let lens: (any SessionLens)?
    /// A Boolean value that indicates whether updates contain whole objects, and their states before the changes. Front ends of the server
    /// need them.
    let showsStates: Bool
    private(set) var errors: [QueryError] = []

    /// The number of the view for clients. Equal queries and rights have equal numbers on all nodes.
    var number: UInt64 { identity.number }

    /// A view without objects.
    static let empty = View(Queries(version: 0, queries: []), EmptyMatcher())

    /// - Parameters:
    ///   - rights: The rights to read objects of the queries. `nil` if all objects are visible.
    ///   - lens: The lens of the sessions. It has already checked the queries.
    ///   - schema: The stored classes, as far as they are known.
    init(
        _ queries: Queries,
        _ matcher: some ConditionMatcher,
        _ rights: (any SessionRights)? = nil,
        _ lens: (any SessionLens)? = nil,
        in schema: ConditionSchema? = nil,
        showsStates: Bool = false
    ) {
        self.showsStates = showsStates
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
                // With restricted rights the object may be hidden, so that an error must not mention its contents.
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
        // A class whose conditions are all invalid is in the view, without objects.
        classes = Set(queries.queries.map(\.className)).sorted()
        // Equal views compare conditions in the same order, so that the same objects exceed the budget.
        self.conditions = conditions.mapValues { $0.sorted { $0.text < $1.text } }
        self.uncertain = uncertain
        var masks: [SyncString: FieldMask] = [:]
        for name in classes {
            if let mask = rights?.mask(of: name), !mask.showsAll { masks[name] = mask }
        }
        self.masks = masks
        self.lens = lens
        identity = ViewIdentity(classes, narrowed, masks, lens, showsStates: showsStates)
    }

    func mask(of className: SyncString) -> FieldMask? { masks[className] }

    /// The class of each condition, with a property and its possible values in objects that fulfil the condition.
    var equalities: [(className: SyncString, equality: ConditionEquality?)] {
        conditions.flatMap { name, parts in parts.map { (name, $0.condition.equality) } }
    }

    /// Returns the keys of all objects of a class that can be in the view, in rising order. Returns `nil` if any key is
    /// possible.
    ///
    /// - Complexity: O(*n* log *n*) for *n* keys
    func keys(of className: SyncString) -> [PrimaryKey]? {
        var all: Set<PrimaryKey> = []
        for part in conditions[className] ?? [] {
            guard let keys = part.condition.keys else { return nil }
            all.formUnion(keys)
        }
        return all.sorted()
    }

    /// Returns the maximum number of comparisons to decide whether an object of a class is in the view.
    func comparisons(of className: SyncString) -> Int {
        conditions[className]?.reduce(0) { $0 + $1.condition.comparisons } ?? 0
    }

    /// A Boolean value that indicates whether a condition can fail for an object.
    var canFail: Bool { !uncertain.isEmpty }

    /// Returns the conditions that fail for an object, except those of `known`.
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

    /// The membership of an object in a view.
    enum Membership: Hashable, Sendable {
        case shown
        case hidden
        /// The object isn't shown, because its comparison with the condition exceeds the budget.
        case exceeded(QueryPlace)

        var isShown: Bool { self == .shown }
    }

    /// Returns whether the view shows an object, within a budget.
    func membership(_ name: ObjectName, _ object: MergedObject?, budget: inout WorkBudget) -> Membership {
        guard let object, object.isAlive, conditions[name.className] != nil else { return .hidden }
        return membership(name, object.contents, budget: &budget)
    }

    /// Returns whether the view shows an object, within a budget.
    func membership(_ name: ObjectName, _ contents: StepContents.Contents?, budget: inout WorkBudget) -> Membership {
        guard let contents, let parts = conditions[name.className] else { return .hidden }
        for part in parts {
            let isShown = part.condition.matches(name, contents, budget: &budget)
            if budget.isOver { return .exceeded(QueryPlace(className: name.className, index: part.index)) }
            if isShown { return .shown }
        }
        return .hidden
    }

    /// Returns the version of the last visible change of an object.
    func version(_ name: ObjectName, _ object: MergedObject) -> StreamVersion {
        object.version(masks[name.className])
    }

    /// Returns the visible part of an object that is in the view.
    func whole(_ name: ObjectName, _ object: MergedObject) -> ObjectUpdate {
        let mask = masks[name.className]
        return object.update(name.key, object.whole(mask), mask: mask)
    }

    /// Returns the update from an object's state before a step to the one after it, for sessions that have the view at
    /// the start of the step. Returns `nil` if the visible part hasn't changed.
    ///
    /// - Parameters:
    ///   - membership: Whether the view shows the object before and after the step.
    ///   - isWhole: A Boolean value that indicates whether the objects are trimmed too far for a difference.
    func update(
        _ object: StepContents.Object,
        _ membership: (was: Bool, isIn: Bool),
        isWhole: Bool
    ) -> ObjectUpdate? {
        let step = object.step
        let mask = masks[step.name.className]
        if showsStates { return state(step, membership, mask: mask) }
        guard let content = content(object, membership, mask: mask, isWhole: isWhole) else { return nil }
        return step.after?.update(step.name.key, content, mask: mask) ?? ObjectUpdate(step.name.key, content)
    }

    /// Returns the whole object after a step, and its fields before it.
    private func state(
        _ step: ObjectStep,
        _ membership: (was: Bool, isIn: Bool),
        mask: FieldMask?
    ) -> ObjectUpdate? {
        let before = membership.was ? step.before : nil
        let after = membership.isIn ? step.after : nil
        if before == nil, after == nil { return nil }
        if let before, let after, before.born == after.born, before.version(mask) == after.version(mask) { return nil }
        var update = ObjectUpdate(step.name.key, after?.whole(mask) ?? .erased)
        update.before = before.map { $0.fields(mask) }
        return update
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

/// The index of a query among those of its class.
struct QueryPlace: Hashable, Sendable {
    let className: SyncString
    let index: UInt64
}

/// The identity of a view. It is compared as a whole. An author of queries could otherwise find two views with equal
/// numbers, and would receive objects that only another user may see.
struct ViewIdentity: Hashable, Sendable {
    /// The number for clients. Its upper half is a hash of the conditions. Its lower half is a hash of the hidden or
    /// translated parts of objects, or 0 if there are none.
    let number: UInt64
    private let classes: [SyncString]
    /// The conditions after they were narrowed by rights, sorted, each once.
    private let conditions: [ClassQuery]
    private let masks: [SyncString: FieldMask]
    private let lens: RunningHash?
    private let showsStates: Bool

    init(
        _ classes: [SyncString],
        _ narrowed: Set<ClassQuery>,
        _ masks: [SyncString: FieldMask],
        _ lens: (any SessionLens)? = nil,
        showsStates: Bool = false
    ) {
        self.showsStates = showsStates
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

    /// Returns the lower half of a view's number, which identifies the hidden and translated parts.
    static func masks(of number: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: number) }

    var masksNumber: UInt32 { Self.masks(of: number) }

    static func == (a: ViewIdentity, b: ViewIdentity) -> Bool {
        a.number == b.number && a.conditions == b.conditions && a.masks == b.masks && a.classes == b.classes
            && a.lens == b.lens && a.showsStates == b.showsStates
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private struct EmptyMatcher: ConditionMatcher {
    func compile(_ className: SyncString, _ text: SyncString) throws(ConditionError) -> any CompiledCondition {
        throw ConditionError(position: 0, text: "There are no queries.")
    }
}

extension [ClassBatch] {
    /// Creates batches by rising class names, with objects by rising keys.
    init(_ updates: [(SyncString, ObjectUpdate)]) {
        self = Dictionary(grouping: updates) { $0.0 }
            .map { ClassBatch(className: $0.key, objects: $0.value.map(\.1).sorted { $0.key < $1.key }) }
            .sorted { $0.className < $1.className }
    }
}
