import Foundation

@testable import FreeholdRealmWire

/// Data that the official client library wrote. The README of the folder describes it.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Golden"
    )

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// Returns the JSON values of a file that has one in each line.
    static func lines(_ name: String) throws -> [WireJSON] {
        let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
        return try bytes.split(separator: UInt8(ascii: "\n")).map { try WireJSON(bytes: $0, depth: 100) }
    }

    /// The recorded connections.
    static let connections = [
        "01-first-connection-connection-1", "02-second-client-connection-1", "02-second-client-connection-2",
        "03-refused-writes-connection-1", "03-refused-writes-connection-2", "04-asymmetric-connection-1",
        "05-client-reset-connection-1", "05-client-reset-connection-2", "06-repair-connection-1",
        "06-repair-connection-2",
        "07-errors-connection-1", "08-actions-connection-1",
    ]

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.filter { $0 != UInt8(ascii: "-") }.map {
            UInt8(Character(Unicode.Scalar($0)).hexDigitValue!)
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// A part of the data that the tests don't know.
    struct Unknown: Error {
        var json: WireJSON?
    }
}

extension WireJSON {
    var array: [WireJSON] {
        guard case .array(let values) = self else { return [] }
        return values
    }

    var members: [Member] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    var double: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
}

// MARK: Instructions

extension Golden {
    static func objectID(_ hex: String) -> WireObjectID {
        let bytes = bytes(hex)
        return WireObjectID(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        )
    }

    static func uuid(_ hex: String) -> WireUUID {
        let bytes = bytes(hex)
        return WireUUID(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        )
    }

    static func key(_ json: WireJSON?) throws -> WireKey {
        let parts = json?.array ?? []
        switch parts.first?.string {
        case "null": return .null
        case "int": return .int(parts[1].integer!)
        case "str": return .string(WireText(parts[1].string!))
        case "oid": return .objectID(objectID(parts[1].string!))
        case "uuid": return .uuid(uuid(parts[1].string!))
        default: throw Unknown(json: json)
        }
    }

    static func payload(_ json: WireJSON?) throws -> Payload {
        let parts = json?.array ?? []
        switch parts.first?.string {
        case "list": return .list
        case "dict": return .dictionary
        case "erased": return .erased
        case "obj": return .object
        case "null": return .null
        case "int": return .int(parts[1].integer!)
        case "bool": return .bool(parts[1].bool!)
        case "str": return .string(WireText(bytes: bytes(parts[1].string!)))
        case "bin": return .data(bytes(parts[1].string!))
        case "ts":
            let date = parts[1].array
            return .date(WireDate(seconds: date[0].integer!, nanoseconds: Int32(date[1].integer!)))
        case "flt":
            let bits = bytes(parts[1].string!).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return .float(Float(bitPattern: bits))
        case "dbl":
            let bits = bytes(parts[1].string!).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return .double(Double(bitPattern: bits))
        case "dec":
            let decimal = parts[1].array
            return .decimal(
                WireDecimal(
                    low: UInt64(decimal[0].integer!),
                    exponent: Int32(decimal[1].integer!),
                    isNegative: decimal[2].integer! == 1
                )
            )
        case "link":
            let link = parts[1].array
            return .link(WireObject(table: WireText(link[0].string!), key: try key(link[1])))
        case "oid": return .objectID(objectID(parts[1].string!))
        case "uuid": return .uuid(uuid(parts[1].string!))
        default: throw Unknown(json: json)
        }
    }

    private static func column(_ type: WireJSON?) throws -> ColumnKind {
        if let number = type?.integer, let kind = ColumnKind(rawValue: Int8(number)) { return kind }
        let names: [String: ColumnKind] = ["int": .int, "str": .string, "oid": .objectID, "uuid": .uuid]
        guard let kind = type?.string.flatMap({ names[$0] }) else { throw Unknown(json: type) }
        return kind
    }

    static func instruction(_ json: WireJSON) throws -> Instruction {
        let table = WireText(json["table"]?.string ?? "")
        let field = WireText(json["field"]?.string ?? "")
        let isNullable = json["nullable"]?.integer == 1
        switch json["op"]?.string {
        case "AddTable":
            let kind = TableSpec.Kind(rawValue: UInt8(json["kind"]!.integer!))!
            guard kind != .embedded else { return .addTable(TableSpec(name: table, kind: kind, primaryKey: nil)) }
            let key = TableSpec.PrimaryKey(field: field, kind: try column(json["keyType"]), isNullable: isNullable)
            return .addTable(TableSpec(name: table, kind: kind, primaryKey: key))
        case "AddColumn":
            return .addColumn(
                ColumnSpec(
                    table: table,
                    field: field,
                    kind: try column(json["type"]),
                    isNullable: isNullable,
                    collection: CollectionKind(rawValue: UInt8(json["collection"]!.integer!))!,
                    target: json["target"]?.string.map { WireText($0) }
                )
            )
        default: break
        }
        let object = WireObject(table: table, key: try key(json["key"]))
        var path = WirePath(object: object, field: field)
        for element in json["path"]?.array ?? [] {
            path.elements.append(element.integer.map { .index(UInt32($0)) } ?? .name(WireText(element.string!)))
        }
        let size = json["priorSize"]?.integer.map { UInt32($0) }
        switch json["op"]?.string {
        case "CreateObject": return .createObject(object)
        case "EraseObject": return .eraseObject(object)
        case "Update":
            let mark: UpdateMark = size.map { .element(priorSize: $0) } ?? .field(isDefault: json["default"]!.bool!)
            return .update(at: path, value: try payload(json["value"]), mark: mark)
        case "AddInteger": return .addInteger(at: path, amount: json["amount"]!.integer!)
        case "ArrayInsert": return .arrayInsert(at: path, value: try payload(json["value"]), priorSize: size!)
        case "ArrayMove": return .arrayMove(at: path, target: UInt32(json["to"]!.integer!), priorSize: size!)
        case "ArrayErase": return .arrayErase(at: path, priorSize: size!)
        case "Clear": return .clear(at: path, kind: CollectionKind(rawValue: UInt8(json["collection"]!.integer!))!)
        case "SetInsert": return .setInsert(at: path, value: try payload(json["value"]))
        case "SetErase": return .setErase(at: path, value: try payload(json["value"]))
        default: throw Unknown(json: json)
        }
    }
}

