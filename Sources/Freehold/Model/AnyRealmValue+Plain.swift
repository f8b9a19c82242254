import FreeholdEngine
import Foundation

// Conversions between mixed values and values of any type.
extension AnyRealmValue {
    /// Creates a mixed value from a value of any type: numbers, strings, data, dates, identifiers, objects, enums by
    /// their raw value, and arrays and dictionaries of all these. `nil` and `NSNull` become null. An `NSNumber` keeps
    /// the type from which it was created.
    ///
    /// Returns `nil` for a value that can't be stored.
    ///
    /// - Complexity: O(size)
    public init?(_ value: Any?) {
        guard let content = Self.content(of: value, depth: 0), let made = Self._rlmFromContent(content) else {
            return nil
        }
        self = made
    }

    /// The value as plain data. Null is `nil`, arrays are `[Any?]` and dictionaries are `[String: Any?]` of plain data,
    /// and all other values are unchanged.
    ///
    /// - Complexity: O(size)
    public var plain: Any? { Self._rlmContent(self).plain }

    /// The depth below which nothing is converted, because storing the value is refused anyway.
    private static let deepest = ValueLimits.nesting + 1

    static func content(of value: Any?, depth: Int) -> _StoredContent? {
        guard let value = PlainValue.unwrap(value) else { return .null }
        if let any = value as? AnyRealmValue { return any.content(depth: depth) }
        if let object = PlainValue.object(value) { return .object(object) }
        if let scalar = scalar(of: value) { return .value(scalar) }
        if depth > deepest { return .list([]) }
        if let collection = PlainValue.reference(value) as? any ContentCollection {
            return collection is any UnorderedCollection ? nil : collection.content
        }
        if let dictionary = PlainValue.dictionary(value) {
            var entries: [_StoredEntry] = []
            for (key, value) in dictionary {
                guard let content = content(of: value, depth: depth + 1) else { return nil }
                entries.append(_StoredEntry(key, content))
            }
            return .dictionary(entries)
        }
        if let array = PlainValue.array(value) {
            var elements: [_StoredContent] = []
            for value in array {
                guard let content = content(of: value, depth: depth + 1) else { return nil }
                elements.append(content)
            }
            return .list(elements)
        }
        if let value = value as? any RawRepresentable { return content(of: value.rawValue, depth: depth) }
        return nil
    }

    private static func scalar(of value: Any) -> FreeholdEngine.Value? {
        if let integer = value as? any BinaryInteger { return Int64(exactly: integer).map { .int($0) } }
        if let number = PlainNumber.number(value) { return PlainNumber.scalar(number) }
        switch value {
        case let value as any _PersistableScalar: return value._rlmStored
        case let value as Substring: return .string(String(value))
        case let value as Decimal: return .decimal128(Decimal128(value))
        case let value as Timestamp: return .timestamp(value)
        default: break
        }
        switch PlainValue.reference(value) {
        case let value as NSString: return .string("\(value)")
        case let value as NSData: return .data(Data(referencing: value))
        default: return nil
        }
    }

    func content(depth: Int) -> _StoredContent {
        switch self {
        case .object(let object): return .object(object)
        case .list(let list):
            if depth > Self.deepest { return .list([]) }
            if let content = list.managedContent { return content }
            return .list(list.items.map { $0.content(depth: depth + 1) })
        case .dictionary(let map):
            if depth > Self.deepest { return .dictionary([]) }
            if let content = map.managedContent { return content }
            return .dictionary(map.items.sorted.map { _StoredEntry($0.key, $0.value.content(depth: depth + 1)) })
        default: return .value(scalar ?? .null)
        }
    }
}

/// A collection without an order, which mixed values can't contain.
protocol UnorderedCollection {}
extension MutableSet: UnorderedCollection {}
