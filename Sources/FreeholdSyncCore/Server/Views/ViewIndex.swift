/// The views of a stream's sessions, found by the contents of an object. A change costs nothing for views that it can't
/// concern.
struct ViewIndex: Sendable {
    private struct Entry: Sendable {
        let view: View
        var sessions: Set<SessionKey>
    }

    /// The views with queries of one class.
    private struct ClassIndex: Sendable {
        /// The views with a condition that names no value.
        var general: Set<ViewIdentity> = []
        /// The views with a condition that an object can only fulfil with a certain value of a property.
        var named: [SyncString: [SyncValue: Set<ViewIdentity>]] = [:]
    }

    private var entries: [ViewIdentity: Entry] = [:]
    private var classes: [SyncString: ClassIndex] = [:]

    /// The views that were inserted since the last step was compared with the index.
    var added: Set<ViewIdentity> = []

    func contains(_ view: ViewIdentity) -> Bool { entries[view] != nil }

    subscript(identity: ViewIdentity) -> View? { entries[identity]?.view }

    /// Returns the sessions of a view, by rising keys.
    func sessions(of view: ViewIdentity) -> [SessionKey] { entries[view]?.sessions.sorted() ?? [] }

    // MARK: Updates

    /// - Complexity: O(conditions of the view)
    mutating func insert(_ key: SessionKey, _ view: View) {
        guard entries[view.identity] == nil else {
            entries[view.identity]?.sessions.insert(key)
            return
        }
        entries[view.identity] = Entry(view: view, sessions: [key])
        added.insert(view.identity)
        for (className, equality) in view.equalities {
            if let equality {
                for value in equality.values {
                    classes[className, default: ClassIndex()].named[equality.property, default: [:]][value, default: []]
                        .insert(view.identity)
                }
            } else {
                classes[className, default: ClassIndex()].general.insert(view.identity)
            }
        }
    }

    /// Removes a session of a view.
    ///
    /// - Returns: A Boolean value that indicates whether the view has no session any more.
    mutating func remove(_ key: SessionKey, _ number: ViewIdentity) -> Bool {
        guard entries[number]?.sessions.remove(key) != nil, let entry = entries[number], entry.sessions.isEmpty else {
            return false
        }
        entries[number] = nil
        added.remove(number)
        for (className, equality) in entry.view.equalities {
            guard let equality else {
                classes[className]?.general.remove(number)
                continue
            }
            for value in equality.values { forget(number, className, equality.property, value) }
        }
        return true
    }

    private mutating func forget(
        _ view: ViewIdentity,
        _ className: SyncString,
        _ property: SyncString,
        _ value: SyncValue
    ) {
        guard classes[className]?.named[property]?[value]?.remove(view) != nil,
            classes[className]?.named[property]?[value]?.isEmpty == true
        else { return }
        classes[className]?.named[property]?[value] = nil
        if classes[className]?.named[property]?.isEmpty == true { classes[className]?.named[property] = nil }
    }

    // MARK: Searches

    /// Returns the views that a step can concern, with the indices of the objects for each view.
    ///
    /// - Complexity: O(objects × (properties that conditions name + views found))
    func concerned(by contents: StepContents) -> [ViewIdentity: [Int]] {
        var found: [ViewIdentity: [Int]] = [:]
        for (index, object) in contents.objects.enumerated() {
            guard let views = classes[object.step.name.className] else { continue }
            func add(_ numbers: Set<ViewIdentity>) {
                for number in numbers where found[number]?.last != index { found[number, default: []].append(index) }
            }
            add(views.general)
            for (property, byValue) in views.named {
                if property == ConditionEquality.key {
                    if let numbers = byValue[SyncValue(object.step.name.key)] { add(numbers) }
                    continue
                }
                for contents in [object.before, object.after] {
                    guard let content = contents?[property] else { continue }
                    switch content.indexed {
                    case .value(let value): if let numbers = byValue[value] { add(numbers) }
                    case .null: break
                    case .other: for numbers in byValue.values { add(numbers) }
                    }
                }
            }
        }
        return found
    }
}

/// The content of a property, from the point of view of an index of values.
private enum IndexedContent {
    case value(SyncValue)
    /// A null, which is equal to no value of an index.
    case null
    /// A number of another type, or a collection. It may be equal to a value of an index.
    case other
}

extension MergedContent {
    fileprivate var indexed: IndexedContent {
        switch self {
        case .value(.null): .null
        case .value(let value): value.isIndexed ? .value(value) : .other
        case .list, .set, .dictionary, .embedded: .other
        }
    }
}

extension SyncValue {
    /// A Boolean value that indicates whether an index of values can contain the value. A condition must treat it as
    /// equal only to values with the same bits, except for numbers of other types.
    var isIndexed: Bool {
        switch self {
        case .int, .string, .objectId, .uuid, .link: true
        default: false
        }
    }
}
