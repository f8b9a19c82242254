extension ArithmeticOperator {
    /// Returns null if one side isn't a number.
    package func apply(to a: Value, and b: Value) -> Value {
        switch (a, b) {
        case (.int(let x), .int(let y)): return apply(to: x, and: y).map { .int($0) } ?? .null
        case (.decimal128, _), (_, .decimal128):
            guard let x = a.decimal, let y = b.decimal else { return .null }
            return .decimal128(apply(to: x, and: y))
        default:
            guard let x = a.double, let y = b.double else { return .null }
            return .double(apply(to: x, and: y))
        }
    }

    /// Returns the result with wraparound, or `nil` for a division by zero.
    @inline(__always)
    func apply(to a: Int64, and b: Int64) -> Int64? {
        switch self {
        case .add: a &+ b
        case .subtract: a &- b
        case .multiply: a &* b
        case .divide: b == 0 ? nil : a.dividedReportingOverflow(by: b).partialValue
        }
    }

    @inline(__always)
    func apply(to a: Double, and b: Double) -> Double {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    private func apply(to a: Decimal128, and b: Decimal128) -> Decimal128 {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }
}

extension Value {
    fileprivate var decimal: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal128(let value): value
        default: nil
        }
    }

    fileprivate var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
