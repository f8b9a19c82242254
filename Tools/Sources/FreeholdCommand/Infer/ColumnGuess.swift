import Foundation
import Freehold

/// The observed values of one property.
final class ColumnGuess {
    /// The kinds of values, each of which has a type of property.
    struct Kinds: OptionSet {
        let rawValue: Int

        static let int = Kinds(rawValue: 1)
        /// Numbers that a double represents with all of their digits.
        static let double = Kinds(rawValue: 2)
        /// Numbers with more digits.
        static let decimal = Kinds(rawValue: 4)
        static let bool = Kinds(rawValue: 8)
        static let text = Kinds(rawValue: 16)
        static let date = Kinds(rawValue: 32)
        static let uuid = Kinds(rawValue: 64)
        static let objectId = Kinds(rawValue: 128)
        static let data = Kinds(rawValue: 256)
        static let object = Kinds(rawValue: 512)
        static let array = Kinds(rawValue: 1024)
        /// Values that only a mixed property stores.
        static let other = Kinds(rawValue: 2048)

        static let numbers: Kinds = [.int, .double, .decimal]
        /// Values that are strings in JSON, which a string property can store.
        static let texts: Kinds = [.text, .date, .uuid, .objectId]
    }

    private(set) var kinds: Kinds = []
    /// The number of values that aren't null.
    private(set) var values = 0
    private(set) var nulls = 0
    /// The first value that isn't null.
    private(set) var example: String?
    /// The elements, for arrays.
    private(set) var elements: ColumnGuess?
    /// The members, for objects.
    private(set) var members: ClassGuess?
    /// The number of numbers whose text differs from the number, such as `007`.
    private(set) var paddedNumbers = 0
    /// The number of CSV fields with only white space, or with nothing between quotation marks.
    private(set) var blanks = 0
    private var kindsWithoutBlanks: Kinds = []
    /// A Boolean value that indicates whether all numbers can be points in time, if the options allow this.
    private var areMoments = true
    /// A Boolean value that indicates whether a text of 24 hexadecimal digits contained a letter, which distinguishes
    /// ids from long numbers.
    private var hasLetters = false
    private let depth: Int
    private let dates: DateFormats

    /// The depth of nested objects. Deeper ones are stored as mixed values.
    static let deepest = 6

    init(depth: Int, dates: DateFormats) {
        self.depth = depth
        self.dates = dates
    }

    // MARK: JSON

    func add(_ node: JSONNode) throws {
        if node == .null {
            nulls += 1
            return
        }
        values += 1
        if example == nil { example = node.summary }
        switch node {
        case .null: break
        case .bool: kinds.insert(.bool)
        case .number(let text): addNumber(text)
        case .string(let text): addText(text)
        case .array(let nodes):
            kinds.insert(.array)
            if elements == nil { elements = ColumnGuess(depth: depth + 1, dates: dates) }
            for node in nodes { try elements!.add(node) }
        case .object:
            if let (tag, value) = node.tagged {
                kinds.insert(Self.tags[tag] ?? .other)
                if tag == "$oid", case .string = value { hasLetters = true }
                return
            }
            guard depth < Self.deepest else { return kinds = kinds.union(.other) }
            kinds.insert(.object)
            if members == nil { members = ClassGuess(depth: depth + 1, dates: dates) }
            try members!.add(node)
        }
    }

    /// The tags of Extended JSON.
    private static let tags: [String: Kinds] = [
        "$oid": .objectId, "$uuid": .uuid, "$date": .date, "$numberInt": .int, "$numberLong": .int,
        "$numberDouble": .double, "$numberDecimal": .decimal, "$binary": .data,
    ]

    // MARK: CSV

