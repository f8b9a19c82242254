import FreeholdEngine
import Foundation

/// A conversion of JSON to the stored values of a class's properties.
struct JSONConversion {
    let core: RealmCore
    let options: JSONImportOptions
    /// The path of the property that is being converted.
    private var path: [Step] = []
    private var className = ""
    private var place: JSONPlace
    /// The depth of objects inside objects, and of collections in mixed values.
    private var depth = 0
    /// For whole documents: the objects so far. Links in documents contain a primary key or a position, and may refer
    /// to later objects.
    let rows: DocumentRows?
    /// The properties of the last converted object that link to objects that haven't been read yet.
    private(set) var deferred: [(property: Int, value: JSONValue)] = []
    private var isUnresolved = false

    private enum Step {
        case key(String)
        case index(Int)
    }

    init(_ core: RealmCore, _ options: JSONImportOptions, rows: DocumentRows? = nil) {
        self.core = core
        self.options = options
        self.rows = rows
        place = JSONPlace(line: 1, column: 1)
    }

    /// Returns the values of a JSON object for a class.
    mutating func convert(
        _ value: JSONValue,
        _ info: ClassInfo,
        at place: JSONPlace
    ) throws(JSONError) -> _ObjectValues {
        begin(info, at: place)
        deferred = []
        guard value.isContainer else {
            throw error(.invalidValue, "\(value.summary) is given where an object is expected")
        }
        let values = try object(value, info)
        guard let key = info.primaryKeyIndex, values.primaryKey == nil else { return values }
        let property = info.properties[key]
        // A missing identifier is generated. A missing number or string would be 0 or empty for all objects.
        if property.shape.type != .objectId && property.shape.type != .UUID {
            path.append(.key(property.name))
            throw error(.missingValue, "the primary key is missing")
        }
        return values
    }

    /// Converts a property whose links couldn't be resolved before all objects of the document were read.
    mutating func convertLater(
        _ value: JSONValue,
        of property: Int,
        in info: ClassInfo,
        at place: JSONPlace
    ) throws(JSONError) -> _StoredContent {
        begin(info, at: place)
        let name = info.properties[property].name
        let content = try field(value, of: info.properties[property], in: info, step: .key(name))
        if isUnresolved {
            throw JSONError(
                .invalidValue,
                "a link leads to an object that the document doesn't have: \(value.summary)",
                path: name,
                className: info.className
            )
        }
        return content
    }

    private mutating func begin(_ info: ClassInfo, at place: JSONPlace) {
        path = []
        depth = 0
        isUnresolved = false
        className = info.className
        self.place = place
    }

    // MARK: Objects

    private mutating func object(_ value: JSONValue, _ info: ClassInfo) throws(JSONError) -> _ObjectValues {
        let outerClass = className
        defer { className = outerClass }
        className = info.className
        try descend(ValueConversion.maximumDepth)
        defer { depth -= 1 }
        var fields: [(property: Int, content: _StoredContent)] = []
        if case .array(let elements) = value {
            let stored = info.properties.filter { !$0.isComputed }
            if elements.count > stored.count {
                throw error(
                    .invalidValue,
                    "an array of \(elements.count) values is given for \(stored.count) properties"
                )
            }
            for (property, element) in zip(stored, elements) {
                fields.append((property.index, try field(element, of: property, in: info, step: .key(property.name))))
            }
            return _ObjectValues(info: info, fields: fields)
        }
        guard case .object(let members) = value else {
            throw error(.invalidValue, "\(value.summary) is given where an object is expected")
        }
        fields.reserveCapacity(members.count)
        let outerPlace = place
        defer { place = outerPlace }
        for member in members {
            place = member.place
            guard let index = info.index(named: member.key), !info.properties[index].isComputed else {
                if options.unknownKeys == .ignored { continue }
                path.append(.key(member.key))
                throw error(.unknownKey, "\(info.className) stores no property of this name")
            }
            if fields.contains(where: { $0.property == index }) {
                path.append(.key(member.key))
                throw error(.duplicateKey, "the property is given twice, by both of its names")
            }
            let content = try field(member.value, of: info.properties[index], in: info, step: .key(member.key))
            if isUnresolved && depth == 1 {
                isUnresolved = false
                deferred.append((index, member.value))
                continue
            }
            fields.append((index, content))
        }
        return _ObjectValues(info: info, fields: fields)
    }

