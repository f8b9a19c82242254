/// Keeps of objects that are equal in several values the first.
///
/// Values are equal as mixed values are: numbers of all kinds by exact value, NaN like NaN, strings by their bytes.
struct DistinctRows {
    private let coder: RowCoder
    /// The next code that is new: codes are counted from 0.
    private var next: Int32 = 0

    init(_ paths: [PropertyPath], in view: DataView) { coder = RowCoder(paths, in: view, countsNoLink: false) }

    /// Returns the first `limit`; nil: all. Objects with a null link on a path are left out.
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

/// A value that is equal to others as `Value.areEqual` says.
struct EqualValue: Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: EqualValue, b: EqualValue) -> Bool { Value.areEqual(a.value, b.value) }
    func hash(into hasher: inout Hasher) { value.hashEqual(into: &hasher) }
}
