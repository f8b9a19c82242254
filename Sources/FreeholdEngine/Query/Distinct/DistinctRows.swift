/// Keeps of objects that are equal in several values the first.
///
/// Values are equal as mixed values are: numbers of all kinds by exact value, NaN like NaN, strings by their bytes.
struct DistinctRows {
    private let paths: [PathCursor]
    private var seen: Set<[EqualValue]> = []

    init(_ paths: [PropertyPath], in view: DataView) { self.paths = paths.map { PathCursor($0, in: view) } }

    /// The first `limit`; nil: all. Objects with a null link on a path are left out.
    mutating func first(of rows: RowSource, limit: Int?) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if limit == 0 { return keys }
        rows.forEachUntil { key in
            if isNew(key) { keys.append(key) }
            return keys.count < limit ?? .max
        }
        return keys
    }

    private mutating func isNew(_ key: ObjectKey) -> Bool {
        var values: [EqualValue] = []
        values.reserveCapacity(paths.count)
        for path in paths {
            guard let value = path.value(key.raw) else { return false }
            values.append(EqualValue(value))
        }
        return seen.insert(values).inserted
    }
}

/// A value that is equal to others as `Value.areEqual` says.
struct EqualValue: Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: EqualValue, b: EqualValue) -> Bool { Value.areEqual(a.value, b.value) }
    func hash(into hasher: inout Hasher) { value.hashEqual(into: &hasher) }
}
