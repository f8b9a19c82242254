public import FreeholdEngine
import Foundation

// The types of single values.

/// The integer types, which are stored with 64 bits.
public protocol _PersistableInteger: _PersistableScalar, FixedWidthInteger {}

extension _PersistableInteger {
    public static var _rlmShape: _PropertyShape { _PropertyShape(.int) }

    /// Returns the value of the type that is nearest to a stored value. Sync and other programs can store values that
    /// the type can't represent.
    @inlinable @inline(__always) static func _narrow(_ raw: Int64) -> Self { Self(clamping: raw) }

    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Self {
        _narrow(_fhReadInt(object, key))
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Self) {
        _fhWriteInt(object, key, to: Int64(truncatingIfNeeded: value))
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Self? {
        _fhReadOptionalInt(object, key).map { _narrow($0) }
    }
    @inlinable @inline(__always) public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Self?) {
        if let value {
            _fhWriteInt(object, key, to: Int64(truncatingIfNeeded: value))
        } else {
            _fhWriteNull(object, key)
        }
    }
    /// Returns an `Int` as itself, and an integer of another width as an `NSNumber`. It can be cast to all types that
    /// can represent the number.
    public static func _rlmAny(_ value: Self) -> Any? {
        if let plain = value as? Int { plain } else { NSNumber(value: Int64(truncatingIfNeeded: value)) }
    }
    public var _rlmStored: Value { .int(Int64(truncatingIfNeeded: self)) }
    public init?(_rlmStored value: Value) {
        guard case .int(let raw) = value else { return nil }
        self = Self._narrow(raw)
    }
    @inlinable @inline(__always) public static func _rlmExact(_ object: ObjectBase, _ key: Int) -> Self? {
        _fhReadOptionalInt(object, key).flatMap { Self(exactly: $0) }
    }
    public static func _rlmExact(_ value: Value) -> Self? {
        guard case .int(let raw) = value else { return nil }
        return Self(exactly: raw)
    }
    public init?(_rlmConverting value: Any) {
        guard let raw = PlainNumber.integer(value), let narrow = Self(exactly: raw) else { return nil }
        self = narrow
    }
}

extension Int: _PersistableInteger, _Indexable, _PrimaryKey {
    public typealias PersistedType = Int
}
extension Int8: _PersistableInteger, _Indexable, _PrimaryKey {
    public typealias PersistedType = Int8
}
extension Int16: _PersistableInteger, _Indexable, _PrimaryKey {
    public typealias PersistedType = Int16
}
extension Int32: _PersistableInteger, _Indexable, _PrimaryKey {
    public typealias PersistedType = Int32
}
extension Int64: _PersistableInteger, _Indexable, _PrimaryKey {
    public typealias PersistedType = Int64
}

extension Bool: _PersistableScalar, _Indexable, _PrimaryKey {
    public typealias PersistedType = Bool
    public static var _rlmShape: _PropertyShape { _PropertyShape(.bool) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Bool {
        _fhReadBool(object, key)
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Bool) {
        _fhWriteBool(object, key, to: value)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Bool? {
        _fhReadOptionalBool(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Bool?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .bool(self) }
    public init?(_rlmStored value: Value) {
        guard case .bool(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        if let plain = PlainNumber.bool(value) {
            self = plain
        } else if let number = PlainNumber.integer(value), number == 0 || number == 1 {
            self = number == 1
        } else {
            return nil
        }
    }
}

extension Float: _PersistableScalar {
    public typealias PersistedType = Float
    public static var _rlmShape: _PropertyShape { _PropertyShape(.float) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Float {
        _fhReadFloat(object, key) ?? 0
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Float) {
        _fhWriteValue(object, key, to: .float(value))
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Float? {
        _fhReadFloat(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Float?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .float(self) }
    public init?(_rlmStored value: Value) {
        guard case .float(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        guard let plain = PlainNumber.float(value) else { return nil }
        self = plain
    }
}

extension Double: _PersistableScalar {
    public typealias PersistedType = Double
    public static var _rlmShape: _PropertyShape { _PropertyShape(.double) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Double {
        _fhReadDouble(object, key)
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Double) {
        _fhWriteDouble(object, key, to: value)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Double? {
        _fhReadOptionalDouble(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Double?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .double(self) }
    public init?(_rlmStored value: Value) {
        guard case .double(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        guard let plain = PlainNumber.double(value) else { return nil }
        self = plain
    }
}

extension String: _PersistableScalar, _Indexable, _PrimaryKey {
    public typealias PersistedType = String
    public static var _rlmShape: _PropertyShape { _PropertyShape(.string) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> String {
        _fhReadString(object, key) ?? ""
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: String) {
        _fhWriteString(object, key, to: value)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> String? {
        _fhReadString(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: String?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .string(self) }
    public init?(_rlmStored value: Value) {
        guard case .string(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        if let text = value as? String {
            self = text
        } else if let text = value as? Substring {
            self = String(text)
        } else {
            return nil
        }
    }
}