    private mutating func field(
        _ value: JSONValue,
        of property: PropertyInfo,
        in info: ClassInfo,
        step: Step
    ) throws(JSONError) -> _StoredContent {
        path.append(step)
        // The local value is kept while an error is made, which needs the path.
        let content: _StoredContent =
            switch property.shape.collection {
            case .none: try single(value, of: property, in: info, inCollection: false)
            case .list, .set: .list(try elements(value, of: property, in: info))
            case .map: .dictionary(try entries(value, of: property, in: info))
            }
        path.removeLast()
        return content
    }

    private mutating func elements(
        _ value: JSONValue,
        of property: PropertyInfo,
        in info: ClassInfo
    ) throws(JSONError) -> [_StoredContent] {
        if case .null = value { return [] }
        guard case .array(let elements) = value else { throw mismatch(value, "an array") }
        var contents: [_StoredContent] = []
        contents.reserveCapacity(elements.count)
        for (i, element) in elements.enumerated() {
            path.append(.index(i))
            contents.append(try single(element, of: property, in: info, inCollection: true))
            path.removeLast()
        }
        return contents
    }

    private mutating func entries(
        _ value: JSONValue,
        of property: PropertyInfo,
        in info: ClassInfo
    ) throws(JSONError) -> [_StoredEntry] {
        if case .null = value { return [] }
        guard case .object(let members) = value else { throw mismatch(value, "an object") }
        var entries: [_StoredEntry] = []
        entries.reserveCapacity(members.count)
        let outer = place
        for member in members {
            place = member.place
            path.append(.key(member.key))
            entries.append(
                _StoredEntry(member.key, try single(member.value, of: property, in: info, inCollection: true))
            )
            path.removeLast()
        }
        place = outer
        return entries
    }

    /// Returns the value of a property, or of an element of its collection.
    private mutating func single(
        _ value: JSONValue,
        of property: PropertyInfo,
        in info: ClassInfo,
        inCollection: Bool
    ) throws(JSONError) -> _StoredContent {
        if property.shape.type == .any { return try mixed(value) }
        if case .null = value {
            if property.isLink { return .object(nil) }
            guard property.shape.isOptional else { throw error(.missingValue, "null is given for a required value") }
            return property.shape.type == .object ? .object(nil) : .null
        }
        if property.shape.type == .object { return try link(value, of: property, in: info) }
        let stored = try scalar(value, property.shape.type)
        // Only the type itself can determine whether it has the value. Examples are small integers and enums.
        if let plain = stored.plainValue {
            let known = inCollection ? property.access.convertElement(plain) : property.access.convert(plain)
            if known == nil {
                throw error(.invalidValue, "\(value.summary) stands for no value of the property's type")
            }
        }
        return .value(stored)
    }

    // MARK: Links

    private mutating func link(
        _ value: JSONValue,
        of property: PropertyInfo,
        in info: ClassInfo
    ) throws(JSONError) -> _StoredContent {
        guard let target = info.targetInfo(of: property) else { throw mismatch(value, "an object") }
        if value.isContainer {
            let extended = ExtendedJSON(value)
            if let extended, case .position = extended.tag { return try position(extended.value, target) }
            if extended == nil { return .values(try object(value, target)) }
        }
        return try reference(value, target)
    }

    /// Resolves a link that contains the position of an object among those of its class.
    private mutating func position(_ value: JSONValue, _ target: ClassInfo) throws(JSONError) -> _StoredContent {
        guard let rows else {
            throw error(.invalidValue, "a link by position stands where there is no document that it could count in")
        }
        guard case .number(let digits) = value, let position = Int(digits), position >= 0 else {
            throw mismatch(value, "a position, a whole number from 0,")
        }
        let table = core.requireTable(of: target)
        if let row = rows.row(at: position, in: table.table) { return .object(table.object(row)) }
        isUnresolved = true
        return .object(nil)
    }

    /// Resolves a link that contains the primary key of an object. The object is created if it doesn't exist.
    private mutating func reference(_ value: JSONValue, _ target: ClassInfo) throws(JSONError) -> _StoredContent {
        guard let index = target.primaryKeyIndex else { throw mismatch(value, "an object") }
        let key = try scalar(value, target.properties[index].shape.type)
        let table = core.requireTable(of: target)
        if let row = core.view.find(primaryKey: key, in: table.table) { return .object(table.object(row)) }
        if rows != nil {
            isUnresolved = true
            return .object(nil)
        }
        return .values(_ObjectValues(info: target, fields: [(index, .value(key))]))
    }

