import ArgumentParser
import Foundation
import Freehold

/// The names of the properties for groups and aggregates.
struct AggregateOptions: Sendable {
    let groupBy: [String]
    let sum: [String]
    let avg: [String]
    let min: [String]
    let max: [String]

    var isGiven: Bool { ![groupBy, sum, avg, min, max].allSatisfy(\.isEmpty) }
}

/// The computation and output of aggregates.
struct Aggregation {
    private enum Function: String {
        case sum, avg, min, max
    }

    private struct Column {
        let title: String
        let isNumber: Bool
        let isInteger: Bool
        /// The function and its path, or nil for the count.
        let function: (Function, path: String)?
    }

    private let groups: [String]
    private let columns: [Column]
    private let isNumber: [Bool]

    /// - Throws: `Failure` for properties that can't be grouped or aggregated.
    init(_ options: AggregateOptions, counts: Bool, of object: ObjectSchema, in schema: Schema) throws {
        groups = Self.names(options.groupBy)
        var isNumber: [Bool] = []
        for name in groups {
            let property = try Columns.property(at: name, of: object, in: schema)
            guard property.collection == .none, property.type != .linkingObjects else {
                throw Failure(.data, "--group-by '\(name)': \(TypeText.of(property)) has no one value to group by")
            }
            isNumber.append(property.isPlainNumber)
        }
        var columns: [Column] = []
        let all: [(Function, [String])] = [
            (.sum, options.sum), (.avg, options.avg), (.min, options.min), (.max, options.max),
        ]
        if counts || all.allSatisfy(\.1.isEmpty) {
            columns.append(Column(title: "count", isNumber: true, isInteger: true, function: nil))
        }
        for (function, given) in all {
            for name in Self.names(given) {
                let property = try Columns.property(at: name, of: object, in: schema)
                try Self.check(property, as: name, function: function)
                columns.append(
                    Column(
                        title: "\(function.rawValue)(\(name))",
                        isNumber: property.type != .date,
                        isInteger: property.type == .int,
                        function: (function, name)
                    )
                )
            }
        }
        self.columns = columns
        self.isNumber = isNumber + columns.map(\.isNumber)
        let titles = groups + columns.map(\.title)
        if let twice = titles.first(where: { title in titles.filter { $0 == title }.count > 1 }) {
            throw Failure(.usage, "the column '\(twice)' is asked for twice")
        }
    }

