import FreeholdRealmWire

/// A value of the model.
///
/// The model stores what the rules describe in the plainest way, and is used only in tests. A link is stored with the class and
/// the key of its target, so a link to a missing object needs no record of its own.
indirect enum ModelValue: Hashable, Sendable {
    /// A plain value or a link.
    case scalar(Payload)
    /// An embedded object.
    case object([WireText: ModelValue])
    case list([ModelValue])
    case dictionary([WireText: ModelValue])
    case set(Set<Payload>)

    static let null = ModelValue.scalar(.null)
}

/// A class of the model. The field of the primary key isn't among its columns.
struct ModelTable: Hashable, Sendable {
    var spec: TableSpec
    var columns: [WireText: ColumnSpec] = [:]
}

/// All classes and objects of a file.
struct ModelWorld: Hashable, Sendable {
    var tables: [WireText: ModelTable] = [:]
    /// The fields of the objects that have keys. Embedded objects are inside their owners.
    var objects: [WireObject: [WireText: ModelValue]] = [:]
}

/// A change that the model can't apply.
struct ModelError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// A place inside an object, with the type of the values that it may hold.
struct ModelPlace {
    enum Position { case field, element, entry }

    /// The column in which the path begins, or the column of the innermost embedded object.
    var column: ColumnSpec
    var position = Position.field
    /// A Boolean value that indicates whether the place is inside a collection that a mixed value holds.
    var isInsideMixed = false

    /// The collection that the column is, or `single` for a place that holds one value.
    var collection: CollectionKind { position == .field ? column.collection : .single }
    var isMixed: Bool { column.kind == .mixed && collection == .single }
    var isNullable: Bool { column.isNullable || column.kind == .mixed }

    /// Returns the place of a value in the collection at this place.
    func inside(_ position: Position) -> ModelPlace {
        ModelPlace(column: column, position: position, isInsideMixed: isInsideMixed || isMixed)
    }
}

extension Payload {
    /// Returns a Boolean value that indicates whether the store regards both as one element of a set. Numbers of different types
    /// are compared by their values.
    func isSameElement(as other: Payload) -> Bool {
        if let first = number, let second = other.number { return first == second }
        return isSame(as: other)
    }

    private var number: Double? {
        switch self {
        case .int(let value): Double(exactly: value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}

extension ModelWorld {
    /// Returns the class of the embedded objects at a place, or `nil` if it holds other values.
    func embeddedTable(at place: ModelPlace) -> ModelTable? {
        guard let target = place.column.target, let table = tables[target], table.spec.kind == .embedded else {
            return nil
        }
        return table
    }

    /// Returns the value that a new object has in a field.
    static func initialValue(of column: ColumnSpec) -> ModelValue {
        switch column.collection {
        case .list: return .list([])
        case .dictionary: return .dictionary([:])
        case .set: return .set([])
        case .single: break
        }
        if column.isNullable { return .null }
        switch column.kind {
        case .mixed, .link: return .null
        case .int: return .scalar(.int(0))
        case .bool: return .scalar(.bool(false))
        case .string: return .scalar(.string(""))
        case .data: return .scalar(.data([]))
        case .date: return .scalar(.date(WireDate(seconds: 0, nanoseconds: 0)))
        case .float: return .scalar(.float(0))
        case .double: return .scalar(.double(0))
        case .decimal: return .scalar(.decimal(WireDecimal(low: 0, exponent: 0, isNegative: false)))
        case .objectID: return .scalar(.objectID(WireObjectID(high: 0, low: 0)))
        case .uuid: return .scalar(.uuid(WireUUID(high: 0, low: 0)))
        }
    }

    /// Returns the fields of a new object.
    static func initialFields(of table: ModelTable) -> [WireText: ModelValue] { table.columns.mapValues(initialValue) }
}

// MARK: The view of an app

extension ModelWorld {
    /// Returns a value as the app sees it: links to missing objects are null, and are left out of lists and sets.
    func visible(_ value: ModelValue) -> ModelValue {
        switch value {
        case .scalar(let payload): isHidden(payload) ? .null : value
        case .object(let fields): .object(fields.mapValues(visible))
        case .list(let elements): .list(elements.filter { !isHidden($0) }.map(visible))
        case .dictionary(let entries): .dictionary(entries.mapValues(visible))
        case .set(let elements): .set(elements.filter { !isHidden($0) })
        }
    }

    private func isHidden(_ value: ModelValue) -> Bool {
        guard case .scalar(let payload) = value else { return false }
        return isHidden(payload)
    }

    private func isHidden(_ payload: Payload) -> Bool {
        guard case .link(let object) = payload else { return false }
        return objects[object] == nil
    }
}
