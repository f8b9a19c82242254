/// Objects in memory, as an official client stores them.
///
/// A link names the class and the key of its object, which may be missing: the client's store keeps such a link and hides it.
/// The indexes of lists count it.
///
///     var state = WireState(schema: schema)
///     try state.apply(changeset)
///     let repair = state.difference(to: wanted)
public struct WireState: Sendable {
    public internal(set) var schema: WireSchema
    /// The objects of each class. Fields with their initial value aren't stored, so that equal objects have equal dictionaries.
    public internal(set) var tables: [WireText: [WireKey: WireFields]] = [:]

    public init(schema: WireSchema = WireSchema()) { self.schema = schema }

    /// The fields of an object, or `nil` if it is missing.
    public subscript(object: WireObject) -> WireFields? {
        get { tables[object.table]?[object.key] }
        set { tables[object.table, default: [:]][object.key] = newValue }
    }

    /// Returns the value of a field, or `nil` if the object or the field is missing.
    public func value(of field: WireText, in object: WireObject) -> WireValue? {
        guard let fields = self[object], let column = schema[object.table]?[field] else { return nil }
        return fields[field] ?? column.initialValue
    }

    /// Returns a Boolean value that indicates whether both have the same objects. Identities of elements aren't compared.
    public func hasSameObjects(as other: WireState) -> Bool { difference(to: other).isEmpty }

    /// All objects, in the order of their classes and keys.
    public var objects: [WireObject] {
        tables.keys.sorted().flatMap { table in
            tables[table]!.keys.sorted().map { WireObject(table: table, key: $0) }
        }
    }
}

extension WireKey: Comparable {
    /// Orders keys by their type and then by their value.
    public static func < (first: WireKey, second: WireKey) -> Bool {
        switch (first, second) {
        case (.int(let first), .int(let second)): first < second
        case (.string(let first), .string(let second)): first < second
        case (.objectID(let first), .objectID(let second)): (first.high, first.low) < (second.high, second.low)
        case (.uuid(let first), .uuid(let second)): (first.high, first.low) < (second.high, second.low)
        default: first.payload.tag < second.payload.tag
        }
    }
}
