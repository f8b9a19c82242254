import Foundation
import Freehold

/// An inference of classes and types for data without a schema.
struct Inference {
    /// The decision about one property.
    struct Decision {
        let className: String
        let property: Property
        /// The number of objects without a value.
        let nulls: Int
        let example: String
        let note: String
    }

    let className: String
    let dates: DateFormats
    /// The requested primary key, "none" for none, or nil if it has to be found.
    let primaryKey: String?
    /// The properties that become the primary key if their values are suitable.
    private let candidates: [String]
    private let guess: ClassGuess
    private var keys: [String: UniqueValues] = [:]

    /// - Parameter entries: The property for the objects' keys, if the objects are entries of an object.
    init(_ className: String, dates: DateFormats, primaryKey: String?, entries: String?) {
        self.className = className
        self.dates = dates
        self.primaryKey = primaryKey
        candidates = entries.map { [$0] } ?? ["_id", "id"]
        guess = ClassGuess(depth: 0, dates: dates)
        if primaryKey == "none" { return }
        for name in primaryKey.map({ [$0] }) ?? candidates { keys[name] = UniqueValues() }
    }

    var objects: Int { guess.objects }

    // MARK: Reading

    /// - Throws: `Failure` with the line.
    mutating func readJSON(_ read: @escaping () throws -> Data, entries: String?) throws {
        var reader = JSONTextReader(read, entries: entries)
        while let (value, line) = try reader.element() {
            do { try guess.add(value) } catch let failure as Failure {
                throw Failure(failure.status, "line \(line): \(failure.message)")
            }
            for name in keys.keys {
                let key = value[name]
                keys[name]!.add(key == nil || key == .null ? nil : key!.text, line: line)
            }
        }
    }

    /// - Returns: The names of the columns in the file. An element is nil for a column that is skipped.
    /// - Throws: `Failure` with the line.
    mutating func readCSV(
        _ read: @escaping () throws -> Data,
        _ layout: CSVLayout
    ) throws -> [String?] {
        var reader = CSVReader(delimiter: layout.delimiter, read)
        let first = layout.hasHeader ? try reader.record() : nil
        if layout.hasHeader, first == nil {
            throw Failure(.data, "line 1: there is no header with the names of the columns")
        }
        var names = layout.names ?? first.map { Self.names(of: $0) }
        if let names { try prepare(names, line: first?.line) }
        while let record = try reader.record(isSingle: names?.count == 1) {
            if names == nil {
                names = record.fields.indices.map { "column\($0 + 1)" }
                try prepare(names!, line: nil)
            }
            try add(try record.padded(to: names!.count, layout), names!)
        }
        return names ?? []
    }

    private static func names(of head: CSVReader.Record) -> [String?] {
        head.fields.enumerated().map { $1.text.isEmpty ? "column\($0 + 1)" : $1.text }
    }

    private func prepare(_ names: [String?], line: Int?) throws {
        var seen: Set<String> = []
        for case let name? in names {
            guard seen.insert(name).inserted else {
                let place = line.map { "line \($0): " } ?? ""
                throw Failure(.data, "\(place)column '\(name)' occurs twice")
            }
            _ = try guess.column(name)
        }
    }

    private mutating func add(_ record: CSVReader.Record, _ names: [String?]) throws {
        let named = zip(names, record.fields).filter { $0.0 != nil }
        try guess.add(CSVReader.Record(fields: named.map(\.1), line: record.line))
        for (name, field) in named {
            guard let name, keys[name] != nil else { continue }
            keys[name]!.add(field.text.isEmpty && !field.isQuoted ? nil : field.text, line: record.line)
        }
    }

    // MARK: Decisions

    /// - Parameters:
    ///   - taken: The names of the file's classes.
    ///   - isText: A Boolean value that indicates whether the data is text, like CSV.
    /// - Throws: `Failure` if the data is empty, or if the requested primary key isn't suitable.
    func decide(taken: Set<String>, isText: Bool) throws -> InferredClasses {
        guard objects > 0 else { throw Failure(.data, "there are no objects to infer a class from") }
        var classes = InferredClasses(className, isText: isText, taken: taken)
        let key = try primaryKeyName(isText: isText)
        try classes.addClass(className, guess, isEmbedded: false, key: key.name, keyNote: key.note)
        // A table of objects by their ids, which was interpreted as one object.
        if objects == 1, !isText, guess.isTable {
            classes.hint =
                "\(className) is one object, whose \(guess.names.count) keys lead to objects that are alike. If the keys "
                + "are ids, --entries id makes an object of each entry, with its key in 'id'."
        }
        return classes
    }

    private func primaryKeyName(isText: Bool) throws -> (name: String?, note: [String: String]) {
        if let primaryKey, primaryKey != "none" {
            guard let values = keys[primaryKey], guess.columns[primaryKey] != nil else {
                throw Failure(
                    .data,
                    "--primary-key: the data has no '\(primaryKey)'. "
                        + Suggestions.text(for: primaryKey, among: guess.names, "It has")
                )
            }
            if values.hasMissing || values.count < objects {
                throw Failure(.data, "--primary-key: '\(primaryKey)' is missing in some objects")
            }
            if let (value, line) = values.repeated {
                throw Failure(.data, "--primary-key: line \(line): '\(primaryKey)' is \(value) for the second time")
            }
            return (primaryKey, [:])
        }
        var notes: [String: String] = [:]
        for name in candidates {
            guard let values = keys[name], let column = guess.columns[name] else { continue }
            if values.isOverLimit {
                notes[name] = "too many to compare; --primary-key \(name) takes it as the key"
            } else if let (value, line) = values.repeated {
                notes[name] = "no primary key: \(value) occurs twice, the second time on line \(line)"
            } else if values.areUnique, values.count == objects,
                InferredClasses.canBeKey(column.scalar(isText: isText))
            {
                return (name, notes)
            }
        }
        return (nil, notes)
    }
}
