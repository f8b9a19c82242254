import FreeholdEngine

/// The content of an unmanaged collection of plain values (neither objects nor mixed values) in its stored form.
struct PlainContents {
    /// The values of a list or a set.
    let values: [Value]
    /// The entries of a map.
    let entries: [(key: String, value: Value)]

    init(_ values: [Value]) {
        self.values = values
        entries = []
    }

    init(_ entries: [(key: String, value: Value)]) {
        values = []
        self.entries = entries
    }

    /// Returns the stored values, or nil if one of them can't be stored. The common types have their own loops, so that
    /// the compiler can specialise them.
    static func values<Element: RealmCollectionValue>(_ elements: [Element]) -> [Value]? {
        if Element.self == Int.self { return unsafeBitCast(elements, to: [Int].self).map { .int(Int64($0)) } }
        if Element.self == Double.self { return unsafeBitCast(elements, to: [Double].self).map { .double($0) } }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        if Element.self == String.self {
            for text in unsafeBitCast(elements, to: [String].self) {
                if text.utf8.count > ValueLimits.string { return nil }
                values.append(.string(text))
            }
            return values
        }
        for element in elements {
            guard case .value(let value) = Element._rlmContent(element), isPlain(value) else { return nil }
            values.append(value)
        }
        return values
    }

    /// Returns a Boolean value that indicates whether the value is stored directly. Null uses the general path.
    static func isPlain(_ value: Value) -> Bool { !value.isNull && ValueLimits.fits(value) }
}

extension UnmanagedMap where Element: RealmCollectionValue {
    /// The entries in no defined order, or nil if one of them can't be stored.
    var plainEntries: [(key: String, value: Value)]? {
        if Element.self == Int.self { return collect(unsafeBitCast(values, to: [Int].self)) { .int(Int64($0)) } }
        if Element.self == Double.self { return collect(unsafeBitCast(values, to: [Double].self)) { .double($0) } }
        if Element.self == String.self {
            return collect(unsafeBitCast(values, to: [String].self)) {
                $0.utf8.count > ValueLimits.string ? nil : .string($0)
            }
        }
        return collect(values) { element in
            guard case .value(let value) = Element._rlmContent(element), PlainContents.isPlain(value) else {
                return nil
            }
            return value
        }
    }

    @inline(__always)
    private func collect<T>(_ values: [T], _ make: (T) -> Value?) -> [(key: String, value: Value)]? {
        var out: [(key: String, value: Value)] = []
        out.reserveCapacity(values.count)
        for i in values.indices {
            guard let value = make(values[i]), WriteTransaction.canBeKey(keys[i]) else { return nil }
            out.append((keys[i], value))
        }
        return out
    }
}
