extension Value {
    /// Returns a Boolean value that indicates whether two values are the same to the bit.
    ///
    /// `==` asks for equal numbers: 0.0 and −0.0, and 1.0 and 1.00 as decimals, are equal, and so is each NaN to any other. A write that is left
    /// out because the stored value is the same already has to ask for more than that.
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
                    Value.compareBytes($0.key, $1.key) == 0 && $0.value.isIdentical(to: $1.value)
                }
        default: self == other
        }
    }
}
