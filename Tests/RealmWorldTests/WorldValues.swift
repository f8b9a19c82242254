import FreeholdEngine
import FreeholdSyncCore

@testable import FreeholdRealmWire
@testable import TestRealmClient

// Objects of Freehold's clients and servers in the form of the official client, and the other way round.

extension WireObject {
    init(_ name: ObjectName) {
        let key: WireKey =
            switch name.key {
            case .null: .null
            case .int(let value): .int(value)
            case .string(let value): .string(WireText(value.string))
            case .objectId, .uuid: preconditionFailure("The worlds have no such keys")
            }
        self.init(table: WireText(name.className.string), key: key)
    }

    var name: ObjectName {
        let key: PrimaryKey =
            switch key {
            case .null: .null
            case .int(let value): .int(value)
            case .string(let text): .string(SyncString(text.description))
            case .objectID, .uuid: preconditionFailure("The worlds have no such keys")
            }
        return ObjectName(SyncString(table.description), key)
    }
}

extension WireState {
    /// Creates a state from objects of Freehold.
    init(_ objects: [ObjectName: [SyncString: MergedContent]], schema: WireSchema) {
        self.init(schema: schema)
        for (name, contents) in objects {
            let object = WireObject(name)
            guard schema[object.table] != nil else { continue }
            self[object] = fields(contents, of: object.table)
        }
    }

    /// The fields that an app gives to a new object.
    func initialContents(of table: WireText) -> [SyncString: MergedContent] {
        var contents: [SyncString: MergedContent] = [:]
        for column in schema[table]?.columns ?? [] where column.collection == .single && !column.isNullable {
            contents[SyncString(column.field.description)] = column.initialValue.content
        }
        return contents
    }

    private func fields(_ contents: [SyncString: MergedContent], of table: WireText) -> WireFields {
        var fields: WireFields = [:]
        for column in schema[table]?.columns ?? [] {
            guard let content = contents[SyncString(column.field.description)] else { continue }
            // A field that was never written has no content, or null.
            if content == .value(.null), column.collection != .single || !column.isNullable { continue }
            let value = value(content, column)
            if value != column.initialValue { fields[column.field] = value }
        }
        return fields
    }

    private func value(_ content: MergedContent, _ column: FreeholdRealmWire.ColumnSpec) -> WireValue {
        switch content {
        case .value(let value): WireValue(value)
        case .embedded(let contents): .object(fields(contents, of: column.target ?? ""))
        case .list(let elements): .list(WireList(values: elements.map { value($0, column) }))
        case .dictionary(let entries):
            .dictionary(
                Dictionary(uniqueKeysWithValues: entries.map { (WireText($0.key.string), value($0.value, column)) })
            )
        case .set(let elements): .set(WireSet(elements.values.map { WireValue($0).payload }))
        }
    }
}

extension WireValue {
    init(_ value: SyncValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .scalar(.bool(value))
        case .int(let value): self = .scalar(.int(value))
        case .float(let value): self = .scalar(.float(value))
        case .double(let value): self = .scalar(.double(value))
        case .string(let value): self = .scalar(.string(WireText(value.string)))
        case .link(let name): self = .scalar(.link(WireObject(name)))
        case .list(let values): self = .list(WireList(values: values.map { WireValue($0) }))
        case .dictionary(let dictionary):
            self = .dictionary(
                Dictionary(
                    uniqueKeysWithValues: dictionary.entries.map { (WireText($0.key.string), WireValue($0.value)) }
                )
            )
        case .data, .date, .objectId, .uuid, .decimal128, .embedded: preconditionFailure("The worlds have no \(value)")
        }
    }

    /// The value inside of a mixed one, or a plain value.
    var syncValue: SyncValue {
        switch self {
        case .scalar(let payload): payload.syncValue
        case .list(let list): .list(list.values.map(\.syncValue))
        case .dictionary(let entries):
            .dictionary(SyncDictionary(entries.map { (SyncString($0.key.description), $0.value.syncValue) }))
        case .object, .set: preconditionFailure("A mixed value has no \(self)")
        }
    }

    /// The content of a place of a column.
    var content: MergedContent {
        guard case .object(let fields) = self else { return .value(syncValue) }
        return .embedded(
            Dictionary(uniqueKeysWithValues: fields.map { (SyncString($0.key.description), $0.value.content) })
        )
    }
}

