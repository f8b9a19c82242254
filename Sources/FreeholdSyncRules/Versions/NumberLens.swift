#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import FreeholdEngine
import FreeholdSyncCore

/// The numbers of a property to which versions of a schema give different types.
///
/// The stored number has the bits that an app wrote. Apps of other versions are shown the nearest number of their type:
///
/// | Shown as | |
/// |---|---|
/// | int | the whole part, as far as 64 bits reach; 0 for NaN |
/// | float, double | the nearest number |
/// | decimal | the same number |
struct NumberLens: Hashable, Sendable {
    let type: ColumnType

    /// Returns the type to which all other types can be widened: int to double or decimal, float to double. Returns
    /// `nil` if there is no such type.
    static func widest(_ types: Set<ColumnType>) -> ColumnType? {
        if types.count == 1 { return types.first }
        if types.contains(.double), types.isSubset(of: [.int, .float, .double]) { return .double }
        return types == [.int, .decimal128] ? .decimal128 : nil
    }

    /// A Boolean value that indicates whether some numbers are shown as different numbers, so that conditions have to
    /// be translated.
    var isNarrow: Bool { type == .int || type == .float }

    func shown(_ value: SyncValue) -> SyncValue {
        switch (type, value) {
        case (.int, .float(let value)): .int(Self.whole(Double(value)))
        case (.int, .double(let value)): .int(Self.whole(value))
        case (.int, .decimal128(let value)): .int(Self.whole(value))
        case (.float, .int(let value)): .float(Float(value))
        case (.float, .double(let value)): .float(Float(value))
        case (.float, .decimal128(let value)): .float(value.floatValue)
        case (.double, .int(let value)): .double(Double(value))
        case (.double, .float(let value)): .double(Double(value))
        case (.double, .decimal128(let value)): .double(value.doubleValue)
        case (.decimal128, .int(let value)): .decimal128(Decimal128(value))
        case (.decimal128, .float(let value)): .decimal128(Decimal128(value))
        case (.decimal128, .double(let value)): .decimal128(Decimal128(value))
        default: value
        }
    }

    private static func whole(_ value: Double) -> Int64 {
        if value.isNaN { return 0 }
        return Int64(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    private static func whole(_ value: Decimal128) -> Int64 {
        if value.isNaN { return 0 }
        return value.rounded(.towardZero).exactInt64 ?? (value.isSignMinus ? .min : .max)
    }

    // MARK: The stored numbers that are shown as at least a number

    /// The least shown number for which an order holds.
    enum Threshold {
        case everything
        case nothing
        case number(Value)
    }

    /// Returns the least number that can be shown and isn't less than a constant. If `isAbove` is true, the number is
    /// greater than the constant.
    ///
    /// - Returns: `nil` for a constant that isn't a number.
    func threshold(_ constant: Value, isAbove: Bool) -> Threshold? {
        if type == .float {
            let number: Double
            switch constant {
            case .int(let value):
                return floatThreshold(Float(value), { Value.compare(.float($0), with: .int(value)) }, isAbove)
            case .float(let value): number = Double(value)
            case .double(let value): number = value
            case .decimal128(let value):
                guard !value.isNaN else { return nil }
                return floatThreshold(
                    value.floatValue,
                    { Value.compare(.float($0), with: .decimal128(value)) },
                    isAbove
                )
            default: return nil
            }
            guard !number.isNaN else { return nil }
            return floatThreshold(Float(number), { Value.compare(.float($0), with: .double(number)) }, isAbove)
        }
        switch constant {
        case .int(let value): return isAbove ? Self.next(value) : .number(.int(value))
        case .float(let value): return threshold(.double(Double(value)), isAbove: isAbove)
        case .double(let value):
            guard !value.isNaN else { return nil }
            let whole = value.rounded(.down)
            guard let least = Int64(exactly: whole) else { return value < 0 ? .everything : .nothing }
            return whole == value && !isAbove ? .number(.int(least)) : Self.next(least)
        case .decimal128(let value):
            guard !value.isNaN else { return nil }
            let whole = value.rounded(.down)
            guard let least = whole.exactInt64 else { return value.isSignMinus ? .everything : .nothing }
            return whole == value && !isAbove ? .number(.int(least)) : Self.next(least)
        default: return nil
        }
    }

    private static func next(_ value: Int64) -> Threshold { value == .max ? .nothing : .number(.int(value + 1)) }

    /// - Parameters:
    ///   - near: The float that is nearest to the constant.
    ///   - order: Returns the order of a float and the constant.
    private func floatThreshold(_ near: Float, _ order: (Float) -> Int, _ isAbove: Bool) -> Threshold {
        // −0 is treated as 0.
        var least = near == 0 ? 0 : near
        while order(least) < 0 || isAbove && order(least) == 0 {
            guard least != .infinity else { return .nothing }
            least = least.nextUp
        }
        while least > -.infinity, order(least.nextDown) > 0 || !isAbove && order(least.nextDown) == 0 {
            least = least.nextDown
        }
        return least == -.infinity ? .everything : .number(.float(least == 0 ? 0 : least))
    }

    /// Returns the bound of the stored numbers that are shown as a number or as a greater one: the numbers that are
    /// greater than the bound, or equal to it if it is included. Returns `nil` for all numbers.
    func preimage(_ number: Value) -> (bound: Value, isIncluded: Bool)? {
        switch number {
        case .int(let value):
            // Fractions are truncated toward zero.
            if value > 0 { return (.int(value), true) }
            return value == .min ? nil : (.int(value - 1), false)
        case .float(let value):
            func exact(_ value: Float) -> Double {
                value.isInfinite ? (value < 0 ? -0x1p128 : 0x1p128) : Double(value)
            }
            // A tie is rounded to the even one of two neighbours.
            let middle = (exact(value.nextDown) + exact(value)) / 2
            return (.double(middle), value.bitPattern & 1 == 0)
        default: return nil
        }
    }
}
