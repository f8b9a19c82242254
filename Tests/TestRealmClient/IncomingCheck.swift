@testable import FreeholdRealmWire

/// The checks of a received changeset before it is merged: section 7.2 of the rules of the official client, and N6.
struct IncomingCheck {
    var schema: WireSchema
    private(set) var traps: [ClientTrap] = []
    /// The objects that the changeset creates, and the last of them.
    private var created: Set<WireObject> = []
    private var last: WireObject?

    init(schema: WireSchema) { self.schema = schema }

    private mutating func require(
        _ condition: Bool,
        _ effect: ClientTrap.Effect,
        rule: String,
        _ reason: @autoclosure () -> String
    ) {
        if !condition { traps.append(ClientTrap(effect, rule: rule, reason())) }
    }

    mutating func check(_ changeset: Changeset) {
        for instruction in changeset.instructions { check(instruction) }
    }

    private mutating func check(_ instruction: Instruction) {
        switch instruction {
        case .eraseTable, .eraseColumn:
            require(false, .terminates, rule: "7.2.13", "a class or field is erased")
        case .addTable(let spec):
            require(spec.name.count <= 57, .terminates, rule: "7.2.4", "the name of a class is too long")
            if let present = schema[spec.name]?.spec {
                require(present == spec, .silences, rule: "7.2.19", "the class \(spec.name) is different")
            } else {
                try? schema.add(spec)
            }
        case .addColumn(let column):
            require(column.field.count <= 63, .terminates, rule: "7.2.4", "the name of a field is too long")
            require((column.target?.count ?? 0) <= 57, .terminates, rule: "7.2.4", "the name of a target is too long")
            if let target = column.target.flatMap({ schema[$0] })?.spec.kind {
                require(target != .asymmetric, .terminates, rule: "7.2.11", "a field links to an asymmetric class")
                require(
                    target != .embedded || column.collection != .set,
                    .terminates,
                    rule: "7.2.11",
                    "a set of embedded objects"
                )
            }
            if let present = schema[column.table]?[column.field] {
                require(
                    present == column,
                    .silences,
                    rule: "7.2.19",
                    "the field \(column.table).\(column.field) is different"
                )
            } else {
                try? schema.add(column)
            }
        case .createObject(let object):
            require(
                schema[object.table]?.spec.kind != .asymmetric,
                .damages,
                rule: "7.2.23",
                "an object of an asymmetric class"
            )
            created.insert(object)
            last = object
        case .eraseObject(let object): created.remove(object)
        case .update(let path, let value, let mark):
            check(path)
            check(value)
            require(
                schema[path.object.table]?.spec.primaryKey?.field != path.field,
                .damages,
                rule: "7.2.14",
                "a primary key is updated"
            )
            require(
                (path.lastIndex == nil) == (mark == .field(isDefault: false) || mark == .field(isDefault: true)),
                .silences,
                rule: "1.3",
                "the last part of an update doesn't fit its path"
            )
            if value == .list || value == .dictionary { checkContainer(path) }
        case .addInteger(let path, _): check(path)
        case .arrayInsert(let path, let value, _):
            check(path)
            check(value)
            if value == .list || value == .dictionary { checkContainer(path) }
        case .arrayMove(let path, let target, _):
            check(path)
            require(path.lastIndex != target, .silences, rule: "7.2.18", "a move to its own place")
            if let column = schema[path.object.table]?[path.field] {
                let hasParts = column.kind == .mixed || path.elements.count > 1 || schema.isEmbedded(column)
                require(!hasParts, .silences, rule: "7.2.18", "a move in a list of objects or collections")
            }
        case .arrayErase(let path, _): check(path)
        case .clear(let path, let kind):
            check(path)
            let column = schema[path.object.table]?[path.field]
            require(
                kind != .single || (path.elements.isEmpty && column?.collection != .single),
                .terminates,
                rule: "7.2.7",
                "a plain value is cleared"
            )
            require(
                kind != .set || column?.collection == .set,
                .terminates,
                rule: "7.2.5",
                "a mixed value is cleared as a set"
            )
        case .setInsert(let path, let value), .setErase(let path, let value):
            check(path)
            check(value)
            require(
                schema[path.object.table]?[path.field] == nil || !path.elements.isEmpty
                    || schema[path.object.table]?[path.field]?.collection == .set,
                .terminates,
                rule: "7.2.5",
                "a place isn't a set"
            )
        }
    }

    /// A client corrupts its memory if another object is created between an object and a collection in its mixed value.
    private mutating func checkContainer(_ path: WirePath) {
        guard created.contains(path.object) else { return }
        require(
            last == path.object,
            .damages,
            rule: "N6",
            "\(path.object.table): another object is created before a collection of a new object"
        )
    }

    private mutating func check(_ path: WirePath) {
        require(path.elements.count <= 100, .terminates, rule: "7.2.15", "a value is nested too deep")
        for case .name(let name) in path.elements
        where schema[path.object.table]?[path.field]?.collection == .dictionary && path.elements.count == 1 {
            require(
                name.bytes.first != UInt8(ascii: "$") && !name.bytes.contains(UInt8(ascii: ".")),
                .terminates,
                rule: "7.2.9",
                "a key of a dictionary has a dot or a dollar sign"
            )
        }
    }

    private mutating func check(_ value: Payload) {
        switch value {
        case .data(let bytes):
            require(bytes.count <= 16_777_200, .terminates, rule: "7.2.15", "data is too long")
        case .string(let text):
            require(text.count <= 16_777_199, .silences, rule: "1.1.5", "a string is too long")
        case .date(let date): require(date.isValid, .terminates, rule: "7.2.2", "a date is invalid")
        case .link(let object):
            require(object.table.count <= 57, .terminates, rule: "7.2.4", "the name of a linked class is too long")
            require(
                schema[object.table]?.spec.kind != .asymmetric,
                .terminates,
                rule: "7.2.11",
                "a link to an asymmetric object"
            )
        default: return
        }
    }
}
