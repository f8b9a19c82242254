#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import FreeholdRealmWire

@testable import TestRealmClient

/// The recorded merges of two official clients.
struct RecordedMerge {
    struct Side {
        var entry: ModelEntry
        /// The fields at the end, as the app saw them, or `nil` if the object was deleted.
        var end: [WireText: ModelValue]?
    }

    /// The number of the line.
    var number: Int
    var object: WireObject
    var start: [WireText: ModelValue]
    var sides: [Side]
    /// A Boolean value that indicates whether both clients ended with the same fields.
    var isEqual: Bool

    /// The folder of the recorded data.
    private static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden")
    }

    /// Returns all recorded merges.
    static func all() throws -> [RecordedMerge] {
        let data = try Data(contentsOf: folder.appendingPathComponent("merges.jsonl"))
        return try data.split(separator: UInt8(ascii: "\n")).enumerated().map { number, line in
            try RecordedMerge(RecordedJSON(parsing: Array(line)), number: number)
        }
    }

    /// Returns the world of the recordings: their classes, and the objects of class B to which objects link.
    static func emptyWorld() throws -> ModelWorld {
        var world = ModelWorld()
        let schema = try RecordedJSON(parsing: Array(Data(contentsOf: folder.appendingPathComponent("schema.json"))))
        for table in schema.elements { try world.apply([.addTable(tableSpec(table))]) }
        for table in schema.elements {
            for column in table["p"].elements where column["pk"].isMissing {
                try world.apply([.addColumn(columnSpec(column, of: table["n"].text))])
            }
        }
        for key in ["u", "v", "w", "x"] {
            try world.apply([.createObject(WireObject(table: "B", key: .string(WireText(key))))])
        }
        return world
    }

    /// Returns the world in which both clients began.
    func startWorld(_ empty: ModelWorld) throws -> ModelWorld {
        var world = try empty.applying([.createObject(object)])
        for (field, value) in start { world.objects[object]![field] = value }
        return world
    }

    private static func tableSpec(_ table: RecordedJSON) throws -> TableSpec {
        let key = try table["p"].elements.first { !$0["pk"].isMissing }.map { column in
            let spec = try columnSpec(column, of: table["n"].text)
            return TableSpec.PrimaryKey(field: spec.field, kind: spec.kind, isNullable: spec.isNullable)
        }
        return TableSpec(
            name: table["n"].text,
            kind: table["kind"].isMissing ? .topLevel : .embedded,
            primaryKey: key
        )
    }

    private static func columnSpec(_ column: RecordedJSON, of table: WireText) throws -> ColumnSpec {
        var type = column["t"].string
        let isOptional = type.hasSuffix("?")
        if isOptional { type.removeLast() }
        let kinds: [String: ColumnKind] = [
            "int": .int, "bool": .bool, "string": .string, "data": .data, "date": .date, "float": .float,
            "double": .double, "decimal": .decimal, "object": .link, "objectId": .objectID, "uuid": .uuid,
            "mixed": .mixed,
        ]
        let collections: [String: CollectionKind] = ["list": .list, "set": .set, "dict": .dictionary]
        guard let kind = kinds[type] else { throw ModelError("Unknown type \(type)") }
        return ColumnSpec(
            table: table,
            field: column["n"].text,
            kind: kind,
            isNullable: isOptional || kind == .mixed,
            collection: collections[column["c"].string] ?? .single,
            target: column["to"].isMissing ? nil : column["to"].text
        )
    }
}

// MARK: Reading

extension RecordedMerge {
    private init(_ json: RecordedJSON, number: Int) throws {
        self.number = number
        object = WireObject(table: json["object"].elements[0].text, key: try Self.key(json["object"].elements[1]))
        start = try Self.fields(json["start"])
        isEqual = json["equal"] == .bool(true)
        sides = try json["sides"].elements.map { side in
            try Side(
                entry: ModelEntry(
                    side["instructions"].elements.map(Self.instruction),
                    timestamp: UInt64(side["timestamp"].int),
                    ident: UInt64(side["ident"].int)
                ),
                end: side["end"] == .null ? nil : Self.fields(side["end"])
            )
        }
    }

    private static func fields(_ json: RecordedJSON) throws -> [WireText: ModelValue] {
        guard case .object(let fields) = json else { throw ModelError("Fields expected") }
        return try Dictionary(uniqueKeysWithValues: fields.map { (WireText($0.key), try value($0.value)) })
    }

