/// A filter that keeps the first of the objects that are equal in several values.
///
/// Values are compared like mixed values: numbers of all kinds by their exact value, NaN as equal to NaN, and strings by their bytes.
struct DistinctRows {
    private let coder: RowCoder
    /// The code that the next new object receives. Codes are counted from 0.
    private var next: Int32 = 0

    init(_ paths: [PropertyPath], in view: DataView) { coder = RowCoder(paths, in: view, countsNoLink: false) }

    /// Returns the first `limit` objects, or all objects if `limit` is `nil`. Objects with a null link on a path are omitted.
    mutating func first(of rows: RowSource, limit: Int?) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if limit == 0 { return keys }
        rows.forEachUntil { key in
            if coder.code(key) == next {
                next += 1
                keys.append(key)
            }
            return keys.count < limit ?? .max
        }
        return keys
    }
}

/// A value that is compared by `Value.areEqual`.
struct EqualValue: Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: EqualValue, b: EqualValue) -> Bool { Value.areEqual(a.value, b.value) }
    func hash(into hasher: inout Hasher) { value.hashEqual(into: &hasher) }
}
