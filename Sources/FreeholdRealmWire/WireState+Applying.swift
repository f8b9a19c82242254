extension WireState {
    /// Applies a changeset like the official client.
    ///
    /// - Parameter change: The number of the changeset for the identities of the elements that it inserts. If it is `nil`, these elements have no
    ///   identities.
    /// - Throws: `ApplyError` if the client can't apply it. The state is unchanged then.
    /// - Complexity: O(*n* + *s*) for *s* values in the objects that the changeset touches
    public mutating func apply(_ changeset: Changeset, as change: UInt64? = nil) throws(ApplyError) {
        try apply(changeset, as: change, isStrict: false)
    }

    /// - Parameter isStrict: A Boolean value that indicates whether the sizes in updates are checked, which the client doesn't.
    mutating func apply(_ changeset: Changeset, as change: UInt64?, isStrict: Bool) throws(ApplyError) {
        var run = ApplyRun(state: self, change: change, isStrict: isStrict)
        // The objects are moved to the run, so that it can change them without a copy.
        let schema = schema
        self = WireState()
        do throws(ApplyError) {
            for (position, instruction) in changeset.instructions.enumerated() {
                run.position = position
                try run.apply(instruction)
            }
            self = run.state
        } catch {
            run.undo()
            self = run.state
            self.schema = schema
            throw error
        }
    }
}

/// The application of one changeset.
private struct ApplyRun {
    var state: WireState
    let number: UInt64?
    let isStrict: Bool
    var position = 0
    private var insertions: UInt64 = 0
    /// The touched objects before the changeset.
    private var before: [WireObject: WireFields?] = [:]

    init(state: WireState, change: UInt64?, isStrict: Bool) {
        self.state = state
        number = change
        self.isStrict = isStrict
    }

    mutating func undo() {
        for (object, fields) in before { state[object] = fields }
    }

    private func failure(_ reason: String) -> ApplyError { ApplyError(.stopsSession, reason, position: position) }
    private func fatal(_ reason: String) -> ApplyError { ApplyError(.terminatesClient, reason, position: position) }

    /// Keeps an object, so that a failure can restore it.
    private mutating func touch(_ object: WireObject) {
        if !before.keys.contains(object) { before[object] = .some(state[object]) }
    }

    // MARK: Instructions

    mutating func apply(_ instruction: Instruction) throws(ApplyError) {
        switch instruction {
        case .addTable(let spec): try schema { schema throws(ApplyError) in try schema.add(spec) }
        case .addColumn(let column): try schema { schema throws(ApplyError) in try schema.add(column) }
        case .eraseTable(let name):
            try schema { schema throws(ApplyError) in try schema.remove(table: name) }
            for key in (state.tables[name] ?? [:]).keys { touch(WireObject(table: name, key: key)) }
            state.tables[name] = nil
        case .eraseColumn(let table, let field):
            try schema { schema throws(ApplyError) in try schema.remove(field: field, of: table) }
            for key in (state.tables[table] ?? [:]).keys {
                let object = WireObject(table: table, key: key)
                touch(object)
                state[object]![field] = nil
            }
        case .createObject(let object): try create(object)
        case .eraseObject(let object):
            try check(object)
            touch(object)
            state[object] = nil
        case .update(let path, let value, let mark): try update(path, to: value, mark: mark)
        case .addInteger(let path, let amount): try add(amount, at: path)
        case .arrayInsert(let path, let value, let size): try insert(value, at: path, priorSize: size)
        case .arrayMove(let path, let target, let size):
            try changeList(at: path, priorSize: size) { list, index, run throws(ApplyError) in
                guard index < list.elements.count, target < list.elements.count, target != index else {
                    throw run.failure("The positions of a move are outside of the list, or equal")
                }
                list.elements.insert(list.elements.remove(at: index), at: Int(target))
            }
        case .arrayErase(let path, let size):
            try changeList(at: path, priorSize: size) { list, index, run throws(ApplyError) in
                guard index < list.elements.count else {
                    throw run.failure("An erased position is outside of the list")
                }
                list.elements.remove(at: index)
            }
        case .clear(let path, let kind): try clear(path, kind: kind)
        case .setInsert(let path, let value): try changeSet(at: path, value: value, isInsertion: true)
        case .setErase(let path, let value): try changeSet(at: path, value: value, isInsertion: false)
        }
    }

