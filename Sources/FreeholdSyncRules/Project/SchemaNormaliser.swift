import FreeholdBSON

extension ProjectReader {
    /// Returns the schema in the form of ``SchemaDocument``, with the class's name as its title. Returns `nil` if the
    /// schema has no properties.
    mutating func normalised(_ files: CollectionFiles) -> BSONDocument? {
        guard let schema = files.schema else { return nil }
        let (file, path) = files.schemaPlace
        guard case .document(let properties)? = schema["properties"], !properties.isEmpty else {
            note(
                .leftOut,
                file,
                path,
                because: "The schema of '\(files.place.collection)' has no properties: it isn't a class."
            )
            return nil
        }
        var normaliser = SchemaNormaliser(depth: limits.rules.depth)
        var result = normaliser.object(schema, [], 0)
        if result["title"]?.stringValue?.isEmpty ?? true {
            result["title"] = .string(files.place.collection)
            note(
                .changed,
                file,
                path,
                because:
                    "The schema has no title: the class is named after its collection, '\(files.place.collection)'."
            )
        }
        for (place, words) in normaliser.dropped.prefix(limits.listedNames) {
            note(.changed, file, path + place, because: words)
        }
        if normaliser.dropped.count > limits.listedNames {
            note(
                .changed,
                file,
                path,
                because: "… and \(normaliser.dropped.count - limits.listedNames) more such places."
            )
        }
        return result
    }
}

/// Converts a JSON schema into the form that ``SchemaDocument`` reads. Keys that validate values without being types
/// are removed.
struct SchemaNormaliser {
    let depth: Int
    private(set) var dropped: [(path: [String], reason: String)] = []

    init(depth: Int) { self.depth = depth }

    private static let kept: Set<String> = [
        "title", "description", "bsonType", "required", "properties", "items", "uniqueItems", "additionalProperties",
    ]

    /// Converts the schema of a class or an embedded class.
    mutating func object(_ schema: BSONDocument, _ path: [String], _ level: Int) -> BSONDocument {
        var result = cleaned(schema, path)
        guard case .document(let properties)? = schema["properties"], level < depth else { return result }
        if result["bsonType"] == nil { result["bsonType"] = "object" }
        if let rest = result["additionalProperties"], rest != false {
            result["additionalProperties"] = nil
            note(path + ["additionalProperties"], "A class has the fields that its schema names, and no others.")
        }
        var inner = BSONDocument()
        for (name, value) in properties {
            inner.append(name, property(value, path + ["properties", name], level + 1))
        }
        result["properties"] = .document(inner)
        return result
    }

    private mutating func property(_ value: BSONValue, _ path: [String], _ level: Int) -> BSONValue {
        guard case .document(let schema) = value, level < depth else { return value }
        if case .document? = schema["properties"] { return .document(object(schema, path, level)) }
        var result = cleaned(schema, path)
        switch result["bsonType"] {
        case "object":
            // An object without named properties is a dictionary. Its values are mixed if nothing is specified about
            // them.
            switch schema["additionalProperties"] {
            case nil, true, .document([:]): result["additionalProperties"] = ["bsonType": "mixed"]
            case let inner?:
                result["additionalProperties"] = property(inner, path + ["additionalProperties"], level + 1)
            }
            result["required"] = nil
        case "array":
            switch schema["items"] {
            case nil, .document([:]):
                result["items"] = ["bsonType": "mixed"]
                note(path, "Nothing is said of the elements: they are of the type 'mixed'.")
            case let inner?: result["items"] = property(inner, path + ["items"], level + 1)
            }
        default: break
        }
        return .document(result)
    }

    /// Removes the keys that restrict a value further than its type.
    private mutating func cleaned(_ schema: BSONDocument, _ path: [String]) -> BSONDocument {
        var result = BSONDocument()
        var words: [String] = []
        for (key, value) in schema {
            if key == "bsonType", value == "boolean" {
                result[key] = "bool"
            } else if Self.kept.contains(key) {
                result[key] = value
            } else if key == "type", let type = Self.bsonType(value) {
                result["bsonType"] = type
            } else {
                words.append(key)
            }
        }
        if !words.isEmpty {
            let list = words.prefix(20).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
            note(path, "Values aren't checked by \(list): Freehold's schemas have types only.")
        }
        return result
    }

    /// Returns the BSON type for a type of JSON Schema.
    private static func bsonType(_ value: BSONValue) -> BSONValue? {
        if case .array(let values) = value {
            let types = values.compactMap(bsonType)
            return types.count == values.count ? .array(types) : nil
        }
        guard case .string(let name) = value else { return nil }
        return name == "boolean" ? "bool" : .string(name)
    }

    private mutating func note(_ path: [String], _ reason: String) { dropped.append((path, reason)) }
}
