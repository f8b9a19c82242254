import FreeholdRealmWire

// Section 3 of the rules: the application of instructions to the store.

extension ModelWorld {
    /// Applies instructions in their order.
    mutating func apply(_ instructions: [Instruction]) throws {
        for instruction in instructions { try apply(instruction) }
    }

    /// Returns the world after some instructions.
    func applying(_ instructions: [Instruction]) throws -> ModelWorld {
        var world = self
        try world.apply(instructions)
        return world
    }

    /// Applies an instruction.
    ///
    /// - Throws: `ModelError` if the official client would refuse it or would be terminated by it.
    mutating func apply(_ instruction: Instruction) throws {
        switch instruction {
        case .addTable(let spec): try add(spec)
        case .eraseTable(let name): try eraseTable(name)
        case .createObject(let object): try create(object)
        case .eraseObject(let object): try erase(object)
        case .addColumn(let column): try add(column)
        case .eraseColumn(let table, let field): try eraseColumn(field, of: table)
        case .update(let path, let value, _):
            try change(path) { present, place, world in try world.update(&present, at: place, to: value) }
        case .addInteger(let path, let amount):
            try change(path) { present, place, _ in try Self.add(amount, to: &present, at: place) }
        case .arrayInsert(let path, let value, let priorSize):
            try changeList(path, size: priorSize) { list, index, place, world in
                guard index <= list.count else { throw ModelError("Insertion behind the end") }
                list.insert(try world.newElement(value, at: place), at: index)
            }
        case .arrayMove(let path, let target, let priorSize):
            try changeList(path, size: priorSize) { list, index, _, _ in
                guard index < list.count, target < list.count, index != target else {
                    throw ModelError("Impossible move")
                }
                list.insert(list.remove(at: index), at: Int(target))
            }
        case .arrayErase(let path, let priorSize):
            try changeList(path, size: priorSize) { list, index, _, _ in
                guard index < list.count else { throw ModelError("Removal behind the end") }
                list.remove(at: index)
            }
        case .clear(let path, let kind):
            try change(path) { present, place, _ in try Self.clear(&present, at: place, kind) }
        case .setInsert(let path, let value):
            try changeSet(path) { elements, place, world in
                try world.check(value, at: place)
                if !elements.contains(where: { $0.isSameElement(as: value) }) { elements.insert(value) }
            }
        case .setErase(let path, let value):
            try changeSet(path) { elements, place, world in
                try world.check(value, at: place)
                elements = elements.filter { !$0.isSameElement(as: value) }
            }
        }
    }
}

// MARK: Classes, fields and objects

extension ModelWorld {
    private mutating func add(_ spec: TableSpec) throws {
        guard let present = tables[spec.name]?.spec else { return tables[spec.name] = ModelTable(spec: spec) }
        // The type of the key isn't compared (Q7).
        guard present.kind == spec.kind, present.primaryKey?.field == spec.primaryKey?.field,
            present.primaryKey?.isNullable == spec.primaryKey?.isNullable
        else { throw ModelError("The class is present and different") }
    }

    private mutating func eraseTable(_ name: WireText) throws {
        guard tables[name] != nil else { throw ModelError("The class is missing") }
        let isTarget = tables.values.contains {
            $0.spec.name != name && $0.columns.values.contains { $0.target == name }
        }
        guard !isTarget else { throw ModelError("The class is the target of a field") }
        tables[name] = nil
        objects = objects.filter { $0.key.table != name }
    }

    private mutating func add(_ column: ColumnSpec) throws {
        guard let table = tables[column.table] else { throw ModelError("The class is missing") }
        if let target = column.target, !target.isEmpty, tables[target] == nil {
            throw ModelError("The target is missing")
        }
        if let present = table.columns[column.field] {
            guard present.kind == column.kind, present.collection == column.collection, present.target == column.target
            else { throw ModelError("The field is present and different") }
            return
        }
        tables[column.table]!.columns[column.field] = column
        changeObjects(of: column.table) { $0[column.field] = Self.initialValue(of: column) }
    }

    private mutating func eraseColumn(_ field: WireText, of table: WireText) throws {
        guard tables[table]?.columns[field] != nil else { throw ModelError("The field is missing") }
        changeObjects(of: table) { $0[field] = nil }
        tables[table]!.columns[field] = nil
    }

