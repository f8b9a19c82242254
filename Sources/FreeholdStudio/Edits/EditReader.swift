import FreeholdEngine

/// Reads the edits that the page sends.
struct EditReader {
    let view: Snapshot
    let facts: SchemaFacts
    /// The objects that waiting edits create, by the names that the page gave to them.
    var waiting: [String: WaitingObject] = [:]
    /// The number of the edit that was read last.
    var lastNumber = 0

    private var values: ValueReader { ValueReader(view: view, facts: facts, waiting: waiting) }

    private mutating func next() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func wrong(_ text: String) -> StudioError { StudioError(.invalid, text) }

    /// Returns the edits for a message. An edit of many objects becomes one for each of them.
    ///
    /// - Parameters:
    ///   - json: the edit.
    ///   - keys: returns the objects of a cursor, or those in ranges of its rows.
    mutating func edits(
        _ json: StudioJSON,
        keys: (Int, [Range<Int>]?) throws(StudioError) -> (Table, [ObjectKey])
    ) throws(StudioError) -> [StagedEdit] {
        guard let members = json.members, let first = members.first, members.count == 1 else {
            throw wrong("An edit is an object with one member.")
        }
        let body = first.value
        switch first.key {
        case "set": return [try set(body, json, number: next())]
        case "create": return [try create(body, json, number: next())]
        case "delete":
            if let cursor = body["cursor"]?.int {
                let (table, objects) = try keys(cursor, try ranges(body))
                return objects.map {
                    edit(next(), table, key: $0, action: .delete, base: .object, json: deletion(table, $0))
                }
            }
            let table = try table(body)
            var out: [StagedEdit] = []
            for key in body["keys"]?.elements ?? [] {
                guard let number = key.int else { throw wrong("The keys of objects are numbers.") }
                let key = try existing(table, number)
                out.append(edit(next(), table, key: key, action: .delete, base: .object, json: deletion(table, key)))
            }
            return out
        case "deleteAll":
            let (table, objects) = try keys(body["cursor"]?.int ?? -1, nil)
            return objects.map {
                edit(next(), table, key: $0, action: .delete, base: .object, json: deletion(table, $0))
            }
        case "setAll":
            let (table, objects) = try keys(body["cursor"]?.int ?? -1, nil)
            let column = try column(body, table)
            guard column.collection == .none, !column.isPrimaryKey, !view.schema.ownsTargets(column) else {
                throw wrong("'\(column.name)' can't be set for many objects.")
            }
            let value = try value(body, column)
            return objects.map { key in
                edit(
                    next(),
                    table,
                    key: key,
                    action: .set(property: column.name, to: value),
                    base: .value(view.value(column, key)),
                    json: assignment(body, column, key: key)
                )
            }
        case "insert", "remove", "replace", "move": return [try element(first.key, body, json, number: next())]
        default: throw wrong("There is no edit '\(first.key.prefix(40))'.")
        }
    }

    private func ranges(_ body: StudioJSON) throws(StudioError) -> [Range<Int>] {
        guard let ranges = try StudioRequest.ranges(body["ranges"]) else {
            throw wrong("'ranges' is a list of pairs [from, to].")
        }
        return ranges
    }

    private func edit(
        _ number: Int,
        _ table: Table,
        key: ObjectKey?,
        action: StagedEdit.Action,
        base: StagedValue,
        json: StudioJSON
    ) -> StagedEdit {
        StagedEdit(number: number, className: table.name, key: key, action: action, base: base, json: json)
    }

    private func deletion(_ table: Table, _ key: ObjectKey) -> StudioJSON {
        ["delete": ["class": .string(table.name), "keys": [.int(key.raw)]]]
    }

    private func assignment(_ body: StudioJSON, _ column: Column, key: ObjectKey) -> StudioJSON {
        [
            "set": .members([
                "class": .string(view.schema.table(of: column).name), "key": .int(key.raw),
                "property": .string(column.name), "value": body["value"], "text": body["text"],
            ])
        ]
    }

    private func table(_ body: StudioJSON) throws(StudioError) -> Table {
        guard let name = body["class"]?.text else { throw wrong("An edit names a class.") }
        return try facts.table(name)
    }

    private func existing(_ table: Table, _ number: Int) throws(StudioError) -> ObjectKey {
        let key = ObjectKey(Int64(number))
        guard view.contains(table, key) else {
            throw StudioError(.notFound, "'\(table.name)' has no object with the key \(number).")
        }
        return key
    }

    private func object(_ body: StudioJSON) throws(StudioError) -> (Table, ObjectKey) {
        let table = try table(body)
        guard let number = body["key"]?.int else { throw wrong("An edit names the key of an object.") }
        return (table, try existing(table, number))
    }

    private func column(_ body: StudioJSON, _ table: Table) throws(StudioError) -> Column {
        guard let name = body["property"]?.text else { throw wrong("An edit names a property.") }
        return try facts.column(name, of: table)
    }

