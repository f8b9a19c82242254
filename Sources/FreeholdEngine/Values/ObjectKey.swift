/// The signed 64-bit number of an object in its table. Numbers increase from 0 and are never reused.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let raw: Int64

    @inlinable public init(_ raw: Int64) { self.raw = raw }
    @inlinable public static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.raw < b.raw }
    public var description: String { "O\(raw)" }
}
