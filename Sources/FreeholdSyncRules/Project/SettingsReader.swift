import FreeholdBSON

/// Reads the settings of a file one by one. Settings that were never read are kept as they are. A null counts as a
/// missing setting.
struct SettingsReader {
    let file: String
    let path: [String]
    let document: BSONDocument
    private var taken: Set<String> = []

    init(_ document: BSONDocument, _ file: String, _ path: [String] = []) {
        self.document = document
        self.file = file
        self.path = path
    }

    init(_ value: BSONValue, _ file: String, _ path: [String] = []) throws(ProjectError) {
        guard case .document(let document) = value else {
            throw ProjectError(file, path, "An object has to stand here, not \(value.typeName).")
        }
        self.init(document, file, path)
    }

    /// The settings that weren't read.
    var others: BSONDocument { BSONDocument(document.filter { !taken.contains($0.key) }) }

    mutating func value(_ key: String) -> BSONValue? {
        taken.insert(key)
        guard let value = document[key], !value.isNull else { return nil }
        return value
    }

    mutating func text(_ key: String) throws(ProjectError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else { throw wrong(key, "a string", value) }
        return text
    }

    /// Returns a nonempty text, or `nil` if the text is empty or missing.
    mutating func name(_ key: String) throws(ProjectError) -> String? {
        try text(key).flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func flag(_ key: String) throws(ProjectError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let flag) = value else { throw wrong(key, "true or false", value) }
        return flag
    }

    mutating func number(_ key: String) throws(ProjectError) -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = value.asInt() else { throw wrong(key, "a whole number", value) }
        return number
    }

    mutating func object(_ key: String) throws(ProjectError) -> BSONDocument? {
        guard let value = value(key) else { return nil }
        guard case .document(let document) = value else { throw wrong(key, "an object", value) }
        return document
    }

    mutating func list(_ key: String) throws(ProjectError) -> [BSONValue]? {
        guard let value = value(key) else { return nil }
        guard case .array(let values) = value else { throw wrong(key, "an array", value) }
        return values
    }

    mutating func texts(_ key: String) throws(ProjectError) -> [String]? {
        guard let values = try list(key) else { return nil }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            guard case .string(let text) = value else {
                throw ProjectError(
                    file,
                    path + [key, "\(index)"],
                    "A string has to stand here, not \(value.typeName)."
                )
            }
            texts.append(text)
        }
        return texts
    }

    private func wrong(_ key: String, _ wanted: String, _ value: BSONValue) -> ProjectError {
        ProjectError(file, path + [key], "'\(key)' is \(wanted), not \(value.typeName).")
    }
}
