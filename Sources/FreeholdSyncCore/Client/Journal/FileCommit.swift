public import FreeholdEngine

/// A commit of a Freehold file, read from its journal, as edits with stored positions.
///
/// The journal's positions don't count elements that aren't shown. Here they do: whoever inserts puts the new element directly before
/// the visible one behind it, or behind all, and who clears leaves alone what wasn't shown. What follows from deletions is left out, as it follows
/// everywhere.
public struct FileCommit {
    /// In the order in which they were done; edits inside of embedded objects at the end.
    public private(set) var edits: [LocalEdit] = []
    private let before: FileContents
    private let after: FileContents
    private var changes: [JournalChange] = []
    private var made: [Int: [Range<Int64>]] = [:]
    private var defaults: [JournalProperty: Int] = [:]
    private var owners: [JournalObject: JournalProperty] = [:]
    /// The stored positions of elements that aren't shown, by property. They rise.
    private var hidden: [JournalProperty: [Int]] = [:]
    private var counts: [JournalProperty: Int] = [:]
    private var inner: [LocalEdit] = []

    /// - Parameters:
    ///   - before: the version before the commit.
    ///   - after: the version that the commit made.
    /// - Throws: if the entry is damaged.
    public init(_ entry: JournalEntry, before: DataView, after: DataView) throws(EngineError) {
        self.before = FileContents(before)
        self.after = FileContents(after)
        var changes: [JournalChange] = []
        try entry.forEach { changes.append($0) }
        self.changes = changes
        for change in changes { note(change) }
        for change in changes { read(change) }
        edits += inner
    }

    /// The objects that the edits are about, as they were.
    public var images: [ObjectName: [SyncString: MergedContent]] {
        var images: [ObjectName: [SyncString: MergedContent]] = [:]
        for name in Set(edits.map(\.object)) {
            guard let table = before.view.schema.table(named: name.className.string), let value = name.key.value,
                let key = before.view.find(primaryKey: value, in: table)
            else { continue }
            images[name] = before.contents(table, key)
        }
        return images
    }

    // MARK: Looking

    private mutating func note(_ change: JournalChange) {
        switch change {
        case .made(let table, let first, let count):
            made[table, default: []].append(first.raw..<first.raw + Int64(count))
        case .defaults(let first, let count): defaults[first] = count
        case .named(let object, .owner(let owner)): owners[object] = owner
        default: break
        }
    }

    private func isMade(_ object: JournalObject) -> Bool {
        made[object.tableID]?.contains { $0.contains(object.key.raw) } ?? false
    }

    private func isDefault(_ column: Int, _ object: JournalObject) -> Bool {
        defaults.contains { first, count in
            first.column == column && first.object.tableID == object.tableID
                && first.object.key.raw <= object.key.raw
                && object.key.raw - first.object.key.raw < Int64(count)
        }
    }

    private func column(_ property: JournalProperty) -> Column? {
        after.view.schema.table(id: property.object.tableID)?.columns.first { $0.id == property.column }
    }

    /// The place of a property, through the embedded objects that it is in.
    private func place(_ property: JournalProperty) -> (place: LocalPlace, isEmbedded: Bool)? {
        guard let column = column(property), !column.isHidden,
            let table = after.view.schema.table(id: property.object.tableID),
            after.view.contains(table, property.object.key)
        else { return nil }
        let name = SyncString(column.name)
        guard table.isEmbedded else {
            return after.name(table.id, property.object.key).map { (LocalPlace($0, name), false) }
        }
        guard let owner = owners[property.object], let ownColumn = self.column(owner) else { return nil }
        let above = owner.object
        // What a new owner holds goes with it.
        if isMade(above) || isMade(property.object) { return nil }
        guard let (place, _) = self.place(owner) else { return nil }
        let link = Value.link(property.object.key)
        switch ownColumn.collection {
        case .none: return (place.property(name), true)
        case .list, .set:
            let index = after.view.storedListValues(ownColumn, above.key).firstIndex(of: link)
            return index.map { (place.element($0).property(name), true) }
        case .dictionary:
            let entry = after.view.storedDictionaryEntries(ownColumn, above.key).first { $0.value == link }
            return entry.map { (place.entry(SyncString($0.key)).property(name), true) }
        }
    }

    private mutating func add(_ edit: LocalEdit, _ isEmbedded: Bool) {
        if isEmbedded { inner.append(edit) } else { edits.append(edit) }
    }

    // MARK: Reading

