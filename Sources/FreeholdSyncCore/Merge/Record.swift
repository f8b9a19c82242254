/// The properties of an object or of an embedded object.
struct Record: Sendable {
    /// The mark of the write that created the record. Properties from that write have no mark of their own
    /// (sync-design.md, section 8, `meta`).
    let base: Mark
    private(set) var fields: NamedValues<Field>

    init(base: Mark, fields: NamedValues<Field> = NamedValues()) {
        self.base = base
        self.fields = fields
    }

    enum Field: Sendable {
        case register(Register)
        case list(ListTree)
        case set(KeyedCollection<SetElement>)
        case dictionary(KeyedCollection<SyncString>)
        /// A placeholder while the field is edited, so that nothing is copied.
        case moved
    }

    // MARK: Creation

    /// Writes the fields of a new object, or of another create of the same object. A collection with elements counts as
    /// an assignment. An empty collection has no effect besides its existence, because each new object has one. Clients
    /// mark empty collections as defaults, except clients of earlier versions.
    mutating func create(_ new: [NewField], _ author: Author) {
        if fields.isEmpty { fields.reserveCapacity(new.count) }
        for field in new { _ = write(field, author) }
    }

    private mutating func write(_ field: NewField, _ author: Author) -> Outcome {
        let mark = author.mark(field.origin)
        switch field.content {
        case .value(let value):
            return withRegister(field.name) { register, base in
                register.set(.init(value, mark, author), mark, base: base)
                return .done
            }
        case .list(_, let values) where values.isEmpty: return withList(field.name) { _ in .done }
        case .set(let values) where values.isEmpty: return withSet(field.name, base) { _ in .done }
        case .dictionary(let value) where value.entries.isEmpty: return withDictionary(field.name, base) { _ in .done }
        case .list(let first, let values):
            let gap = Gap(after: nil, before: nil)
            return withList(field.name) {
                $0.assign(values, first: first, gap, hidden: [], author, origin: field.origin)
            }
        case .set(let values):
            return withSet(field.name, mark) { $0.assign(values, mark, author, hidden: []) }
        case .dictionary(let value):
            return withDictionary(field.name, mark) { $0.assign(value, mark, author, hidden: []) }
        }
    }

    // MARK: Fields

    /// Calls a closure that edits a property with a single value in place. A missing property is created.
    mutating func withRegister(_ name: SyncString, _ body: (inout Register, Mark) -> Outcome) -> Outcome {
        let base = base
        return with(name, make: .register(Register())) { field in
            guard case .register(var register) = field else { return .malformed }
            field = .moved
            let outcome = body(&register, base)
            field = .register(register)
            return outcome
        }
    }

    mutating func withList(_ name: SyncString, _ body: (inout ListTree) -> Outcome) -> Outcome {
        with(name, make: .list(ListTree())) { field in
            guard case .list(var list) = field else { return .malformed }
            field = .moved
            let outcome = body(&list)
            field = .list(list)
            return outcome
        }
    }

    mutating func withSet(
        _ name: SyncString,
        _ mark: Mark,
        _ body: (inout KeyedCollection<SetElement>) -> Outcome
    ) -> Outcome {
        with(name, make: .set(KeyedCollection(base: mark.assigned))) { field in
            guard case .set(var set) = field else { return .malformed }
            field = .moved
            let outcome = body(&set)
            field = .set(set)
            return outcome
        }
    }

    mutating func withDictionary(
        _ name: SyncString,
        _ mark: Mark,
        _ body: (inout KeyedCollection<SyncString>) -> Outcome
    ) -> Outcome {
        with(name, make: .dictionary(KeyedCollection(base: mark.assigned))) { field in
            guard case .dictionary(var dictionary) = field else { return .malformed }
            field = .moved
            let outcome = body(&dictionary)
            field = .dictionary(dictionary)
            return outcome
        }
    }

    /// Replaces a list that the record has.
    mutating func setList(_ list: ListTree, of name: SyncString) {
        guard let place = fields.place(of: name) else { return }
        fields[place: place] = .list(list)
    }

    private mutating func with(
        _ name: SyncString,
        make: @autoclosure () -> Field,
        _ body: (inout Field) -> Outcome
    ) -> Outcome {
        if let place = fields.place(of: name) { return body(&fields[place: place]) }
        var field = make()
        let outcome = body(&field)
        if outcome != .malformed { fields.append(name, field) }
        return outcome
    }

    // MARK: Upkeep

    /// Removes data that no commit with a base at the horizon or later can name.
    mutating func trim(horizon: StreamVersion) {
        forEachField { field in
            if case .list(var list) = field {
                field = .moved
                list.trim(horizon: horizon)
                field = .list(list)
            }
        }
        forEachRegister { $0.forEachRecord { $0.trim(horizon: horizon) } }
    }

    /// Merges neighbouring adds in all registers.
    mutating func mergeAdds() {
        forEachRegister { register in
            register.mergeAdds()
            register.forEachRecord { $0.mergeAdds() }
        }
    }

    /// Ends the changes of a commit: sorts the edits of single values, so that reads needn't, and removes data that
    /// only the merge of the commit needs.
    mutating func finish() {
        for place in fields.indices {
            switch fields[place].value {
            case .register(var register) where !register.isOrdered:
                register.order()
                fields[place: place] = .register(register)
            case .set(var set) where set.isSwept:
                set.forgetSweep()
                fields[place: place] = .set(set)
            case .dictionary(var dictionary) where dictionary.isSwept:
                dictionary.forgetSweep()
                fields[place: place] = .dictionary(dictionary)
            default: break
            }
        }
    }

    private mutating func forEachField(_ body: (inout Field) -> Void) {
        fields.forEachValue(body)
    }

    private mutating func forEachRegister(_ body: (inout Register) -> Void) {
        forEachField { field in
            switch field {
            case .register(var register):
                field = .moved
                body(&register)
                field = .register(register)
            case .list(var list):
                field = .moved
                list.forEachRegister(body)
                field = .list(list)
            case .set(var set):
                field = .moved
                set.forEachRegister(body)
                field = .set(set)
            case .dictionary(var dictionary):
                field = .moved
                dictionary.forEachRegister(body)
                field = .dictionary(dictionary)
            case .moved: break
            }
        }
    }
}

extension Mark {
    var assigned: Mark {
        var mark = self
        mark.isAssigned = true
        return mark
    }
}

extension KeyedCollection where Key == SetElement {
    /// Assigns values to the set. Returns `malformed` if a value can't be an element.
    mutating func assign(_ values: [SyncValue], _ mark: Mark, _ author: Author, hidden: [SyncValue]) -> Outcome {
        let items = values.compactMap { value in SetElement(value).map { ($0, Register.Held.value(value)) } }
        let spared = hidden.compactMap(SetElement.init)
        guard items.count == values.count, spared.count == hidden.count else { return .malformed }
        if !author.isRefused { assign(items, mark.assigned, author, hidden: Set(spared)) }
        return .done
    }
}

extension KeyedCollection where Key == SyncString {
    mutating func assign(_ value: SyncDictionary, _ mark: Mark, _ author: Author, hidden: [SyncString]) -> Outcome {
        guard !author.isRefused else { return .done }
        let mark = mark.assigned
        let items = value.entries.map { ($0.key, Register.Held($0.value, mark, author)) }
        assign(items, mark, author, hidden: Set(hidden))
        return .done
    }
}
