/// Converts the edits of a local commit, which use positions, into changes, which use names of elements
/// (sync-design.md, section 6).
///
/// The names depend on the confirmed state and on the earlier pending work. A commit is therefore resolved before any
/// object that it edits changes.
struct EditResolver {
    /// An object that the edits are about.
    struct Work {
        fileprivate(set) var shadow: Shadow
        /// The changes that will be added to the shadow.
        fileprivate(set) var pending: [PendingChange] = []
        /// The state of the object after all pending work. `nil` until it is needed.
        fileprivate(set) var replay: Replay?

        /// - Parameter replay: The state of the object after the pending work of the shadow, if it is known.
        init(_ shadow: Shadow, replay: Replay? = nil) {
            self.shadow = shadow
            self.shadow.nameElements()
            self.replay = replay
        }
    }

    private(set) var objects: [ObjectName: Work]
    /// The last number that was assigned to an element or an embedded object.
    private(set) var lastNumber: OwnNumber
    private(set) var changes: [Change] = []
    let commit: UInt64

    /// - Parameter objects: All objects that the edits are about.
    init(commit: UInt64, objects: [ObjectName: Work], lastNumber: OwnNumber) {
        self.commit = commit
        self.objects = objects
        self.lastNumber = lastNumber
    }

    /// The versions of the objects that the author saw.
    var seen: [ObjectName: StreamVersion] {
        var seen: [ObjectName: StreamVersion] = [:]
        for (name, work) in objects where !work.pending.isEmpty {
            if let version = work.shadow.version { seen[name] = version }
        }
        return seen
    }

    mutating func resolve(_ edits: [LocalEdit]) throws {
        var index = 0
        while index < edits.count {
            let edit = edits[index]
            index += 1
            // A clear that is followed by an insert into the same list is an assignment.
            if case .clearList(let place, let hidden) = edit, index < edits.count,
                case .insert(place, let at, let values) = edits[index]
            {
                index += 1
                try assignList(place, hidden: hidden, at: at, values, edit)
            } else {
                try resolve(edit)
            }
        }
    }

    private mutating func number(_ count: Int) -> OwnNumber {
        let first = lastNumber + 1
        lastNumber += OwnNumber(max(count, 1))
        return first
    }

    private mutating func add(_ change: Change, taken: TakenKeys = TakenKeys()) {
        guard let place = objects.index(forKey: change.object) else { return }
        let new = PendingChange(
            commit: commit,
            index: changes.count,
            change: change,
            seen: objects.values[place].shadow.version,
            taken: taken
        )
        changes.append(change)
        objects.values[place].pending.append(new)
        objects.values[place].replay?.perform(new)
    }

    /// Returns the current properties of the object, or `nil` if the object doesn't exist.
    private mutating func fields(of name: ObjectName) -> ClientFields? {
        guard let place = objects.index(forKey: name) else { return nil }
        if let known = objects.values[place].replay { return known.fields }
        var replay = objects.values[place].shadow.replay()
        for change in objects.values[place].pending { replay.perform(change) }
        objects.values[place].replay = replay
        return replay.fields
    }

    private func version(of name: ObjectName) -> StreamVersion? { objects[name]?.shadow.version }

    // MARK: Edits

