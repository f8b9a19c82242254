/// Replaces the names of classes and properties by their names in another version of a file's schema.
///
/// A class or property that is missing in the other version keeps its name.
public struct NameChanges: Sendable {
    private struct Class: Sendable {
        var name: SyncString
        var properties: [SyncString: SyncString] = [:]
        /// The embedded classes of properties, by the old names of both.
        var embedded: [SyncString: SyncString] = [:]
    }

    /// The changed names of classes, by the old names of the classes.
    private var classes: [SyncString: Class] = [:]
    /// A Boolean value that indicates whether no name changes.
    public private(set) var isEmpty = true
    /// The properties whose type has changed. Their values are stored in a new column under the earlier name. Classes
    /// and properties have their new names here.
    public private(set) var retyped: [SyncString: Set<SyncString>] = [:]

    public init(from old: FileNames, to new: FileNames) {
        let targets = Dictionary(new.classes.map { ($0.id, $0) }) { first, _ in first }
        let before = Dictionary(old.classes.map { ($0.id, $0) }) { first, _ in first }
        for table in old.classes {
            let target = targets[table.id]
            var made = Class(name: target?.name ?? table.name)
            if made.name != table.name { isEmpty = false }
            let names = Dictionary((target?.properties ?? []).map { ($0.id, $0.name) }) { first, _ in first }
            for property in table.properties {
                if let name = names[property.id], name != property.name {
                    made.properties[property.name] = name
                    isEmpty = false
                }
                if let inner = property.target.flatMap({ before[$0] }), inner.isEmbedded {
                    made.embedded[property.name] = inner.name
                }
            }
            classes[table.name] = made
            let removed = Set(table.properties.filter { names[$0.id] == nil }.map(\.name))
            let known = Set(table.properties.map(\.id))
            let taken = (target?.properties ?? []).filter { !known.contains($0.id) && removed.contains($0.name) }
            if !taken.isEmpty { retyped[made.name] = Set(taken.map(\.name)) }
        }
    }

    // MARK: Names

    public func className(_ name: SyncString) -> SyncString { classes[name]?.name ?? name }

    public func object(_ name: ObjectName) -> ObjectName { ObjectName(className(name.className), name.key) }

    /// Returns the new name of a property. `className` is the old name of its class.
    func property(_ name: SyncString, of className: SyncString?) -> SyncString {
        className.flatMap { classes[$0]?.properties[name] } ?? name
    }

    /// Returns the old name of a property's embedded class.
    func embedded(_ name: SyncString, of className: SyncString?) -> SyncString? {
        className.flatMap { classes[$0]?.embedded[name] }
    }

    // MARK: Values

    /// - Parameter inner: The old name of the class of an embedded object.
    func value(_ value: SyncValue, _ inner: SyncString?) -> SyncValue {
        switch value {
        case .link(let name): .link(object(name))
        case .list(let values): .list(values.map { self.value($0, nil) })
        case .dictionary(let dictionary): .dictionary(self.dictionary(dictionary, nil))
        case .embedded(let value):
            .embedded(EmbeddedValue(number: value.number, fields: fields(value.fields, of: inner)))
        default: value
        }
    }

    private func dictionary(_ dictionary: SyncDictionary, _ inner: SyncString?) -> SyncDictionary {
        SyncDictionary(rising: dictionary.entries.map { .init(key: $0.key, value: value($0.value, inner)) })
    }

    private func element(_ element: SetElement) -> SetElement {
        if case .link(let name) = element { .link(object(name)) } else { element }
    }

    func fields(_ fields: [NewField], of className: SyncString?) -> [NewField] {
        fields.map { field in
            let inner = embedded(field.name, of: className)
            let content: NewContent =
                switch field.content {
                case .value(let value): .value(self.value(value, inner))
                case .list(let first, let values): .list(first: first, values.map { value($0, inner) })
                case .set(let values): .set(values.map { value($0, inner) })
                case .dictionary(let entries): .dictionary(dictionary(entries, inner))
                }
            return NewField(property(field.name, of: className), content, field.origin)
        }
    }

    // MARK: Changes

    /// Returns a place with new names, and the old name of the class of the embedded objects there.
    private func place(_ place: Place) -> (place: Place, inner: SyncString?) {
        var current: SyncString? = place.object.className
        let path = place.path.map { step -> Place.Step in
            guard case .property(let name) = step else { return step }
            defer { current = embedded(name, of: current) }
            return .property(property(name, of: current))
        }
        return (Place(object(place.object), path), current)
    }

