internal import FreeholdEngine
internal import FreeholdSyncCore

/// Applies edits to the rows of a file. It writes only values that differ from the stored ones.
///
/// It skips properties that the file's schema doesn't have, and values whose types differ from those of the properties,
/// because the server's schema can be newer than the program's.
struct EditApplier {
    let write: WriteTransaction
    let tables: FileTables
    var misfits: Misfits?

    /// A single value, an element or an entry, and the keys that lead on into dictionaries inside of it.
    private struct Spot {
        let column: Column
        let key: ObjectKey
        var place = NestedSubscript.property
        var nested: [SyncString] = []
    }

    func perform(_ edit: LocalEdit) throws {
        guard let place = edit.place else { throw MisplacedEdit(edit: edit) }
        write.resolvePlaceholders()
        guard let table = tables.classes[place.object.className] else { return }
        guard let key = find(place.object, table) else { throw MisplacedEdit(edit: edit) }
        guard let spot = try spot(table.table, key, place.path[...], edit) else { return }
        switch edit {
        case .create, .delete: break
        case .set(_, let content, _): try set(spot, content)
        case .increment(_, let number):
            guard case .int(let old)? = current(spot) else { throw MisplacedEdit(edit: edit) }
            try set(spot, .value(.int(old &+ number)))
        case .removeEntry: try removeEntry(spot)
        case .insert, .remove, .move, .clearList, .assignList:
            guard spot.column.collection == .list else { return }
            try editList(edit, spot.column, spot.key)
        case .insertIntoSet, .removeFromSet, .clearSet, .assignSet:
            guard spot.column.collection == .set else { return }
            try editSet(edit, spot.column, spot.key)
        case .clearDictionary(_, let hidden):
            guard spot.column.collection == .dictionary else { return }
            clear(spot, hidden: hidden)
        case .assignDictionary(_, let hidden, let entries):
            guard spot.column.collection == .dictionary else { return }
            clear(spot, hidden: hidden)
            for (key, content) in entries.sorted(by: { $0.key < $1.key }) {
                try set(Spot(column: spot.column, key: spot.key, place: .entry(key.string)), content)
            }
        }
    }

    /// Applies several edits inside of one mixed value, which is read and written once.
    func performNested(_ edits: ArraySlice<LocalEdit>) throws {
        guard let edit = edits.first, let root = edit.place?.withoutNested else { return }
        write.resolvePlaceholders()
        guard let table = tables.classes[root.object.className] else { return }
        guard let key = find(root.object, table) else { throw MisplacedEdit(edit: edit) }
        guard let spot = try spot(table.table, key, root.path[...], edit) else { return }
        guard var whole = value(spot).map({ FileContents(write).value($0, spot.column) }) else {
            for edit in edits { if case .increment = edit { throw MisplacedEdit(edit: edit) } }
            return
        }
        var isChanged = false
        for edit in edits {
            let path = edit.place?.nestedKeys ?? []
            switch edit {
            case .set(_, .value(let new), _): isChanged = whole.replace(path[...], by: new) || isChanged
            case .increment(_, let number):
                guard case .int(let old)? = whole.nested(path[...]) else { throw MisplacedEdit(edit: edit) }
                isChanged = whole.replace(path[...], by: .int(old &+ number)) || isChanged
            case .removeEntry: isChanged = whole.replace(path[...], by: nil) || isChanged
            default: break
            }
        }
        if isChanged { try set(spot, .value(whole)) }
    }

    /// Removes the entries of a dictionary, except the hidden ones.
    private func clear(_ spot: Spot, hidden: [SyncString]) {
        let hidden = Set(hidden)
        for entry in write.storedDictionaryEntries(spot.column, spot.key)
        where !hidden.contains(SyncString(entry.key)) {
            write.storedDictionaryRemove(spot.column, spot.key, forKey: entry.key)
        }
    }

