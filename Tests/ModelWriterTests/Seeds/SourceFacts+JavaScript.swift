extension SourceFacts {
    /// Returns the facts of schemas, by the name that they store, and of TypeScript's fields, by the class.
    static func javaScript(_ lines: [String]) -> Set<String> {
        var facts: Set<String> = []
        var (className, schemaName, isInProperties) = ("", "", false)
        for line in lines.map({ $0.replacing("'", with: "\"") }) {
            if let match = line.firstMatch(of: /class (\w+)/) {
                className = String(match.1)
            } else if isInProperties, line.hasPrefix("}") {
                isInProperties = false
            } else if line.hasPrefix("properties: {") {
                isInProperties = true
            } else if isInProperties, let match = line.wholeMatch(of: /"?(\w+)"?: (?:"(.*?)"|\{ ?(.*?) ?\}),?/) {
                facts.insert(
                    "\(schemaName).\(match.1): \(property(match.2.map(String.init), match.3.map(String.init)))"
                )
            } else if let match = line.wholeMatch(of: /name: "(.*)",/) {
                schemaName = String(match.1)
                if !className.isEmpty { facts.insert("\(className) stores \(schemaName)") }
            } else if let match = line.wholeMatch(of: /(embedded|asymmetric|primaryKey): "?(\w+)"?,?/) {
                facts.insert("\(schemaName) \(match.1) \(match.2)")
            } else if let match = line.wholeMatch(of: /(\w+)([!?]): (.+);/) {
                let type = match.3.replacing("Realm.BSON.", with: "BSON.")
                // A link is always optional, with any declaration.
                let mark = type.wholeMatch(of: /[A-Z]\w*/) != nil && type != "Date" ? "?" : String(match.2)
                facts.insert("\(className).\(match.1)\(mark): \(type)")
            }
        }
        // A primary key is indexed, with or without a declaration.
        let keys = Set(facts.compactMap { $0.wholeMatch(of: /(\w+) primaryKey (\w+)/).map { "\($0.1).\($0.2): " } })
        return Set(
            facts.map { fact in
                keys.contains { fact.hasPrefix($0) } ? fact.replacing("indexed true, ", with: "") : fact
            }
        )
    }

    /// The same for the short form and the long one.
    private static func property(_ short: String?, _ long: String?) -> String {
        var parts: [String: String] = [:]
        for part in (long ?? "").split(separator: ", ") {
            let ends = part.split(separator: ": ", maxSplits: 1).map { String($0.replacing("\"", with: "")) }
            if ends.count == 2 { parts[ends[0]] = ends[1] }
        }
        parts["default"] = nil
        var type = short ?? parts["type"] ?? ""
        for (end, kind) in [("[]", "list"), ("<>", "set"), ("{}", "dictionary")] where type.hasSuffix(end) {
            parts["objectType"] = String(type.dropLast(2))
            type = kind
        }
        if type.hasSuffix("?") {
            type.removeLast()
            parts["optional"] = "true"
        }
        if type == "object", let target = parts.removeValue(forKey: "objectType") { type = target }
        if type.first?.isUppercase == true { parts["optional"] = "true" }
        parts["type"] = type
        return parts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