    func change(_ change: Change) -> Change {
        switch change {
        case .create(let name, let fields): return .create(object(name), self.fields(fields, of: name.className))
        case .delete(let name, .edit): return .delete(object(name), .edit)
        case .delete(let name, .cascade(let cause)): return .delete(object(name), .cascade(of: object(cause)))
        case .set(let at, let value, let origin):
            let found = place(at)
            return .set(found.place, self.value(value, found.inner), origin)
        case .increment(let at, let number): return .increment(place(at).place, number)
        case .insert(let at, let gap, let first, let values):
            let found = place(at)
            return .insert(found.place, gap, first: first, values.map { value($0, found.inner) })
        case .remove(let at, let elements): return .remove(place(at).place, elements)
        case .move(let at, let element, let gap, let number):
            return .move(place(at).place, element, gap, number: number)
        case .clearList(let at, let hidden): return .clearList(place(at).place, hidden: hidden)
        case .assignList(let at, let hidden, let gap, let first, let values):
            let found = place(at)
            return .assignList(found.place, hidden: hidden, gap, first: first, values.map { value($0, found.inner) })
        case .insertIntoSet(let at, let values): return .insertIntoSet(place(at).place, plain(values))
        case .removeFromSet(let at, let values): return .removeFromSet(place(at).place, plain(values))
        case .clearSet(let at, let hidden): return .clearSet(place(at).place, hidden: plain(hidden))
        case .assignSet(let at, let hidden, let values):
            return .assignSet(place(at).place, hidden: plain(hidden), plain(values))
        case .removeEntry(let at): return .removeEntry(place(at).place)
        case .clearDictionary(let at, let hidden): return .clearDictionary(place(at).place, hidden: hidden)
        case .assignDictionary(let at, let hidden, let entries):
            let found = place(at)
            return .assignDictionary(found.place, hidden: hidden, dictionary(entries, found.inner))
        }
    }

    private func plain(_ values: [SyncValue]) -> [SyncValue] { values.map { value($0, nil) } }

    public func commit(_ commit: Commit) -> Commit {
        Commit(
            number: commit.number,
            clock: commit.clock,
            base: commit.base,
            seen: names(commit.seen),
            schemaVersion: commit.schemaVersion,
            changes: commit.changes.map(change)
        )
    }

    private func names<T>(_ values: [ObjectName: T]) -> [ObjectName: T] {
        Dictionary(values.map { (object($0.key), $0.value) }) { first, _ in first }
    }

    func list(_ list: OldList) -> OldList {
        let found = place(list.place)
        return OldList(place: found.place, elements: list.elements.map { $0.map { value($0, found.inner) } })
    }

    func refusal(_ refusal: Refusal) -> Refusal {
        var renamed = refusal
        renamed.change = change(refusal.change)
        return renamed
    }

    // MARK: Edits

    func content(_ content: MergedContent, _ inner: SyncString?) -> MergedContent {
        switch content {
        case .value(let value): .value(self.value(value, inner))
        case .embedded(let fields): .embedded(contents(fields, of: inner))
        case .list(let elements): .list(elements.map { self.content($0, inner) })
        case .set(let elements):
            .set(Dictionary(elements.map { (element($0.key), value($0.value, nil)) }) { first, _ in first })
        case .dictionary(let entries): .dictionary(entries.mapValues { self.content($0, inner) })
        }
    }

    func contents(_ fields: [SyncString: MergedContent], of className: SyncString?) -> [SyncString: MergedContent] {
        Dictionary(
            fields.map { (property($0.key, of: className), content($0.value, embedded($0.key, of: className))) }
        ) { first, _ in first }
    }

    private func place(_ place: LocalPlace) -> (place: LocalPlace, inner: SyncString?) {
        var current: SyncString? = place.object.className
        let path = place.path.map { step -> LocalPlace.Step in
            guard case .property(let name) = step else { return step }
            defer { current = embedded(name, of: current) }
            return .property(property(name, of: current))
        }
        return (LocalPlace(object(place.object), path), current)
    }