    /// Sets the values of a new object.
    func fill(_ table: Table, _ key: ObjectKey, _ contents: [SyncString: MergedContent]) throws {
        for column in table.columns where !column.isPrimaryKey && write.schema.syncs(column) {
            guard let content = contents[SyncString(column.name)] else { continue }
            if column.collection == .none {
                if content != column.emptyContent { try set(Spot(column: column, key: key), content) }
            } else {
                try assign(content, column, key)
            }
        }
    }

    private func find(_ name: ObjectName, _ found: FileTables.Class) -> ObjectKey? {
        guard found.key.fits(name.key) else { return nil }
        return write.find(primaryKey: name.key.value, in: found.table)
    }

    // MARK: Places

    /// Returns the spot at the end of a path, or `nil` if the file's schema doesn't have it.
    private func spot(
        _ table: Table,
        _ key: ObjectKey,
        _ path: ArraySlice<LocalPlace.Step>,
        _ edit: LocalEdit
    ) throws -> Spot? {
        guard case .property(let name)? = path.first else { throw MisplacedEdit(edit: edit) }
        guard let column = table.column(named: name.string), !column.isPrimaryKey, write.schema.syncs(column) else {
            return nil
        }
        var spot = Spot(column: column, key: key)
        var rest = path.dropFirst()
        switch (rest.first, column.collection) {
        case (.element(let index)?, .list):
            guard 0..<write.storedCount(column, key) ~= index else { throw MisplacedEdit(edit: edit) }
            spot.place = .element(index)
            rest = rest.dropFirst()
        case (.entry(let name)?, .dictionary):
            spot.place = .entry(name.string)
            rest = rest.dropFirst()
        case (.element?, _), (.entry?, _): return nil
        default: break
        }
        if case .property? = rest.first {
            guard let target = write.schema.embeddedTarget(of: column) else { return nil }
            guard case .link(let inner)? = value(spot) else { throw MisplacedEdit(edit: edit) }
            return try self.spot(target, inner, rest, edit)
        }
        for case .nested(let key) in rest { spot.nested.append(key) }
        guard spot.nested.count == rest.count else { throw MisplacedEdit(edit: edit) }
        return spot
    }

    /// Returns the stored value of a spot. Links to missing objects are included.
    private func value(_ spot: Spot) -> Value? {
        switch spot.place {
        case .property: return spot.column.collection == .none ? write.storedValue(spot.column, spot.key) : nil
        case .element(let index):
            if !write.hasPlaceholders(spot.column, spot.key) {
                return write.listValue(spot.column, spot.key, at: index)
            }
            let values = write.storedListValues(spot.column, spot.key)
            return values.indices.contains(index) ? values[index] : nil
        case .entry(let name):
            if !write.hasPlaceholders(spot.column, spot.key) {
                return write.dictionaryValue(spot.column, spot.key, forKey: name)
            }
            return write.storedDictionaryEntries(spot.column, spot.key).first {
                SyncString($0.key) == SyncString(name)
            }?
            .value
        }
    }

    private func current(_ spot: Spot) -> SyncValue? {
        value(spot).flatMap { FileContents(write).value($0, spot.column).nested(spot.nested[...]) }
    }

    // MARK: Values

    /// Returns the value for a column, or `nil` if the column can't store it.
    private func value(_ content: MergedContent, _ column: Column) throws -> Value? {
        switch content {
        case .value(let value): return try fitting(value, column)
        case .embedded(let fields):
            guard let table = write.schema.embeddedTarget(of: column) else { return nil }
            let key = try write.create(table)
            try fill(table, key, fields)
            return .link(key)
        case .list, .set, .dictionary: return nil
        }
    }