    private mutating func schema(_ body: (inout WireSchema) throws(ApplyError) -> Void) throws(ApplyError) {
        do throws(ApplyError) { try body(&state.schema) } catch {
            throw ApplyError(error.effect, error.reason, position: position)
        }
    }

    /// Checks the class and the key of an object.
    private func check(_ object: WireObject) throws(ApplyError) {
        guard let spec = state.schema[object.table]?.spec else { throw failure("The class of an object is missing") }
        guard let key = spec.primaryKey else { throw failure("The class of an object has no primary key") }
        let fits: Bool =
            switch object.key {
            case .null: key.isNullable
            case .int: key.kind == .int
            case .string: key.kind == .string
            case .objectID: key.kind == .objectID
            case .uuid: key.kind == .uuid
            }
        guard fits else { throw failure("The key of an object has another type than its class") }
    }

    private mutating func create(_ object: WireObject) throws(ApplyError) {
        try check(object)
        guard state[object] == nil else { return }
        touch(object)
        state[object] = [:]
    }

    // MARK: Places

    /// A place and the values that it can contain.
    private struct Place {
        var kind: ColumnKind
        var isNullable: Bool
        /// The collection of a whole field, and `single` for an element.
        var collection: CollectionKind
        var target: WireText?
        /// A Boolean value that indicates whether the place is a field, of a top-level object or an embedded one.
        var isField = true

        var element: Place {
            Place(
                kind: kind,
                isNullable: isNullable || (kind == .mixed && collection == .single),
                collection: .single,
                target: target,
                isField: false
            )
        }
    }

    private func column(_ field: WireText, of table: WireText?) throws(ApplyError) -> ColumnSpec {
        guard let table, let column = state.schema[table]?[field] else { throw failure("A field of a path is missing") }
        return column
    }

    private typealias Change = (inout WireValue, Place, inout ApplyRun) throws(ApplyError) -> Void

    /// Changes the value at the end of a path in place.
    private mutating func change(_ path: WirePath, upTo count: Int, _ body: Change) throws(ApplyError) {
        try check(path.object)
        touch(path.object)
        var value = try take(path.object)
        let root = Place(kind: .link, isNullable: false, collection: .single, target: path.object.table)
        try change(&value, in: root, along: ArraySlice([.name(path.field)] + path.elements).prefix(count), body)
        state[path.object] = value.takeFields()
    }

    private mutating func change(
        _ value: inout WireValue,
        in place: Place,
        along steps: ArraySlice<PathElement>,
        _ body: Change
    ) throws(ApplyError) {
        guard let step = steps.first else { return try body(&value, place, &self) }
        let rest = steps.dropFirst()
        switch step {
        case .name(let name):
            if var fields = value.takeFields() {
                let column = try column(name, of: place.target)
                var inner = fields[name] ?? column.initialValue
                fields[name] = .null
                try change(&inner, in: Self.place(of: column), along: rest, body)
                fields[name] = inner == column.initialValue ? nil : inner
                value = .object(fields)
            } else if var entries = value.takeEntries() {
                guard var inner = entries[name] else { throw failure("A key of a path is missing") }
                entries[name] = .null
                try change(&inner, in: place.element, along: rest, body)
                entries[name] = inner
                value = .dictionary(entries)
            } else {
                throw misfit
            }
        case .index(let index):
            guard var list = value.takeList() else { throw misfit }
            guard index < list.elements.count else {
                let reason = "A position is outside of the list"
                throw rest.isEmpty ? fatal(reason) : failure(reason)
            }
            try change(&list.elements[Int(index)].value, in: place.element, along: rest, body)
            value = .list(list)
        }
    }

    private var misfit: ApplyError { failure("A step of a path doesn't fit the value at its place") }

    /// Moves the fields of an object out of the state.
    private mutating func take(_ object: WireObject) throws(ApplyError) -> WireValue {
        guard let fields = state[object] else { throw failure("The object of a path is missing") }
        state[object] = [:]
        return .object(fields)
    }

    private static func place(of column: ColumnSpec) -> Place {
        Place(
            kind: column.kind,
            isNullable: column.isNullable,
            collection: column.collection,
            target: column.target
        )
    }

    // MARK: Updates