    private static func names(_ given: [String]) -> [String] {
        given.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func check(_ property: Property, as name: String, function: Function) throws {
        let isComparable = [.int, .float, .double, .decimal128, .any].contains(property.type)
        let isDate = property.type == .date && (function == .min || function == .max)
        guard property.collection == .none, isComparable || isDate else {
            throw Failure(
                .data,
                "--\(function.rawValue) '\(name)': \(TypeText.of(property)) isn't a "
                    + (function == .sum || function == .avg ? "number" : "number or date")
            )
        }
    }

    private var titles: [String] { groups + columns.map(\.title) }

    /// - Returns: The number of rows.
    func write(
        _ results: Results<DynamicObject>,
        _ format: RowFormat,
        sort: String?,
        offset: Int?,
        limit: Int?
    ) throws -> Int {
        let keys = try sort.map { try sortKeys($0) } ?? []
        let large = Set(columns.indices.filter { mayOverflow(columns[$0], results) })
        var output = RowOutput(format, titles, isNumber: isNumber) { try StandardOutput.shared.write($0) }
        guard !groups.isEmpty else {
            let cells = columns.enumerated().map { i, column in
                (large.contains(i) ? exactSum(column, results) : value(column, results)).cell
            }
            try output.add(cells)
            try output.finish()
            return 1
        }
        var rows: [[AnyRealmValue]] = []
        for group in results.grouped(by: groups) {
            try Task.checkCancellation()
            let values = columns.enumerated().map { i, column in
                large.contains(i) ? exactSum(column, group.objects) : value(column, group)
            }
            rows.append(group.key + values)
        }
        if !keys.isEmpty { rows = try sorted(rows, keys) }
        for row in rows.dropFirst(offset ?? 0).prefix(limit ?? .max) { try output.add(row.map(\.cell)) }
        try output.finish()
        return Swift.min(Swift.max(0, rows.count - (offset ?? 0)), limit ?? .max)
    }

    private func value(_ column: Column, _ results: Results<DynamicObject>) -> AnyRealmValue {
        guard let (function, path) = column.function else { return .int(results.count) }
        return switch function {
        case .sum: results.sum(ofProperty: path)
        case .avg: results.average(ofProperty: path) ?? .none
        case .min: results.min(ofProperty: path) ?? .none
        case .max: results.max(ofProperty: path) ?? .none
        }
    }

    private func value(_ column: Column, _ group: ResultsGroup<[AnyRealmValue], DynamicObject>) -> AnyRealmValue {
        guard let (function, path) = column.function else { return .int(group.count) }
        return switch function {
        case .sum: group.sum(ofProperty: path)
        case .avg: group.average(ofProperty: path) ?? .none
        case .min: group.min(ofProperty: path) ?? .none
        case .max: group.max(ofProperty: path) ?? .none
        }
    }

    // MARK: Large sums

    /// Returns a Boolean value that indicates whether a sum of integers can exceed 64 bits, which is the size of the
    /// library's sums.
    private func mayOverflow(_ column: Column, _ results: Results<DynamicObject>) -> Bool {
        guard let (function, path) = column.function, function == .sum, column.isInteger else { return false }
        let bounds: [Int?] = [results.min(ofProperty: path), results.max(ofProperty: path)]
        return bounds.contains { $0.map { $0.multipliedReportingOverflow(by: results.count).overflow } ?? false }
    }

    private func exactSum(_ column: Column, _ results: Results<DynamicObject>) -> AnyRealmValue {
        guard let steps = column.function?.path.split(separator: ".").map(String.init) else { return .none }
        var sum: Int128 = 0
        for object in results {
            var target: DynamicObject? = object
            for step in steps.dropLast() { target = target?[step] as? DynamicObject }
            if let number = target?[steps[steps.count - 1]] as? Int { sum += Int128(number) }
        }
        return Int(exactly: sum).map { .int($0) } ?? .decimal128(Decimal128(sum))
    }

    // MARK: Order

    private func sortKeys(_ text: String) throws -> [(column: Int, isAscending: Bool)] {
        try SortKey.parse(text).map { key in
            guard let column = titles.firstIndex(of: key.name) else {
                throw Failure(
                    .data,
                    "--sort: the groups have no column '\(key.name)'. "
                        + Suggestions.text(for: key.name, among: titles, "They have")
                )
            }
            return (column, key.isAscending)
        }
    }

    /// Returns the sorted groups. Groups with equal keys keep their order.
    private func sorted(
        _ rows: [[AnyRealmValue]],
        _ keys: [(column: Int, isAscending: Bool)]
    ) throws -> [[AnyRealmValue]] {
        rows.enumerated().sorted { a, b in
            for (column, isAscending) in keys {
                let order = a.element[column].order(b.element[column])
                if order != 0 { return isAscending == (order < 0) }
            }
            return a.offset < b.offset
        }.map(\.element)
    }
}

extension AnyRealmValue {
    /// The value as it is shown.
    var cell: RowText.Cell {
        switch self {
        case .none: .null
        case .int(let value): .scalar("\(value)")
        case .bool(let value): .scalar("\(value)")
        case .float(let value): Self.cell(value)
        case .double(let value): Self.cell(value)
        case .string(let text): .string(text)
        case .data(let data): .string(data.base64EncodedString())
        case .date(let date): .string(Moment(date)?.text ?? "\(date.timeIntervalSince1970) s since 1970")
        case .objectId(let id): .string(id.stringValue)
        case .decimal128(let number): .string(number.stringValue)
        case .uuid(let id): .string(id.uuidString)
        case .object(let object): Self.cell(object)
        case .dictionary(let map): .json("{\(map.count) entries}")
        case .list(let list): .json("[\(list.count) elements]")
        }
    }

    private static func cell<F: BinaryFloatingPoint & CustomStringConvertible>(_ value: F) -> RowText.Cell {
        if value.isNaN { return .string("NaN") }
        return value.isFinite ? .scalar(value.description) : .string(value < 0 ? "-Infinity" : "Infinity")
    }

    /// Returns the primary key, like for a link.
    private static func cell(_ object: Object) -> RowText.Cell {
        guard let object = object as? DynamicObject else { return .null }
        let reader = ObjectReader(object.objectSchema)
        if let key = try? reader.key(of: object) { return key }
        guard let cells = try? reader.cells(of: object) else { return .null }
        return .json(JSONNode.object(zip(reader.names, cells).map { ($0, $1.json) }))
    }

    /// Returns a negative number if the value is before the other one. Null is first, then numbers by value and text by
    /// its bytes.
    fileprivate func order(_ other: AnyRealmValue) -> Int {
        if case (.int(let a), .int(let b)) = (self, other) { return a < b ? -1 : a > b ? 1 : 0 }
        if let a = number, let b = other.number { return a < b ? -1 : a > b ? 1 : 0 }
        let (a, b) = (cell, other.cell)
        if a == b { return 0 }
        if a == .null { return -1 }
        if b == .null { return 1 }
        return a.shown.utf8.lexicographicallyPrecedes(b.shown.utf8) ? -1 : 1
    }

    private var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal128(let value): value.doubleValue
        default: nil
        }
    }
}