    /// Like `value(_:_:)`, except that it also returns `nil` for a value that is too large or nested too deeply. It
    /// records values that the app's classes don't represent.
    private func fitting(_ value: SyncValue, _ column: Column) throws -> Value? {
        guard let new = try self.value(value, column) else {
            // The server's schema may be newer than the file's.
            return nil
        }
        switch column.type {
        case .string, .data,
            .mixed where !new.hasObjectLink:
            do throws(EngineError) { try write.checkElement(new, column) } catch {
                misfits?.note(left: column, write.schema.table(of: column), error.message)
                return nil
            }
        default: break
        }
        misfits?.look(at: new, column, write.schema.table(of: column))
        return new
    }

    /// A Boolean value that indicates whether a dictionary can have a key.
    private func isKey(_ key: SyncString, _ column: Column) -> Bool {
        guard let problem = StoredDictionary.problem(withKey: key.string) else { return true }
        misfits?.note(left: column, write.schema.table(of: column), problem.message)
        return false
    }

    private func value(_ value: SyncValue, _ column: Column) throws -> Value? {
        if case .null = value { return column.isOptional || column.type == .link ? .null : column.zero }
        if column.type == .mixed { return try mixed(value) }
        switch (value, column.type) {
        case (.bool(let value), .bool): return .bool(value)
        case (.int(let value), .int): return .int(value)
        case (.float(let value), .float): return .float(value)
        case (.double(let value), .double): return .double(value)
        case (.string(let value), .string): return .string(value.string)
        case (.data(let value), .data): return .data(value)
        case (.date(let value), .timestamp): return .timestamp(value)
        case (.objectId(let value), .objectId): return .objectId(value)
        case (.uuid(let value), .uuid): return .uuid(value)
        case (.decimal128(let value), .decimal128): return .decimal128(value)
        // The number is from before a migration that widened the property, or from another version of the app.
        case (.int(let value), .double): return .double(Double(value))
        case (.int(let value), .float): return .float(Float(value))
        case (.int(let value), .decimal128): return .decimal128(Decimal128(value))
        case (.float(let value), .double): return .double(Double(value))
        case (.link(let name), .link):
            guard let found = tables.classes[name.className], found.table.id == column.targetTableID,
                found.key.fits(name.key)
            else { return nil }
            return .link(try write.reference(to: found.table, primaryKey: name.key.value))
        default: return nil
        }
    }

    /// Returns whether a property can show a content as a whole.
    func holds(_ content: MergedContent, _ column: Column) -> Bool {
        switch (content, column.collection) {
        case (.value(.null), _): return true
        case (.list(let elements), .list): return elements.allSatisfy { holdsElement($0, column) }
        case (.set(let elements), .set): return elements.values.allSatisfy { holdsElement(.value($0), column) }
        case (.dictionary(let entries), .dictionary): return entries.values.allSatisfy { holdsElement($0, column) }
        case (_, .none): return holdsElement(content, column)
        default: return false
        }
    }

    private func holdsElement(_ content: MergedContent, _ column: Column) -> Bool {
        switch content {
        case .value(.null): return true
        case .value(.link(let name)):
            return column.type == .mixed
                || column.type == .link && tables.classes[name.className]?.table.id == column.targetTableID
        case .value(let value): return (try? self.value(value, column)) != nil
        case .embedded(let fields):
            guard let table = write.schema.embeddedTarget(of: column) else { return false }
            return fields.allSatisfy { name, content in
                table.column(named: name.string).map { holds(content, $0) } ?? true
            }
        case .list, .set, .dictionary: return false
        }
    }

    private func mixed(_ value: SyncValue) throws -> Value {
        switch value {
        case .null, .embedded: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .float(let value): return .float(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value.string)
        case .data(let value): return .data(value)
        case .date(let value): return .timestamp(value)
        case .objectId(let value): return .objectId(value)
        case .uuid(let value): return .uuid(value)
        case .decimal128(let value): return .decimal128(value)
        case .link(let name):
            guard let found = tables.classes[name.className], found.key.fits(name.key) else { return .null }
            let key = try write.reference(to: found.table, primaryKey: name.key.value)
            return .objectLink(ObjectLink(tableID: found.table.id, key: key))
        case .list(let values): return .list(NestedList(try values.map(mixed)))
        case .dictionary(let dictionary):
            return .dictionary(
                NestedDictionary(
                    try dictionary.entries.map { NestedDictionary.Entry($0.key.string, try mixed($0.value)) }
                )
            )
        }
    }

