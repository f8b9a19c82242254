/// The handling of a commit whose base is before the horizon, on the present objects (sync-design.md, section 8).
///
/// The server no longer has the list that the author saw. Elements are therefore matched by value: the author sends the
/// list as it saw it, and that list is aligned with the present one. Changes of matched elements are applied, inserted
/// elements are placed beside their present neighbours, and all other changes are refused.
struct OldWork {
    private let lists: [Place: [SyncValue?]]
    /// The version before the commit. The indices of aligned elements refer to it.
    let version: StreamVersion
    /// Returns the form in which the author's app sees an element.
    private let seen: @Sendable (Place, SyncValue) -> SyncValue
    private var alignments: [Place: ListAlignment] = [:]

    init(
        _ lists: [OldList],
        version: StreamVersion,
        seen: (@Sendable (Place, SyncValue) -> SyncValue)? = nil
    ) {
        self.seen = seen ?? { $1 }
        self.lists = Dictionary(lists.map { ($0.place, $0.elements) }) { first, _ in first }
        self.version = version
    }

    /// The changes that are applied in the place of a change.
    struct Plan {
        /// The changes, in their order.
        var changes: [Change] = []
        /// Alternatives for the last of the changes, if it names a missing element. The first one that succeeds is
        /// applied. Removals are all applied.
        var instead: [Change] = []
        /// The elements that a clear or an assignment removes as seen by its author.
        var aligned: [ElementReference]?
        /// The part of the change that can't be applied. It is reported to the author.
        var rest: Change?
        /// Returns a plan that applies nothing.
        static func none(_ change: Change) -> Plan { Plan(rest: change) }
    }

    /// - Parameter contents: The properties of the object before the commit.
    mutating func plan(_ change: Change, _ contents: [SyncString: MergedContent]) -> Plan {
        guard let old = change.place else { return Plan(changes: [change]) }
        guard let place = aligned(old, contents) else { return .none(change) }
        switch change {
        case .insert(_, let gap, let first, let values):
            let gaps = alignment(old, contents).gaps(gap)
            let changes = gaps.map { Change.insert(place, $0, first: first, values) }
            return Plan(changes: Array(changes.prefix(1)), instead: Array(changes.dropFirst()))
        case .remove(_, let references):
            let alignment = alignment(old, contents)
            let there = references.compactMap(alignment.reference)
            let gone = references.filter { alignment.reference($0) == nil }
            var plan = Plan(changes: there.isEmpty ? [] : [.remove(place, there)])
            // Each element is removed by a change of its own, since one of them may belong to a refused insert.
            plan.instead = there.map { .remove(place, [$0]) }
            if !gone.isEmpty { plan.rest = .remove(old, gone) }
            return plan
        case .move(_, let reference, let gap, let number):
            let alignment = alignment(old, contents)
            guard let reference = alignment.reference(reference) else {
                // Later work can name the move, so a dead slot with its number is created.
                let slot = Change.insert(place, alignment.gaps(gap).last ?? gap, first: number, [.null])
                return Plan(changes: [slot, .remove(place, [.own(number)])], rest: change)
            }
            let changes = alignment.gaps(gap).map { Change.move(place, reference, $0, number: number) }
            return Plan(changes: Array(changes.prefix(1)), instead: Array(changes.dropFirst()))
        case .clearList(_, let hidden):
            let alignment = alignment(old, contents)
            let spared = hidden.compactMap(alignment.reference)
            return Plan(changes: [.clearList(place, hidden: spared)], aligned: alignment.all)
        case .assignList(_, let hidden, let gap, let first, let values):
            let alignment = alignment(old, contents)
            let spared = hidden.compactMap(alignment.reference)
            let changes = alignment.gaps(gap).map {
                Change.assignList(place, hidden: spared, $0, first: first, values)
            }
            return Plan(
                changes: Array(changes.prefix(1)),
                instead: Array(changes.dropFirst()),
                aligned: alignment.all
            )
        default: return Plan(changes: [change.moved(to: place)])
        }
    }

    // MARK: Places

    /// Returns a place with references to present elements. Returns `nil` if one of the elements has no match.
    private mutating func aligned(_ place: Place, _ contents: [SyncString: MergedContent]) -> Place? {
        var steps: [Place.Step] = []
        for (index, step) in place.path.enumerated() {
            guard case .element(let reference) = step else {
                steps.append(step)
                continue
            }
            let list = Place(place.object, Array(place.path[..<index]))
            guard let now = alignment(list, contents).reference(reference) else { return nil }
            steps.append(.element(now))
        }
        return Place(place.object, steps)
    }

    private mutating func alignment(_ place: Place, _ contents: [SyncString: MergedContent]) -> ListAlignment {
        if let known = alignments[place] { return known }
        var elements: [MergedContent] = []
        if case .list(let list)? = content(place, contents) { elements = list }
        let alignment = ListAlignment(lists[place] ?? [], elements.map { seen(place, $0.plainValue) })
        alignments[place] = alignment
        return alignment
    }

    private mutating func content(_ place: Place, _ contents: [SyncString: MergedContent]) -> MergedContent? {
        var content: MergedContent? = .embedded(contents)
        for (index, step) in place.path.enumerated() {
            switch (step, content) {
            case (.property(let name), .embedded(let fields)?): content = fields[name]
            case (.instance, .embedded?): break
            case (.entry(let key), .dictionary(let entries)?): content = entries[key]
            case (.element(let reference), .list(let elements)?):
                let list = Place(place.object, Array(place.path[..<index]))
                guard case .confirmed(let now)? = alignment(list, contents).reference(reference),
                    elements.indices.contains(now)
                else { return nil }
                content = elements[now]
            default: return nil
            }
        }
        return content
    }
}

extension Change {
    /// Returns the same change at another place. The change must not name elements at the end of its place.
    fileprivate func moved(to place: Place) -> Change {
        switch self {
        case .set(_, let value, let origin): .set(place, value, origin)
        case .increment(_, let number): .increment(place, number)
        case .insertIntoSet(_, let values): .insertIntoSet(place, values)
        case .removeFromSet(_, let values): .removeFromSet(place, values)
        case .clearSet(_, let hidden): .clearSet(place, hidden: hidden)
        case .assignSet(_, let hidden, let values): .assignSet(place, hidden: hidden, values)
        case .removeEntry: .removeEntry(place)
        case .clearDictionary(_, let hidden): .clearDictionary(place, hidden: hidden)
        case .assignDictionary(_, let hidden, let value): .assignDictionary(place, hidden: hidden, value)
        case .create, .delete, .insert, .remove, .move, .clearList, .assignList: self
        }
    }
}

extension MergedContent {
    /// The content without names, for comparisons.
    var plainValue: SyncValue {
        switch self {
        case .value(let value): return value
        case .embedded(let fields):
            let plain = fields.sorted { $0.key < $1.key }.compactMap { field -> NewField? in
                let content = field.value.plainContent
                return content == .value(.null) || content == .list(first: 0, []) ? nil : NewField(field.key, content)
            }
            return .embedded(EmbeddedValue(number: 0, fields: plain))
        case .list(let elements): return .list(elements.map(\.plainValue))
        case .set(let elements): return .list(Array(elements.values).sortedByText)
        case .dictionary(let entries):
            let plain = entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.plainValue) }
            return .dictionary(SyncDictionary(plain))
        }
    }

    private var plainContent: NewContent {
        switch self {
        case .list(let elements): .list(first: 0, elements.map(\.plainValue))
        default: .value(plainValue)
        }
    }
}
