internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// Objects of the server in the form in which an official client has them.
/// Values that don't fit the client's schema, or that would crash the client, are left out.
struct ObjectReader {
    let schema: WireSchema
    /// A Boolean value that indicates whether a value was left out.
    private(set) var leavesOut = false

    init(_ schema: WireSchema) { self.schema = schema }

    /// Returns the fields of an object, without those that have their initial value.
    mutating func fields(_ confirmed: [ConfirmedField], of table: WireText, depth: Int = 0) -> WireFields {
        var fields: WireFields = [:]
        guard let table = schema[table] else { return fields }
        for field in confirmed {
            let name = WireText(field.name)
            guard let column = table[name], let value = value(field.content, column, depth: depth) else { continue }
            if value != column.initialValue { fields[name] = value }
        }
        return fields
    }

    private mutating func value(_ content: ConfirmedContent, _ column: ColumnSpec, depth: Int) -> WireValue? {
        switch (column.collection, content) {
        case (.single, _): return single(content, column, isElement: false, depth: depth)
        case (.list, .list(let runs)):
            var elements: [WireList.Element] = []
            var index: UInt64 = 0
            for run in runs {
                for (offset, content) in run.elements.enumerated() {
                    defer { index += 1 }
                    guard let value = single(content, column, isElement: true, depth: depth) else {
                        leavesOut = true
                        continue
                    }
                    let id = run.made.map { made in
                        let step = UInt64(offset)
                        return ElementID(
                            change: made.version,
                            number: run.isFalling ? made.number &- step : made.number &+ step
                        )
                    }
                    elements.append(.init(value, id: id ?? .atPosition(index)))
                }
            }
            return .list(WireList(elements))
        case (.set, .set(let values)):
            let payloads = values.compactMap { value -> Payload? in
                guard case .scalar(let payload)? = plain(value, column, isElement: true) else { return nil }
                return payload
            }
            return .set(WireSet(payloads))
        case (.dictionary, .dictionary(let entries)):
            var result: [WireText: WireValue] = [:]
            for entry in entries {
                guard let key = key(entry.key),
                    let value = single(entry.content, column, isElement: true, depth: depth)
                else { continue }
                result[key] = value
            }
            return .dictionary(result)
        default:
            leavesOut = true
            return nil
        }
    }

    /// Returns a key that the client accepts.
    private mutating func key(_ key: SyncString) -> WireText? {
        guard key.string.utf8.first != UInt8(ascii: "$"), !key.string.utf8.contains(UInt8(ascii: ".")) else {
            leavesOut = true
            return nil
        }
        return WireText(key)
    }

    private mutating func single(
        _ content: ConfirmedContent,
        _ column: ColumnSpec,
        isElement: Bool,
        depth: Int
    ) -> WireValue? {
        guard depth < 90 else {
            leavesOut = true
            return isElement ? nil : .null
        }
        if schema.isEmbedded(column) {
            switch content {
            case .embedded(let instance):
                return .object(fields(instance.fields, of: column.target ?? "", depth: depth + 1))
            case .value(.null): return isElement && column.collection == .list ? nil : .null
            default: return nil
            }
        }
        guard case .value(let value) = content else { return nil }
        return plain(value, column, isElement: isElement, depth: depth)
    }

    private mutating func plain(
        _ value: SyncValue,
        _ column: ColumnSpec,
        isElement: Bool,
        depth: Int = 0
    ) -> WireValue? {
        if column.kind == .mixed { return mixed(value, depth: depth) }
        guard let payload = Payload(value) else { return nil }
        if payload == .null {
            let takesNull = column.isNullable || column.kind == .link && !isElement
            return takesNull ? .null : nil
        }
        guard payload.tag == column.kind.rawValue, isAllowed(payload) else {
            leavesOut = true
            return nil
        }
        if case .link(let object) = payload, object.table != column.target { return nil }
        return .scalar(payload)
    }

