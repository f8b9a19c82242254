extension WireState {
    /// Returns a small changeset that turns this state into another one.
    ///
    /// It doesn't clear collections, so that unsent insertions of a client are kept. It erases elements from the end of
    /// a list, then inserts from the front, and changes the inside of elements last. The fields of an object follow its creation
    /// directly, because the official client corrupts its memory otherwise.
    ///
    /// - Parameter objects: The objects to compare, in the order of the changeset. `nil` compares all objects.
    /// - Complexity: O(*n*) for *n* values in the compared objects, if the lists have identities or differ at one place. Other lists
    ///   need O(*n* · *d*) for *d* differences.
    public func difference(to other: WireState, of objects: [WireObject]? = nil) -> Changeset {
        var difference = Difference(schema: other.schema)
        for object in objects ?? allObjects(with: other) {
            difference.append(object, from: self[object], to: other[object])
        }
        return Changeset(difference.instructions)
    }

    /// Returns a changeset that writes whole objects as they are in this state, regardless of the receiver's state.
    ///
    /// Collections are cleared and filled. A missing object is erased.
    ///
    /// - Complexity: O(*n*) for *n* values in the objects
    public func absoluteRepair(of objects: [WireObject]) -> Changeset {
        var difference = Difference(schema: schema)
        difference.isAbsolute = true
        for object in objects {
            guard let fields = self[object] else {
                difference.instructions.append(.eraseObject(object))
                continue
            }
            difference.instructions.append(.createObject(object))
            difference.write(fields, of: object.table, in: WirePath(object: object, field: ""), isEmbedded: false)
        }
        return Changeset(difference.instructions)
    }

    private func allObjects(with other: WireState) -> [WireObject] {
        var result = objects
        for (name, table) in other.tables {
            for key in table.keys where tables[name]?[key] == nil { result.append(WireObject(table: name, key: key)) }
        }
        return result.sorted { ($0.table, $0.key) < ($1.table, $1.key) }
    }
}

/// A changeset that is made from differences.
private struct Difference {
    let schema: WireSchema
    var instructions: [Instruction] = []
    /// A Boolean value that indicates whether values are written without regard to the present ones.
    var isAbsolute = false

    init(schema: WireSchema) { self.schema = schema }

    mutating func append(_ object: WireObject, from old: WireFields?, to new: WireFields?) {
        switch (old, new) {
        case (nil, nil): return
        case (_?, nil): instructions.append(.eraseObject(object))
        case (let old, let new?):
            if old == nil { instructions.append(.createObject(object)) }
            fields(of: object.table, from: old ?? [:], to: new, in: WirePath(object: object, field: ""))
        }
    }

    // MARK: Fields

    private func path(_ path: WirePath, to field: WireText) -> WirePath {
        // The path of the top-level object has no field yet.
        if path.field.isEmpty, path.elements.isEmpty { return WirePath(object: path.object, field: field) }
        return self.path(path, .name(field))
    }

    private func path(_ path: WirePath, _ element: PathElement) -> WirePath {
        var path = path
        path.elements.append(element)
        return path
    }

    private mutating func fields(of table: WireText, from old: WireFields, to new: WireFields, in place: WirePath) {
        for column in schema[table]?.columns ?? [] {
            let initial = column.initialValue
            let (first, second) = (old[column.field] ?? initial, new[column.field] ?? initial)
            if first == second { continue }
            change(first, to: second, at: path(place, to: column.field), column: column)
        }
    }

    /// Writes all fields, for absolute repair and for new embedded objects.
    mutating func write(_ fields: WireFields, of table: WireText, in place: WirePath, isEmbedded: Bool) {
        guard isAbsolute else { return self.fields(of: table, from: [:], to: fields, in: place) }
        for column in schema[table]?.columns ?? [] {
            let value = fields[column.field] ?? column.initialValue
            let place = path(place, to: column.field)
            if column.collection != .single, !isEmbedded {
                instructions.append(.clear(at: place, kind: column.collection))
            }
            switch value {
            case .scalar(let payload): update(place, payload)
            case .object, .list, .dictionary, .set:
                if case .object = value, !isEmbedded { update(place, .null) }
                if column.collection == .single, let payload = value.container {
                    update(place, payload)
                    if payload != .object, !isEmbedded {
                        instructions.append(.clear(at: place, kind: value.collectionKind))
                    }
                }
                fill(value, at: place, column: column)
            }
        }
    }

    // MARK: Values

    private mutating func update(_ path: WirePath, _ value: Payload, size: Int = 0) {
        let mark: UpdateMark =
            path.lastIndex == nil ? .field(isDefault: false) : .element(priorSize: UInt32(size))
        instructions.append(.update(at: path, value: value, mark: mark))
    }

