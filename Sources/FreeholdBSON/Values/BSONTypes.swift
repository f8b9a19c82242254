#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import FreeholdEngine

/// A point in time: signed milliseconds since 1970, exact in the whole range of 64 bits.
public struct BSONDateTime: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a point in time, rounded to the nearest millisecond. Returns `nil` for a date that 64 bits of
    /// milliseconds can't represent.
    public init?(_ date: Date) {
        guard let value = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else { return nil }
        milliseconds = value
    }

    /// The date. It is exact to the millisecond within 70,000 years of 1970, and otherwise has the precision of `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    public static func < (a: BSONDateTime, b: BSONDateTime) -> Bool { a.milliseconds < b.milliseconds }
}

/// MongoDB's internal timestamp: seconds since 1970 and a counter within the second.
public struct BSONTimestamp: Hashable, Comparable, Sendable {
    public var seconds: UInt32
    public var increment: UInt32

    public init(seconds: UInt32, increment: UInt32) {
        self.seconds = seconds
        self.increment = increment
    }

    public static func < (a: BSONTimestamp, b: BSONTimestamp) -> Bool {
        (a.seconds, a.increment) < (b.seconds, b.increment)
    }
}

/// A regular expression as text, without interpretation. Neither part can be written if it contains a NUL.
public struct BSONRegex: Hashable, Sendable {
    public let pattern: String
    /// The options as single letters, in the order of their code points.
    public let options: String

    /// Creates a regular expression.
    ///
    /// - Parameters:
    ///   - pattern: The expression.
    ///   - options: The letters in any order. They are sorted, like BSON requires.
    public init(pattern: String, options: String = "") {
        self.pattern = pattern
        var sorted = String.UnicodeScalarView()
        sorted.append(contentsOf: options.unicodeScalars.sorted())
        self.options = String(sorted)
    }

    public static func == (a: BSONRegex, b: BSONRegex) -> Bool {
        sameText(a.pattern, b.pattern) && sameText(a.options, b.options)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(exact: pattern)
        hasher.combine(exact: options)
    }
}

/// A reference to a document of a collection, in a deprecated form of BSON.
public struct BSONDBPointer: Hashable, Sendable {
    public let reference: String
    public let id: ObjectId

    public init(reference: String, id: ObjectId) {
        self.reference = reference
        self.id = id
    }

    public static func == (a: BSONDBPointer, b: BSONDBPointer) -> Bool {
        sameText(a.reference, b.reference) && a.id == b.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(exact: reference)
        hasher.combine(id)
    }
}

/// JavaScript with its variables.
public struct BSONCodeWithScope: Hashable, Sendable {
    public let code: String
    public let scope: BSONDocument

    public init(code: String, scope: BSONDocument) {
        self.code = code
        self.scope = scope
    }

    public static func == (a: BSONCodeWithScope, b: BSONCodeWithScope) -> Bool {
        sameText(a.code, b.code) && a.scope == b.scope
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(exact: code)
        hasher.combine(scope)
    }
}
