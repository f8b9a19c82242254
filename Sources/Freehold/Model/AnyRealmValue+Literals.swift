extension AnyRealmValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .none }
}

extension AnyRealmValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension AnyRealmValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self = .int(value) }
}

extension AnyRealmValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension AnyRealmValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension AnyRealmValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: AnyRealmValue...) { self = .fromArray(elements) }
}

extension AnyRealmValue: ExpressibleByDictionaryLiteral {
    /// If several entries have the same key, the last one is used.
    public init(dictionaryLiteral elements: (String, AnyRealmValue)...) {
        self = .fromDictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