    /// Returns the value of an edit: given as a value, or as the text that the user typed.
    private func value(_ body: StudioJSON, _ column: Column) throws(StudioError) -> Value {
        if let text = body["text"]?.text {
            let isNull = text.isEmpty && (body["null"]?.flag ?? false)
            return isNull
                ? try values.value(.null, for: column)
                : try TypedText(view: view, facts: facts).value(text, for: column)
        }
        guard let value = body["value"] else { throw wrong("An edit has a value or a text.") }
        return try values.value(value, for: column)
    }

    private func set(_ body: StudioJSON, _ json: StudioJSON, number: Int) throws(StudioError) -> StagedEdit {
        let (table, key) = try object(body)
        let column = try column(body, table)
        guard !column.isPrimaryKey else { throw wrong("The primary key of an object can't change.") }
        guard column.collection == .none else { throw wrong("'\(column.name)' is a collection. Edit its elements.") }
        let value = try value(body, column)
        if view.schema.ownsTargets(column), !value.isNull {
            throw wrong("An embedded object can't be linked to a second time. Create it, or edit its properties.")
        }
        return edit(
            number,
            table,
            key: key,
            action: .set(property: column.name, to: value),
            base: .value(view.value(column, key)),
            json: json
        )
    }

    private mutating func create(_ body: StudioJSON, _ json: StudioJSON, number: Int) throws(StudioError) -> StagedEdit
    {
        let table = try table(body)
        guard !table.isEmbedded else { throw wrong("An embedded object can't be created alone.") }
        let reader = self.values
        var values: [(property: String, value: StagedValue)] = []
        for member in body["values"]?.members ?? [] {
            let column = try facts.column(member.key, of: table)
            switch column.collection {
            case .none: values.append((column.name, .value(try reader.value(member.value, for: column))))
            case .list, .set:
                var elements: [Value] = []
                for element in try reader.whole(member.value) {
                    elements.append(try reader.value(element, for: column))
                }
                values.append((column.name, .list(elements)))
            case .dictionary:
                var entries: [NestedDictionary.Entry] = []
                for element in try reader.whole(member.value) {
                    guard let pair = element.elements, pair.count == 2, let name = pair[0].text else {
                        throw wrong("A map is a list of pairs of key and value.")
                    }
                    entries.append(.init(name, try reader.value(pair[1], for: column)))
                }
                values.append((column.name, .map(entries)))
            }
        }
        if let primaryKey = table.primaryKey, !values.contains(where: { $0.property == primaryKey.name }) {
            throw wrong("An object of '\(table.name)' needs its primary key '\(primaryKey.name)'.")
        }
        if let name = body["as"]?.text {
            guard waiting[name] == nil else {
                throw wrong("Another object that waits has the name '\(name.prefix(40))'.")
            }
            waiting[name] = WaitingObject(className: table.name, number: number, name: name)
        }
        return edit(number, table, key: nil, action: .create(values: values), base: .nothing, json: json)
    }

    private func element(_ kind: String, _ body: StudioJSON, _ json: StudioJSON, number: Int) throws(StudioError)
        -> StagedEdit
    {
        let (table, key) = try object(body)
        let column = try column(body, table)
        guard column.collection != .none else { throw wrong("'\(column.name)' isn't a collection.") }
        guard !view.schema.ownsTargets(column) || kind == "remove" || kind == "move" else {
            throw wrong("Embedded objects can't be linked to a second time.")
        }
        let count = view.listCount(column, key)
        if column.collection == .dictionary {
            guard let name = body["at"]?.text, kind != "move" else { throw wrong("An entry of a map has a key.") }
            let old = view.dictionaryValue(column, key, forKey: name)
            let base = StagedValue.element(count: count, old)
            guard kind != "remove" else {
                return edit(
                    number,
                    table,
                    key: key,
                    action: .take(property: column.name, name: name),
                    base: base,
                    json: json
                )
            }
            let value = try value(body, column)
            return edit(
                number,
                table,
                key: key,
                action: .put(property: column.name, name: name, value),
                base: base,
                json: json
            )
        }
        if kind == "move" {
            guard column.collection == .list, let from = body["from"]?.int, let to = body["to"]?.int,
                (0..<count).contains(from), (0..<count).contains(to)
            else { throw wrong("A move names two positions in a list.") }
            let base = StagedValue.element(count: count, view.listValue(column, key, at: from))
            return edit(
                number,
                table,
                key: key,
                action: .move(property: column.name, from: from, to: to),
                base: base,
                json: json
            )
        }
        let at = column.collection == .set && kind == "insert" ? 0 : body["at"]?.int ?? -1
        let limit = kind == "insert" ? count : count - 1
        guard at >= 0, at <= limit else { throw wrong("'at' is a position in the collection.") }
        let old = at < count ? view.listValue(column, key, at: at) : nil
        let base = StagedValue.element(count: count, old)
        switch kind {
        case "remove":
            return edit(number, table, key: key, action: .remove(property: column.name, at: at), base: base, json: json)
        case "insert":
            let value = try value(body, column)
            return edit(
                number,
                table,
                key: key,
                action: .insert(property: column.name, at: at, value),
                base: base,
                json: json
            )
        default:
            let value = try value(body, column)
            return edit(
                number,
                table,
                key: key,
                action: .replace(property: column.name, at: at, value),
                base: base,
                json: json
            )
        }
    }
}