extension Payload {
    var syncValue: SyncValue {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .string(let text): .string(SyncString(text.description))
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .link(let object): .link(object.name)
        case .list, .dictionary, .erased, .object, .data, .date, .decimal, .objectID, .uuid:
            preconditionFailure("The worlds have no \(self)")
        }
    }
}

// MARK: Edits

extension LocalChange {
    /// Returns the edits of a Freehold client that make the same change.
    func edits(of state: WireState) -> [LocalEdit] {
        switch self {
        case .create(let object): return [.create(object.name, state.initialContents(of: object.table), defaults: [])]
        case .delete(let object): return [.delete(object.name, .edit)]
        case .set(let path, let value): return [.set(path.place(in: state), value.content, .real)]
        case .setDefault(let path, let value):
            return [.set(path.place(in: state), .value(value.syncValue), .byDefault)]
        case .add(let path, let amount): return [.increment(path.place(in: state), amount)]
        case .insert(let path, let value):
            return [.insert(path.parent.place(in: state), at: Int(path.lastIndex!), [value.content])]
        case .remove(let path):
            return [.remove(path.parent.place(in: state), at: Int(path.lastIndex!), count: 1)]
        case .move(let path, let target):
            guard path.lastIndex != target else { return [] }
            return [.move(path.parent.place(in: state), from: Int(path.lastIndex!), to: Int(target))]
        case .removeEntry(let path): return [.removeEntry(path.place(in: state))]
        case .insertIntoSet(let path, let value): return [.insertIntoSet(path.place(in: state), [value.syncValue])]
        case .removeFromSet(let path, let value): return [.removeFromSet(path.place(in: state), [value.syncValue])]
        case .removeAll(let path):
            let place = path.place(in: state)
            switch state.value(at: path) {
            case .list(let list):
                let hidden = list.elements.indices.filter { state.isHidden(list.elements[$0].value) }
                return [.clearList(place, hidden: hidden)]
            case .set(let set):
                let hidden = set.values.filter { state.isHidden(.scalar($0)) }
                return [.clearSet(place, hidden: hidden.map(\.syncValue))]
            case .dictionary: return [.clearDictionary(place, hidden: [])]
            case .scalar, .object, nil: return []
            }
        }
    }
}

extension WireState {
    /// Returns a Boolean value that indicates whether an app doesn't see an element: a link to a missing object.
    func isHidden(_ value: WireValue) -> Bool {
        guard case .scalar(.link(let object)) = value else { return false }
        return self[object] == nil
    }

    /// Returns a value without the links that an app doesn't see.
    func visible(_ value: WireValue) -> WireValue {
        switch value {
        case .scalar: isHidden(value) ? .null : value
        case .object(let fields): .object(fields.mapValues(visible))
        case .dictionary(let entries): .dictionary(entries.mapValues(visible))
        case .list(let list): .list(WireList(values: list.values.filter { !isHidden($0) }.map(visible)))
        case .set(let set): .set(WireSet(set.values.filter { !isHidden(.scalar($0)) }))
        }
    }

    /// The objects as an app sees them.
    var visible: WireState {
        var result = WireState(schema: schema)
        for object in objects {
            var fields = self[object]!.mapValues(visible)
            for column in schema[object.table]!.columns where fields[column.field] == column.initialValue {
                fields[column.field] = nil
            }
            result[object] = fields
        }
        return result
    }
}

extension WirePath {
    var parent: WirePath { WirePath(object: object, field: field, elements: elements.dropLast()) }

    /// Returns the place in the form of a Freehold client, which has steps of four kinds.
    func place(in state: WireState) -> LocalPlace {
        var place = LocalPlace(object.name, SyncString(field.description))
        var path = WirePath(object: object, field: field)
        var isNested = state.schema[object.table]?[field]?.collection == .single
        for element in elements {
            let value = state.value(at: path)
            switch element {
            case .index(let index):
                place = place.element(Int(index))
            case .name(let name):
                if case .object = value {
                    place = place.property(SyncString(name.description))
                    path.elements.append(element)
                    isNested = (try? LocalWriter(state: state, version: 0).place(path).column.collection) == .single
                    continue
                }
                place =
                    isNested ? place.nested(SyncString(name.description)) : place.entry(SyncString(name.description))
            }
            path.elements.append(element)
            isNested = true
        }
        return place
    }
}

extension WireObject {
    var text: String { WirePath(object: self, field: "").text }
}