    private mutating func read(_ change: JournalChange) {
        switch change {
        case .made(let id, let first, let count):
            guard let table = after.view.schema.table(id: id), !table.isEmbedded, !table.isHidden else { return }
            for raw in first.raw..<first.raw + Int64(count) { create(table, ObjectKey(raw)) }
        case .gone(let object, let key, let cause): delete(object, key, cause)
        case .set(let property, let value, let cause):
            guard cause != .followsDeletion, !isMade(property.object), let column = column(property),
                let (place, isEmbedded) = place(property)
            else { return }
            // The value with the links that aren't shown.
            let stored = after.view.storedValue(column, property.object.key)
            let content = after.content(cause == .edit ? stored : value, column)
            let isDefault = isDefault(column.id, property.object)
            add(.set(place, content, isDefault ? .byDefault : .real), isEmbedded)
        case .added(let property, let number):
            if let (place, isEmbedded) = place(property) { add(.increment(place, number), isEmbedded) }
        case .unshown(let property, let links): unshown(property, links)
        case .edited(let property, let edit, let cause): read(edit, property, cause)
        case .row, .defaults, .schema, .named: break
        }
    }

    private mutating func create(_ table: Table, _ key: ObjectKey) {
        guard let name = after.name(table.id, key), let contents = after.contents(table, key) else { return }
        let object = JournalObject(tableID: table.id, key: key)
        let byDefault = table.columns.filter { isDefault($0.id, object) }.map { SyncString($0.name) }
        edits.append(.create(name, contents, defaults: Set(byDefault)))
    }

    private mutating func delete(_ object: JournalObject, _ key: Value?, _ cause: ChangeCause) {
        guard let table = before.view.schema.table(id: object.tableID), !table.isEmbedded, !isMade(object),
            let key = key.flatMap(FileContents.key)
        else { return }
        let name = ObjectName(SyncString(table.name), key)
        guard cause == .cascade, let first = lastDeletion else {
            edits.append(.delete(name, .edit))
            return
        }
        edits.append(.delete(name, .cascade(of: first)))
    }

    /// The object whose deletion took others along.
    private var lastDeletion: ObjectName? {
        for case .delete(let name, .edit) in edits.reversed() { return name }
        return nil
    }

    private mutating func unshown(_ property: JournalProperty, _ links: [UnshownLink]) {
        guard let column = column(property) else { return }
        if column.collection == .list {
            hidden[property] = links.compactMap { link in
                if case .element(let index) = link.place, link.path.isEmpty { return index }
                return nil
            }.sorted()
        }
        hiddenLinks[property] = links
    }

    private var hiddenLinks: [JournalProperty: [UnshownLink]] = [:]

    private func hiddenNames(_ property: JournalProperty) -> [(place: NestedSubscript, name: ObjectName)] {
        (hiddenLinks[property] ?? []).compactMap { link in
            guard link.path.isEmpty, let table = after.view.schema.table(id: link.table),
                let key = FileContents.key(link.primaryKey)
            else { return nil }
            return (link.place, ObjectName(SyncString(table.name), key))
        }
    }

    private mutating func read(_ edit: CollectionEdit, _ property: JournalProperty, _ cause: ChangeCause) {
        guard let column = column(property), let (place, isEmbedded) = place(property) else { return }
        switch edit {
        case .insert(let at, let values):
            let index = gap(at, count(property, column, change: values.count), property)
            add(.insert(place, at: index, values.map { after.content($0, column) }), isEmbedded)
            shift(property, from: index, by: values.count)
        case .remove(let at, let count):
            _ = self.count(property, column, change: -count)
            for shown in (at..<at + count).reversed() {
                let index = stored(shown, property)
                if cause == .followsDeletion {
                    hide(property, index)
                } else {
                    add(.remove(place, at: index, count: 1), isEmbedded)
                    shift(property, from: index, by: -1)
                }
            }
        case .set(let at, let value):
            if cause != .followsDeletion {
                add(.set(place.element(stored(at, property)), after.content(value, column), .real), isEmbedded)
            }
        case .move(let from, let to):
            let start = stored(from, property)
            shift(property, from: start, by: -1)
            let end = gap(to, count(property, column, change: 0) - 1, property)
            shift(property, from: end, by: 1)
            add(.move(place, from: start, to: end), isEmbedded)
        case .clear: clear(property, column, place, isEmbedded)
        case .add(let at, let number): add(.increment(place.element(stored(at, property)), number), isEmbedded)
        case .insertValue(let value): add(.insertIntoSet(place, [after.value(value, column)]), isEmbedded)
        case .removeValue(let value):
            if cause != .followsDeletion { add(.removeFromSet(place, [after.value(value, column)]), isEmbedded) }
        case .setEntry(let key, let value):
            if cause != .followsDeletion {
                add(.set(place.entry(SyncString(key)), after.content(value, column), .real), isEmbedded)
            }
        case .removeEntry(let key):
            if cause != .followsDeletion { add(.removeEntry(place.entry(SyncString(key))), isEmbedded) }
        case .addToEntry(let key, let number):
            add(.increment(place.entry(SyncString(key)), number), isEmbedded)
        case .nested(let nested): read(nested, property, column, place, isEmbedded)
        }
    }

