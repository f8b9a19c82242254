/// The computation of an aggregate from values that are added one by one. The values are of one type, or mixed. Sums and averages of mixed values
/// include only the numbers, which are converted to decimals. The minimum and the maximum of mixed values include all values except NaN, lists and
/// dictionaries.
package struct ValueFold {
    package let aggregate: Aggregate
    private var best: Value = .null
    private var count = 0
    private var intSum: Int64 = 0
    private var wideSum: Int128 = 0
    private var doubleSum = 0.0
    private var decimalSum = Decimal128.zero
    /// The range of the added decimals. Their mean is clamped to it, because a rounded sum could lead to a mean outside of it.
    private var decimalRange: ClosedRange<Decimal128>?
    private var type: ColumnType?

    private let isMixed: Bool
    /// The result of a sum without values.
    private var zero: Value = .int(0)

    init(_ aggregate: Aggregate, isMixed: Bool = false) {
        self.aggregate = aggregate
        self.isMixed = isMixed
    }

    /// Creates an aggregate of values of a column of that type.
    package init(_ aggregate: Aggregate, of type: ColumnType) {
        self.init(aggregate, isMixed: type == .mixed)
        switch type {
        case .float, .double: zero = .double(0)
        case .decimal128, .mixed: zero = .decimal128(.zero)
        default: break
        }
    }

    package static func fold(_ aggregate: Aggregate, _ values: some Sequence<Value>, of type: ColumnType) -> Value {
        var fold = ValueFold(aggregate, of: type)
        for value in values { fold.add(value) }
        return fold.result
    }

    package mutating func add(_ value: Value) {
        if value.isNull { return }
        switch aggregate {
        case .minimum, .maximum:
            if value.isNaN || value.nestedID != nil { return }
            let c = best.isNull ? 0 : Value.compare(value, with: best)
            if best.isNull || (aggregate == .minimum ? c < 0 : c > 0) { best = value }
        case .sum, .average:
            switch isMixed ? value.asDecimal : value {
            case .int(let x):
                intSum &+= x
                wideSum += Int128(x)
            case .float(let x): doubleSum += Double(x)
            case .double(let x): doubleSum += x
            case .decimal128(let x):
                decimalSum = decimalSum + x
                if aggregate == .average { widen(by: x) }
            default: return
            }
            count += 1
            type = isMixed ? .decimal128 : value.type
        }
    }

    private mutating func widen(by x: Decimal128) {
        guard let range = decimalRange else {
            decimalRange = x...x
            return
        }
        if x < range.lowerBound { decimalRange = x...range.upperBound }
        if x > range.upperBound { decimalRange = range.lowerBound...x }
    }

    /// The mean of the decimals, clamped to their range.
    private var decimalMean: Decimal128 {
        let mean = decimalSum / Decimal128(Int64(count))
        guard !mean.isNaN, let range = decimalRange else { return mean }
        return mean < range.lowerBound ? range.lowerBound : mean > range.upperBound ? range.upperBound : mean
    }

    /// Adds a zero `times` times.
    mutating func add(_ zero: Value, times: Int) {
        add(zero)
        if aggregate == .sum || aggregate == .average { count += times - 1 }
    }

    mutating func merge(_ ints: IntFold) {
        if aggregate == .minimum { return add(.int(ints.least)) }
        if aggregate == .maximum { return add(.int(ints.greatest)) }
        intSum &+= ints.sum
        wideSum += ints.wideSum
        count += ints.count
        type = .int
    }

    mutating func merge(_ doubles: DoubleFold, isFloat: Bool) {
        switch aggregate {
        case .minimum, .maximum:
            guard let best = aggregate == .minimum ? doubles.least : doubles.greatest else { return }
            add(isFloat ? .float(Float(best)) : .double(best))
        case .sum, .average:
            doubleSum += doubles.sum
            count += doubles.count
            type = .double
        }
    }

    package var result: Value {
        switch aggregate {
        case .minimum, .maximum: best
        case .sum:
            switch type {
            case .float, .double: .double(doubleSum)
            case .decimal128: .decimal128(decimalSum)
            case nil: zero
            default: .int(intSum)
            }
        case .average:
            switch type {
            case nil: .null
            case .decimal128: .decimal128(decimalMean)
            case .int: .double(Double(wideSum) / Double(count))
            default: .double(doubleSum / Double(count))
            }
        }
    }
}

extension Value {
    /// The number as a decimal, or the value itself if it isn't a number.
    fileprivate var asDecimal: Value {
        switch self {
        case .int(let value): .decimal128(Decimal128(value))
        case .float(let value): .decimal128(Decimal128(value))
        case .double(let value): .decimal128(Decimal128(value))
        default: self
        }
    }
}