    private func set(_ spot: Spot, _ content: MergedContent) throws {
        let (column, key) = (spot.column, spot.key)
        if !spot.nested.isEmpty {
            guard var whole = value(spot).map({ FileContents(write).value($0, column) }),
                case .value(let new) = content,
                whole.replace(spot.nested[...], by: new)
            else { return }
            return try set(Spot(column: column, key: key, place: spot.place), .value(whole))
        }
        if case .property = spot.place, column.collection != .none { return try assign(content, column, key) }
        guard let new = try value(content, column) else { return }
        switch spot.place {
        case .property:
            // −0.0 replaces 0.0, and 1.00 replaces 1.0.
            if !write.storedValue(column, key).isIdentical(to: new) { try write.setStored(column, key, to: new) }
        case .element(let index): try write.storedListSet(column, key, at: index, to: new)
        case .entry(let name):
            guard isKey(SyncString(name), column) else { return }
            try write.storedDictionarySet(column, key, forKey: name, to: new)
        }
    }

    private func removeEntry(_ spot: Spot) throws {
        if spot.nested.isEmpty {
            if case .entry(let name) = spot.place { write.storedDictionaryRemove(spot.column, spot.key, forKey: name) }
            return
        }
        guard var whole = value(spot).map({ FileContents(write).value($0, spot.column) }),
            whole.replace(spot.nested[...], by: nil)
        else { return }
        try set(Spot(column: spot.column, key: spot.key, place: spot.place), .value(whole))
    }

    // MARK: Collections

    /// Returns values for the elements. An element that the column can't store is replaced by the column's default
    /// value, so that the elements after it keep their positions.
    private func elements(_ contents: [MergedContent], _ column: Column) throws -> [Value] {
        try contents.map { try value($0, column) ?? (column.isOptional ? .null : column.zero) }
    }

    private func assign(_ content: MergedContent, _ column: Column, _ key: ObjectKey) throws {
        switch (content, column.collection) {
        case (.list(let contents), .list):
            if contents.isEmpty, write.storedCount(column, key) == 0 { return }
            try write.storedListAssign(column, key, values: try elements(contents, column))
        case (.set(let elements), .set):
            if elements.isEmpty, write.storedCount(column, key) == 0 { return }
            try write.storedSetAssign(column, key, values: try elements.values.compactMap { try fitting($0, column) })
        case (.dictionary(let entries), .dictionary):
            if entries.isEmpty, write.storedCount(column, key) == 0 { return }
            let entries = try entries.sorted { $0.key < $1.key }.filter { isKey($0.key, column) }.compactMap { entry in
                try value(entry.value, column).map { (key: entry.key.string, value: $0) }
            }
            try write.storedDictionaryAssign(column, key, entries: entries)
        case (.value(.null), .list): try write.storedListAssign(column, key, values: [])
        case (.value(.null), .set): try write.storedSetAssign(column, key, values: [])
        case (.value(.null), .dictionary): try write.storedDictionaryAssign(column, key, entries: [])
        default: break
        }
    }

    private func editList(_ edit: LocalEdit, _ column: Column, _ key: ObjectKey) throws {
        let count = write.storedCount(column, key)
        switch edit {
        case .insert(_, let index, let contents) where 0...count ~= index:
            try write.storedListInsert(column, key, at: index, values: try elements(contents, column))
        case .remove(_, let index, let length)
        where index >= 0 && length >= 0 && index <= count && length <= count - index:
            try write.storedListRemove(column, key, range: index..<index + length)
        case .move(_, let from, let to) where 0..<count ~= from && 0..<count ~= to:
            try write.storedListMove(column, key, from: from, to: to)
        case .clearList(_, let hidden): try clear(column, key, hidden: hidden)
        case .assignList(_, let hidden, let index, let contents):
            try clear(column, key, hidden: hidden)
            guard 0...write.storedCount(column, key) ~= index else { throw MisplacedEdit(edit: edit) }
            try write.storedListInsert(column, key, at: index, values: try elements(contents, column))
        default: throw MisplacedEdit(edit: edit)
        }
    }