    /// Adds a field. An empty field is null.
    func add(_ field: CSVReader.Field) throws {
        if field.text.isEmpty && !field.isQuoted {
            nulls += 1
            return
        }
        let text = field.text
        if text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            values += 1
            blanks += 1
            kinds.insert(.text)
            return
        }
        let earlier = kinds
        kinds = []
        defer {
            kindsWithoutBlanks.formUnion(kinds)
            kinds.formUnion(earlier)
        }
        if text.hasPrefix("[") || text.hasPrefix("{"), let node = try? JSONNode.read(text) { return try add(node) }
        values += 1
        if example == nil { example = text }
        switch text.lowercased() {
        case "true", "false": kinds.insert(.bool)
        default:
            if JSONString.isNumber(text) { return addNumber(text) }
            if text.utf8.first.map({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "+") }) ?? false,
                text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }), text.utf8.count > 1
            {
                paddedNumbers += 1
            }
            addText(text)
        }
    }

    // MARK: Scalars

    private func addNumber(_ text: String) {
        if let unit = dates.numbers, areMoments {
            // The years from 1973 to 2286, which few other numbers match.
            let seconds = (Double(text) ?? 0) / (unit == .millisecondsSince1970 ? 1000 : 1)
            areMoments = (1e8...1e10).contains(seconds)
        }
        if Int64(text) != nil {
            kinds.insert(.int)
            return
        }
        let isWhole = !text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
        guard Double(text)?.isFinite ?? false, digits.count <= 17, !isWhole else {
            kinds.insert(Decimal128(text)?.isFinite ?? false ? .decimal : .text)
            return
        }
        kinds.insert(.double)
    }

    private func addText(_ text: String) {
        let count = text.utf8.count
        if count == 36, UUID(uuidString: text) != nil {
            kinds.insert(.uuid)
        } else if count == 24, Self.areHexDigits(text) {
            kinds.insert(.objectId)
            if text.utf8.contains(where: { $0 > 0x39 }) { hasLetters = true }
        } else if dates.isDate(text) {
            kinds.insert(.date)
        } else {
            kinds.insert(.text)
        }
    }

    private static func areHexDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0) }
    }

    // MARK: Results

    /// Adds the values of another column, when both become one.
    func formUnion(_ other: ColumnGuess) {
        kinds.formUnion(other.kinds)
        values += other.values
        nulls += other.nulls
        hasLetters = hasLetters || other.hasLetters
        areMoments = areMoments && other.areMoments
        example = example ?? other.example
        paddedNumbers += other.paddedNumbers
        if let more = other.elements {
            let all = elements ?? ColumnGuess(depth: depth + 1, dates: dates)
            all.formUnion(more)
            elements = all
        }
        if let more = other.members {
            let all = members ?? ClassGuess(depth: depth + 1, dates: dates)
            all.formUnion(more)
            members = all
        }
    }

    /// Returns the one scalar type that can store all values, or nil if none can or no values exist.
    ///
    /// - Parameter isText: A Boolean value that indicates whether all values are text. The string type can then store
    ///   values that don't fit another type.
    func scalar(isText: Bool) -> PropertyType? {
        if kinds.isEmpty { return nil }
        if dates.numbers != nil, areMoments, kinds.isSubset(of: [.int, .double]) { return .date }
        if kinds.isSubset(of: .numbers) {
            if kinds == .int { return .int }
            return kinds.contains(.decimal) ? .decimal128 : .double
        }
        switch kinds {
        case .bool: return .bool
        case .date: return .date
        case .uuid: return .UUID
        case .objectId: return hasLetters ? .objectId : .string
        case .data: return .data
        default: break
        }
        if kinds.isSubset(of: .texts) { return .string }
        return isText && kinds.isDisjoint(with: [.object, .array, .other, .data]) ? .string : nil
    }

    /// The type of a CSV column if its blank fields were empty, or nil if it would still be text.
    var typeWithoutBlanks: PropertyType? {
        let other = ColumnGuess(depth: depth, dates: dates)
        (other.kinds, other.hasLetters, other.areMoments) = (kindsWithoutBlanks, hasLetters, areMoments)
        let type = other.scalar(isText: true)
        return type == .string ? nil : type
    }
}

