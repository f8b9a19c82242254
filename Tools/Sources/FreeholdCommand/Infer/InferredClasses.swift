import Foundation
import Freehold

/// The inferred classes. The first one is imported.
struct InferredClasses {
    private(set) var classes: [ObjectSchema] = []
    private(set) var decisions: [Inference.Decision] = []
    /// The names in the file that differ from the names in the data, by class.
    private(set) var renames: [String: [String: String]] = [:]
    /// A hint for the case that the classes aren't the expected ones.
    var hint: String?
    private let isText: Bool
    private var taken: Set<String>

    init(_ className: String, isText: Bool, taken: Set<String>) {
        self.isText = isText
        self.taken = taken.union([className])
    }

    static func canBeKey(_ type: PropertyType?) -> Bool {
        [.int, .string, .objectId, .UUID].contains(type)
    }

    /// Returns the name in the file of a column of the first class.
    func name(of column: String) -> String { renames[classes[0].className]?[column] ?? column }

    mutating func addClass(
        _ name: String,
        _ guess: ClassGuess,
        isEmbedded: Bool,
        key: String? = nil,
        keyNote: [String: String] = [:]
    ) throws {
        let place = classes.count
        // The class is before the classes of its embedded objects.
        classes.append(ObjectSchema(name, isEmbedded: isEmbedded, properties: []))
        var used: Set<String> = []
        var properties: [Property] = []
        for column in guess.names {
            let stored = Self.storedName(column, &used)
            if stored != column { renames[name, default: [:]][column] = stored }
            let values = guess.columns[column]!
            let nulls = guess.objects - values.values
            let isKey = column == key
            var (property, note) = try property(stored, values, isRequired: nulls == 0, of: name)
            if isKey {
                guard Self.canBeKey(property.type), property.collection == .none else {
                    throw Failure(
                        .data,
                        "--primary-key: '\(column)' is \(TypeText.of(property)), and a key is an int, string, object id or "
                            + "uuid"
                    )
                }
                property.isPrimaryKey = true
            }
            if let given = keyNote[column] { note = [note, given].filter { !$0.isEmpty }.joined(separator: "; ") }
            if stored != column {
                note = ["called '\(column)' in the data", note].filter { !$0.isEmpty }.joined(separator: "; ")
            }
            properties.append(property)
            decisions.append(
                Inference.Decision(
                    className: name,
                    property: property,
                    nulls: nulls,
                    example: values.example ?? "",
                    note: note
                )
            )
        }
        classes[place].properties = properties
    }

    // MARK: Types

    private mutating func property(
        _ name: String,
        _ values: ColumnGuess,
        isRequired: Bool,
        of className: String
    ) throws -> (property: Property, note: String) {
        // The content of a field is JSON.
        let isText = isText && className == classes[0].className
        if let type = values.scalar(isText: isText) {
            let note = type == .string ? textNote(values, isText: isText) : ""
            return (Property(name, type, optional: !isRequired), note)
        }
        if values.values == 0 {
            return isText
                ? (Property(name, .string, optional: true), "never a value") : (Property(name, .any), "never a value")
        }
        if values.kinds == .array, let elements = values.elements { return try list(name, of: elements, in: className) }
        if values.kinds == .object, let members = values.members { return try object(name, of: members, in: className) }
        return (Property(name, .any), "values of several types")
    }

    private mutating func list(
        _ name: String,
        of elements: ColumnGuess,
        in className: String
    ) throws -> (property: Property, note: String) {
        if let type = elements.scalar(isText: false) {
            return (Property(name, type, optional: elements.nulls > 0, collection: .list), "")
        }
        if elements.kinds == .object, elements.nulls == 0, let members = elements.members, members.map == nil,
            !members.names.isEmpty
        {
            let target = embeddedName(className, of: name)
            try addClass(target, members, isEmbedded: true)
            return (Property(name, .object, collection: .list, objectClassName: target), "")
        }
        let note = elements.values == 0 ? "never an element" : "elements of several types"
        return (Property(name, .any, collection: elements.kinds.contains(.array) ? .none : .list), note)
    }

    private mutating func object(
        _ name: String,
        of members: ClassGuess,
        in className: String
    ) throws -> (property: Property, note: String) {
        if let map = members.map {
            let note = "over \(ClassGuess.mostMembers) different keys"
            if let found = try self.map(name, map, hasOddKeys: members.hasOddKeys, of: className) {
                return (found, note)
            }
            return (Property(name, .any), note)
        }
        if members.isTable, let found = try map(name, members.joined, hasOddKeys: members.hasOddKeys, of: className) {
            return (found, "\(members.names.count) keys of objects that are alike")
        }
        if members.names.isEmpty { return (Property(name, .any), "objects without members") }
        let target = embeddedName(className, of: name)
        try addClass(target, members, isEmbedded: true)
        return (Property(name, .object, objectClassName: target), "")
    }

    /// Returns a map of scalars or of embedded objects, or nil if a map can't contain the values or the keys.
    private mutating func map(
        _ name: String,
        _ values: ColumnGuess,
        hasOddKeys: Bool,
        of className: String
    ) throws -> Property? {
        if hasOddKeys { return nil }
        if let type = values.scalar(isText: false) {
            return Property(name, type, optional: values.nulls > 0, collection: .map)
        }
        guard values.kinds == .object, let members = values.members, members.map == nil, !members.names.isEmpty else {
            return nil
        }
        let target = embeddedName(className, of: name)
        try addClass(target, members, isEmbedded: true)
        return Property(name, .object, optional: true, collection: .map, objectClassName: target)
    }

    /// Returns the reason why a column is text although many of its values have another type.
    private func textNote(_ values: ColumnGuess, isText: Bool) -> String {
        if values.paddedNumbers > 0 { return "text, since numbers begin with 0 or +" }
        guard isText else { return "" }
        if values.blanks > 0, let type = values.typeWithoutBlanks {
            let name = TypeText.of(Property("", type, optional: true))
            return
                "text, since \(Units.count(values.blanks, "value")) \(values.blanks == 1 ? "is" : "are") blank and not "
                + "empty; else \(name)"
        }
        return values.kinds.isSubset(of: .texts) ? "" : "text, since values are of several types"
    }

    // MARK: Names

    private static let longestProperty = 63
    private static let longestClass = 57

    /// Returns a valid name that no other property has.
    private static func storedName(_ name: String, _ used: inout Set<String>) -> String {
        var base = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { ".[]".unicodeScalars.contains($0) || $0.value < 0x20 ? "_" : $0 }
            )
        )
        if base.hasPrefix("@") { base = "_" + base.dropFirst() }
        if base.isEmpty { base = "_" }
        return unique(cut(base, to: longestProperty), longestProperty) { used.insert($0).inserted }
    }

    /// Returns `PersonHome` for `Person.home`.
    private mutating func embeddedName(_ className: String, of property: String) -> String {
        let words = property.split { !$0.isLetter && !$0.isNumber }
        let name = className + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return Self.unique(Self.cut(name, to: Self.longestClass), Self.longestClass) { taken.insert($0).inserted }
    }

    private static func unique(_ name: String, _ limit: Int, take: (String) -> Bool) -> String {
        if take(name) { return name }
        var number = 2
        while true {
            let next = cut(name, to: limit - String(number).utf8.count) + String(number)
            if take(next) { return next }
            number += 1
        }
    }

    private static func cut(_ name: String, to limit: Int) -> String {
        var name = name
        while name.utf8.count > limit { name.removeLast() }
        return name
    }
}
