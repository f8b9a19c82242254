public import Foundation
import FreeholdEngine

// A schema as JSON, which programs and people can read:
//
//     {
//       "schemaVersion": 3,
//       "classes": [
//         {"name": "City", "properties": [
//           {"name": "id", "type": "int", "primaryKey": true},
//           {"name": "country", "type": "object", "class": "Country"},
//           {"name": "tags", "type": "string", "collection": "list"}
//         ]}
//       ]
//     }

extension Schema {
    /// Returns the schema as JSON with one property in each line. ``read(json:)`` reads it back as an equal schema.
    ///
    /// Default settings aren't written: no index, required, no collection, the same name in the file. Default values of
    /// properties that were created at run time aren't written either.
    ///
    /// - Parameter schemaVersion: The schema version to write, or `nil`.
    public func jsonData(schemaVersion: UInt64? = nil) -> Data {
        var text = JSONText()
        text.raw("{\n")
        if let schemaVersion { text.raw("  \"schemaVersion\": \(schemaVersion),\n") }
        text.raw("  \"classes\": [")
        for (i, object) in objectSchema.enumerated() {
            text.raw(i == 0 ? "\n    " : ",\n    ")
            text.write(object)
        }
        text.raw(objectSchema.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
        return Data(text.bytes)
    }

    /// Reads the output of ``jsonData(schemaVersion:)``, or a schema that was written by hand. The schema is checked
    /// when a realm is opened with it.
    ///
    /// - Returns: The schema, and its version if the text contains one.
    /// - Throws: ``JSONError`` with the line and column of the error.
    public static func read(json data: Data) throws -> (schema: Schema, schemaVersion: UInt64?) {
        var reader = JSONReader(JSONInput(data))
        try reader.skipByteOrderMark()
        _ = try reader.nextToken()
        let place = reader.place
        let value = try reader.value()
        if let rest = try reader.nextToken() { throw reader.unexpected(rest, "the end of the text") }
        return try read(value, at: place)
    }

    static func read(
        _ value: JSONValue,
        at place: JSONPlace
    ) throws(JSONError) -> (schema: Schema, schemaVersion: UInt64?) {
        let members = try SchemaMembers(value, at: place, "a schema", known: ["schemaVersion", "classes"])
        var version: UInt64?
        if let given = members["schemaVersion"] {
            guard case .number(let digits) = given.value, let number = UInt64(digits) else {
                throw given.mismatch("a schema version, a whole number")
            }
            version = number
        }
        var objects: [ObjectSchema] = []
        for element in try members.elements("classes") { objects.append(try ObjectSchema(element, at: place)) }
        return (Schema(objects), version)
    }
}

extension PropertyType {
    /// The names of types in JSON schemas.
    fileprivate static let names: [(PropertyType, String)] = [
        (.int, "int"), (.bool, "bool"), (.string, "string"), (.data, "data"), (.date, "date"), (.float, "float"),
        (.double, "double"), (.object, "object"), (.linkingObjects, "linkingObjects"), (.any, "mixed"),
        (.objectId, "objectId"), (.decimal128, "decimal128"), (.UUID, "uuid"),
    ]
}

extension Property.Collection {
    fileprivate static let names: [(Property.Collection, String)] = [(.list, "list"), (.set, "set"), (.map, "map")]
}

extension Property.Index {
    fileprivate static let names: [(Property.Index, String)] = [
        (.values, "values"), (.fullText, "fullText"), (.places, "places"),
    ]
}

extension DeleteRule {
    fileprivate static let names: [(DeleteRule, String)] = [
        (.nullify, "nullify"), (.cascade, "cascade"), (.deny, "deny"),
    ]
    fileprivate var name: String { Self.names.first { $0.0 == self }!.1 }
}

// MARK: Writing

/// A JSON text with explicit line breaks.
private struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var isEmpty = true

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func string(_ text: String) {
        var output = JSONOutput(isPretty: false) { _ in }
        output.string(text)
        bytes.append(contentsOf: output.pending)
    }

    /// Appends a member to the open object.
    mutating func member(_ key: String, _ value: String? = nil) {
        if !isEmpty { raw(", ") }
        isEmpty = false
        string(key)
        raw(": ")
        if let value { string(value) }
    }

    mutating func flag(_ key: String, _ value: Bool) {
        guard value else { return }
        member(key)
        raw("true")
    }

    mutating func open() {
        raw("{")
        isEmpty = true
    }

    mutating func write(_ object: ObjectSchema) {
        open()
        member("name", object.className)
        flag("embedded", object.isEmbedded)
        flag("asymmetric", object.isAsymmetric)
        member("properties")
        raw("[")
        for (i, property) in object.allProperties.enumerated() {
            raw(i == 0 ? "\n      " : ",\n      ")
            write(property)
        }
        raw(object.allProperties.isEmpty ? "]" : "\n    ]")
        isEmpty = false
        if !object.compoundIndexes.isEmpty {
            member("compoundIndexes")
            raw("[")
            for (i, index) in object.compoundIndexes.enumerated() {
                raw(i == 0 ? "\n      " : ",\n      ")
                open()
                member("properties")
                raw("[")
                for (n, name) in index.properties.enumerated() {
                    if n > 0 { raw(", ") }
                    string(name)
                }
                raw("]")
                isEmpty = false
                flag("unique", index.isUnique)
                raw("}")
            }
            raw("\n    ]")
        }
        raw("}")
    }

