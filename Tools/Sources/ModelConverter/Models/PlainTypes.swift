/// The known types of properties, by their names.
enum PlainTypes {
    /// Types whose optionals are objects of Objective-C.
    private static let objects: Set<String> = ["String", "Date", "Data", "ObjectId", "UUID", "Decimal128"]
    private static let numbers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "Bool", "Float", "Double", "TimeInterval",
    ]
    /// Types that can't be stored, and their replacements.
    private static let unstored: [String: String] = [
        "NSDate": "Date", "NSData": "Data", "NSString": "String", "NSNumber": "Int?, Double? or Bool?",
        "NSURL": "String", "URL": "String", "CGFloat": "Double", "NSArray": "List", "NSMutableArray": "List",
        "NSDictionary": "Map", "NSMutableDictionary": "Map", "NSSet": "MutableSet", "NSMutableSet": "MutableSet",
        "Array": "List", "Dictionary": "Map", "Set": "MutableSet", "Any": "AnyRealmValue", "AnyObject": "AnyRealmValue",
        "UInt": "Int", "UInt8": "Int", "UInt16": "Int", "UInt32": "Int", "UInt64": "Int", "Character": "String",
        "UIImage": "Data", "NSUUID": "UUID", "NSDecimalNumber": "Decimal128", "Decimal": "Decimal128",
    ]

    /// Returns the name of a property's type, if the declaration contains it.
    private static func name(_ binding: VariableDeclaration.Binding, in file: SourceFile) -> String? {
        if let type = binding.type { return Parser.path(file.tokens[type]).last }
        guard let value = binding.value, let first = file.tokens[value].first else { return nil }
        switch first.kind {
        case .literal, .literalPart: return "String"
        case .number: return first.text.contains(".") ? "Double" : "Int"
        case .mark where first.text == "-": return "Int"
        case .word:
            if first.text == "true" || first.text == "false" { return "Bool" }
            return Parser.path(file.tokens[value]).first
        default: return nil
        }
    }

    static func reasonToLeave(
        _ binding: VariableDeclaration.Binding,
        in file: SourceFile,
        _ index: ModelIndex
    ) -> String? {
        let shown = binding.type.map { file.text(tokens: $0) } ?? binding.value.map { file.text(tokens: $0) } ?? ""
        if let range = binding.type ?? binding.value, let first = range.first {
            // Matches `[String]()`, but not `[1, 2].count`.
            let next = file.partner[first] + 1
            let isLiteral = binding.type != nil || next == range.upperBound || file.tokens[next].isMark("(")
            if file.tokens[first].isMark("["), isLiteral {
                return "is an array or dictionary, which isn't stored: use List or Map"
            }
            if file.tokens[first].isMark("("), binding.type != nil {
                return "is of type \(shown), which can't be stored"
            }
        }
        guard var name = name(binding, in: file) else { return nil }
        if let target = index.alias(name)?.last { name = target }
        if let instead = unstored[name], !index.isDeclared(name) {
            return "is of type \(name), which can't be stored: use \(instead)"
        }
        return nil
    }

    static func isSeenByObjectiveC(
        _ binding: VariableDeclaration.Binding,
        in file: SourceFile,
        _ index: ModelIndex
    ) -> Bool {
        guard let name = name(binding, in: file) else { return false }
        guard let type = binding.type else { return objects.contains(name) || numbers.contains(name) }
        let isOptional = file.tokens[type.upperBound - 1].isMark("?") || file.tokens[type.upperBound - 1].isMark("!")
        guard type.count == (isOptional ? 2 : 1) else { return false }
        return objects.contains(name) || (isOptional ? index.isModel(name) : numbers.contains(name))
    }

    /// Returns a Boolean value that indicates whether a property has one of the library's types, which have no member
    /// `value`.
    static func isValue(_ binding: VariableDeclaration.Binding, in file: SourceFile) -> Bool {
        name(binding, in: file).map { objects.contains($0) || numbers.contains($0) } ?? false
    }

    /// Returns a Boolean value that indicates whether a type's name needs no report.
    static func isKnown(_ name: String, _ index: ModelIndex) -> Bool {
        objects.contains(name) || numbers.contains(name) || index.isModel(name) || index.isDeclared(name)
            || ["AnyRealmValue", "Optional", "RealmSwift", "Freehold", "Foundation"].contains(name)
    }
}