    private mutating func clear(_ property: JournalProperty, _ column: Column, _ place: LocalPlace, _ isEmbedded: Bool)
    {
        let names = hiddenNames(property)
        switch column.collection {
        case .list:
            let left = hidden[property] ?? []
            add(.clearList(place, hidden: left), isEmbedded)
            hidden[property] = Array(left.indices)
            counts[property] = 0
        case .set: add(.clearSet(place, hidden: names.map { .link($0.name) }), isEmbedded)
        case .dictionary:
            let keys = names.compactMap { if case .entry(let key) = $0.place { SyncString(key) } else { nil } }
            add(.clearDictionary(place, hidden: keys), isEmbedded)
        case .none: break
        }
    }

    // MARK: Stored positions

    private func stored(_ shown: Int, _ property: JournalProperty) -> Int {
        var index = shown
        for position in hidden[property] ?? [] where position <= index { index += 1 }
        return index
    }

    /// Where the file put a new element: directly before the visible one that it pushed on, or behind all.
    private func gap(_ shown: Int, _ count: Int, _ property: JournalProperty) -> Int {
        shown == count ? count + (hidden[property]?.count ?? 0) : stored(shown, property)
    }

    /// How many elements of a list are shown, as the edits are done.
    private mutating func count(_ property: JournalProperty, _ column: Column, change: Int) -> Int {
        let old = counts[property] ?? shownBefore(property, column)
        counts[property] = old + change
        return old
    }

    private func shownBefore(_ property: JournalProperty, _ column: Column) -> Int {
        guard let table = before.view.schema.table(id: column.tableID),
            before.view.contains(table, property.object.key),
            let old = table.columns.first(where: { $0.id == column.id })
        else { return 0 }
        return before.view.listCount(old, property.object.key)
    }

    private mutating func shift(_ property: JournalProperty, from index: Int, by count: Int) {
        hidden[property] = hidden[property]?.map { $0 >= index ? $0 + count : $0 }
    }

    private mutating func hide(_ property: JournalProperty, _ index: Int) {
        hidden[property, default: []].append(index)
        hidden[property]?.sort()
    }

    // MARK: Mixed values

    private mutating func read(
        _ edit: NestedEdit,
        _ property: JournalProperty,
        _ column: Column,
        _ root: LocalPlace,
        _ isEmbedded: Bool
    ) {
        var place = root
        switch edit.place {
        case .property: break
        case .element(let index): place = root.element(stored(index, property))
        case .entry(let key): place = root.entry(SyncString(key))
        }
        var path: [SyncString] = []
        for step in edit.path {
            guard case .entry(let key) = step else {
                // A list is one register, however deep the edit in it is.
                setWhole(edit, path, property, column, place, isEmbedded)
                return
            }
            path.append(SyncString(key))
        }
        let inner = path.reduce(place) { $0.nested($1) }
        switch edit.change {
        case .list(let values):
            add(.set(inner, .value(.list(values.map { after.value($0, column) })), .real), isEmbedded)
        case .entries(let entries, let removed):
            for key in removed { add(.removeEntry(inner.nested(SyncString(key))), isEmbedded) }
            for entry in entries {
                let value = after.value(entry.value, column)
                add(.set(inner.nested(SyncString(entry.key)), .value(value), .real), isEmbedded)
            }
        }
    }

    private mutating func setWhole(
        _ edit: NestedEdit,
        _ path: [SyncString],
        _ property: JournalProperty,
        _ column: Column,
        _ place: LocalPlace,
        _ isEmbedded: Bool
    ) {
        let key = property.object.key
        var root: Value?
        switch edit.place {
        case .property: root = after.view.storedValue(column, key)
        case .element: return
        case .entry(let name):
            root = after.view.storedDictionaryEntries(column, key).first { $0.key == name }?.value
        }
        guard let whole = root.map({ after.value($0, column) })?.nested(path[...]) else { return }
        add(.set(path.reduce(place) { $0.nested($1) }, .value(whole), .real), isEmbedded)
    }
}

extension PrimaryKey {
    /// Nil for no key of a file.
    fileprivate var value: Value? {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value.string)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        }
    }
}
