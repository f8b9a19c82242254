import Freehold

struct FieldError: Error {
    let message: String
}

/// A conversion of CSV fields to the JSON that the library reads for a property.
struct FieldText {
    private let schema: Schema
    private let adapter: JSONAdapter
    private var dates: DateFormats { adapter.dates }

    init(_ schema: Schema, _ adapter: JSONAdapter) {
        self.schema = schema
        self.adapter = adapter
    }

    func append(_ field: CSVReader.Field, _ property: Property, to bytes: inout [UInt8]) throws(FieldError) {
        if field.text.isEmpty && !field.isQuoted {
            guard try takesNothing(property) else { return JSONString.append("", to: &bytes) }
            return bytes.append(contentsOf: Array("null".utf8))
        }
        if property.collection != .none {
            let mark: Character = property.collection == .map ? "{" : "["
            guard field.text.first == mark, JSONString.isJSON(field.text) else {
                throw FieldError(message: "a \(property.collection) is written as JSON, \(mark == "[" ? "[…]" : "{…}")")
            }
            return try append(json: field.text, property, to: &bytes)
        }
        try append(field, of: property, type: property.type, target: property.objectClassName, to: &bytes)
    }

    private func append(json text: String, _ property: Property, to bytes: inout [UInt8]) throws(FieldError) {
        guard adapter.isNeeded else { return bytes.append(contentsOf: text.utf8) }
        do {
            try adapter.adapted(try JSONNode.read(text), property).append(to: &bytes)
        } catch {
            throw FieldError(message: (error as? Failure)?.message ?? "\(error)")
        }
    }

    /// Returns a Boolean value that indicates whether an empty field is null, or an empty collection. Otherwise it is
    /// an empty string.
    private func takesNothing(_ property: Property) throws(FieldError) -> Bool {
        if property.collection != .none || property.type == .any || property.isOptional { return true }
        if property.type == .string { return false }
        throw FieldError(message: "the field is empty, but the property can't be null")
    }

    private func append(
        _ field: CSVReader.Field,
        of property: Property,
        type: PropertyType,
        target: String?,
        to bytes: inout [UInt8]
    ) throws(FieldError) {
        let text = field.text
        switch type {
        case .int:
            if let number = Int64(text) { return bytes.append(contentsOf: String(number).utf8) }
            if JSONString.isNumber(text) { return bytes.append(contentsOf: text.utf8) }
        case .float, .double, .decimal128:
            if JSONString.isNumber(text) { return bytes.append(contentsOf: text.utf8) }
        case .bool:
            switch text.lowercased() {
            case "true", "1": return bytes.append(contentsOf: "true".utf8)
            case "false", "0": return bytes.append(contentsOf: "false".utf8)
            default: break
            }
        case .any:
            // Numbers and similar values must have no quotation marks. Arrays and objects may have them.
            if JSONString.isJSON(text), !field.isQuoted || text.hasPrefix("{") || text.hasPrefix("[") {
                return bytes.append(contentsOf: text.utf8)
            }
        case .object:
            if text.hasPrefix("{") {
                guard JSONString.isJSON(text) else { throw FieldError(message: "an object is written as JSON, {…}") }
                return try append(json: text, property, to: &bytes)
            }
            // The primary key in the format of the target class.
            if let key = target.flatMap({ schema[$0] })?.primaryKeyProperty, key.type != .object {
                return try append(field, of: key, type: key.type, target: nil, to: &bytes)
            }
        case .date:
            if let moment = dates.standardText(text) { return JSONString.append(moment, to: &bytes) }
            if dates.numbers != nil, JSONString.isNumber(text) { return bytes.append(contentsOf: text.utf8) }
            guard !dates.hasPatterns || DateFormats.isISO8601(text) else {
                throw FieldError(message: "\"\(text)\" is none of the dates that are expected: \(dates.expected)")
            }
        default: break
        }
        // The importer parses dates, identifiers and similar values in strings, and reports all other errors.
        JSONString.append(text, to: &bytes)
    }
}
