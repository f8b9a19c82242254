/// The count, sum, least and greatest of a column's values for each group.
enum GroupFold {
    struct Ints {
        var count = 0
        var sum: Int128 = 0
        var least = Int64.max
        var greatest = Int64.min

        @inline(__always)
        mutating func add(_ value: Int64) {
            count &+= 1
            sum &+= Int128(value)
            least = Swift.min(least, value)
            greatest = Swift.max(greatest, value)
        }
    }

    struct Doubles {
        var count = 0
        var sum = 0.0
        /// NaN until the first value is added. NaNs are ignored.
        var least = Double.nan
        var greatest = Double.nan

        @inline(__always)
        mutating func add(_ value: Double) {
            count &+= 1
            sum += value
            if !(value >= least) { least = value.isNaN ? least : value }
            if !(value <= greatest) { greatest = value.isNaN ? greatest : value }
        }
    }

    struct Others {
        var folds: [ValueFold]

        init(_ type: ColumnType) {
            folds = [.minimum, .maximum, .sum, .average].map { ValueFold($0, of: type) }
        }

        mutating func add(_ value: Value) {
            for i in folds.indices { folds[i].add(value) }
        }
    }

    case ints([Ints])
    case doubles([Doubles], isFloat: Bool)
    case others([Others])

    func result(_ aggregate: Aggregate, _ group: Int) -> Value {
        switch self {
        case .ints(let all):
            let fold = all[group]
            switch aggregate {
            case .sum: return .int(Int64(truncatingIfNeeded: fold.sum))
            case _ where fold.count == 0: return .null
            case .minimum: return .int(fold.least)
            case .maximum: return .int(fold.greatest)
            case .average: return .double(Double(fold.sum) / Double(fold.count))
            }
        case .doubles(let all, let isFloat):
            let fold = all[group]
            func value(_ x: Double) -> Value { x.isNaN ? .null : isFloat ? .float(Float(x)) : .double(x) }
            switch aggregate {
            case .sum: return .double(fold.sum)
            case .minimum: return value(fold.least)
            case .maximum: return value(fold.greatest)
            case .average: return fold.count == 0 ? .null : .double(fold.sum / Double(fold.count))
            }
        case .others(let all): return all[group].folds.first { $0.aggregate == aggregate }!.result
        }
    }
}
