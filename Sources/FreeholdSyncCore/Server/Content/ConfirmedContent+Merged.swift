extension MergedObject {
    /// The update for a session that doesn't have the object.
    package var whole: ObjectUpdate.Content { whole(nil) }

    /// Returns the update for a session that doesn't have the object.
    ///
    /// - Parameter mask: The fields that the session may see. `nil` if it may see all of them.
    func whole(_ mask: FieldMask?) -> ObjectUpdate.Content {
        .whole(version: version(mask), born: born, fields(mask))
    }

    /// Returns the fields that a session may see.
    func fields(_ mask: FieldMask?) -> [ConfirmedField] {
        let fields = record.confirmed
        return mask?.shown(fields) ?? fields
    }

    /// Returns an update, with the fields that were contested since the version that its receiver has.
    func update(_ key: PrimaryKey, _ content: ObjectUpdate.Content, mask: FieldMask?) -> ObjectUpdate {
        let held: StreamVersion
        switch content {
        case .whole: held = 0
        case .difference(_, let base, _): held = base
        case .present, .erased: return ObjectUpdate(key, content)
        }
        if contested.isEmpty { return ObjectUpdate(key, content) }
        let fields = contested.filter { $0.value > held && mask?.ofObject($0.key).showsAll ?? true }
        let sorted = fields.sorted { $0.key < $1.key }
        return ObjectUpdate(key, content, contested: sorted.map { ContestedField($0.key, version: $0.value) })
    }

    /// Returns the version of the last visible change. A change of a hidden field inside an embedded object counts as
    /// visible if another field of that object is shown.
    ///
    /// - Complexity: O(number of fields), or O(1) without a mask
    func version(_ mask: FieldMask?) -> StreamVersion {
        guard let mask else { return changed }
        var last = born
        for entry in record.fields where mask.ofObject(entry.name).showsSome {
            let (name, field) = (entry.name, entry.value)
            last = max(last, field.lastWrite(record.base), touched[name] ?? 0)
        }
        return last
    }
}

extension Record.Field {
    /// Returns the version of the last write of a single value. For a collection, returns the version of its container.
    fileprivate func lastWrite(_ base: Mark) -> StreamVersion {
        guard case .register(let register) = self else { return base.version }
        return max((register.mark ?? base).version, register.lastEdit)
    }
}

extension Record {
    /// The fields by rising names, so that equal objects have equal messages.
    var confirmed: [ConfirmedField] {
        fields.byName.compactMap { entry in entry.value.confirmed(base).map { ConfirmedField(entry.name, $0) } }
    }
}

extension Record.Field {
    /// - Parameter base: The mark of the record.
    func confirmed(_ base: Mark) -> ConfirmedContent? {
        switch self {
        case .register(let register): register.confirmed(base)
        case .list(let list): .list(list.confirmed)
        case .set(let set): .set(set.values(since: nil))
        case .dictionary(let dictionary): .dictionary(dictionary.confirmed)
        case .moved: nil
        }
    }
}

extension Register {
    /// Returns the content for a message, or `nil` if the register is empty.
    func confirmed(_ base: Mark) -> ConfirmedContent? {
        switch value {
        case .absent: nil
        case .value(let value): .value(value)
        case .instance(let instance):
            .embedded(
                ConfirmedInstance(
                    made: Made(version: (mark ?? base).version, number: instance.number),
                    fields: instance.record.confirmed
                )
            )
        }
    }
}

extension ListTree {
    var confirmed: [ElementRun] {
        var runs: [ElementRun] = []
        forEachSpan { span in
            guard span.died == .max else { return }
            forEachSlot(span) { runs.append(made(by: $0), origin: origin(of: $0), content($0)) }
        }
        return runs
    }

    /// Returns the content of the element in a slot.
    func content(_ slot: Slot) -> ConfirmedContent {
        let element = moved[slot] ?? slot
        guard let register = registers[element] else { return .value(value(element)) }
        return register.confirmed(mark(element)) ?? .value(.null)
    }

    /// Returns the insert of an element that was moved into a slot. Returns `nil` if the slot is that of the insert.
    func origin(of slot: Slot) -> Made? { moved[slot].flatMap(made) }

    /// Returns the commit and the number that created a slot. Returns `nil` if the slot is older than the horizon,
    /// because then no work names it by its number.
    func made(by slot: Slot) -> Made? {
        let (block, birth) = (blocks[Int(slot.block)], birth(slot))
        guard birth.clock != .zero else { return nil }
        return Made(version: birth.version, number: block.first + OwnNumber(slot.offset))
    }
}

extension [ElementRun] {
    /// Appends an element to the last run if it continues that run. Otherwise begins another run.
    mutating func append(_ made: Made?, origin: Made?, _ content: ConfirmedContent) {
        guard origin == nil, let last, last.origin == nil, last.made?.version == made?.version else {
            append(ElementRun(made: made, origin: origin, [content]))
            return
        }
        if let first = last.made?.number, let number = made?.number {
            let count = OwnNumber(last.elements.count)
            if first &+ count == number, count == 1 || !last.isFalling {
                self[self.count - 1].isFalling = false
            } else if first &- count == number, count == 1 || last.isFalling {
                self[self.count - 1].isFalling = true
            } else {
                append(ElementRun(made: made, [content]))
                return
            }
        }
        self[count - 1].elements.append(content)
    }
}

extension KeyedCollection where Key == SetElement {
    /// Returns the elements in an order that only depends on the elements.
    ///
    /// - Parameter version: The version after which the elements were written. `nil` for all elements.
    func values(since version: StreamVersion?) -> [SyncValue] {
        var found: [(version: StreamVersion, text: String, value: SyncValue)] = []
        for register in entries.values {
            let written = (register.mark ?? base).version
            if let version, written <= version { continue }
            if case .value(let value) = register.value { found.append((written, "\(value)", value)) }
        }
        return found.sorted { ($0.version, $0.text) < ($1.version, $1.text) }.map(\.value)
    }
}

extension KeyedCollection where Key == SyncString {
    var confirmed: [ConfirmedEntry] {
        entries.compactMap { key, register in register.confirmed(base).map { ConfirmedEntry(key, $0) } }
            .sorted { $0.key < $1.key }
    }
}
