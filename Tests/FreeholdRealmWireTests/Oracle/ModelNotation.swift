import FreeholdRealmWire

/// The short notation of instructions on the page of rules (section 6.3), such as `I l[0]=a ps=2; U x=5 dflt`.
///
/// Paths without an object belong to the object T:1. A path's first name is the field.
enum ModelNotation {
    /// Returns the instructions that a text describes.
    static func instructions(_ text: String) -> [Instruction] {
        text == "–" ? [] : text.split(separator: "; ").map(instruction)
    }

    private static func instruction(_ text: Substring) -> Instruction {
        var words = text.split(separator: " ").map(String.init)
        let name = words.removeFirst()
        let size = words.last!.hasPrefix("ps=") ? UInt32(words.removeLast().dropFirst(3))! : 0
        let isDefault = words.last == "dflt"
        if isDefault { words.removeLast() }
        let first = words[0]
        switch name {
        case "CO": return .createObject(object(first))
        case "EO": return .eraseObject(object(first))
        case "U":
            let (place, value) = pair(first, "=")
            let mark = place.hasSuffix("]") ? UpdateMark.element(priorSize: size) : .field(isDefault: isDefault)
            return .update(at: path(place), value: payload(value), mark: mark)
        case "A":
            let (place, amount) = pair(first, "+")
            return .addInteger(at: path(place), amount: Int64(amount)!)
        case "I":
            let (place, value) = pair(first, "=")
            return .arrayInsert(at: path(place), value: payload(value), priorSize: size)
        case "E": return .arrayErase(at: path(first), priorSize: size)
        case "M":
            let (place, target) = pair(first, "→")
            return .arrayMove(at: path(place), target: UInt32(target)!, priorSize: size)
        case "C":
            let kinds: [String: CollectionKind] = ["list": .list, "dict": .dictionary, "set": .set]
            return .clear(at: path(first), kind: kinds[words[1]]!)
        case "S+": return .setInsert(at: path(first), value: payload(words[1]))
        case "S-": return .setErase(at: path(first), value: payload(words[1]))
        case "ET": return .eraseTable(name: WireText(first))
        case "AT":
            let (field, type) = pair(words[2], ":")
            let key = TableSpec.PrimaryKey(
                field: WireText(field),
                kind: type == "oid" ? .objectID : type == "int" ? .int : .string,
                isNullable: false
            )
            return .addTable(TableSpec(name: WireText(first), kind: .topLevel, primaryKey: key))
        case "AC":
            let (table, field) = pair(first, ".")
            let isLink = words[1].hasPrefix("link:")
            return .addColumn(
                ColumnSpec(
                    table: WireText(table),
                    field: WireText(field),
                    kind: isLink ? .link : .int,
                    isNullable: isLink || words[1].hasSuffix("?"),
                    target: isLink ? WireText(String(words[1].dropFirst(5))) : nil
                )
            )
        case "EC":
            let (table, field) = pair(first, ".")
            return .eraseColumn(table: WireText(table), field: WireText(field))
        default: preconditionFailure("Unknown notation \(text)")
        }
    }

    private static func pair(_ text: String, _ separator: Character) -> (String, String) {
        let place = text.firstIndex(of: separator)!
        return (String(text[..<place]), String(text[text.index(after: place)...]))
    }

    private static func object(_ text: String) -> WireObject {
        let (table, key) = pair(text, ":")
        return WireObject(table: WireText(table), key: .int(Int64(key)!))
    }

    /// Returns a path of the object T:1, such as `l[1].p[0]`.
    static func path(_ text: String) -> WirePath {
        var steps: [PathElement] = []
        for part in text.split(separator: ".") {
            let pieces = part.split(separator: "[")
            steps.append(.name(WireText(String(pieces[0]))))
            for index in pieces.dropFirst() { steps.append(.index(UInt32(index.dropLast())!)) }
        }
        guard case .name(let field) = steps.removeFirst() else { preconditionFailure("A path without a field") }
        return WirePath(object: WireObject(table: "T", key: .int(1)), field: field, elements: steps)
    }

    private static func payload(_ text: String) -> Payload {
        switch text {
        case "null": .null
        case "ObjectValue": .object
        case "List": .list
        case "Dict": .dictionary
        case "Erased": .erased
        default: Int64(text).map(Payload.int) ?? .string(WireText(text))
        }
    }
}

// MARK: Writing

extension ModelNotation {
    /// Returns a short text about instructions, for messages of tests.
    static func text(_ instructions: [Instruction]) -> String {
        instructions.isEmpty ? "–" : instructions.map(text).joined(separator: "; ")
    }

    private static func text(_ instruction: Instruction) -> String {
        switch instruction {
        case .addTable(let spec): "AT \(spec.name)"
        case .eraseTable(let name): "ET \(name)"
        case .createObject(let object): "CO \(text(object))"
        case .eraseObject(let object): "EO \(text(object))"
        case .update(let path, let value, .field(let isDefault)):
            "U \(text(path))=\(text(value))\(isDefault ? " dflt" : "")"
        case .update(let path, let value, .element(let size)): "U \(text(path))=\(text(value)) ps=\(size)"
        case .addInteger(let path, let amount): "A \(text(path))+\(amount)"
        case .addColumn(let column): "AC \(column.table).\(column.field)"
        case .eraseColumn(let table, let field): "EC \(table).\(field)"
        case .arrayInsert(let path, let value, let size): "I \(text(path))=\(text(value)) ps=\(size)"
        case .arrayMove(let path, let target, let size): "M \(text(path))→\(target) ps=\(size)"
        case .arrayErase(let path, let size): "E \(text(path)) ps=\(size)"
        case .clear(let path, let kind): "C \(text(path)) \(kind)"
        case .setInsert(let path, let value): "S+ \(text(path)) \(text(value))"
        case .setErase(let path, let value): "S- \(text(path)) \(text(value))"
        }
    }

    private static func text(_ object: WireObject) -> String {
        switch object.key {
        case .int(let key): "\(object.table):\(key)"
        case .string(let key): "\(object.table):\(key)"
        default: "\(object.table):\(object.key)"
        }
    }

    private static func text(_ path: WirePath) -> String {
        var text = "\(self.text(path.object)).\(path.field)"
        for step in path.elements {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name): text += ".\(name)"
            }
        }
        return text
    }

    private static func text(_ value: Payload) -> String {
        switch value {
        case .list: "List"
        case .dictionary: "Dict"
        case .erased: "Erased"
        case .object: "ObjectValue"
        case .null: "null"
        case .int(let value): "\(value)"
        case .string(let value): "\(value)"
        case .link(let object): "→\(text(object))"
        default: "\(value)"
        }
    }
}
