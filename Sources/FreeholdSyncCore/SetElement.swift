#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import FreeholdEngine

/// The identity of a value as an element of a set. Two values are the same element exactly if their `SetElement`s are
/// equal.
///
/// The rule, for sets of every type (sync-design.md, section 5, "set of values"; sync-attack.md, section 7):
///
/// - Numbers (int, float, double, decimal) are the same element if they have exactly the same value. 1, 1.0 and a
///   decimal 1.00 are the same element. 0.1 as a double and 0.1 as a decimal aren't, because no double is exactly a
///   tenth.
/// - 0.0 and −0.0 are the same element. All NaNs are the same element, regardless of their type. So are infinities of
///   one sign.
/// - Strings, and data, are the same element if their bytes are equal. A string and data are never the same element.
/// - Each other value is only the same element as an equal value of the same type. A bool isn't a number.
public enum SetElement: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number from −2^63 to 2^63 − 1, of any numeric type.
    case int(Int64)
    /// The bits of any other number that a double holds exactly. All NaNs have the bits of `Double.nan`.
    case binary(UInt64)
    /// A number that only a decimal holds exactly.
    case decimal(Decimal128)
    case string(SyncString)
    case data(Data)
    case date(Timestamp)
    case objectId(ObjectId)
    case uuid(UUID)
    case link(ObjectName)

    /// Returns `nil` for collections and embedded objects, because sets don't contain them.
    public init?(_ value: SyncValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self.init(number: Double(value))
        case .double(let value): self.init(number: value)
        case .decimal128(let value):
            if let whole = value.exactInt64 {
                self = .int(whole)
            } else if Decimal128.compare(value, with: value.doubleValue) == 0 {
                self.init(number: value.doubleValue)
            } else {
                self = .decimal(value)
            }
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        case .link(let value): self = .link(value)
        case .list, .dictionary, .embedded: return nil
        }
    }

    private init(number: Double) {
        if let whole = Int64(exactly: number) {
            self = .int(whole)
        } else {
            self = .binary((number.isNaN ? Double.nan : number).bitPattern)
        }
    }
}

extension SyncValue {
    /// Creates a value that is the element.
    init(_ element: SetElement) {
        switch element {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .binary(let bits): self = .double(Double(bitPattern: bits))
        case .decimal(let value): self = .decimal128(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        case .link(let name): self = .link(name)
        }
    }
}
