import FreeholdEngine

/// Makes waiting edits, or the inverses of a write, in a transaction. Collects the differences, the conflicts and the inverses.
///
/// A conflict is a stored value that is neither the one on which an edit was based nor the new one. A waiting edit was based on a stored version, so
/// it is compared with the stored values, and its positions in lists are those of the stored list. An inverse is based on the state after the
/// preceding inverses, so it is compared with the values in the transaction.
struct EditRun {
    enum Kind {
        case waiting
        case inverses
    }

    let transaction: WriteTransaction
    let facts: SchemaFacts
    let kind: Kind
    /// A Boolean value that indicates whether conflicting edits are made nevertheless.
    let overwrites: Bool

    private(set) var conflicts: [StudioJSON] = []
    private(set) var errors: [StudioJSON] = []
    private var differences: [Difference] = []
    private var places: [Place: Int] = [:]
    /// The inverse edits, the last one first.
    private(set) var inverses: [StagedEdit] = []
    /// A Boolean value that indicates whether the edits can't be undone.
    private(set) var isTooLarge = false
    /// The number of restored objects that have another key than before.
    private(set) var renumbered = 0
    /// The keys of created objects, by the numbers of their edits.
    private var made: [Int: ObjectKey] = [:]
    /// The keys of restored objects, by their former keys.
    private var restored: ObjectImage.Restored = [:]
    /// The positions of elements in the lists that waiting edits have changed.
    private var lists: [ListName: ListPlaces] = [:]
    private var created: [Int: Int] = [:]
    private var deleted: [Int: Int] = [:]

    private static let mostShown = 1_000
    private static let mostInverses = 100_000

    private struct Place: Hashable {
        let className: String
        let key: Int64
    }

    /// A list of an object.
    private struct ListName: Hashable {
        let column: Int
        let table: Int
        let key: Int64
    }

    private struct Difference {
        let className: String
        let key: ObjectKey
        let title: String?
        var kind: String
        var properties: [StudioJSON] = []
    }

    init(_ transaction: WriteTransaction, _ facts: SchemaFacts, _ kind: Kind = .waiting, overwrites: Bool = false) {
        (self.transaction, self.facts, self.kind, self.overwrites) = (transaction, facts, kind, overwrites)
    }

    private var base: Snapshot { transaction.base }
    /// The values with which edits are compared.
    private var compared: DataView { kind == .waiting ? base : transaction }
    private var writer: ValueWriter { ValueWriter(view: transaction, facts: facts) }
    private var comparedWriter: ValueWriter { ValueWriter(view: compared, facts: facts) }

    /// Makes the edits in their order.
    mutating func run(_ edits: [StagedEdit]) {
        for edit in edits {
            do { try make(edit) } catch {
                errors.append(["n": .int(edit.number), "message": .string(StudioError(error).message)])
            }
        }
        inverses.reverse()
        // The images of deleted objects contain embedded objects, but not the other objects that the deletion also deleted.
        if cascades.contains(where: { base.schema.table(named: $0.className)?.isEmbedded == false }) { refuseUndo() }
    }

    private mutating func refuseUndo() {
        isTooLarge = true
        inverses = []
    }

    private mutating func make(_ edit: StagedEdit) throws {
        guard let table = transaction.schema.table(named: edit.className) else {
            throw StudioError(.notFound, "The file has no class '\(edit.className)' any more.")
        }
        switch edit.action {
        case .create(let values): return try create(edit, table, values: values)
        case .restore(let image):
            let key = try image.create(in: transaction, &restored)
            if key != image.key { renumbered += 1 }
            created[table.id, default: 0] += 1
            note(table, key, "created")
            return invert(edit, key: key, .delete, base: .object)
        default: break
        }
        guard let former = edit.key else { return }
        let key = restored[ObjectLink(tableID: table.id, key: former)] ?? former
        if case .delete = edit.action { return try delete(edit, table, key) }
        guard transaction.contains(table, key) else {
            throw StudioError(
                .notFound,
                kind == .waiting && base.contains(table, key)
                    ? "Another edit that waits deletes the object \(key.raw) of '\(table.name)'."
                    : "The object \(key.raw) of '\(table.name)' was deleted meanwhile."
            )
        }
        guard let name = edit.property, let column = table.column(named: name) else {
            throw StudioError(.notFound, "'\(table.name)' has no property '\(edit.property ?? "")' any more.")
        }
        if case .set(_, let value) = edit.action {
            return try set(edit, column, of: key, to: try linked(value, column))
        }
        if column.collection == .dictionary { return try changeEntry(edit, column, key) }
        if column.collection == .set { return try changeMember(edit, column, key) }
        try changeElement(edit, column, key)
    }