    private mutating func create(_ object: WireObject) throws {
        guard let table = tables[object.table], let key = table.spec.primaryKey else {
            throw ModelError("The class is missing, or has no keys")
        }
        switch (object.key, key.kind) {
        case (.null, _) where key.isNullable: break
        case (.int, .int), (.string, .string), (.objectID, .objectID), (.uuid, .uuid): break
        default: throw ModelError("The key has another type")
        }
        if objects[object] == nil { objects[object] = Self.initialFields(of: table) }
    }

    private mutating func erase(_ object: WireObject) throws {
        guard tables[object.table] != nil else { throw ModelError("The class is missing") }
        objects[object] = nil
    }

    /// Changes the fields of each object of a class, also of embedded objects.
    private mutating func changeObjects(of table: WireText, _ body: @escaping (inout [WireText: ModelValue]) -> Void) {
        for (object, fields) in objects {
            var fields = fields
            changeObjects(of: table, inside: &fields, owner: object.table, body)
            objects[object] = fields
        }
    }

    private func changeObjects(
        of table: WireText,
        inside fields: inout [WireText: ModelValue],
        owner: WireText,
        _ body: @escaping (inout [WireText: ModelValue]) -> Void
    ) {
        if owner == table { body(&fields) }
        for column in tables[owner]!.columns.values {
            guard let embedded = embeddedTable(at: ModelPlace(column: column, position: .element))?.spec.name,
                let value = fields[column.field]
            else { continue }
            func changed(_ value: ModelValue) -> ModelValue {
                guard case .object(var inner) = value else { return value }
                changeObjects(of: table, inside: &inner, owner: embedded, body)
                return .object(inner)
            }
            switch value {
            case .object: fields[column.field] = changed(value)
            case .list(let elements): fields[column.field] = .list(elements.map(changed))
            case .dictionary(let entries): fields[column.field] = .dictionary(entries.mapValues(changed))
            default: break
            }
        }
    }
}

// MARK: Paths

extension ModelWorld {
    /// Finds a place (sections 1.5 and 3.2) and changes its value, which is `nil` for the missing entry of a dictionary.
    private mutating func change(
        _ path: WirePath,
        droppingLast count: Int = 0,
        _ body: (inout ModelValue?, ModelPlace, ModelWorld) throws -> Void
    ) throws {
        guard let fields = objects[path.object] else { throw ModelError("The object is missing") }
        guard let column = tables[path.object.table]?.columns[path.field] else {
            throw ModelError("The field is missing")
        }
        var value = fields[path.field]
        try change(&value, at: path.elements.dropLast(count)[...], in: ModelPlace(column: column), body)
        objects[path.object]![path.field] = value
    }

    private func change(
        _ value: inout ModelValue?,
        at steps: ArraySlice<PathElement>,
        in place: ModelPlace,
        _ body: (inout ModelValue?, ModelPlace, ModelWorld) throws -> Void
    ) throws {
        guard let step = steps.first else { return try body(&value, place, self) }
        let rest = steps.dropFirst()
        switch (value, step) {
        case (.object(var fields), .name(let name)):
            guard let column = embeddedTable(at: place)?.columns[name] else { throw ModelError("The field is missing") }
            var inner = fields[name]
            try change(&inner, at: rest, in: ModelPlace(column: column), body)
            fields[name] = inner
            value = .object(fields)
        case (.list(var elements), .index(let index)):
            guard index < elements.count else { throw ModelError("The element is missing") }
            var inner: ModelValue? = elements[Int(index)]
            try change(&inner, at: rest, in: place.inside(.element), body)
            elements[Int(index)] = inner!
            value = .list(elements)
        case (.dictionary(var entries), .name(let key)):
            var inner = entries[key]
            guard inner != nil || rest.isEmpty else { throw ModelError("The entry is missing") }
            try change(&inner, at: rest, in: place.inside(.entry), body)
            entries[key] = inner
            value = .dictionary(entries)
        default: throw ModelError("The path doesn't fit the value")
        }
    }

