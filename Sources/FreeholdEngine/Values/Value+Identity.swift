extension Value {
    /// Returns whether two values are identical in every bit.
    ///
    /// `==` compares numbers: 0.0 equals −0.0, 1.0 and 1.00 are equal decimals, and all NaNs are equal. This isn't sufficient to omit a write because
    /// the stored value is the same.
    package func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.decimal128(let a), .decimal128(let b)): a.lo == b.lo && a.hi == b.hi
        case (.list(let a), .list(let b)):
            a.values.count == b.values.count && zip(a.values, b.values).allSatisfy { $0.isIdentical(to: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            a.entries.count == b.entries.count
                && zip(a.entries, b.entries).allSatisfy {
                    Value.compareBytes($0.key, with: $1.key) == 0 && $0.value.isIdentical(to: $1.value)
                }
        default: self == other
        }
    }
}
