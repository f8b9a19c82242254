import Freehold

/// An inserted, deleted or modified object, with its text for people and for programs.
struct ObjectChange {
    enum Kind: String {
        case insert, delete, modify

        fileprivate var mark: String {
            switch self {
            case .insert: "+"
            case .delete: "-"
            case .modify: "~"
            }
        }
    }

    struct Value {
        let name: String
        let before: RowText.Cell
        let after: RowText.Cell
    }

    let kind: Kind
    let className: String
    /// The primary key, or nil for a class without one.
    let key: RowText.Cell?
    private let keyName: String?
    /// The position of the object, which identifies objects without a key.
    let position: Int?
    /// All properties of an inserted or deleted object, with equal old and new values, or the changed properties of a
    /// modified object.
    let values: [Value]

    /// Creates the change of an inserted or deleted object.
    init(_ kind: Kind, _ reader: ObjectReader, object: DynamicObject, cells: [RowText.Cell]? = nil) throws {
        self.kind = kind
        className = reader.className
        key = try reader.key(of: object)
        keyName = reader.key
        position = nil
        values = zip(reader.names, try cells ?? reader.cells(of: object)).map { Value(name: $0, before: $1, after: $1) }
    }

    /// Creates the change of a modified object.
    ///
    /// - Returns: Nil if all values are equal.
    init?(
        _ reader: ObjectReader,
        _ object: DynamicObject,
        before: [RowText.Cell],
        after: [RowText.Cell],
        position: Int? = nil
    ) throws {
        let values = zip(reader.names, zip(before, after)).compactMap { name, cells in
            cells.0 == cells.1 ? nil : Value(name: name, before: cells.0, after: cells.1)
        }
        if values.isEmpty { return nil }
        kind = .modify
        className = reader.className
        key = try reader.key(of: object)
        keyName = reader.key
        self.position = position
        self.values = values
    }

    /// A text such as `~ Person 7: age 36 → 37`, without a line break.
    var text: String {
        let name = key.map { " \($0.json)" } ?? position.map { " #\($0)" } ?? ""
        let parts =
            kind == .modify
            ? values.map { "\($0.name) \($0.before.json) → \($0.after.json)" }
            // Missing values aren't shown.
            : values.filter { !$0.after.isNothing && $0.name != keyName }.map { "\($0.name) \($0.after.json)" }
        return TerminalText.escaped(
            "\(kind.mark) \(className)\(name)" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
        )
    }

    /// Returns a JSON object, without a line break.
    ///
    /// - Parameter more: The first members, whose values are JSON.
    func json(_ more: [(String, String)] = []) -> String {
        var members =
            more + [("change", JSONNode.string(kind.rawValue).text), ("class", JSONNode.string(className).text)]
        if let key { members.append(("key", key.json)) }
        if let position { members.append(("position", "\(position)")) }
        if kind == .modify {
            members.append(("before", JSONNode.object(values.map { ($0.name, $0.before.json) })))
            members.append(("after", JSONNode.object(values.map { ($0.name, $0.after.json) })))
        } else {
            members.append(("object", JSONNode.object(values.map { ($0.name, $0.after.json) })))
        }
        return JSONNode.object(members)
    }
}

extension RowText.Cell {
    /// The value as JSON. Strings are in quotation marks, which distinguish them from other values.
    var json: String {
        switch self {
        case .null: "null"
        case .string(let text): JSONNode.string(text).text
        case .scalar(let text), .json(let text): text
        }
    }

    /// A Boolean value that indicates whether the value is null or an empty collection.
    fileprivate var isNothing: Bool {
        switch self {
        case .null, .json("[]"), .json("{}"): true
        default: false
        }
    }
}

extension JSONNode {
    /// Returns an object whose values are already JSON.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(JSONNode.string($0).text):\($1)" }.joined(separator: ",") + "}"
    }
}