    private mutating func update(_ path: WirePath, to payload: Payload, mark: UpdateMark) throws(ApplyError) {
        let last = path.elements.last ?? .name(path.field)
        try change(path, upTo: path.elements.count) { container, place, run throws(ApplyError) in
            switch last {
            case .name(let name):
                if var fields = container.takeFields() {
                    try run.update(name, of: &fields, in: place, to: payload)
                    container = .object(fields)
                } else if var entries = container.takeEntries() {
                    try run.update(name, of: &entries, in: place, entry: payload)
                    container = .dictionary(entries)
                } else {
                    throw run.misfit
                }
            case .index(let index):
                guard var list = container.takeList() else { throw run.misfit }
                guard index < list.elements.count else { throw run.fatal("An updated position is outside of the list") }
                if run.isStrict, mark != .element(priorSize: UInt32(list.elements.count)) {
                    throw run.failure("The size in an update doesn't fit the list")
                }
                guard payload != .erased else { throw run.failure("Only entries of dictionaries can be erased") }
                let old = list.elements[Int(index)].value
                list.elements[Int(index)].value = try run.value(
                    of: payload,
                    in: place.element,
                    old: old,
                    isEntry: false
                )
                container = .list(list)
            }
        }
    }

    /// Updates a field of an object.
    private func update(
        _ field: WireText,
        of fields: inout WireFields,
        in place: Place,
        to payload: Payload
    ) throws(ApplyError) {
        if let table = place.target, state.schema[table]?.spec.primaryKey?.field == field {
            throw failure("An update can't change a primary key")
        }
        let column = try column(field, of: place.target)
        guard column.collection == .single else { throw failure("An update can't replace a whole collection") }
        guard payload != .erased else { throw failure("Only entries of dictionaries can be erased") }
        let old = fields[field] ?? column.initialValue
        let new = try value(of: payload, in: Self.place(of: column), old: old, isEntry: false)
        fields[field] = new == column.initialValue ? nil : new
    }

    /// Updates an entry of a dictionary.
    private func update(
        _ key: WireText,
        of entries: inout [WireText: WireValue],
        in place: Place,
        entry payload: Payload
    ) throws(ApplyError) {
        guard key.bytes.first != UInt8(ascii: "$"), !key.bytes.contains(UInt8(ascii: ".")) else {
            throw fatal("A key of a dictionary has a dot, or a dollar sign at its start")
        }
        if payload == .erased {
            entries[key] = nil
        } else {
            entries[key] = try value(of: payload, in: place.element, old: entries[key], isEntry: true)
        }
    }

    /// Returns the value that a payload makes at a place.
    private func value(
        of payload: Payload,
        in place: Place,
        old: WireValue?,
        isEntry: Bool
    ) throws(ApplyError) -> WireValue {
        switch payload {
        case .erased: throw failure("An erased value can only end an update")
        case .null:
            guard place.isNullable || place.kind == .mixed || (place.kind == .link && place.isField) else {
                throw isEntry ? fatal("A dictionary can't contain null") : failure("A value can't be null")
            }
            return .null
        case .object:
            guard place.kind == .link, let target = place.target, state.schema[target]?.spec.kind == .embedded else {
                throw place.isField || isEntry
                    ? fatal("A place can't contain an embedded object")
                    : failure("A list can't contain embedded objects")
            }
            // At a key of a dictionary, the client replaces an existing embedded object. Elsewhere it keeps the object.
            if case .object = old, !isEntry { return old! }
            return .object([:])
        case .list:
            guard place.kind == .mixed else { throw fatal("A place can't contain a list") }
            if case .list = old { return old! }
            return .list(WireList())
        case .dictionary:
            guard place.kind == .mixed else { throw fatal("A place can't contain a dictionary") }
            if case .dictionary = old { return old! }
            return .dictionary([:])
        default:
            try check(payload, in: place, isEntry: isEntry)
            return .scalar(payload)
        }
    }

    /// Checks that a plain value fits the type of a place.
    private func check(_ payload: Payload, in place: Place, isEntry: Bool) throws(ApplyError) {
        if case .link(let object) = payload {
            guard let spec = state.schema[object.table]?.spec else { throw failure("The class of a link is missing") }
            guard spec.kind == .topLevel else { throw fatal("A link leads to an embedded or asymmetric class") }
            try check(object)
            guard place.kind == .link, let target = place.target, !target.isEmpty else {
                guard place.kind == .mixed || place.kind == .link else { throw mismatch(isEntry) }
                return
            }
            guard target == object.table else { throw mismatch(isEntry) }
            return
        }
        guard place.kind == .mixed || payload.tag == place.kind.rawValue else { throw mismatch(isEntry) }
    }