    private mutating func write(_ property: Property) {
        open()
        member("name", property.name)
        if property.columnName != property.name { member("mapTo", property.columnName) }
        member("type", PropertyType.names.first { $0.0 == property.type }!.1)
        if !property.isComputed, let name = Property.Collection.names.first(where: { $0.0 == property.collection }) {
            member("collection", name.1)
        }
        if let target = property.objectClassName { member("class", target) }
        if let origin = property.originProperty { member("origin", origin) }
        flag("optional", property.isOptional && !property.isOptionalByNature)
        flag("primaryKey", property.isPrimaryKey)
        if let name = Property.Index.names.first(where: { $0.0 == property.index }) { member("index", name.1) }
        if property.deleteRule != .nullify { member("deleteRule", property.deleteRule.name) }
        if property.inverseDeleteRule != .nullify { member("inverseDeleteRule", property.inverseDeleteRule.name) }
        raw("}")
    }
}

extension Property {
    /// A Boolean value that indicates whether the property is always optional. Links to one object, links in maps and
    /// mixed values can always be null.
    fileprivate var isOptionalByNature: Bool {
        type == .any || (type == .object && (collection == .none || collection == .map))
    }
}

// MARK: Reading

/// The members of an object in a schema.
private struct SchemaMembers {
    let place: JSONPlace
    private let what: String
    private let members: [JSONValue.Member]

    init(_ value: JSONValue, at place: JSONPlace, _ what: String, known: [String]) throws(JSONError) {
        guard case .object(let members) = value else {
            throw JSONError(.invalidValue, "\(value.summary) is given where \(what), an object, is expected", at: place)
        }
        for member in members where !known.contains(member.key) {
            throw JSONError(
                .unknownKey,
                "\(what) has no \"\(member.key)\": it has \(known.joined(separator: ", "))",
                at: member.place
            )
        }
        self.members = members
        self.what = what
        self.place = members.first?.place ?? place
    }

    subscript(key: String) -> JSONValue.Member? { members.first { $0.key == key } }

    func text(_ key: String) throws(JSONError) -> String? {
        guard let member = self[key] else { return nil }
        guard case .string(let text) = member.value else { throw member.mismatch("a string") }
        return text
    }

    func name() throws(JSONError) -> String {
        guard let name = try text("name") else {
            throw JSONError(.missingValue, "\(what) needs a \"name\"", at: place)
        }
        return name
    }

    func flag(_ key: String) throws(JSONError) -> Bool {
        guard let member = self[key] else { return false }
        guard case .bool(let flag) = member.value else { throw member.mismatch("true or false") }
        return flag
    }

    /// Returns the elements of an array. The result is empty if the key is missing.
    func elements(_ key: String) throws(JSONError) -> [JSONValue] {
        guard let member = self[key] else { return [] }
        guard case .array(let elements) = member.value else { throw member.mismatch("an array") }
        return elements
    }

    func choice<T>(_ key: String, _ names: [(T, String)]) throws(JSONError) -> T? {
        guard let text = try text(key), let member = self[key] else { return nil }
        if let found = names.first(where: { $0.1 == text }) { return found.0 }
        throw member.mismatch("one of \(names.map(\.1).joined(separator: ", "))")
    }
}

extension JSONValue.Member {
    fileprivate func mismatch(_ expected: String) -> JSONError {
        JSONError(.invalidValue, "\(value.summary) is given where \(expected) is expected", at: place, path: key)
    }
}

extension ObjectSchema {
    fileprivate init(_ value: JSONValue, at place: JSONPlace) throws(JSONError) {
        let members = try SchemaMembers(
            value,
            at: place,
            "a class",
            known: ["name", "embedded", "asymmetric", "properties", "compoundIndexes"]
        )
        var properties: [Property] = []
        for element in try members.elements("properties") { properties.append(try Property(element, members.place)) }
        var indexes: [CompoundIndex] = []
        for element in try members.elements("compoundIndexes") {
            let parts = try SchemaMembers(
                element,
                at: members.place,
                "a compound index",
                known: ["properties", "unique"]
            )
            var names: [String] = []
            for name in try parts.elements("properties") {
                guard case .string(let name) = name else {
                    throw JSONError(
                        .invalidValue,
                        "\(name.summary) is given where a property's name is expected",
                        at: parts.place
                    )
                }
                names.append(name)
            }
            indexes.append(CompoundIndex(names, isUnique: try parts.flag("unique")))
        }
        self.init(
            try members.name(),
            isEmbedded: try members.flag("embedded"),
            isAsymmetric: try members.flag("asymmetric"),
            properties: properties,
            compoundIndexes: indexes
        )
    }
}

extension Property {
    fileprivate init(_ value: JSONValue, _ place: JSONPlace) throws(JSONError) {
        let members = try SchemaMembers(
            value,
            at: place,
            "a property",
            known: [
                "name", "mapTo", "type", "collection", "class", "origin", "optional", "primaryKey", "index",
                "deleteRule",
                "inverseDeleteRule",
            ]
        )
        let name = try members.name()
        guard let type = try members.choice("type", PropertyType.names) else {
            throw JSONError(.missingValue, "a property needs a \"type\"", at: members.place, path: name)
        }
        self.init(
            name,
            type,
            mapTo: try members.text("mapTo"),
            optional: try members.flag("optional"),
            collection: try members.choice("collection", Collection.names) ?? .none,
            objectClassName: try members.text("class"),
            originProperty: try members.text("origin"),
            primaryKey: try members.flag("primaryKey")
        )
        index = try members.choice("index", Index.names) ?? .none
        deleteRule = try members.choice("deleteRule", DeleteRule.names) ?? .nullify
        inverseDeleteRule = try members.choice("inverseDeleteRule", DeleteRule.names) ?? .nullify
    }
}
