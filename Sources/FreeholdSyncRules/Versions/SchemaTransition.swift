public import FreeholdBSON
import FreeholdEngine
public import FreeholdSyncCore

/// The information that a push of a schema can't derive from the classes: the changed names, and the values that apps
/// are shown in the place of missing ones.
///
/// ```json
/// {"classes": {"Dog": "Hound"},
///  "properties": {"Hound": {"name": "title"}},
///  "fills": {"Hound": {"age": 1}},
///  "oldFills": {"Dog": {"owner": "nobody"}}}
/// ```
public struct SchemaTransition: Hashable, Sendable {
    /// The new names of classes, by their old names.
    public var classes: [String: String]
    /// The new names of properties, by the new names of their classes and their own old names.
    public var properties: [String: [String: String]]
    /// The values that apps of the new version are shown for null or a missing value of a required property, by new
    /// names.
    public var fills: [String: [String: SyncValue]]
    /// The values for apps of the earlier versions, by the names of the last of these versions. They are shown for null
    /// or a missing value, because newer apps may write null or not have the property.
    public var oldFills: [String: [String: SyncValue]]

    public init(
        classes: [String: String] = [:],
        properties: [String: [String: String]] = [:],
        fills: [String: [String: SyncValue]] = [:],
        oldFills: [String: [String: SyncValue]] = [:]
    ) {
        (self.classes, self.properties, self.fills, self.oldFills) = (classes, properties, fills, oldFills)
    }

    /// Creates a transition from a text in Extended JSON.
    ///
    /// - Throws: `RuleError` with the path. All texts are safe to read.
    /// - Complexity: O(*n*)
    public init(extendedJSON text: String, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        try self.init(BSONValue.parsed(text, limits), limits: limits)
    }

    /// Creates a transition from a value. See ``init(extendedJSON:limits:)``.
    public init(_ value: BSONValue, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        self.init()
        var reader = try DocumentReader(value, [], what: "A transition of schemas")
        if let value = reader.value("classes") { classes = try Self.names(value, ["classes"], limits) }
        try Self.forEach(reader.value("properties"), ["properties"], limits) { name, value, path throws(RuleError) in
            properties[name] = try Self.names(value, path, limits)
        }
        try Self.forEach(reader.value("fills"), ["fills"], limits) { name, value, path throws(RuleError) in
            fills[name] = try Self.values(value, path, limits)
        }
        try Self.forEach(reader.value("oldFills"), ["oldFills"], limits) { name, value, path throws(RuleError) in
            oldFills[name] = try Self.values(value, path, limits)
        }
        try reader.checkNothingLeft("A transition of schemas")
    }

    private static func forEach(
        _ value: BSONValue?,
        _ path: [String],
        _ limits: RuleLimits,
        _ body: (String, BSONValue, [String]) throws(RuleError) -> Void
    ) throws(RuleError) {
        guard let value else { return }
        guard case .document(let entries) = value else {
            throw RuleError(path, "An object by names has to stand here, not \(value.typeName).")
        }
        guard entries.count <= limits.count else { throw RuleError(path, "More than \(limits.count) names.") }
        for (name, value) in entries { try body(name, value, path + [name]) }
    }

    private static func names(_ value: BSONValue, _ path: [String], _ limits: RuleLimits) throws(RuleError)
        -> [String: String]
    {
        var names: [String: String] = [:]
        try forEach(value, path, limits) { name, value, path throws(RuleError) in
            guard case .string(let new) = value, !new.isEmpty else {
                throw RuleError(path, "The new name of '\(name)' is a text.")
            }
            names[name] = new
        }
        return names
    }

    private static func values(_ value: BSONValue, _ path: [String], _ limits: RuleLimits) throws(RuleError)
        -> [String: SyncValue]
    {
        var values: [String: SyncValue] = [:]
        try forEach(value, path, limits) { name, value, path throws(RuleError) in
            guard let plain = SyncValue(fill: value) else {
                throw RuleError(path, "A value of the type \(value.typeName) can't be what apps are shown.")
            }
            values[name] = plain
        }
        return values
    }
}

extension SyncValue {
    /// Creates a single value from a value of a document. Returns `nil` for all other values.
    init?(fill value: BSONValue) {
        switch value {
        case .bool(let value): self = .bool(value)
        case .int32(let value): self = .int(Int64(value))
        case .int64(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(SyncString(value))
        case .objectId(let value): self = .objectId(value)
        case .decimal128(let value): self = .decimal128(value)
        case .datetime(let value):
            let (seconds, rest) = value.milliseconds.quotientAndRemainder(dividingBy: 1_000)
            self = .date(Timestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000))
        case .binary(let value):
            if let uuid = value.uuid {
                self = .uuid(uuid)
            } else {
                self = .data(value.data)
            }
        default: return nil
        }
    }

    /// Returns the same value in the type of a property. Returns `nil` if the type can't represent it exactly.
    func fitting(_ type: ColumnType) -> SyncValue? {
        switch (self, type) {
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.data, .data),
            (.date, .timestamp), (.objectId, .objectId), (.uuid, .uuid), (.decimal128, .decimal128):
            return self
        case (.int(let value), .double): return Double(exactly: value).map { .double($0) }
        case (.int(let value), .float): return Float(exactly: value).map { .float($0) }
        case (.int(let value), .decimal128): return .decimal128(Decimal128(value))
        case (.double(let value), .decimal128): return .decimal128(Decimal128(value))
        // A double may be rounded to a float, because it is written in decimal and a decimal fraction is rarely a
        // float.
        case (.double(let value), .float): return .float(Float(value))
        case (.double(let value), .int): return Int64(exactly: value).map { .int($0) }
        default: return nil
        }
    }

    /// Returns the fill of another version's property in the type of this property. Returns `nil` if it has no value of
    /// the type.
    func carried(to type: ColumnType) -> SyncValue? {
        NumberLens.isNumber(type) ? NumberLens(type: type).shown(self).fitting(type) : fitting(type)
    }

    /// Returns the value of a required property that was never written.
    static func zero(_ type: ColumnType) -> SyncValue {
        switch ColumnSpec("", type).zero {
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(SyncString(value))
        case .data(let value): .data(value)
        case .timestamp(let value): .date(value)
        case .decimal128(let value): .decimal128(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .null, .link, .objectLink, .list, .dictionary: .null
        }
    }
}