    /// Returns a value of a state, such as `{"int": 5}`.
    private static func value(_ json: RecordedJSON) throws -> ModelValue {
        guard case .object(let fields) = json, let (kind, content) = fields.first(where: { $0.key != "raw" }) else {
            throw ModelError("A value expected")
        }
        // A list with hidden links would need its real size.
        guard fields.count == 1 else { throw ModelError("A list with hidden links") }
        switch kind {
        case "list": return .list(try content.elements.map(value))
        case "dict": return .dictionary(try Self.fields(content))
        case "obj": return .object(try Self.fields(content))
        case "set":
            return .set(
                Set(
                    try content.elements.map { element in
                        guard case .scalar(let payload) = try value(element) else {
                            throw ModelError("Not a plain value")
                        }
                        return payload
                    }
                )
            )
        case "str": return .scalar(.string(content.text))
        case "flt": return .scalar(.float(Float(content.double)))
        case "dbl": return .scalar(.double(content.double))
        case "bin": return .scalar(.data(bytes(content.string)))
        default: return .scalar(try payload(kind, [content]))
        }
    }

    /// Returns a value of an instruction, such as `["int", 5]`.
    private static func payload(_ json: RecordedJSON) throws -> Payload {
        try payload(json.elements[0].string, Array(json.elements.dropFirst()))
    }

    private static func payload(_ kind: String, _ contents: [RecordedJSON]) throws -> Payload {
        let content = contents.first ?? .null
        switch kind {
        case "null": return .null
        case "list": return .list
        case "dict": return .dictionary
        case "erased": return .erased
        case "obj": return .object
        case "int": return .int(content.int)
        case "bool": return .bool(content == .bool(true))
        case "str": return .string(WireText(bytes: bytes(content.string)))
        case "bin": return .data(bytes(content.string))
        case "flt": return .float(Float(bitPattern: UInt32(number(bytes(content.string).reversed()))))
        case "dbl": return .double(Double(bitPattern: number(bytes(content.string).reversed())))
        case "ts":
            let parts = contents.count == 2 ? contents : content.elements
            return .date(WireDate(seconds: parts[0].int, nanoseconds: Int32(parts[1].int)))
        case "link":
            let parts = contents.count == 2 ? contents : content.elements
            return .link(WireObject(table: parts[0].text, key: try key(parts[1])))
        case "oid":
            let content = bytes(content.string)
            return .objectID(WireObjectID(high: number(content.prefix(8)), low: UInt32(number(content.suffix(4)))))
        case "uuid":
            let content = bytes(content.string)
            return .uuid(WireUUID(high: number(content.prefix(8)), low: number(content.suffix(8))))
        default: throw ModelError("Unknown kind \(kind)")
        }
    }

    /// Returns a key, such as `["int", 5]` or `{"int": 5}`.
    private static func key(_ json: RecordedJSON) throws -> WireKey {
        var (kind, content) = (json.elements.first?.string ?? "", json.elements.last ?? .null)
        if case .object(let fields) = json, let field = fields.first { (kind, content) = (field.key, field.value) }
        switch kind {
        case "int": return .int(content.int)
        case "str": return .string(content.text)
        case "null": return .null
        default: throw ModelError("Unknown key \(kind)")
        }
    }

    private static func instruction(_ json: RecordedJSON) throws -> Instruction {
        let object = WireObject(table: json["table"].text, key: try key(json["key"]))
        let path = WirePath(
            object: object,
            field: json["field"].text,
            elements: json["path"].elements.map { element in
                if case .int(let index) = element { return .index(UInt32(index)) }
                return .name(element.text)
            }
        )
        let size = UInt32(json["priorSize"].int)
        switch json["op"].string {
        case "CreateObject": return .createObject(object)
        case "EraseObject": return .eraseObject(object)
        case "Update":
            let mark: UpdateMark =
                json["priorSize"].isMissing
                ? .field(isDefault: json["default"] == .bool(true)) : .element(priorSize: size)
            return .update(at: path, value: try payload(json["value"]), mark: mark)
        case "AddInteger": return .addInteger(at: path, amount: json["amount"].int)
        case "ArrayInsert": return .arrayInsert(at: path, value: try payload(json["value"]), priorSize: size)
        case "ArrayMove": return .arrayMove(at: path, target: UInt32(json["to"].int), priorSize: size)
        case "ArrayErase": return .arrayErase(at: path, priorSize: size)
        case "Clear": return .clear(at: path, kind: CollectionKind(rawValue: UInt8(json["collection"].int))!)
        case "SetInsert": return .setInsert(at: path, value: try payload(json["value"]))
        case "SetErase": return .setErase(at: path, value: try payload(json["value"]))
        default: throw ModelError("Unknown instruction \(json["op"].string)")
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