    // MARK: Mixed values

    private mutating func mixed(_ value: JSONValue) throws(JSONError) -> _StoredContent {
        switch value {
        case .null: return .null
        case .bool(let value): return .value(.bool(value))
        case .string(let text): return .value(.string(text))
        case .number(let text):
            if let whole = Int64(text) { return .value(.int(whole)) }
            // An integer that is too large for 64 bits keeps its digits as a decimal.
            if !text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }),
                let decimal = Decimal128(text)
            {
                return .value(.decimal128(decimal))
            }
            return .value(try scalar(value, .double))
        case .array(let elements):
            try descend(ValueConversion.maximumDepth + ValueLimits.nesting)
            defer { depth -= 1 }
            var contents: [_StoredContent] = []
            for (i, element) in elements.enumerated() {
                path.append(.index(i))
                contents.append(try mixed(element))
                path.removeLast()
            }
            return .list(contents)
        case .object(let members):
            if let extended = ExtendedJSON(value) { return try typed(extended, value) }
            try descend(ValueConversion.maximumDepth + ValueLimits.nesting)
            defer { depth -= 1 }
            var entries: [_StoredEntry] = []
            for member in members {
                path.append(.key(member.key))
                entries.append(_StoredEntry(member.key, try mixed(member.value)))
                path.removeLast()
            }
            return .dictionary(entries)
        }
    }

    /// Returns a mixed value with an explicit type, such as `{"$date": …}`.
    private mutating func typed(_ extended: ExtendedJSON, _ whole: JSONValue) throws(JSONError) -> _StoredContent {
        switch extended.tag {
        case .scalar(let type): return .value(try scalar(whole, type))
        case .position: throw mismatch(whole, "a value; a mixed link names its class")
        case .link:
            guard case .object(let members) = extended.value, members.count == 2,
                case .string(let name)? = members.first(where: { $0.key == "class" })?.value,
                let content = members.first(where: { ["key", "value", "object"].contains($0.key) })
            else { throw mismatch(extended.value, "a class and a key or a value") }
            guard let table = core.table(named: name) ?? core.dynamicTable(named: name) else {
                throw error(.invalidValue, "the realm has no class \"\(name)\" to link to")
            }
            if content.key == "object" { return try position(content.value, table.info) }
            if content.key == "key" { return try reference(content.value, table.info) }
            return .values(try object(content.value, table.info))
        }
    }

    // MARK: Scalars

    private func scalar(_ given: JSONValue, _ type: PropertyType) throws(JSONError) -> Value {
        var value = given
        if let extended = ExtendedJSON(given), case .scalar(let tagged) = extended.tag {
            guard tagged == type || (tagged == .int && type.isNumber) || (tagged == .double && type == .float) else {
                throw mismatch(given, type)
            }
            value = extended.value
        }
        let text: String
        let isNumber: Bool
        switch value {
        case .number(let digits): (text, isNumber) = (digits, true)
        case .string(let string): (text, isNumber) = (string, false)
        case .bool(let flag) where type == .bool: return .bool(flag)
        default: throw mismatch(given, type)
        }
        let isTagged = ExtendedJSON(given) != nil
        switch type {
        case .string where !isNumber: return .string(text)
        case .int where isNumber || isTagged:
            if let whole = Int64(text) { return .int(whole) }
            // Numbers such as 1e3 and 5.0 are integers, too.
            guard let number = Decimal128(text), number.isFinite else { throw mismatch(given, type) }
            guard let whole = number.exactInt64 else {
                throw error(.invalidValue, "\(given.summary) isn't a whole number of 64 bits")
            }
            return .int(whole)
        case .double:
            return .double(try floating(text, isNumber: isNumber, given: given, type: type))
        case .float:
            return .float(try floating(text, isNumber: isNumber, given: given, type: type))
        case .decimal128:
            if let number = Decimal128(text) { return .decimal128(number) }
        case .date:
            if isNumber {
                if let moment = Decimal128(text).flatMap({ options.dates.moment(number: $0) }) {
                    return .timestamp(moment)
                }
                throw error(.invalidValue, "\(given.summary) is out of the range of dates")
            }
            if let moment = ISO8601.parse(text) { return .timestamp(moment) }
            throw error(.invalidValue, "\(given.summary) isn't an ISO 8601 date, such as 2024-02-29T12:30:00Z")
        case .data where !isNumber:
            if let data = Data(base64Encoded: text) { return .data(data) }
            throw error(.invalidValue, "\(given.summary) isn't data in base64")
        case .objectId where !isNumber:
            if let id = ObjectId(text) { return .objectId(id) }
            throw error(.invalidValue, "\(given.summary) isn't an ObjectId: 24 hexadecimal digits are needed")
        case .UUID where !isNumber:
            if let id = UUID(uuidString: text) { return .uuid(id) }
            throw error(.invalidValue, "\(given.summary) isn't a UUID")
        default: break
        }
        throw mismatch(given, type)
    }

    private func floating<F: BinaryFloatingPoint & LosslessStringConvertible>(
        _ text: String,
        isNumber: Bool,
        given: JSONValue,
        type: PropertyType
    ) throws(JSONError) -> F {
        if isNumber {
            guard let number = F(text), number.isFinite else {
                throw error(.invalidValue, "\(given.summary) is out of the range of a \(type)")
            }
            return number
        }
        switch text {
        case "NaN": return .nan
        case "Infinity", "+Infinity", "Inf", "+Inf": return .infinity
        case "-Infinity", "-Inf": return -.infinity
        default:
            // A number in quotation marks is valid only with an explicit type.
            if ExtendedJSON(given) != nil, let number = F(text) { return number }
            throw mismatch(given, type)
        }
    }

    // MARK: Errors

    private mutating func descend(_ limit: Int) throws(JSONError) {
        if depth > limit { throw error(.tooDeep, "values are nested deeper than \(limit) levels") }
        depth += 1
    }

    private func mismatch(_ value: JSONValue, _ type: PropertyType) -> JSONError {
        mismatch(value, Self.expected[type] ?? "a value of type \(type)")
    }

    private func mismatch(_ value: JSONValue, _ expected: String) -> JSONError {
        error(.invalidValue, "\(value.summary) is given where \(expected) is expected")
    }

    private static let expected: [PropertyType: String] = [
        .int: "a whole number", .bool: "true or false", .string: "a string", .data: "a string of base64",
        .date: "a date of ISO 8601 or a number", .float: "a number", .double: "a number",
        .objectId: "a string of 24 hexadecimal digits", .decimal128: "a number, or its text",
        .UUID: "the text of a UUID", .object: "an object",
    ]

    private func error(_ kind: JSONError.Kind, _ message: String) -> JSONError {
        JSONError(kind, message, at: place, path: path.isEmpty ? nil : pathText, className: className)
    }

    private var pathText: String {
        path.reduce(into: "") { text, step in
            switch step {
            case .index(let i): text += "[\(i)]"
            case .key(let key): text += text.isEmpty ? key : "." + key
            }
        }
    }
}