    /// Changes a value that isn't equal.
    ///
    /// - Parameter size: The size of the list, if the place is an element.
    private mutating func change(
        _ old: WireValue,
        to new: WireValue,
        at path: WirePath,
        column: ColumnSpec,
        size: Int = 0
    ) {
        switch (old, new) {
        case (.object(let old), .object(let new)): fields(of: column.target ?? "", from: old, to: new, in: path)
        case (.list(let old), .list(let new)): list(from: old, to: new, at: path, column: column)
        case (.dictionary(let old), .dictionary(let new)): entries(from: old, to: new, at: path, column: column)
        case (.set(let old), .set(let new)): set(from: old, to: new, at: path)
        case (_, .scalar(let payload)): update(path, payload, size: size)
        case (_, .set): return
        default:
            update(path, new.container ?? .null, size: size)
            fill(new, at: path, column: column)
        }
    }

    /// Writes the content of a value whose container is empty.
    private mutating func fill(_ value: WireValue, at path: WirePath, column: ColumnSpec) {
        switch value {
        case .scalar: return
        case .object(let fields): write(fields, of: column.target ?? "", in: path, isEmbedded: true)
        case .list(let list): self.list(from: WireList(), to: list, at: path, column: column)
        case .dictionary(let entries): self.entries(from: [:], to: entries, at: path, column: column)
        case .set(let set): self.set(from: WireSet(), to: set, at: path)
        }
    }

    private mutating func set(from old: WireSet, to new: WireSet, at path: WirePath) {
        for value in old.values.sorted(by: Self.isBefore) where !new.contains(value) {
            instructions.append(.setErase(at: path, value: value))
        }
        for value in new.values.sorted(by: Self.isBefore) where !old.contains(value) {
            instructions.append(.setInsert(at: path, value: value))
        }
    }

    /// An order of values that makes changesets the same in every run.
    private static func isBefore(_ first: Payload, _ second: Payload) -> Bool {
        switch (first, second) {
        case (.int(let first), .int(let second)): first < second
        case (.string(let first), .string(let second)): first < second
        case (.double(let first), .double(let second)): first < second
        case (.float(let first), .float(let second)): first < second
        case (.data(let first), .data(let second)): first.lexicographicallyPrecedes(second)
        case (.link(let first), .link(let second)): (first.table, first.key) < (second.table, second.key)
        case (.date(let first), .date(let second)):
            (first.seconds, first.nanoseconds) < (second.seconds, second.nanoseconds)
        case (.objectID(let first), .objectID(let second)): (first.high, first.low) < (second.high, second.low)
        case (.uuid(let first), .uuid(let second)): (first.high, first.low) < (second.high, second.low)
        default: first.tag < second.tag
        }
    }

    private mutating func entries(
        from old: [WireText: WireValue],
        to new: [WireText: WireValue],
        at path: WirePath,
        column: ColumnSpec
    ) {
        for key in old.keys.sorted() where new[key] == nil { update(self.path(path, .name(key)), .erased) }
        for key in new.keys.sorted() {
            let (place, value) = (self.path(path, .name(key)), new[key]!)
            if let present = old[key], !isReplaced(present, by: value, of: column.target ?? "") {
                if present != value { change(present, to: value, at: place, column: column) }
            } else {
                update(place, value.container ?? value.payload)
                fill(value, at: place, column: column)
            }
        }
    }

    /// Returns a Boolean value that indicates whether an embedded object at a key of a dictionary is written as a whole. A client may have replaced
    /// the object by another one, and may not have sent this change yet. It then applies the difference to its new object, because its merge keeps
    /// changes inside of a replaced entry. In the new object, only plain fields and sets can be changed regardless of their contents.
    private func isReplaced(_ old: WireValue, by new: WireValue, of table: WireText) -> Bool {
        guard case .object(let first) = old, case .object(let second) = new else { return false }
        return (schema[table]?.columns ?? []).contains { column in
            let initial = column.initialValue
            let values = [first[column.field] ?? initial, second[column.field] ?? initial]
            guard values[0] != values[1] else { return false }
            return values.contains { value in
                switch value {
                case .scalar, .set: false
                case .object, .list, .dictionary: true
                }
            }
        }
    }

    // MARK: Lists