    /// Returns a value with the keys that created and restored objects have.
    private func linked(_ value: Value, _ column: Column) throws -> Value {
        try value.mapLinks(to: column.targetTableID) { tableID, key in
            guard let number = WaitingObject.number(key) else {
                return restored[ObjectLink(tableID: tableID, key: key)] ?? key
            }
            guard let key = made[number] else {
                throw StudioError(.notFound, "The edit links to an object that no other edit creates.")
            }
            return key
        }
    }

    // MARK: Objects

    private mutating func create(
        _ edit: StagedEdit,
        _ table: Table,
        values: [(property: String, value: StagedValue)]
    ) throws {
        var primaryKey: Value?
        if let column = table.primaryKey,
            case .value(let value)? = values.first(where: { $0.property == column.name })?.value
        {
            primaryKey = value
        }
        let key = try transaction.create(table, primaryKey: primaryKey)
        for (property, value) in values {
            guard let column = table.column(named: property), !column.isPrimaryKey else { continue }
            try assign(value, column, key)
        }
        made[edit.number] = key
        created[table.id, default: 0] += 1
        note(table, key, "created")
        for (property, _) in values {
            guard let column = table.column(named: property) else { continue }
            show(table, key, .members(["name": .string(property), "old": .null, "new": writer.json(column, of: key)]))
        }
        invert(edit, key: key, .delete, base: .object)
    }

    private func assign(_ value: StagedValue, _ column: Column, _ key: ObjectKey) throws {
        switch value {
        case .value(let value): try transaction.set(column, key, to: try linked(value, column))
        case .list(let values):
            let values = try values.map { try linked($0, column) }
            if column.collection == .set {
                try transaction.setAssign(column, key, values: values)
            } else {
                try transaction.listAssign(column, key, values: values)
            }
        case .map(let entries):
            for entry in entries {
                try transaction.dictionarySet(column, key, forKey: entry.key, to: try linked(entry.value, column))
            }
        case .nothing, .element, .object: break
        }
    }

    private mutating func delete(_ edit: StagedEdit, _ table: Table, _ key: ObjectKey) throws {
        guard transaction.contains(table, key) else { return }
        try transaction.checkDeletable(table, [key])
        let image = isTooLarge ? nil : ObjectImage(table, key, in: transaction, facts)
        note(table, key, "deleted", title: facts.title(table, key, in: transaction))
        transaction.delete(table, key)
        deleted[table.id, default: 0] += 1
        guard let image else { return refuseUndo() }
        invert(edit, key: nil, .restore(image), base: .nothing)
    }

    // MARK: Values

    private mutating func set(_ edit: StagedEdit, _ column: Column, of key: ObjectKey, to value: Value) throws {
        let stored = compared.value(column, key)
        if stored != value, try based(edit, column) != .value(stored) {
            try conflict(edit, column, key, new: value, current: stored)
            guard overwrites else { return }
        }
        let before = transaction.value(column, key)
        guard before != value else { return }
        if transaction.schema.ownsTargets(column) { refuseUndo() }
        let old = writer.json(before, column)
        try transaction.set(column, key, to: value)
        changed(column, key, .members(["name": .string(column.name), "old": old, "new": writer.json(value, column)]))
        invert(edit, key: key, .set(property: column.name, to: before), base: .value(value))
    }

    /// Returns the value on which an edit was based, with the keys that restored objects have.
    private func based(_ edit: StagedEdit, _ column: Column) throws -> StagedValue {
        switch edit.base {
        case .value(let value): .value(try linked(value, column))
        case .element(let count, let value?): .element(count: count, try linked(value, column))
        default: edit.base
        }
    }

    // MARK: Collections

    private mutating func changeEntry(_ edit: StagedEdit, _ column: Column, _ key: ObjectKey) throws {
        let name: String
        let new: Value?
        switch edit.action {
        case .put(_, let entry, let value): (name, new) = (entry, try linked(value, column))
        case .take(_, let entry): (name, new) = (entry, nil)
        default: return
        }
        let stored = compared.dictionaryValue(column, key, forKey: name)
        if stored != new, case .element(_, let expected) = try based(edit, column), stored != expected {
            try conflict(edit, column, key, new: new, current: stored)
            guard overwrites else { return }
        }
        let old = transaction.dictionaryValue(column, key, forKey: name)
        guard old != new else { return }
        if transaction.schema.ownsTargets(column) { refuseUndo() }
        let was = old.map { writer.json($0, column) }
        if let new {
            try transaction.dictionarySet(column, key, forKey: name, to: new)
        } else {
            _ = transaction.dictionaryRemove(column, key, forKey: name)
        }
        let inverse: StagedEdit.Action =
            if let old { .put(property: column.name, name: name, old) } else {
                .take(property: column.name, name: name)
            }
        invert(edit, key: key, inverse, base: .element(count: transaction.listCount(column, key), new))
        changedElement(column, key, old: was, new: new)
    }