/// An object with one member whose key begins with `$`. It is a value with an explicit type, in the format of MongoDB's
/// Extended JSON.
struct ExtendedJSON {
    enum Tag {
        case scalar(PropertyType)
        case link
        case position
    }

    let tag: Tag
    let value: JSONValue

    init?(_ json: JSONValue) {
        guard case .object(let members) = json, members.count == 1, members[0].key.hasPrefix("$"),
            let tag = Self.tags[members[0].key]
        else { return nil }
        self.tag = tag
        // {"$binary": {"base64": "…", "subType": "00"}}
        if members[0].key == "$binary", case .object(let parts) = members[0].value,
            let base64 = parts.first(where: { $0.key == "base64" })
        {
            value = base64.value
        } else {
            value = members[0].value
        }
    }

    private static let tags: [String: Tag] = [
        "$numberInt": .scalar(.int), "$numberLong": .scalar(.int), "$numberDouble": .scalar(.double),
        "$numberFloat": .scalar(.float), "$numberDecimal": .scalar(.decimal128), "$binary": .scalar(.data),
        "$date": .scalar(.date), "$oid": .scalar(.objectId), "$uuid": .scalar(.UUID), "$link": .link,
        "$object": .position,
    ]
}

extension JSONValue {
    var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}

extension PropertyType {
    fileprivate var isNumber: Bool { [.int, .float, .double, .decimal128].contains(self) }
}