    private mutating func list(from old: WireList, to new: WireList, at path: WirePath, column: ColumnSpec) {
        let kept = ListMatch.kept(from: old.elements, to: new.elements)
        var size = old.elements.count
        var next = kept.count - 1
        for position in old.elements.indices.reversed() {
            if next >= 0, kept[next].old == position {
                next -= 1
                continue
            }
            instructions.append(
                .arrayErase(at: self.path(path, .index(UInt32(position))), priorSize: UInt32(size))
            )
            size -= 1
        }
        next = 0
        var inserted: [Int] = []
        for (position, element) in new.elements.enumerated() {
            if next < kept.count, kept[next].new == position {
                next += 1
                continue
            }
            instructions.append(
                .arrayInsert(
                    at: self.path(path, .index(UInt32(position))),
                    value: element.value.container ?? element.value.payload,
                    priorSize: UInt32(size)
                )
            )
            inserted.append(position)
            size += 1
        }
        for pair in kept where old.elements[pair.old].value != new.elements[pair.new].value {
            let place = self.path(path, .index(UInt32(pair.new)))
            let (present, value) = (old.elements[pair.old].value, new.elements[pair.new].value)
            change(present, to: value, at: place, column: column, size: size)
        }
        for position in inserted {
            fill(new.elements[position].value, at: self.path(path, .index(UInt32(position))), column: column)
        }
    }
}

extension WireValue {
    /// The payload that makes an empty container of this kind, or `nil` for a plain value or a set.
    var container: Payload? {
        switch self {
        case .scalar, .set: nil
        case .object: .object
        case .list: .list
        case .dictionary: .dictionary
        }
    }

    /// The payload of a plain value, or null.
    var payload: Payload {
        guard case .scalar(let payload) = self else { return .null }
        return payload
    }

    var collectionKind: CollectionKind {
        switch self {
        case .scalar, .object: .single
        case .list: .list
        case .dictionary: .dictionary
        case .set: .set
        }
    }
}

/// The elements that two versions of a list have in common.
enum ListMatch {
    typealias Pair = (old: Int, new: Int)

    /// The greatest number of elements that are compared pair by pair. Longer lists are written again between the first and the
    /// last difference.
    static let greatestMiddle = 1 << 10

    /// Returns the kept elements in their order: by their identities if all have one, and by their values otherwise.
    static func kept(from old: [WireList.Element], to new: [WireList.Element]) -> [Pair] {
        if let pairs = keptByIdentity(from: old, to: new) { return pairs }
        var start = 0
        let shorter = min(old.count, new.count)
        while start < shorter, old[start].value == new[start].value { start += 1 }
        var end = 0
        while end < shorter - start, old[old.count - 1 - end].value == new[new.count - 1 - end].value { end += 1 }
        var pairs: [Pair] = (0..<start).map { ($0, $0) }
        let (oldMiddle, newMiddle) = (start..<old.count - end, start..<new.count - end)
        if max(oldMiddle.count, newMiddle.count) <= greatestMiddle, !oldMiddle.isEmpty, !newMiddle.isEmpty {
            pairs += common(old: old, oldRange: oldMiddle, new: new, newRange: newMiddle)
        }
        pairs += (0..<end).reversed().map { (old.count - 1 - $0, new.count - 1 - $0) }
        return pairs
    }

    private static func keptByIdentity(from old: [WireList.Element], to new: [WireList.Element]) -> [Pair]? {
        var positions: [ElementID: Int] = [:]
        for (position, element) in old.enumerated() {
            guard let id = element.id, positions.updateValue(position, forKey: id) == nil else { return nil }
        }
        var (pairs, known): ([Pair], Set<ElementID>) = ([], [])
        for (position, element) in new.enumerated() {
            guard let id = element.id, known.insert(id).inserted else { return nil }
            if let place = positions[id] { pairs.append((place, position)) }
        }
        return longestRising(pairs)
    }

    /// Returns the longest part of the pairs whose old positions rise. Elements that have moved otherwise are written again.
    private static func longestRising(_ pairs: [Pair]) -> [Pair] {
        // The last pair of the best sequence of each length, and the pair before each pair.
        var (ends, before): ([Int], [Int]) = ([], [])
        before.reserveCapacity(pairs.count)
        for (number, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].old < pair.old { low = middle + 1 } else { high = middle }
            }
            before.append(low == 0 ? -1 : ends[low - 1])
            if low == ends.count { ends.append(number) } else { ends[low] = number }
        }
        var result: [Pair] = []
        var number = ends.last ?? -1
        while number >= 0 {
            result.append(pairs[number])
            number = before[number]
        }
        return result.reversed()
    }

    /// Returns the longest common part of two short lists.
    private static func common(
        old: [WireList.Element],
        oldRange: Range<Int>,
        new: [WireList.Element],
        newRange: Range<Int>
    ) -> [Pair] {
        let first = oldRange.map { old[$0].value }
        let second = newRange.map { new[$0].value }
        let difference = second.difference(from: first)
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        let keptOld = first.indices.filter { !removed.contains($0) }
        let keptNew = second.indices.filter { !inserted.contains($0) }
        return zip(keptOld, keptNew).map { (oldRange.lowerBound + $0, newRange.lowerBound + $1) }
    }
}