    /// Changes a set. Its elements are found by their values.
    private mutating func changeMember(_ edit: StagedEdit, _ column: Column, _ key: ObjectKey) throws {
        var (old, new): (Value?, Value?) = (nil, nil)
        if case .element(_, let value) = try based(edit, column) { old = value }
        switch edit.action {
        case .insert(_, _, let value): (old, new) = (nil, try linked(value, column))
        case .replace(_, _, let value): new = try linked(value, column)
        case .remove: break
        default: return
        }
        if let old, compared.listIndex(column, key, of: old) == nil {
            // The element has been removed since the edit was staged.
            guard let new else { return }
            try conflict(edit, column, key, new: new, current: nil)
            guard overwrites else { return }
        }
        let was = old.map { writer.json($0, column) }
        let count = transaction.listCount(column, key)
        let hasRemoved = old.map { transaction.setRemove(column, key, value: $0) } ?? false
        let hasInserted = try new.map { try transaction.setInsert(column, key, value: $0) } ?? false
        if hasRemoved, let old, new == nil {
            invert(edit, key: key, .insert(property: column.name, at: 0, old), base: .element(count: count - 1, nil))
        } else if hasInserted, let new, old == nil {
            invert(edit, key: key, .remove(property: column.name, at: 0), base: .element(count: count + 1, new))
        } else if hasRemoved || hasInserted {
            refuseUndo()
        }
        guard hasRemoved || hasInserted else { return }
        changedElement(column, key, old: hasRemoved ? was : nil, new: hasInserted ? new : nil)
    }

    /// Changes an element of a list.
    private mutating func changeElement(_ edit: StagedEdit, _ column: Column, _ key: ObjectKey) throws {
        if case .element(let count, let expected) = try based(edit, column), let at = edit.position {
            let current = compared.listCount(column, key)
            let stored = at < current ? compared.listValue(column, key, at: at) : nil
            if current != count || stored != expected {
                try conflict(edit, column, key, new: edit.newValue.map { try linked($0, column) }, current: stored)
                guard overwrites else { return }
            }
        }
        let name = ListName(column: column.id, table: column.tableID, key: key.raw)
        var places = kind == .waiting ? listPlaces(name, column, key) : nil
        defer { lists[name] = places }
        let count = transaction.listCount(column, key)
        switch edit.action {
        case .insert(_, let at, let value):
            let value = try linked(value, column)
            let place = min(places?.insertion(at) ?? at, count)
            try transaction.listInsert(column, key, at: place, value: value)
            _ = places?.insert(value, before: at)
            let inverse = StagedEdit.Action.remove(property: column.name, at: place)
            invert(edit, key: key, inverse, base: .element(count: count + 1, value))
            changedElement(column, key, old: nil, new: value)
        case .remove(_, let at):
            let place = try position(at, places, count: count)
            let value = transaction.listValue(column, key, at: place)
            let was = writer.json(value, column)
            if transaction.schema.ownsTargets(column) { refuseUndo() }
            try transaction.listRemove(column, key, at: place)
            places?.remove(at)
            let next = place < count - 1 ? transaction.listValue(column, key, at: place) : nil
            let inverse = StagedEdit.Action.insert(property: column.name, at: place, value)
            invert(edit, key: key, inverse, base: .element(count: count - 1, next))
            changedElement(column, key, old: was, new: nil)
        case .replace(_, let at, let value):
            let (value, place) = (try linked(value, column), try position(at, places, count: count))
            let old = transaction.listValue(column, key, at: place)
            let was = writer.json(old, column)
            try transaction.listSet(column, key, at: place, to: value)
            places?.replace(at, by: value)
            let inverse = StagedEdit.Action.replace(property: column.name, at: place, old)
            invert(edit, key: key, inverse, base: .element(count: count, value))
            changedElement(column, key, old: was, new: value)
        case .move(_, let from, let to):
            let place = try position(from, places, count: count)
            let target = from == to ? place : places?.move(from, to: to) ?? to
            guard target < count else { throw Self.shorter }
            guard target != place else { return }
            let value = transaction.listValue(column, key, at: place)
            if transaction.schema.ownsTargets(column) { refuseUndo() }
            try transaction.listMove(column, key, from: place, to: target)
            let inverse = StagedEdit.Action.move(property: column.name, from: target, to: place)
            invert(edit, key: key, inverse, base: .element(count: count, value))
            changedElement(column, key, old: nil, new: value)
        default: return
        }
    }