/// The observed objects of one class.
final class ClassGuess {
    /// The limit of different keys of nested objects. Objects with more keys are maps.
    static let mostMembers = 200
    /// The limit of properties of the imported class.
    static let mostColumns = 2000

    private(set) var names: [String] = []
    private(set) var columns: [String: ColumnGuess] = [:]
    private(set) var objects = 0
    /// The common type of the values, if the number of keys exceeds that of properties.
    private(set) var map: ColumnGuess?
    /// A Boolean value that indicates whether a key can't be a key of a map.
    private(set) var hasOddKeys = false
    /// A Boolean value that indicates whether the objects are JSON instead of CSV records.
    private var isJSON = false
    private let depth: Int
    private let dates: DateFormats

    init(depth: Int, dates: DateFormats) {
        self.depth = depth
        self.dates = dates
    }

    func column(_ name: String) throws -> ColumnGuess {
        if let column = columns[name] { return column }
        if depth == 0, names.count == Self.mostColumns {
            throw Failure(
                .data,
                "the objects have over \(Units.grouped(Self.mostColumns)) different keys, which can't be properties of "
                    + "one class"
                    + (isJSON
                        ? ". If the keys are ids, --entries id makes an object of each entry; keys of an object inside "
                            + "of the class's become a map" : "")
            )
        }
        let column = ColumnGuess(depth: depth, dates: dates)
        columns[name] = column
        names.append(name)
        return column
    }

    /// - Throws: `Failure` for a value that isn't an object, and for too many keys.
    func add(_ node: JSONNode) throws {
        guard case .object(let members) = node else {
            throw Failure(.data, "\(node.summary) stands where an object is expected")
        }
        objects += 1
        isJSON = true
        for member in members {
            if member.key.hasPrefix("$") || member.key.contains(".") { hasOddKeys = true }
            if let map {
                try map.add(member.value)
                continue
            }
            try column(member.key).add(member.value)
            if depth > 0, names.count > Self.mostMembers { becomeMap() }
        }
    }

    /// Adds a record of fields, in the order of the names.
    func add(_ record: CSVReader.Record) throws {
        objects += 1
        for (name, field) in zip(names, record.fields) { try columns[name]!.add(field) }
    }

    private func becomeMap() {
        map = joined
        names = []
        columns = [:]
    }

    /// The combined values of all properties.
    var joined: ColumnGuess {
        let all = ColumnGuess(depth: depth, dates: dates)
        for name in names { all.formUnion(columns[name]!) }
        return all
    }

    /// Adds the objects of another class, when both become one.
    func formUnion(_ other: ClassGuess) {
        objects += other.objects
        hasOddKeys = hasOddKeys || other.hasOddKeys
        if map == nil, other.map != nil { becomeMap() }
        if let map {
            map.formUnion(other.map ?? other.joined)
            return
        }
        for name in other.names {
            let column = columns[name] ?? ColumnGuess(depth: depth, dates: dates)
            column.formUnion(other.columns[name]!)
            if columns.updateValue(column, forKey: name) == nil { names.append(name) }
        }
        if names.count > Self.mostMembers { becomeMap() }
    }

    /// Fewer keys are always names of properties.
    private static let fewestEntries = 16

    /// A Boolean value that indicates whether the keys are probably those of a table instead of names of properties. It
    /// is true if the number of keys is large and all of them lead to objects with nearly the same keys.
    var isTable: Bool {
        guard names.count >= Self.fewestEntries else { return false }
        var (all, sum) = (Set<String>(), 0)
        for column in columns.values {
            guard column.kinds == .object, column.nulls == 0, let members = column.members, members.map == nil else {
                return false
            }
            all.formUnion(members.names)
            sum += members.names.count
        }
        return sum > 0 && all.count * names.count <= 2 * sum
    }
}