    func edit(_ edit: LocalEdit) -> LocalEdit {
        switch edit {
        case .create(let name, let contents, let defaults):
            let renamed = Set(defaults.map { property($0, of: name.className) })
            return .create(object(name), self.contents(contents, of: name.className), defaults: renamed)
        case .delete(let name, .edit): return .delete(object(name), .edit)
        case .delete(let name, .cascade(let cause)): return .delete(object(name), .cascade(of: object(cause)))
        case .set(let at, let content, let origin):
            let found = place(at)
            return .set(found.place, self.content(content, found.inner), origin)
        case .increment(let at, let number): return .increment(place(at).place, number)
        case .insert(let at, let index, let contents):
            let found = place(at)
            return .insert(found.place, at: index, contents.map { content($0, found.inner) })
        case .remove(let at, let index, let count): return .remove(place(at).place, at: index, count: count)
        case .move(let at, let from, let to): return .move(place(at).place, from: from, to: to)
        case .clearList(let at, let hidden): return .clearList(place(at).place, hidden: hidden)
        case .assignList(let at, let hidden, let index, let contents):
            let found = place(at)
            return .assignList(found.place, hidden: hidden, at: index, contents.map { content($0, found.inner) })
        case .insertIntoSet(let at, let values): return .insertIntoSet(place(at).place, plain(values))
        case .removeFromSet(let at, let values): return .removeFromSet(place(at).place, plain(values))
        case .clearSet(let at, let hidden): return .clearSet(place(at).place, hidden: plain(hidden))
        case .assignSet(let at, let hidden, let values):
            return .assignSet(place(at).place, hidden: plain(hidden), plain(values))
        case .removeEntry(let at): return .removeEntry(place(at).place)
        case .assignDictionary(let at, let hidden, let entries):
            let found = place(at)
            return .assignDictionary(found.place, hidden: hidden, entries.mapValues { content($0, found.inner) })
        case .clearDictionary(let at, let hidden): return .clearDictionary(place(at).place, hidden: hidden)
        }
    }

    // MARK: Stored state

    func pending(_ change: PendingChange) -> PendingChange {
        PendingChange(
            commit: change.commit,
            index: change.index,
            change: self.change(change.change),
            seen: change.seen,
            taken: TakenKeys(elements: Set(change.taken.elements.map(element)), keys: change.taken.keys),
            version: change.version,
            isBeforeErasure: change.isBeforeErasure
        )
    }

    func fields(_ fields: ClientFields, of className: SyncString?) -> ClientFields {
        Dictionary(
            fields.map { (property($0.key, of: className), node($0.value, embedded($0.key, of: className))) }
        ) { first, _ in first }
    }

    private func node(_ node: ClientNode, _ inner: SyncString?) -> ClientNode {
        switch node {
        case .value(let value): return .value(self.value(value, inner))
        case .instance(var instance):
            instance.fields = fields(instance.fields, of: inner)
            return .instance(instance)
        case .list(var list):
            list.slots.forEachNode { $0 = $0.map { self.node($0, inner) } }
            return .list(list)
        case .set(let elements):
            return .set(Dictionary(elements.map { (element($0.key), value($0.value, nil)) }) { first, _ in first })
        case .dictionary(let entries): return .dictionary(entries.mapValues { self.node($0, inner) })
        }
    }

    public func shadow(_ shadow: Shadow, of name: ObjectName) -> Shadow {
        var shadow = shadow
        shadow.rename(self, of: name.className)
        return shadow
    }

    public func commit(_ commit: JournalCommit) -> JournalCommit {
        var commit = commit
        commit.commit = self.commit(commit.commit)
        return commit
    }

    public func lost(_ lost: LostWork) -> LostWork {
        switch lost {
        case .refused(let refusal): .refused(self.refusal(refusal))
        case .discarded(let commit): .discarded(self.commit(commit))
        case .misplaced(let edits): .misplaced(edits.map(edit))
        }
    }

    private func recovery(_ recovery: Recovery) -> Recovery {
        let className = recovery.name.className
        return Recovery(
            name: object(recovery.name),
            base: recovery.base.map { contents($0, of: className) },
            mine: recovery.mine.map { contents($0, of: className) },
            adds: Dictionary(recovery.adds.map { (property($0.key, of: className), $0.value) }) { first, _ in first }
        )
    }

    /// - Parameter query: Returns a query under the new names, or `nil` if the query isn't possible under them.
    public func state(_ state: ClientState, query: (ClassQuery) -> ClassQuery?) -> ClientState {
        var state = state
        state.wanted = Set(state.wanted.map(object))
        state.forked = state.forked.mapValues { $0.map(object) }
        state.recovery = state.recovery.map(recovery)
        if let position = state.bootstrap?.position { state.bootstrap?.position?.last = object(position.last) }
        if let earlier = state.bootstrap?.earlier { state.bootstrap?.earlier?.last = object(earlier.last) }
        state.querySets = state.querySets.map { set in
            var renamed = QuerySet(version: set.version, queries: set.queries.compactMap(query))
            (renamed.state, renamed.isComplete) = (set.state, set.isComplete)
            renamed.errors = set.errors.map { error in
                var error = error
                error.className = className(error.className)
                return error
            }
            return renamed
        }
        return state
    }
}