    private mutating func changeList(
        _ path: WirePath,
        size priorSize: UInt32,
        _ body: (inout [ModelValue], Int, ModelPlace, ModelWorld) throws -> Void
    ) throws {
        guard let index = path.lastIndex else { throw ModelError("The path doesn't end in an index") }
        try change(path, droppingLast: 1) { value, place, world in
            guard case .list(var elements) = value else { throw ModelError("The value isn't a list") }
            guard elements.count == priorSize else { throw ModelError("The list has another size") }
            try body(&elements, Int(index), place.inside(.element), world)
            value = .list(elements)
        }
    }

    private mutating func changeSet(
        _ path: WirePath,
        _ body: (inout Set<Payload>, ModelPlace, ModelWorld) throws -> Void
    ) throws {
        try change(path) { value, place, world in
            guard case .set(var elements) = value else { throw ModelError("The value isn't a set") }
            try body(&elements, place.inside(.element), world)
            value = .set(elements)
        }
    }
}

// MARK: Values

extension ModelWorld {
    /// Throws if a plain value, a null or a link can't be stored at a place.
    func check(_ value: Payload, at place: ModelPlace) throws {
        guard place.collection == .single else { throw ModelError("A collection can't be replaced") }
        switch value {
        case .list, .dictionary, .erased, .object: throw ModelError("Not a plain value")
        case .null:
            guard place.isNullable else { throw ModelError("The place isn't nullable") }
        case .link(let object):
            guard let target = tables[object.table], target.spec.kind == .topLevel else {
                throw ModelError("The class of the link is missing, or has no links")
            }
            let fits = place.column.target.map { $0.isEmpty || $0 == object.table } ?? false
            guard place.isMixed || place.column.kind == .link && fits else { throw ModelError("Link to another class") }
        default:
            guard place.isMixed || place.column.kind.rawValue == value.tag else {
                throw ModelError("Value of another type")
            }
        }
    }

    private func newElement(_ value: Payload, at place: ModelPlace) throws -> ModelValue {
        switch value {
        case .object:
            guard let table = embeddedTable(at: place) else { throw ModelError("The list isn't of embedded objects") }
            return .object(Self.initialFields(of: table))
        case .list where place.isMixed: return .list([])
        case .dictionary where place.isMixed: return .dictionary([:])
        default:
            guard embeddedTable(at: place) == nil else { throw ModelError("The list is of embedded objects") }
            try check(value, at: place)
            return .scalar(value)
        }
    }

    /// Updates a place (section 3.1).
    private func update(_ present: inout ModelValue?, at place: ModelPlace, to value: Payload) throws {
        switch value {
        case .erased:
            guard place.position == .entry else { throw ModelError("Only entries can be erased") }
            present = nil
        case .list:
            guard place.isMixed else { throw ModelError("A list needs a mixed place") }
            if case .list = present { return }
            present = .list([])
        case .dictionary:
            guard place.isMixed else { throw ModelError("A dictionary needs a mixed place") }
            if case .dictionary = present { return }
            present = .dictionary([:])
        case .object:
            guard place.collection == .single, let table = embeddedTable(at: place) else {
                throw ModelError("The place isn't of embedded objects")
            }
            // A dictionary's entry is replaced (Q4). Another place keeps the object that it holds.
            if place.position != .entry, case .object = present { return }
            present = .object(Self.initialFields(of: table))
        default:
            try check(value, at: place)
            present = .scalar(value)
        }
    }

    private static func add(_ amount: Int64, to present: inout ModelValue?, at place: ModelPlace) throws {
        guard place.position == .field else { throw ModelError("Addition to an element") }
        switch present {
        case .scalar(.int(let value)): present = .scalar(.int(value &+ amount))
        case .scalar(.null): break
        default: throw ModelError("Addition to a value that isn't an integer")
        }
    }

    private static func clear(_ present: inout ModelValue?, at place: ModelPlace, _ kind: CollectionKind) throws {
        guard present != nil else { throw ModelError("The entry is missing") }
        guard place.isMixed || place.collection == kind else { throw ModelError("Another kind of collection") }
        switch kind {
        case .list: present = .list([])
        case .dictionary: present = .dictionary([:])
        case .set where !place.isMixed: present = .set([])
        default: throw ModelError("This kind can't be cleared")
        }
    }
}
