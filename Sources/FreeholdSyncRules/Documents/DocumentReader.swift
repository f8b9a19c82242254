import FreeholdBSON

/// Reads the keys of an object in a document one by one. Keys that were never read are unknown, which is checked at the
/// end.
struct DocumentReader {
    let path: [String]
    private let document: BSONDocument
    private var taken: Set<String> = []

    init(_ value: BSONValue, _ path: [String], what: String) throws(RuleError) {
        guard case .document(let document) = value else {
            throw RuleError(path, "\(what) is an object, not \(value.typeName).")
        }
        self.document = document
        self.path = path
    }

    /// Returns the value of a key, or `nil` if the key is missing.
    mutating func value(_ key: String) -> BSONValue? {
        taken.insert(key)
        return document[key]
    }

    /// Returns the string of a key, or `nil` if the key is missing.
    mutating func text(_ key: String) throws(RuleError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else {
            throw RuleError(path + [key], "'\(key)' is a string, not \(value.typeName).")
        }
        return text
    }

    /// Returns the nonempty name of a key, or `nil` if the key is missing.
    mutating func name(_ key: String) throws(RuleError) -> String? {
        guard let name = try text(key) else { return nil }
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw RuleError(path + [key], "'\(key)' is empty, or has the character 0 in it.")
        }
        return name
    }

    /// Returns the array of a key, or `nil` if the key is missing.
    mutating func list(_ key: String, atMost count: Int) throws(RuleError) -> [BSONValue]? {
        guard let value = value(key) else { return nil }
        guard case .array(let elements) = value else {
            throw RuleError(path + [key], "'\(key)' is an array, not \(value.typeName).")
        }
        guard elements.count <= count else {
            throw RuleError(path + [key], "'\(key)' has \(elements.count) elements; \(count) is the most.")
        }
        return elements
    }

    /// Checks that all keys were read.
    ///
    /// - Throws: `RuleError` for the first unread key.
    func checkNothingLeft(_ what: String) throws(RuleError) {
        for key in document.keys where !taken.contains(key) {
            throw RuleError(
                path + [key],
                "\(what) has no '\(key)'. Its keys: \(taken.sorted().joined(separator: ", "))."
            )
        }
    }
}