    private mutating func resolve(_ edit: LocalEdit) throws {
        switch edit {
        case .create(let name, let contents, let defaults):
            // An unchanged collection counts as a default. It must not replace elements that another file's create of
            // the same object put into the collection.
            let fields = contents.sorted { $0.key < $1.key }.map { field in
                let isDefault = defaults.contains(field.key) || field.value.isEmptyCollection
                return newField(field.key, field.value, isDefault ? .byDefault : .real)
            }
            add(.create(name, fields))
        case .delete(let name, let cause): add(.delete(name, cause))
        case .set(let place, let content, let origin):
            let place = try named(place, edit)
            guard let value = value(content) else { throw MisplacedEdit(edit: edit) }
            add(.set(place, value, origin))
        case .increment(let place, let number): add(.increment(try named(place, edit), number))
        case .insert(let place, let at, let contents):
            let first = number(contents.count)
            let (place, gap) = try gap(place, at: at, edit)
            add(.insert(place, gap, first: first, try contents.map { try element($0, edit) }))
        case .remove(let place, let at, let count):
            let (place, references) = try removed(place, at: at, count: count, edit)
            add(.remove(place, references))
        case .move(let place, let from, let to):
            let (place, element, gap) = try moved(place, from: from, to: to, edit)
            add(.move(place, element, gap, number: number(1)))
        case .clearList(let place, let hidden):
            let (place, references) = try hiddenElements(place, at: hidden, edit)
            add(.clearList(place, hidden: references))
        case .assignList(let place, let hidden, let at, let contents):
            try assignList(place, hidden: hidden, at: at, contents, edit)
        case .insertIntoSet(let place, let values): add(.insertIntoSet(try named(place, edit), values))
        case .removeFromSet(let place, let values): add(.removeFromSet(try named(place, edit), values))
        case .clearSet(let place, let hidden):
            let (place, taken) = try taken(place, elements: hidden, edit)
            add(.clearSet(place, hidden: hidden), taken: taken)
        case .assignSet(let place, let hidden, let values):
            let (place, taken) = try taken(place, elements: hidden, edit)
            add(.assignSet(place, hidden: hidden, values), taken: taken)
        case .removeEntry(let place): add(.removeEntry(try named(place, edit)))
        case .clearDictionary(let place, let hidden):
            let (place, taken) = try taken(place, keys: hidden, edit)
            add(.clearDictionary(place, hidden: hidden), taken: taken)
        case .assignDictionary(let place, let hidden, let entries):
            let (place, taken) = try taken(place, keys: hidden, edit)
            let new = try entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: try element($0.value, edit)) }
            add(.assignDictionary(place, hidden: hidden, SyncDictionary(new)), taken: taken)
        }
    }

    private mutating func hiddenElements(
        _ place: LocalPlace,
        at hidden: [Int],
        _ edit: LocalEdit
    ) throws -> (Place, [ElementReference]) {
        let (place, list) = try list(place, edit)
        return (place, try references(hidden, list, place.object, edit))
    }

    // No copy of the list is kept during an edit, so that the edit doesn't have to copy its storage.

    private mutating func gap(_ place: LocalPlace, at: Int, _ edit: LocalEdit) throws -> (Place, Gap) {
        let (place, list) = try list(place, edit)
        guard at >= 0 else { throw MisplacedEdit(edit: edit) }
        let (left, right) = (list.slot(ofAlive: at - 1), list.slot(ofAlive: at))
        guard at == 0 || left != nil else { throw MisplacedEdit(edit: edit) }
        let gap = Gap(
            after: try left.map { try reference($0, list, place.object, edit) },
            before: try right.map { try reference($0, list, place.object, edit) }
        )
        return (place, gap)
    }

    private mutating func removed(
        _ place: LocalPlace,
        at: Int,
        count: Int,
        _ edit: LocalEdit
    ) throws -> (Place, [ElementReference]) {
        let (place, list) = try list(place, edit)
        guard at >= 0, count >= 0, at <= .max - count, let found = list.indices(ofAlive: at..<at + count) else {
            throw MisplacedEdit(edit: edit)
        }
        return (place, try found.map { try reference(list.slots[$0], list, place.object, edit) })
    }

    private mutating func moved(
        _ place: LocalPlace,
        from: Int,
        to: Int,
        _ edit: LocalEdit
    ) throws -> (Place, ElementReference, Gap) {
        let (place, list) = try list(place, edit)
        guard let element = list.slot(ofAlive: from), list.slot(ofAlive: to) != nil else {
            throw MisplacedEdit(edit: edit)
        }
        // The neighbours are taken from the list without the moved element.
        let (left, right) = (to - 1 < from ? to - 1 : to, to < from ? to : to + 1)
        let gap = Gap(
            after: try list.slot(ofAlive: left).map { try reference($0, list, place.object, edit) },
            before: try list.slot(ofAlive: right).map { try reference($0, list, place.object, edit) }
        )
        return (place, try reference(element, list, place.object, edit), gap)
    }

    /// Returns the place with names in the place of positions.
    private mutating func named(_ place: LocalPlace, _ edit: LocalEdit) throws -> Place { try find(place, edit).place }

    /// Returns the place, and the values that a clear or an assignment of a set removes.
    private mutating func taken(
        _ place: LocalPlace,
        elements hidden: [SyncValue],
        _ edit: LocalEdit
    ) throws -> (Place, TakenKeys) {
        let (place, node) = try find(place, edit)
        var taken = TakenKeys()
        if case .set(let elements)? = node {
            taken.elements = Set(elements.keys).subtracting(hidden.compactMap(SetElement.init))
        }
        return (place, taken)
    }

    /// Returns the place, and the keys that a clear or an assignment of a dictionary removes.
    private mutating func taken(
        _ place: LocalPlace,
        keys hidden: [SyncString],
        _ edit: LocalEdit
    ) throws -> (Place, TakenKeys) {
        let (place, node) = try find(place, edit)
        var taken = TakenKeys()
        if case .dictionary(let entries)? = node { taken.keys = Set(entries.keys).subtracting(hidden) }
        return (place, taken)
    }

    private mutating func assignList(
        _ place: LocalPlace,
        hidden: [Int],
        at index: Int,
        _ contents: [MergedContent],
        _ edit: LocalEdit
    ) throws {
        let (place, list) = try list(place, edit)
        let alive = list.alive
        guard hidden.allSatisfy(alive.indices.contains) else { throw MisplacedEdit(edit: edit) }
        let left = hidden.map { alive[$0] }
        let gap = try gap(left, index, list, place.object, edit)
        let references = try references(hidden, list, place.object, edit)
        let first = number(contents.count)
        let values = try contents.map { try element($0, edit) }
        add(.assignList(place, hidden: references, gap, first: first, values))
    }

    // MARK: New values

    mutating func newField(_ name: SyncString, _ content: MergedContent, _ origin: Origin) -> NewField {
        switch content {
        case .value(let value): return NewField(name, .value(value), origin)
        case .embedded: return NewField(name, .value(value(content) ?? .null), origin)
        case .list(let elements):
            let first = number(elements.count)
            return NewField(name, .list(first: first, elements.map { value($0) ?? .null }), origin)
        case .set(let elements):
            let values = Array(elements.values).sortedByText
            return NewField(name, .set(values), origin)
        case .dictionary(let entries):
            let values = entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: value($0.value) ?? .null) }
            return NewField(name, .dictionary(SyncDictionary(values)), origin)
        }
    }

    /// Returns the value to send for the content, or `nil` for collections.
    private mutating func value(_ content: MergedContent) -> SyncValue? {
        switch content {
        case .value(let value): return value
        case .embedded(let fields):
            let number = number(1)
            let new = fields.sorted { $0.key < $1.key }.map { newField($0.key, $0.value, .real) }
            return .embedded(EmbeddedValue(number: number, fields: new))
        case .list, .set, .dictionary: return nil
        }
    }

    private mutating func element(_ content: MergedContent, _ edit: LocalEdit) throws -> SyncValue {
        guard let value = value(content) else { throw MisplacedEdit(edit: edit) }
        return value
    }

    // MARK: Names

    private mutating func list(_ place: LocalPlace, _ edit: LocalEdit) throws -> (place: Place, ClientList) {
        let (place, node) = try find(place, edit)
        switch node {
        case .list(let list)?: return (place, list)
        case let node where node?.isEmpty ?? true: return (place, ClientList())
        default: throw MisplacedEdit(edit: edit)
        }
    }

    /// Returns the place with names in the place of positions, and the node at the place.
    private mutating func find(_ place: LocalPlace, _ edit: LocalEdit) throws -> (place: Place, ClientNode?) {
        let object = place.object
        guard let fields = fields(of: object) else { throw MisplacedEdit(edit: edit) }
        var steps: [Place.Step] = []
        var node: ClientNode?
        var inner: ClientFields? = fields
        for step in place.path {
            switch (step, node) {
            case (.property(let name), nil):
                guard let fields = inner else { throw MisplacedEdit(edit: edit) }
                steps.append(.property(name))
                (node, inner) = (fields[name], nil)
            case (.property(let name), .instance(let instance)?):
                steps.append(.instance(self.instance(instance, object)))
                steps.append(.property(name))
                (node, inner) = (instance.fields[name], nil)
            case (.element(let index), .list(let list)?):
                guard let slot = list.slot(ofAlive: index) else { throw MisplacedEdit(edit: edit) }
                steps.append(.element(try reference(slot, list, object, edit)))
                node = slot.node
            case (.entry(let key), .dictionary(let entries)?):
                steps.append(.entry(key))
                node = entries[key]
            case (.entry(let key), let node2) where inner == nil && node2?.isEmpty ?? true:
                steps.append(.entry(key))
                node = nil
            case (.nested(let key), let old) where inner == nil:
                steps.append(.nested(key))
                // Values inside a mixed value have no node of their own.
                if case .value(let value)? = old { node = value.nested([key]).map { .value($0) } }
            default: throw MisplacedEdit(edit: edit)
            }
        }
        return (Place(object, steps), node)
    }

    private func instance(_ instance: ClientInstance, _ object: ObjectName) -> InstanceReference {
        if let number = instance.number, instance.since == ClientInstance.pendingVersion { return .own(number) }
        guard let version = version(of: object), instance.since <= version else {
            return .own(instance.number ?? 0)
        }
        return .confirmed
    }

    private func reference(
        _ slot: ClientList.Slot,
        _ list: ClientList,
        _ object: ObjectName,
        _ edit: LocalEdit
    ) throws -> ElementReference {
        guard let reference = list.reference(to: slot.id, seen: version(of: object)) else {
            throw MisplacedEdit(edit: edit)
        }
        return reference
    }

    private func references(
        _ positions: [Int],
        _ list: ClientList,
        _ object: ObjectName,
        _ edit: LocalEdit
    ) throws -> [ElementReference] {
        let alive = list.alive
        return try positions.map { position in
            guard alive.indices.contains(position) else { throw MisplacedEdit(edit: edit) }
            return try reference(alive[position], list, object, edit)
        }
    }

    /// Returns the gap before an index in an array of slots.
    private func gap(
        _ slots: [ClientList.Slot],
        _ index: Int,
        _ list: ClientList,
        _ object: ObjectName,
        _ edit: LocalEdit
    ) throws -> Gap {
        guard index >= 0, index <= slots.count else { throw MisplacedEdit(edit: edit) }
        return Gap(
            after: try index > 0 ? reference(slots[index - 1], list, object, edit) : nil,
            before: try index < slots.count ? reference(slots[index], list, object, edit) : nil
        )
    }
}
