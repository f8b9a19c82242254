#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

extension Value {
    /// Compares two values of any type and returns −1, 0 or 1.
    ///
    /// The order is null < bool < numbers < string < data < timestamp < ObjectId < UUID < typed link < link < list < dictionary. Two lists, or two
    /// dictionaries, are equal in this order. Numbers (int, float, double, decimal) are compared by their exact value, with NaN below all others.
    /// Strings and data are compared by unsigned bytes, with a prefix first.
    public static func compare(_ a: Value, with b: Value) -> Int {
        switch (a, b) {
        case (.int(let a), .int(let b)): order(of: a, and: b)
        case (.string(let a), .string(let b)): compareBytes(a, with: b)
        case (.double(let a), .double(let b)): compare(a, with: b)
        case (.timestamp(let a), .timestamp(let b)): order(of: a, and: b)
        case (.objectId(let a), .objectId(let b)): order(of: a, and: b)
        case (.uuid(let a), .uuid(let b)): compare(a, with: b)
        case (.bool(let a), .bool(let b)): order(of: a ? 1 : 0, and: b ? 1 : 0)
        case (.data(let a), .data(let b)): compareBytes(a, with: b)
        case (.link(let a), .link(let b)): order(of: a, and: b)
        case (.decimal128(let a), .decimal128(let b)): Decimal128.compare(a, with: b)
        case (.objectLink(let a), .objectLink(let b)):
            a.tableID == b.tableID ? order(of: a.key, and: b.key) : order(of: a.tableID, and: b.tableID)
        default:
            a.rank == Self.numberRank && b.rank == Self.numberRank
                ? compareNumbers(a, with: b) : order(of: a.rank, and: b.rank)
        }
    }

    private static let numberRank = 2

    /// The position of the value's type in the order.
    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal128: Self.numberRank
        case .string: 3
        case .data: 4
        case .timestamp: 5
        case .objectId: 6
        case .uuid: 7
        case .objectLink: 8
        case .link: 9
        case .list: 10
        case .dictionary: 11
        }
    }

    private static func compareNumbers(_ a: Value, with b: Value) -> Int {
        switch (a, b) {
        case (.int(let a), .int(let b)): order(of: a, and: b)
        case (.int(let a), .decimal128(let b)): -Decimal128.compare(b, with: a)
        case (.decimal128(let a), .int(let b)): Decimal128.compare(a, with: b)
        case (.decimal128(let a), .decimal128(let b)): Decimal128.compare(a, with: b)
        case (.int(let a), _): compare(a, with: b.binaryNumber)
        case (_, .int(let b)): -compare(b, with: a.binaryNumber)
        case (.decimal128(let a), _): Decimal128.compare(a, with: b.binaryNumber)
        case (_, .decimal128(let b)): -Decimal128.compare(b, with: a.binaryNumber)
        default: compare(a.binaryNumber, with: b.binaryNumber)
        }
    }

    private var binaryNumber: Double {
        switch self {
        case .float(let value): Double(value)
        case .double(let value): value
        default: .nan
        }
    }

    /// Compares two doubles and returns −1, 0 or 1. NaNs are equal and lower than all other values.
    @inlinable public static func compare(_ a: Double, with b: Double) -> Int {
        if a < b { return -1 }
        if a > b { return 1 }
        if a == b { return 0 }
        return order(of: a.isNaN ? 0 : 1, and: b.isNaN ? 0 : 1)
    }

    /// Compares an integer with a double by exact value and returns −1, 0 or 1. NaN is lower than every integer.
    public static func compare(_ a: Int64, with b: Double) -> Int {
        if b.isNaN { return 1 }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = b.rounded(.towardZero)
        let result = order(of: a, and: Int64(whole))
        return result != 0 ? result : order(of: whole, and: b)
    }

    /// Compares two UUIDs by their bytes and returns −1, 0 or 1.
    public static func compare(_ a: UUID, with b: UUID) -> Int {
        withUnsafeBytes(of: a.uuid) { a in
            withUnsafeBytes(of: b.uuid) { b in
                sign(memcmp(a.baseAddress!, b.baseAddress!, 16))
            }
        }
    }

    /// Compares two strings by unsigned UTF-8 bytes, without normalisation, and returns −1, 0 or 1. A prefix is first.
    public static func compareBytes(_ a: String, with b: String) -> Int {
        if let result = a.utf8.withContiguousStorageIfAvailable({ x in
            b.utf8.withContiguousStorageIfAvailable { y in
                compareBytes(UnsafeRawBufferPointer(x), with: UnsafeRawBufferPointer(y))
            }
        }), let result {
            return result
        }
        var x = a
        var y = b
        return x.withUTF8 { x in
            y.withUTF8 { y in compareBytes(UnsafeRawBufferPointer(x), with: UnsafeRawBufferPointer(y)) }
        }
    }

    /// Compares two data values by unsigned bytes and returns −1, 0 or 1. A prefix is first.
    public static func compareBytes(_ a: Data, with b: Data) -> Int {
        a.withUnsafeBytes { a in b.withUnsafeBytes { b in compareBytes(a, with: b) } }
    }

    /// Compares two byte strings by unsigned bytes and returns −1, 0 or 1. A prefix is first.
    @usableFromInline static func compareBytes(_ a: UnsafeRawBufferPointer, with b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0 {
            let result = memcmp(a.baseAddress!, b.baseAddress!, common)
            if result != 0 { return sign(result) }
        }
        return order(of: a.count, and: b.count)
    }

    private static func sign(_ result: Int32) -> Int { result < 0 ? -1 : result == 0 ? 0 : 1 }

    @usableFromInline static func order<T: Comparable>(of a: T, and b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }
}
