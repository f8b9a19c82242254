import Testing

@testable import FreeholdRealmWire
@testable import TestRealmClient

/// The recording of the client of the tests, beside the recording of the official client.
@Suite("Realm client: recorded actions")
struct RecordedActionsTests {
    @Test func `transactions are recorded like the official client's`() throws {
        var state = WireState(schema: try Golden.schema())
        var number = 0
        for (line, json) in try Golden.lines("actions.jsonl").enumerated() {
            var writer = LocalWriter(state: state, version: UInt64(line + 2))
            for operation in json["ops"]!.array { try writer.make(Golden.change(operation, in: writer)) }
            state = writer.state
            let expected = try json["instructions"]!.array.flatMap { try $0.array.map(Golden.instruction) }
            expectEqual(writer.instructions, expected, "\(line + 1): \(json["does"]!.string!)")
            number += 1
        }
        expectEqual(number, 73)
    }
}

extension Golden {
    /// Returns a change of an app as the recordings write it.
    static func change(_ json: WireJSON, in writer: LocalWriter) throws -> LocalChange {
        let key = json["pk"]!.members[0]
        let object = WireObject(
            table: WireText(json["t"]!.string!),
            key: try Golden.key(.array([.string(key.name), key.value]))
        )
        var path = WirePath(object: object, field: WireText(json["path"]?.array.first?.string ?? ""))
        for element in (json["path"]?.array ?? []).dropFirst() {
            path.elements.append(element.integer.map { .index(UInt32($0)) } ?? .name(WireText(element.string!)))
        }
        func inside(_ name: String) -> WirePath {
            let index = PathElement.index(UInt32(json[name]!.integer!))
            return WirePath(object: path.object, field: path.field, elements: path.elements + [index])
        }
        func value() throws -> WireValue {
            if json["v"]?.members.first?.name == "obj" { return .object([:]) }
            var column = writer.state.schema[object.table]![path.field]!
            for case .name(let name) in path.elements {
                if let inner = column.target.flatMap({ writer.state.schema[$0]?[name] }) { column = inner }
            }
            return try Golden.value(json["v"]!, column, in: writer.state.schema)
        }
        func payload() throws -> Payload { try value().payload }
        switch json["op"]?.string {
        case "create": return .create(object)
        case "del": return .delete(object)
        case "set" where json["def"]?.bool == true: return .setDefault(path, try payload())
        case "set": return .set(path, try value())
        case "add": return .add(path, json["n"]!.integer!)
        case "li": return .insert(inside("i"), try value())
        case "ld": return .remove(inside("i"))
        case "lm": return .move(inside("i"), to: UInt32(json["to"]!.integer!))
        case "si": return .insertIntoSet(path, try payload())
        case "sd": return .removeFromSet(path, try payload())
        case "dd":
            path.elements.append(.name(WireText(json["k"]!.string!)))
            return .removeEntry(path)
        case "clear": return .removeAll(path)
        default: throw Unknown(json: json)
        }
    }
}