    private mutating func mixed(_ value: SyncValue, depth: Int) -> WireValue {
        guard depth < 90 else {
            leavesOut = true
            return .null
        }
        switch value {
        case .list(let values): return .list(WireList(values: values.map { mixed($0, depth: depth + 1) }))
        case .dictionary(let dictionary):
            var entries: [WireText: WireValue] = [:]
            for entry in dictionary.entries {
                if let key = key(entry.key) { entries[key] = mixed(entry.value, depth: depth + 1) }
            }
            return .dictionary(entries)
        default:
            guard let payload = Payload(value), isAllowed(payload) else { return .null }
            return .scalar(payload)
        }
    }

    /// Returns a Boolean value that indicates whether the client accepts a value.
    private mutating func isAllowed(_ payload: Payload) -> Bool {
        let isAllowed: Bool =
            switch payload {
            case .string(let text): text.count <= WireLimits.usual.string
            case .data(let bytes): bytes.count <= WireLimits.usual.data
            case .link(let object):
                schema[object.table]?.spec.kind == .topLevel && object.key.fits(schema[object.table]?.spec)
            default: true
            }
        if !isAllowed { leavesOut = true }
        return isAllowed
    }
}

extension WireKey {
    /// Returns a Boolean value that indicates whether a class can have an object with the key.
    func fits(_ spec: TableSpec?) -> Bool {
        guard let key = spec?.primaryKey else { return false }
        return switch self {
        case .null: key.isNullable
        case .int: key.kind == .int
        case .string(let text): key.kind == .string && text.count <= WireLimits.usual.string
        case .objectID: key.kind == .objectID
        case .uuid: key.kind == .uuid
        }
    }
}

extension ElementID {
    /// The flag of elements whose commit has no version yet.
    private static let pending: UInt64 = 1 << 63

    /// The name of an element that is too old to have one: its position in the list of a version.
    static func atPosition(_ index: UInt64) -> ElementID { ElementID(change: 0, number: index) }

    /// The name of an element that a commit inserted whose version isn't known yet.
    static func pending(_ number: OwnNumber) -> ElementID { ElementID(change: pending | number, number: 0) }

    /// The number that the author gave the element, as long as the commit has no version.
    var pendingNumber: OwnNumber? { change & Self.pending == 0 ? nil : change & ~Self.pending }

    var isPosition: Bool { change == 0 }

    /// The reference of a commit to the element.
    var reference: ElementReference {
        if isPosition { return .confirmed(Int(clamping: number)) }
        return pendingNumber.map { .own($0) } ?? .made(Made(version: change, number: number))
    }
}

extension WireFields {
    /// Returns the fields with other names of elements.
    func mappingIDs(_ map: (ElementID) -> ElementID?) -> WireFields { mapValues { $0.mappingIDs(map) } }

    /// Returns a Boolean value that indicates whether the name of an element fulfils a condition.
    func containsID(_ condition: (ElementID) -> Bool) -> Bool { values.contains { $0.containsID(condition) } }
}

extension WireValue {
    func mappingIDs(_ map: (ElementID) -> ElementID?) -> WireValue {
        switch self {
        case .scalar, .set: return self
        case .object(let fields): return .object(fields.mappingIDs(map))
        case .dictionary(let entries): return .dictionary(entries.mapValues { $0.mappingIDs(map) })
        case .list(var list):
            for index in list.elements.indices {
                list.elements[index].id = list.elements[index].id.flatMap(map)
                switch list.elements[index].value {
                case .scalar, .set: break
                default: list.elements[index].value = list.elements[index].value.mappingIDs(map)
                }
            }
            return .list(list)
        }
    }

    func containsID(_ condition: (ElementID) -> Bool) -> Bool {
        switch self {
        case .scalar, .set: false
        case .object(let fields): fields.containsID(condition)
        case .dictionary(let entries): entries.values.contains { $0.containsID(condition) }
        case .list(let list):
            list.elements.contains { $0.id.map(condition) ?? false || $0.value.containsID(condition) }
        }
    }
}
