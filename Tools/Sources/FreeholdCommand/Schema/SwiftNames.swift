/// Names of a file as Swift takes them.
enum SwiftNames {
    /// A property's name, different from those that are taken.
    static func property(_ name: String, taken: inout Set<String>) -> String {
        var made = identifier(name, isType: false)
        // Members of every object, which a property can't be called.
        if members.contains(made) { made += "Value" }
        return unique(made, &taken)
    }

    /// A class's name, different from those that are taken.
    static func type(_ name: String, taken: inout Set<String>) -> String {
        var made = identifier(name, isType: true)
        if types.contains(made) { made += "Object" }
        return unique(made, &taken)
    }

    private static func unique(_ name: String, _ taken: inout Set<String>) -> String {
        var made = name
        var number = 2
        while !taken.insert(made).inserted {
            made = name + String(number)
            number += 1
        }
        return made
    }

    /// The name itself where it is an identifier; else its words, joined.
    private static func identifier(_ name: String, isType: Bool) -> String {
        if isIdentifier(name) { return name }
        var words: [String] = []
        var word = ""
        for scalar in name.unicodeScalars {
            if isBody(scalar) {
                word.unicodeScalars.append(scalar)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        var out = ""
        for (i, word) in words.enumerated() {
            out += i == 0 && !isType ? word : word.prefix(1).uppercased() + word.dropFirst()
        }
        if out.isEmpty { out = isType ? "Unnamed" : "unnamed" }
        // What may stand inside a name but not begin one.
        if !isIdentifier(out) { out = "_" + out }
        return out
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isHead(first) else { return false }
        return name != "_" && name.unicodeScalars.allSatisfy { isBody($0) }
    }

    private static func isHead(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isXIDStart }
    private static func isBody(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDContinue
    }

    /// As it stands in a declaration.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A string literal.
    static func literal(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                out += "\\u{\(String(scalar.value, radix: 16))}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]

    /// Of `Object`, `ObjectBase` and those whose overriding or shadowing would change what objects do.
    private static let members: Set<String> = [
        "realm", "hash", "hashValue", "description", "debugDescription", "objectSchema", "isInvalidated", "isFrozen",
        "isSameObject", "observe", "freeze", "thaw", "self", "init", "primaryKey", "indexedProperties",
        "ignoredProperties", "propertiesMapping", "compoundIndexes", "mappedName", "className", "value", "setValue",
        "encode", "parent", "parentProperty", "linkingObjects", "dynamicList", "isEqual", "superclass", "copy",
        "dynamicMutableSet", "dynamicMap", "sharedSchema", "changes", "objectWillChange",
    ]

    /// Of the library, of Foundation and of Swift, that generated classes use or that others would miss.
    private static let types: Set<String> = [
        "Any", "AnyObject", "AnyRealmValue", "Array", "AsymmetricObject", "Bool", "CompoundIndex", "Data", "Date",
        "Decimal128",
        "Dictionary", "Double", "EmbeddedObject", "Error", "Float", "Int", "LinkingObjects", "List", "Map",
        "MutableSet", "Never", "Object", "ObjectBase", "ObjectId", "Optional", "Persisted", "Projection", "Property",
        "Query", "Realm", "Results", "Schema", "Self", "Set", "String", "Type", "UUID", "Void",
    ]
}
