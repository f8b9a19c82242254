/// The fields of an object.
public typealias WireFields = [WireText: WireValue]

/// A value of an object in memory.
public enum WireValue: Hashable, Sendable {
    /// A plain value or a link. The payload isn't `list`, `dictionary`, `erased` or `object`.
    case scalar(Payload)
    /// An embedded object.
    case object(WireFields)
    case list(WireList)
    case dictionary([WireText: WireValue])
    case set(WireSet)

    public static let null = WireValue.scalar(.null)
}

// The functions that begin with `take` move a content out of the value, so that it can be changed without a copy.
extension WireValue {
    mutating func takeFields() -> WireFields? {
        guard case .object(let fields) = self else { return nil }
        self = .null
        return fields
    }

    mutating func takeList() -> WireList? {
        guard case .list(let list) = self else { return nil }
        self = .null
        return list
    }

    mutating func takeEntries() -> [WireText: WireValue]? {
        guard case .dictionary(let entries) = self else { return nil }
        self = .null
        return entries
    }

    mutating func takeSet() -> WireSet? {
        guard case .set(let set) = self else { return nil }
        self = .null
        return set
    }
}

/// The identity of a list's element: the change that inserted it.
public struct ElementID: Hashable, Sendable {
    /// The changeset, by a number of the caller's choice.
    public var change: UInt64
    /// The number of the insertion in the changeset.
    public var number: UInt64

    public init(change: UInt64, number: UInt64) {
        self.change = change
        self.number = number
    }
}

/// A list with the identities of its elements. Two lists are equal if their values are.
public struct WireList: Hashable, Sendable {
    public struct Element: Sendable {
        public var value: WireValue
        /// The identity, or `nil` if it isn't known.
        public var id: ElementID?

        public init(_ value: WireValue, id: ElementID? = nil) {
            self.value = value
            self.id = id
        }
    }

    public var elements: [Element]

    public init(_ elements: [Element] = []) { self.elements = elements }

    public init(values: [WireValue]) { elements = values.map { Element($0) } }

    public var values: [WireValue] { elements.map(\.value) }

    public static func == (first: WireList, second: WireList) -> Bool {
        first.elements.count == second.elements.count
            && zip(first.elements, second.elements).allSatisfy { $0.value == $1.value }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(elements.count)
        for element in elements { hasher.combine(element.value) }
    }
}

/// A set of plain values. Numbers of different types are the same element if they have the same value.
public struct WireSet: Hashable, Sendable {
    /// The elements by the form in which they are compared.
    private var elements: [Payload: Payload] = [:]

    public init(_ values: [Payload] = []) {
        for value in values { insert(value) }
    }

    /// The elements without an order.
    public var values: some Collection<Payload> { elements.values }
    public var count: Int { elements.count }

    public func contains(_ value: Payload) -> Bool { elements[value.comparable] != nil }

    /// Inserts a value. If the set already contains an equal value, that value is kept.
    public mutating func insert(_ value: Payload) {
        let key = value.comparable
        if elements[key] == nil { elements[key] = value }
    }

    public mutating func remove(_ value: Payload) { elements[value.comparable] = nil }

    public mutating func removeAll() { elements.removeAll() }

    public static func == (first: WireSet, second: WireSet) -> Bool { first.elements.keys == second.elements.keys }

    public func hash(into hasher: inout Hasher) { hasher.combine(Set(elements.keys)) }
}

extension Payload {
    /// The form in which sets compare values: whole numbers are integers, and decimals have no zeros at their end.
    var comparable: Payload {
        switch self {
        case .float(let value): Self.comparable(Double(value))
        case .double(let value): Self.comparable(value)
        case .decimal(let value): value.comparable
        default: self
        }
    }

    private static func comparable(_ value: Double) -> Payload {
        if value.isNaN { return .double(.nan) }
        return Int64(exactly: value).map { .int($0) } ?? .double(value)
    }
}

extension WireDecimal {
    fileprivate var comparable: Payload {
        guard isFinite else { return .decimal(self) }
        var (coefficient, exponent) = (coefficient, exponent)
        if coefficient == 0 { return .int(0) }
        while coefficient % 10 == 0 {
            coefficient /= 10
            exponent += 1
        }
        if exponent >= 0, exponent < 19 {
            var whole = Int128(coefficient)
            for _ in 0..<exponent { whole *= 10 }
            if let integer = Int64(exactly: isNegative ? -whole : whole) { return .int(integer) }
        }
        return .decimal(
            WireDecimal(
                high: UInt64(truncatingIfNeeded: coefficient >> 64),
                low: UInt64(truncatingIfNeeded: coefficient),
                exponent: exponent,
                isNegative: isNegative
            )
        )
    }
}

extension ColumnSpec {
    /// The value of the field in a new object.
    package var initialValue: WireValue {
        switch collection {
        case .list: return .list(WireList())
        case .dictionary: return .dictionary([:])
        case .set: return .set(WireSet())
        case .single: break
        }
        guard !isNullable else { return .null }
        switch kind {
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
}

extension WireKey {
    /// The key as a value of its field.
    public var payload: Payload {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        case .objectID(let value): .objectID(value)
        case .uuid(let value): .uuid(value)
        }
    }
}