    /// Removes the elements of a list, except those at the hidden positions.
    private func clear(_ column: Column, _ key: ObjectKey, hidden: [Int]) throws {
        let spared = Set(hidden)
        var end = write.storedCount(column, key)
        while end > 0 {
            var start = end
            while start > 0, !spared.contains(start - 1) { start -= 1 }
            if start < end { try write.storedListRemove(column, key, range: start..<end) }
            end = start - 1
        }
    }

    private func editSet(_ edit: LocalEdit, _ column: Column, _ key: ObjectKey) throws {
        switch edit {
        case .insertIntoSet(_, let values):
            let values = try values.compactMap { try fitting($0, column) }
            // An equal value is removed first, because 1 and 1.0 are the same element.
            if column.type.hasEqualNumbers { try write.storedSetRemove(column, key, values: values) }
            try write.storedSetInsert(column, key, values: values)
        case .removeFromSet(_, let values):
            try write.storedSetRemove(column, key, values: try values.compactMap { try value($0, column) })
        case .clearSet(_, let hidden): try clearSet(column, key, hidden: hidden)
        case .assignSet(_, let hidden, let values):
            try clearSet(column, key, hidden: hidden)
            try write.storedSetInsert(column, key, values: try values.compactMap { try value($0, column) })
        default: break
        }
    }

    private func clearSet(_ column: Column, _ key: ObjectKey, hidden: [SyncValue]) throws {
        let spared = Set(hidden.compactMap(SetElement.init))
        let contents = FileContents(write)
        let gone = write.storedSetValues(column, key).filter { value in
            SetElement(contents.value(value, column)).map { !spared.contains($0) } ?? true
        }
        try write.storedSetRemove(column, key, values: gone)
    }
}

extension Value {
    /// A Boolean value that indicates whether a mixed value holds a link. The object may be missing, so that only a placeholder is linked to.
    fileprivate var hasObjectLink: Bool {
        switch self {
        case .objectLink: true
        case .list(let list): list.values.contains { $0.hasObjectLink }
        case .dictionary(let dictionary): dictionary.entries.contains { $0.value.hasObjectLink }
        default: false
        }
    }
}

extension ColumnType {
    /// A Boolean value that indicates whether different values can be the same element of a set.
    fileprivate var hasEqualNumbers: Bool {
        switch self {
        case .mixed, .float, .double, .decimal128: true
        default: false
        }
    }
}

extension [LocalEdit] {
    /// Returns the end of the edits from an index on that are about the inside of one mixed value. Returns the next
    /// index if the first edit isn't.
    func endOfNested(from index: Int) -> Int {
        guard let root = self[index].nestedRoot else { return index + 1 }
        var end = index + 1
        while end < count, self[end].nestedRoot == root { end += 1 }
        return end
    }
}

extension LocalEdit {
    /// The place of the mixed value whose inside is edited. `nil` for other edits.
    fileprivate var nestedRoot: LocalPlace? {
        switch self {
        case .set(let place, _, _), .increment(let place, _), .removeEntry(let place):
            if case .nested? = place.path.last { place.withoutNested } else { nil }
        default: nil
        }
    }
}

extension LocalPlace {
    fileprivate var withoutNested: LocalPlace {
        LocalPlace(object, path.filter { if case .nested = $0 { false } else { true } })
    }

    fileprivate var nestedKeys: [SyncString] { path.compactMap { if case .nested(let key) = $0 { key } else { nil } } }
}