// MARK: States

extension Golden {
    /// Returns the classes of the recorded runs.
    static func schema() throws -> WireSchema {
        let tables = try lines("schema.json")[0].array
        var (schema, columns) = (WireSchema(), [ColumnSpec]())
        for table in tables {
            let name = WireText(table["n"]!.string!)
            let isEmbedded = table["kind"]?.string == "embedded"
            var key: TableSpec.PrimaryKey?
            for property in table["p"]!.array {
                let column = try column(property, of: name)
                if property["pk"]?.bool == true {
                    key = TableSpec.PrimaryKey(field: column.field, kind: column.kind, isNullable: column.isNullable)
                } else {
                    columns.append(column)
                }
            }
            try schema.add(TableSpec(name: name, kind: isEmbedded ? .embedded : .topLevel, primaryKey: key))
        }
        for column in columns { try schema.add(column) }
        return schema
    }

    private static func column(_ property: WireJSON, of table: WireText) throws -> ColumnSpec {
        let kinds: [String: ColumnKind] = [
            "int": .int, "bool": .bool, "string": .string, "data": .data, "date": .date, "float": .float,
            "double": .double,
            "decimal": .decimal, "object": .link, "objectId": .objectID, "uuid": .uuid, "mixed": .mixed,
        ]
        let collections: [String: CollectionKind] = ["list": .list, "set": .set, "dict": .dictionary]
        let type = property["t"]!.string!
        guard let kind = kinds[type.replacingOccurrences(of: "?", with: "")] else { throw Unknown(json: property) }
        return ColumnSpec(
            table: table,
            field: WireText(property["n"]!.string!),
            kind: kind,
            isNullable: type.hasSuffix("?") || kind == .mixed,
            collection: property["c"]?.string.map { collections[$0]! } ?? .single,
            target: property["to"]?.string.map { WireText($0) }
        )
    }

    /// Returns the fields of an object without those that have their initial value.
    static func fields(_ json: WireJSON, of table: WireText, in schema: WireSchema) throws -> WireFields {
        var fields = WireFields()
        for member in json.members {
            guard let column = schema[table]?[WireText(member.name)] else { throw Unknown(json: json) }
            let value = try value(member.value, column, in: schema)
            if value != column.initialValue { fields[column.field] = value }
        }
        return fields
    }

    static func value(_ json: WireJSON, _ column: ColumnSpec, in schema: WireSchema) throws -> WireValue {
        guard let member = json.members.first else { throw Unknown(json: json) }
        let content = member.value
        switch member.name {
        case "null": return .null
        case "int": return .scalar(.int(content.integer!))
        case "bool": return .scalar(.bool(content.bool!))
        case "str": return .scalar(.string(WireText(content.string!)))
        case "bin": return .scalar(.data(bytes(content.string!)))
        case "ts":
            let parts = content.array
            return .scalar(.date(WireDate(seconds: parts[0].integer!, nanoseconds: Int32(parts[1].integer!))))
        case "flt": return .scalar(.float(Float(content.double!)))
        case "dbl": return .scalar(.double(content.double!))
        case "oid": return .scalar(.objectID(objectID(content.string!)))
        case "uuid": return .scalar(.uuid(uuid(content.string!)))
        case "link":
            let key = content.array[1].members[0]
            let target = try self.key(.array([.string(key.name), key.value]))
            return .scalar(.link(WireObject(table: WireText(content.array[0].string!), key: target)))
        case "obj": return .object(try fields(content, of: column.target ?? "", in: schema))
        case "list": return .list(WireList(values: try content.array.map { try value($0, column, in: schema) }))
        case "set":
            return .set(
                WireSet(
                    try content.array.map { element in
                        guard case .scalar(let payload) = try value(element, column, in: schema) else {
                            throw Unknown(json: element)
                        }
                        return payload
                    }
                )
            )
        case "dict":
            var entries: [WireText: WireValue] = [:]
            for entry in content.members { entries[WireText(entry.name)] = try value(entry.value, column, in: schema) }
            return .dictionary(entries)
        default: throw Unknown(json: json)
        }
    }
}