    private func mismatch(_ isEntry: Bool) -> ApplyError {
        isEntry
            ? fatal("A value has another type than its dictionary") : failure("A value has another type than its place")
    }

    private mutating func add(_ amount: Int64, at path: WirePath) throws(ApplyError) {
        try change(path, upTo: path.elements.count + 1) { value, place, run throws(ApplyError) in
            guard place.isField else { throw run.failure("Only fields can be added to") }
            switch value {
            case .scalar(.int(let number)): value = .scalar(.int(number &+ amount))
            case .null: return
            default: throw run.failure("Only integers can be added to")
            }
        }
    }

    // MARK: Collections

    private mutating func insert(_ payload: Payload, at path: WirePath, priorSize: UInt32) throws(ApplyError) {
        let id = number.map { ElementID(change: $0, number: insertions) }
        insertions &+= 1
        try changeContainer(of: path) { container, place, index, run throws(ApplyError) in
            guard var list = container.takeList() else { throw run.misfit }
            guard index <= list.elements.count, priorSize == list.elements.count else {
                throw run.failure("A size or position of an insertion doesn't fit the list")
            }
            if place.kind == .link, payload == .null { throw run.failure("A list of links can't contain null") }
            let value = try run.value(of: payload, in: place.element, old: nil, isEntry: false)
            list.elements.insert(WireList.Element(value, id: id), at: index)
            container = .list(list)
        }
    }

    /// Changes a list after a check of its size.
    private mutating func changeList(
        at path: WirePath,
        priorSize: UInt32,
        _ body: (inout WireList, Int, inout ApplyRun) throws(ApplyError) -> Void
    ) throws(ApplyError) {
        try changeContainer(of: path) { container, _, index, run throws(ApplyError) in
            guard var list = container.takeList() else { throw run.misfit }
            guard priorSize == list.elements.count else { throw run.failure("The size of a list is another one") }
            try body(&list, index, &run)
            container = .list(list)
        }
    }

    private mutating func changeContainer(
        of path: WirePath,
        _ body: (inout WireValue, Place, Int, inout ApplyRun) throws(ApplyError) -> Void
    ) throws(ApplyError) {
        guard let index = path.lastIndex else { throw failure("The path of a list's element ends without an index") }
        try change(path, upTo: path.elements.count) { container, place, run throws(ApplyError) in
            try body(&container, place, Int(index), &run)
        }
    }

    private mutating func clear(_ path: WirePath, kind: CollectionKind) throws(ApplyError) {
        try change(path, upTo: path.elements.count + 1) { value, place, run throws(ApplyError) in
            if place.collection != .single {
                guard kind == place.collection || kind == .single else {
                    throw run.failure("A cleared collection is of another kind")
                }
                switch place.collection {
                case .list: value = .list(WireList())
                case .dictionary: value = .dictionary([:])
                case .set: value = .set(WireSet())
                case .single: break
                }
                return
            }
            guard place.kind == .mixed else { throw run.fatal("A cleared place isn't a collection") }
            switch kind {
            case .list: value = .list(WireList())
            case .dictionary: value = .dictionary([:])
            case .single, .set: throw run.fatal("A mixed value can only be cleared as a list or dictionary")
            }
        }
    }

    private mutating func changeSet(at path: WirePath, value payload: Payload, isInsertion: Bool) throws(ApplyError) {
        try change(path, upTo: path.elements.count + 1) { value, place, run throws(ApplyError) in
            guard var set = value.takeSet() else { throw run.fatal("A place isn't a set") }
            switch payload {
            case .list, .dictionary, .object, .erased: throw run.failure("A set can't contain collections or objects")
            case .null:
                guard place.isNullable || place.kind == .mixed else { throw run.failure("A set can't contain null") }
                guard isInsertion || place.kind == .mixed else { throw run.fatal("Null can't be erased from a set") }
            default: try run.check(payload, in: place.element, isEntry: false)
            }
            if isInsertion { set.insert(payload) } else { set.remove(payload) }
            value = .set(set)
        }
    }
}
