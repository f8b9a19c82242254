public import FreeholdEngine
public import Foundation

extension Data: _PersistableScalar {
    public typealias PersistedType = Data
    public static var _rlmShape: _PropertyShape { _PropertyShape(.data) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Data {
        _fhReadData(object, key) ?? Data()
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Data) {
        _fhWriteValue(object, key, to: .data(value))
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Data? {
        _fhReadData(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Data?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .data(self) }
    public init?(_rlmStored value: Value) {
        guard case .data(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        guard let plain = value as? Data else { return nil }
        self = plain
    }
}

extension Date: _PersistableScalar, _Indexable {
    public typealias PersistedType = Date
    public static var _rlmShape: _PropertyShape { _PropertyShape(.date) }
    @inlinable @inline(__always) public static func _rlmPlaceholder() -> Date { Date(timeIntervalSince1970: 0) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Date {
        _fhReadDate(object, key) ?? _rlmPlaceholder()
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Date) {
        _fhWriteValue(object, key, to: value._rlmStored)
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Date? {
        _fhReadDate(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Date?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .timestamp(Timestamp(self)) }
    public init?(_rlmStored value: Value) {
        guard case .timestamp(let raw) = value else { return nil }
        self = raw.date
    }
    public init?(_rlmConverting value: Any) {
        if let date = value as? Date {
            self = date
        } else if let timestamp = value as? Timestamp {
            self = timestamp.date
        } else {
            return nil
        }
    }
}

extension Decimal128: _PersistableScalar {
    public typealias PersistedType = Decimal128
    public static var _rlmShape: _PropertyShape { _PropertyShape(.decimal128) }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> Decimal128 {
        _fhReadDecimal128(object, key) ?? Decimal128()
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: Decimal128) {
        _fhWriteValue(object, key, to: .decimal128(value))
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> Decimal128? {
        _fhReadDecimal128(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: Decimal128?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .decimal128(self) }
    public init?(_rlmStored value: Value) {
        guard case .decimal128(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        guard let plain = PlainNumber.decimal128(value) else { return nil }
        self = plain
    }
}

extension ObjectId: _PersistableScalar, _Indexable, _PrimaryKey {
    public typealias PersistedType = ObjectId
    public static var _rlmShape: _PropertyShape { _PropertyShape(.objectId) }
    @inlinable public static func _rlmDefaultValue() -> ObjectId { .generate() }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> ObjectId {
        _fhReadObjectId(object, key) ?? ObjectId()
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: ObjectId) {
        _fhWriteValue(object, key, to: .objectId(value))
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> ObjectId? {
        _fhReadObjectId(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: ObjectId?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .objectId(self) }
    public init?(_rlmStored value: Value) {
        guard case .objectId(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        guard let plain = value as? ObjectId else { return nil }
        self = plain
    }
}

extension UUID: _PersistableScalar, _Indexable, _PrimaryKey {
    public typealias PersistedType = UUID
    public static var _rlmShape: _PropertyShape { _PropertyShape(.UUID) }
    @inlinable @inline(__always) public static func _rlmPlaceholder() -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    @inlinable @inline(__always) public static func _rlmGet(_ object: ObjectBase, _ key: Int) -> UUID {
        _fhReadUUID(object, key) ?? _rlmPlaceholder()
    }
    @inlinable @inline(__always) public static func _rlmSet(_ object: ObjectBase, _ key: Int, to value: UUID) {
        _fhWriteValue(object, key, to: .uuid(value))
    }
    @inlinable @inline(__always) public static func _rlmGetOptional(_ object: ObjectBase, _ key: Int) -> UUID? {
        _fhReadUUID(object, key)
    }
    @inlinable public static func _rlmSetOptional(_ object: ObjectBase, _ key: Int, to value: UUID?) {
        if let value { _rlmSet(object, key, to: value) } else { _fhWriteNull(object, key) }
    }
    public var _rlmStored: Value { .uuid(self) }
    public init?(_rlmStored value: Value) {
        guard case .uuid(let raw) = value else { return nil }
        self = raw
    }
    public init?(_rlmConverting value: Any) {
        if let uuid = value as? UUID {
            self = uuid
        } else if let text = value as? String, let uuid = UUID(uuidString: text) {
            self = uuid
        } else {
            return nil
        }
    }
}
