#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
package import FreeholdBSON
internal import FreeholdEngine

extension BSONValue {
    package init(_ key: PrimaryKey) {
        switch key {
        case .null: self = .null
        case .int(let value): self = .int64(value)
        case .string(let value): self = .string(value.string)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .binary(BSONBinary(value))
        }
    }

    /// Creates the value for readers of a document. A date is rounded to the nearest millisecond.
    package init(_ value: SyncValue) {
        switch value {
        case .null, .embedded: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int64(value)
        case .float(let value): self = .double(Double(value))
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value.string)
        case .data(let value): self = .binary(BSONBinary(value))
        case .date(let value): self = .datetime(BSONDateTime(milliseconds: value.nearestMilliseconds))
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .binary(BSONBinary(value))
        case .decimal128(let value): self = .decimal128(value)
        case .link(let name): self.init(name.key)
        case .list(let values): self = .array(values.map { BSONValue($0) })
        case .dictionary(let value):
            let entries = value.entries.filter { !$0.key.hasNull }
            self = .document(BSONDocument(entries.map { (key: $0.key.string, value: BSONValue($0.value)) }))
        }
    }

    /// Creates the value for the meta data of a stored object: like `init(_:)`, except that a date is rounded down to
    /// whole milliseconds. The nanoseconds within the millisecond are stored beside it.
    package init(meta value: SyncValue) {
        if case .date(let date) = value {
            self = .datetime(BSONDateTime(milliseconds: date.wholeMilliseconds))
        } else {
            self.init(value)
        }
    }

    /// The key in a document that stands for a link. `nil` if the value can't be a key.
    var primaryKey: PrimaryKey? {
        switch self {
        case .null: .null
        case .int64(let value): .int(value)
        case .string(let value): .string(SyncString(value))
        case .objectId(let value): .objectId(value)
        case .binary(let value): value.uuid.map { .uuid($0) }
        default: nil
        }
    }

    /// The value that a document shows, according to its type alone. `nil` if no value is stored with this type in that
    /// way.
    var plainValue: SyncValue? {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int64(let value): return .int(value)
        case .double(let value): return .double(value)
        case .string(let value): return .string(SyncString(value))
        case .objectId(let value): return .objectId(value)
        case .decimal128(let value): return .decimal128(value)
        case .datetime(let value):
            let (seconds, rest) = value.milliseconds.quotientAndRemainder(dividingBy: 1_000)
            return .date(Timestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000))
        case .binary(let value):
            if let uuid = value.uuid { return .uuid(uuid) }
            return value.subtype == .generic ? .data(value.data) : nil
        case .array(let values):
            var plain: [SyncValue] = []
            for value in values {
                guard let value = value.plainValue else { return nil }
                plain.append(value)
            }
            return .list(plain)
        case .document(let document):
            var entries: [SyncDictionary.Entry] = []
            for (key, value) in document {
                guard let value = value.plainValue else { return nil }
                let entry = SyncDictionary.Entry(key: SyncString(key), value: value)
                if let last = entries.last, last.key >= entry.key { return nil }
                entries.append(entry)
            }
            return .dictionary(SyncDictionary(rising: entries))
        default: return nil
        }
    }
}

extension SyncString {
    /// A Boolean value that indicates whether the text contains the character 0. Keys of documents can't contain it.
    var hasNull: Bool { string.utf8.contains(0) }
}

extension Timestamp {
    /// The milliseconds since 1970, rounded down and clamped to the range of `Int64`.
    var wholeMilliseconds: Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isTooGreat) = product.addingReportingOverflow(Int64(nanoseconds / 1_000_000))
        return overflow || isTooGreat ? (seconds < 0 ? .min : .max) : sum
    }

    /// The nearest millisecond since 1970, clamped to the range of `Int64`. If two are equally near, it is the one
    /// further from 1970, as for `Date`.
    ///
    /// A date that a program created from milliseconds is rarely a whole number of nanoseconds, because `Date` has a
    /// binary fraction. Rounding down would show such a date one millisecond early.
    var nearestMilliseconds: Int64 {
        let (whole, rest) = (wholeMilliseconds, nanoseconds % 1_000_000)
        let isLater = seconds < 0 ? rest > 500_000 : rest >= 500_000
        return isLater && whole != .max && whole != .min ? whole + 1 : whole
    }
}

extension SyncValue {
    /// The rule by which a reader of the document restores the value.
    var storedAs: MetaHeld {
        switch self {
        case .null, .bool, .int, .double, .string, .data, .objectId, .uuid, .decimal128: .plain
        case .float(let value): value.isNaN ? .exact : .float
        case .date(let value): value.storedAs
        case .link: .link
        case .list(let values): values.allSatisfy { $0.storedAs == .plain } ? .plain : .exact
        case .dictionary(let value):
            value.entries.allSatisfy { !$0.key.hasNull && $0.value.storedAs == .plain } ? .plain : .exact
        case .embedded: .exact
        }
    }
}

extension Timestamp {
    /// Dates that the document rounds up are stored in the meta data, because the nanoseconds beside the document count
    /// from the millisecond before the date.
    fileprivate var storedAs: MetaHeld {
        let rest = nanoseconds % 1_000_000
        guard Timestamp(milliseconds: nearestMilliseconds, nanoseconds: rest) == self else { return .exact }
        return rest == 0 ? .plain : .date
    }

    /// - Parameter nanoseconds: The nanoseconds within the millisecond.
    init(milliseconds: Int64, nanoseconds: Int32) {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        self.init(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000 + nanoseconds)
    }
}