    private static let shorter = StudioError(.notFound, "The collection has become shorter.")

    /// Returns the elements of a list. The caller stores them again.
    private mutating func listPlaces(_ name: ListName, _ column: Column, _ key: ObjectKey) -> ListPlaces {
        let (base, transaction) = (base, transaction)
        var places = lists.removeValue(forKey: name) ?? ListPlaces(count: base.listCount(column, key))
        places.noteDeletions(current: transaction.listCount(column, key)) {
            base.listValues(column, key)
        } present: {
            transaction.listValues(column, key)
        }
        return places
    }

    /// Returns the position of an element in the transaction.
    /// - Parameter places: The elements of the list, or `nil` if the position already is the position in the transaction.
    private func position(_ at: Int, _ places: ListPlaces?, count: Int) throws(StudioError) -> Int {
        guard let places else {
            guard at < count else { throw Self.shorter }
            return at
        }
        guard let position = places.position(at) else {
            throw StudioError(.notFound, "The element doesn't exist any more, or another edit that waits removes it.")
        }
        return position
    }

    private mutating func changedElement(_ column: Column, _ key: ObjectKey, old: StudioJSON?, new: Value?) {
        let now = new.map { writer.json($0, column) }
        let property: StudioJSON = .members([
            "name": .string(column.name), "old": old ?? .null, "new": now ?? .null, "element": true,
        ])
        changed(column, key, property)
    }

    // MARK: Collecting

    /// - Parameter current: the stored value, or `nil` if the collection doesn't have the element.
    private mutating func conflict(
        _ edit: StagedEdit,
        _ column: Column,
        _ key: ObjectKey,
        new: Value?,
        current: Value?
    ) throws {
        guard conflicts.count < Self.mostShown else { return }
        var (old, isElement): (Value?, Bool) = (nil, false)
        switch try based(edit, column) {
        case .value(let value): old = value
        case .element(_, let value): (old, isElement) = (value, true)
        default: break
        }
        func json(_ value: Value?, _ writer: ValueWriter) -> StudioJSON {
            value.map { writer.json($0, column) } ?? .null
        }
        conflicts.append(
            .members([
                "n": .int(edit.number), "class": .string(edit.className), "key": .int(key.raw),
                "property": .string(column.name), "old": json(old, comparedWriter), "new": json(new, writer),
                "current": json(current, comparedWriter), "element": isElement ? true : nil,
            ])
        )
    }

    private mutating func invert(_ edit: StagedEdit, key: ObjectKey?, _ action: StagedEdit.Action, base: StagedValue) {
        guard !isTooLarge, inverses.count < Self.mostInverses else { return refuseUndo() }
        inverses.append(
            StagedEdit(
                number: edit.number,
                className: edit.className,
                key: key,
                action: action,
                base: base,
                json: .null
            )
        )
    }

    private mutating func note(_ table: Table, _ key: ObjectKey, _ kind: String, title: String? = nil) {
        let place = Place(className: table.name, key: key.raw)
        if let i = places[place] {
            if kind != "changed" { differences[i].kind = kind }
            return
        }
        places[place] = differences.count
        let title = title ?? facts.title(table, key, in: transaction)
        differences.append(Difference(className: table.name, key: key, title: title, kind: kind))
    }

    private mutating func show(_ table: Table, _ key: ObjectKey, _ property: StudioJSON) {
        guard let i = places[Place(className: table.name, key: key.raw)], i < Self.mostShown else { return }
        differences[i].properties.append(property)
    }

    private mutating func changed(_ column: Column, _ key: ObjectKey, _ property: StudioJSON) {
        let table = transaction.schema.table(of: column)
        note(table, key, "changed")
        show(table, key, property)
    }

    /// The objects that are deleted because of other deletions, by class.
    private var cascades: [(className: String, count: Int)] {
        base.schema.tables.compactMap { table in
            let expected = base.count(table) + (created[table.id] ?? 0) - (deleted[table.id] ?? 0)
            guard let now = transaction.schema.table(id: table.id) else { return nil }
            let further = expected - transaction.count(now)
            return further > 0 ? (table.name, further) : nil
        }
    }

    /// The number of changed, created and deleted objects.
    var objects: Int { differences.count + cascades.reduce(0) { $0 + $1.count } }

    var differenceJSON: StudioJSON {
        .array(
            differences.prefix(Self.mostShown).map { difference in
                [
                    "class": .string(difference.className), "key": .int(difference.key.raw),
                    "title": .text(difference.title), "kind": .string(difference.kind),
                    "properties": .array(difference.properties),
                ]
            } + cascades.map { ["class": .string($0.className), "kind": "cascade", "count": .int($0.count)] }
        )
    }
}
