import FreeholdEngine

@testable import FreeholdSyncCore

/// Performs edits like an app, on visible data. Edits that name hidden data are left out.
struct AppWriter {
    let write: WriteTransaction

    /// Objects of the worlds' class, in the form of a file.
    static let schema = [
        TableSpec(
            "Address",
            columns: [
                ColumnSpec("street", .int, optional: true), ColumnSpec("rooms", .int, collection: .list),
            ],
            isEmbedded: true
        ),
        TableSpec(
            "Thing",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("f", .int, optional: true), ColumnSpec("g", .int, optional: true),
                ColumnSpec("mail", .int, optional: true), ColumnSpec("count", .int, optional: true),
                ColumnSpec("mixed", .mixed, optional: true), ColumnSpec("list", .int, collection: .list),
                ColumnSpec("set", .mixed, optional: true, collection: .set),
                ColumnSpec("map", .int, collection: .dictionary),
                ColumnSpec("home", .link, optional: true, target: "Address"),
                ColumnSpec("homes", .link, optional: true, collection: .dictionary, target: "Address"),
                ColumnSpec("places", .link, collection: .list, target: "Address"),
                ColumnSpec("best", .link, optional: true, target: "Thing"),
                ColumnSpec("friends", .link, collection: .list, target: "Thing"),
            ],
            primaryKey: "_id"
        ),
    ]

    private var table: Table { write.schema.table(named: "Thing")! }

    func perform(_ edit: LocalEdit) throws {
        guard case .int(let id) = edit.object.key else { return }
        let key = write.find(primaryKey: .int(id), in: table)
        switch (edit, key) {
        case (.create(_, let contents, let defaults), nil):
            let key = try write.create(table, primaryKey: .int(id))
            try fill(table, key, contents)
            for name in defaults.sorted() { write.markDefault(table.column(named: name.string)!, key) }
        case (.delete, let key?): write.delete(table, key)
        case (.create, _), (.delete, _), (_, nil): break
        case (_, let key?): try perform(edit, table, key, edit.place!.path[...])
        }
    }

    private func fill(_ table: Table, _ key: ObjectKey, _ contents: [SyncString: MergedContent]) throws {
        for (name, content) in contents.sorted(by: { $0.key < $1.key }) {
            guard let column = table.column(named: name.string) else { continue }
            switch content {
            case .list(let elements):
                try write.listInsert(column, key, at: 0, values: try elements.compactMap { try value($0, column) })
            case .set(let elements):
                for value in elements.values.sorted(by: { "\($0)" < "\($1)" }) {
                    _ = try write.setInsert(column, key, value: plain(value))
                }
            case .dictionary(let entries):
                for (name, content) in entries.sorted(by: { $0.key < $1.key }) {
                    guard let value = try value(content, column) else { continue }
                    try write.dictionarySet(column, key, forKey: name.string, to: value)
                }
            default: if let value = try value(content, column) { try write.set(column, key, to: value) }
            }
        }
    }

    /// Returns `nil` for the target of a link that an app can't see.
    private func value(_ content: MergedContent, _ column: Column) throws -> Value? {
        switch content {
        case .embedded(let fields):
            let address = write.schema.table(named: "Address")!
            let key = try write.create(address)
            try fill(address, key, fields)
            return .link(key)
        case .value(.link(let name)) where column.type == .link:
            guard case .int(let id) = name.key else { return nil }
            return write.find(primaryKey: .int(id), in: table).map { .link($0) }
        case .value(let value): return plain(value)
        default: return nil
        }
    }

    private func plain(_ value: SyncValue) -> Value {
        switch value {
        case .int(let value): return .int(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(value.string)
        case .list(let values): return .list(NestedList(values.map(plain)))
        case .dictionary(let dictionary):
            return .dictionary(
                NestedDictionary(dictionary.entries.map { NestedDictionary.Entry($0.key.string, plain($0.value)) })
            )
        case .link(let name):
            guard case .int(let id) = name.key, let key = write.find(primaryKey: .int(id), in: table) else {
                return .null
            }
            return .objectLink(ObjectLink(tableID: table.id, key: key))
        default: return .null
        }
    }

    /// Performs an edit at a place, which leads to a property, or to an element or entry of it.
    private func perform(_ edit: LocalEdit, _ table: Table, _ key: ObjectKey, _ path: ArraySlice<LocalPlace.Step>)
        throws
    {
        guard case .property(let name)? = path.first, let column = table.column(named: name.string) else { return }
        var rest = path.dropFirst()
        var place = NestedSubscript.property
        var value: Value? = column.collection == .none ? write.value(column, key) : nil
        switch rest.first {
        case .element(let index)?:
            let shown = write.shownIndex(column, key, ofStored: index)
            guard index < write.storedCount(column, key), shown < write.listCount(column, key),
                write.storedIndex(column, key, ofShown: shown) == index
            else { return }
            (place, value) = (.element(shown), write.listValue(column, key, at: shown))
            rest = rest.dropFirst()
        case .entry(let name)?:
            place = .entry(name.string)
            value = write.dictionaryEntries(column, key).first { $0.key == name.string }?.value
            rest = rest.dropFirst()
        default: break
        }
        if case .property? = rest.first {
            guard case .link(let inner)? = value else { return }
            return try perform(edit, write.schema.table(id: column.targetTableID!)!, inner, rest)
        }
        if !rest.isEmpty { return try nested(edit, column, key, place, value, rest) }
        try perform(edit, column, key, place)
    }

    private func perform(_ edit: LocalEdit, _ column: Column, _ key: ObjectKey, _ place: NestedSubscript) throws {
        switch (edit, place) {
        case (.set(_, let content, let origin), .property):
            guard origin == .real, let value = try value(content, column) else { return }
            try write.set(column, key, to: value)
        case (.set(_, let content, _), .element(let index)):
            if let value = try value(content, column) { try write.listSet(column, key, at: index, to: value) }
        case (.set(_, let content, _), .entry(let name)):
            if let value = try value(content, column) { try write.dictionarySet(column, key, forKey: name, to: value) }
        case (.increment(_, let number), .property):
            if case .int = write.value(column, key) { _ = try write.increment(column, key, by: number) }
        case (.increment(_, let number), .element(let index)):
            _ = try write.listIncrement(column, key, at: index, by: number)
        case (.increment(_, let number), .entry(let name)):
            _ = try write.dictionaryIncrement(column, key, forKey: name, by: number)
        case (.removeEntry, .entry(let name)): _ = write.dictionaryRemove(column, key, forKey: name)
        case (.insert(_, let at, let contents), _):
            let values = try contents.compactMap { try value($0, column) }
            let shown = min(write.shownIndex(column, key, ofStored: at), write.listCount(column, key))
            if !values.isEmpty { try write.listInsert(column, key, at: shown, values: values) }
        case (.remove(_, let at, let count), _):
            let first = write.shownIndex(column, key, ofStored: at)
            let end = min(first + count, write.listCount(column, key))
            if first < end { try write.listRemove(column, key, range: first..<end) }
        case (.move(_, let from, let to), _):
            let (from, to) = (
                write.shownIndex(column, key, ofStored: from), write.shownIndex(column, key, ofStored: to)
            )
            let count = write.listCount(column, key)
            if from < count, to < count { try write.listMove(column, key, from: from, to: to) }
        case (.insertIntoSet(_, let values), _):
            for value in values { _ = try write.setInsert(column, key, value: plain(value)) }
        case (.removeFromSet(_, let values), _):
            for value in values { _ = write.setRemove(column, key, value: plain(value)) }
        case (.clearList, _), (.clearSet, _), (.clearDictionary, _): write.listClear(column, key)
        case (.assignList(_, _, _, let contents), _):
            try write.listAssign(column, key, values: try contents.compactMap { try value($0, column) })
        case (.assignSet(_, _, let values), _): try write.setAssign(column, key, values: values.map(plain))
        case (.assignDictionary(_, _, let entries), _):
            let sorted = entries.sorted { $0.key < $1.key }
            let values = try sorted.compactMap { entry in
                try value(entry.value, column).map { (key: entry.key.string, value: $0) }
            }
            try write.dictionaryAssign(column, key, entries: values)
        default: break
        }
    }

    private func nested(
        _ edit: LocalEdit,
        _ column: Column,
        _ key: ObjectKey,
        _ place: NestedSubscript,
        _ value: Value?,
        _ path: ArraySlice<LocalPlace.Step>
    ) throws {
        var keys = path.compactMap { if case .nested(let key) = $0 { key.string } else { nil } }
        guard let last = keys.popLast() else { return }
        var inner = value
        for key in keys {
            guard case .dictionary(let dictionary)? = inner else { return }
            inner = dictionary[key]
        }
        guard case .dictionary(let dictionary)? = inner else { return }
        var new: Value?
        switch edit {
        case .set(_, .value(let value), _): new = plain(value)
        case .increment(_, let number):
            guard case .int(let old)? = dictionary[last] else { return }
            new = .int(old &+ number)
        default: break
        }
        var place = place
        try write.updateNested(column, key, id: dictionary.id, near: &place) { value throws(EngineError) in
            guard case .dictionary(var dictionary) = value else { return }
            dictionary[last] = new
            value = .dictionary(dictionary)
        }
    }
}
