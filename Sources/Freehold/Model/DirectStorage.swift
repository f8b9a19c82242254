import FreeholdEngine
import Foundation

/// The form in which the wrapper of a property stores its value, for types that the library reads without generic code.
/// Generic calls through metatypes cost more than storing the value.
enum DirectStorage: UInt8 {
    case int8, int16, int32, int64, bool, float, double, date, decimal128, objectId, uuid
    case string, data
    case optionalInt64, optionalBool, optionalDouble, optionalFloat, optionalDate, optionalString, optionalData
    /// A reference or nil.
    case link
    /// A collection or nil.
    case collection
    /// One plain value of another type, such as an enum or a custom type.
    case scalar
    /// A mixed value.
    case mixed
    /// A computed property without a stored value.
    case computed
    /// A form that only the type itself can read.
    case other

    init(_ type: Any.Type, _ shape: _PropertyShape) {
        switch (shape.type, shape.collection) {
        case (.linkingObjects, _): self = .computed
        case (.object, .none): self = shape.isOptional && !shape.isMapped ? .link : .other
        case (.any, .none): self = .mixed
        case (_, .none): self = Self.scalars[ObjectIdentifier(type)] ?? .scalar
        default: self = .collection
        }
    }

    private static let scalars: [ObjectIdentifier: DirectStorage] = [
        ObjectIdentifier(Int8.self): .int8, ObjectIdentifier(Int16.self): .int16,
        ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64, ObjectIdentifier(Int.self): .int64,
        ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Date.self): .date,
        ObjectIdentifier(Decimal128.self): .decimal128, ObjectIdentifier(ObjectId.self): .objectId,
        ObjectIdentifier(Foundation.UUID.self): .uuid, ObjectIdentifier(String.self): .string,
        ObjectIdentifier(Data.self): .data,
        ObjectIdentifier(Int?.self): .optionalInt64, ObjectIdentifier(Int64?.self): .optionalInt64,
        ObjectIdentifier(Bool?.self): .optionalBool, ObjectIdentifier(Double?.self): .optionalDouble,
        ObjectIdentifier(Float?.self): .optionalFloat, ObjectIdentifier(Date?.self): .optionalDate,
        ObjectIdentifier(String?.self): .optionalString, ObjectIdentifier(Data?.self): .optionalData,
    ]
}

/// A property whose wrapper is read and written in place.
struct DirectProperty {
    let storage: DirectStorage
    let index: Int
    /// The offset of the wrapper, which begins with the value, from the object's address.
    let offset: Int
    let metaOffset: Int
    /// A Boolean value that indicates whether the property is a list of objects.
    let isLinkList: Bool
    /// A Boolean value that indicates whether the property is a list of plain values, which are neither objects nor
    /// mixed values.
    let isPlainList: Bool
    /// A Boolean value that indicates whether the property is a collection of plain values.
    let isPlainCollection: Bool
    /// A Boolean value that indicates whether the property is a link to embedded objects or a collection of them.
    let isEmbedded: Bool
    let access: any PersistedAccess.Type

    /// A Boolean value that indicates whether the property has a plain value, which is stored unchanged.
    @inline(__always) var isPlain: Bool {
        switch storage {
        case .link, .collection, .mixed, .computed, .other: false
        default: true
        }
    }

    @inline(__always)
    private func pointer<T>(_ object: UnsafeMutableRawPointer, _ type: T.Type) -> UnsafeMutablePointer<T> {
        (object + offset).assumingMemoryBound(to: T.self)
    }

    /// Returns a Boolean value that indicates whether the value can be stored unchanged: it isn't too long, and
    /// contains no objects or elements that must be added first.
    @inline(__always)
    func fits(_ object: UnsafeMutableRawPointer, _ table: ManagedTable) -> Bool {
        switch storage {
        case .string: pointer(object, String.self).pointee.utf8.count <= ValueLimits.string
        case .optionalString: (pointer(object, String?.self).pointee?.utf8.count ?? 0) <= ValueLimits.string
        case .data: pointer(object, Data.self).pointee.count <= ValueLimits.data
        case .optionalData: (pointer(object, Data?.self).pointee?.count ?? 0) <= ValueLimits.data
        case .date: pointer(object, Date.self).pointee.timeIntervalSinceReferenceDate.isFinite
        case .optionalDate: pointer(object, Date?.self).pointee?.timeIntervalSinceReferenceDate.isFinite ?? true
        case .link:
            switch pointer(object, Unmanaged<ObjectBase>?.self).pointee {
            case nil: true
            case let linked?:
                linked._withUnsafeGuaranteedRef {
                    isEmbedded ? table.target(of: index).takesDirectly($0) : table.isTarget($0, of: index)
                }
            }
        case .collection: pointer(object, UnsafeRawPointer?.self).pointee == nil
        case .scalar: ValueLimits.fits(value(object))
        case .mixed: fitsMixed(object)
        case .other: false
        default: true
        }
    }

    /// Returns the collection of plain values, if it has been created and so may contain values.
    @inline(__always)
    func plainCollection(_ object: UnsafeMutableRawPointer) -> Unmanaged<_CollectionBase>? {
        isPlainCollection && storage == .collection ? collection(object) : nil
    }

    @inline(__always)
    private func collection(_ object: UnsafeMutableRawPointer) -> Unmanaged<_CollectionBase>? {
        pointer(object, Unmanaged<_CollectionBase>?.self).pointee
    }

    /// Returns a Boolean value that indicates whether a mixed value contains neither an object nor a collection.
    @inline(never) private func fitsMixed(_ object: UnsafeMutableRawPointer) -> Bool {
        if case .value(let value) = access.unmanagedContent(object + offset) { ValueLimits.fits(value) } else { false }
    }

    /// Returns a Boolean value that indicates whether the property is a link that isn't nil.
    @inline(__always)
    func hasLink(_ object: UnsafeMutableRawPointer) -> Bool {
        storage == .link && pointer(object, UnsafeRawPointer?.self).pointee != nil
    }

    /// Stores the value in a new row, whose columns are null, zero or empty.
    @inline(__always)
    func store(
        _ object: UnsafeMutableRawPointer,
        in transaction: WriteTransaction,
        to column: Column,
        of key: ObjectKey
    ) {
        switch storage {
        case .int64: transaction.setInt(column, key, to: pointer(object, Int64.self).pointee)
        case .int32: transaction.setInt(column, key, to: Int64(pointer(object, Int32.self).pointee))
        case .int16: transaction.setInt(column, key, to: Int64(pointer(object, Int16.self).pointee))
        case .int8: transaction.setInt(column, key, to: Int64(pointer(object, Int8.self).pointee))
        case .bool: transaction.setBool(column, key, to: pointer(object, Bool.self).pointee)
        case .double: transaction.setDouble(column, key, to: pointer(object, Double.self).pointee)
        case .date: transaction.setTimestamp(column, key, to: Timestamp(pointer(object, Date.self).pointee))
        case .string: transaction.setString(column, key, to: pointer(object, String.self).pointee)
        case .link:
            if let linked = pointer(object, Unmanaged<ObjectBase>?.self).pointee {
                transaction.setLink(column, key, to: linked._withUnsafeGuaranteedRef { $0._key })
            }
        case .optionalInt64:
            if let value = pointer(object, Int64?.self).pointee { transaction.setInt(column, key, to: value) }
        case .optionalBool:
            if let value = pointer(object, Bool?.self).pointee { transaction.setBool(column, key, to: value) }
        case .optionalDouble:
            if let value = pointer(object, Double?.self).pointee { transaction.setDouble(column, key, to: value) }
        case .optionalDate:
            if let value = pointer(object, Date?.self).pointee {
                transaction.setTimestamp(column, key, to: Timestamp(value))
            }
        case .optionalString:
            if let value = pointer(object, String?.self).pointee { transaction.setString(column, key, to: value) }
        case .collection, .computed, .other: break
        default:
            let value = value(object)
            if !value.isNull { transaction.write(column, key, value: value) }
        }
    }

    /// Returns the value of a scalar.
    func value(_ object: UnsafeMutableRawPointer) -> Value {
        func optional<T>(_ type: T.Type, _ make: (T) -> Value) -> Value {
            pointer(object, T?.self).pointee.map(make) ?? .null
        }
        return switch storage {
        case .int64: .int(pointer(object, Int64.self).pointee)
        case .int32: .int(Int64(pointer(object, Int32.self).pointee))
        case .int16: .int(Int64(pointer(object, Int16.self).pointee))
        case .int8: .int(Int64(pointer(object, Int8.self).pointee))
        case .bool: .bool(pointer(object, Bool.self).pointee)
        case .float: .float(pointer(object, Float.self).pointee)
        case .double: .double(pointer(object, Double.self).pointee)
        case .date: .timestamp(Timestamp(pointer(object, Date.self).pointee))
        case .decimal128: .decimal128(pointer(object, Decimal128.self).pointee)
        case .objectId: .objectId(pointer(object, ObjectId.self).pointee)
        case .uuid: .uuid(pointer(object, Foundation.UUID.self).pointee)
        case .string: .string(pointer(object, String.self).pointee)
        case .data: .data(pointer(object, Data.self).pointee)
        case .optionalInt64: optional(Int64.self) { .int($0) }
        case .optionalBool: optional(Bool.self) { .bool($0) }
        case .optionalFloat: optional(Float.self) { .float($0) }
        case .optionalDouble: optional(Double.self) { .double($0) }
        case .optionalDate: optional(Date.self) { .timestamp(Timestamp($0)) }
        case .optionalString: optional(String.self) { .string($0) }
        case .optionalData: optional(Data.self) { .data($0) }
        case .scalar, .mixed: access.unmanagedValue(object + offset)
        case .link, .collection, .computed, .other: .null
        }
    }

    /// Converts the wrapper to that of a row and releases its value. A collection is kept and becomes the collection of
    /// the row. Returns false if only the type itself can do this.
    @inline(__always)
    func adopt(_ object: UnsafeMutableRawPointer, _ row: ObjectBase) -> Bool {
        switch storage {
        case .string: pointer(object, String.self).pointee = ""
        case .data: pointer(object, Data.self).pointee = Data()
        case .optionalString: pointer(object, String?.self).pointee = nil
        case .optionalData: pointer(object, Data?.self).pointee = nil
        case .link: pointer(object, ObjectBase?.self).pointee = nil
        case .collection:
            if let collection = collection(object), let table = row._table {
                collection._withUnsafeGuaranteedRef { $0.bind(table, row._key, property: index) }
            }
        case .scalar, .mixed, .computed, .other: return false
        default: break
        }
        object.storeBytes(
            of: 0x8000_0000 | UInt32(truncatingIfNeeded: index),
            toByteOffset: metaOffset,
            as: UInt32.self
        )
        return true
    }

    /// Releases the collection that an accessor has created.
    @inline(__always)
    func forgetCollection(_ object: UnsafeMutableRawPointer) {
        if storage == .collection, collection(object) != nil {
            pointer(object, AnyObject?.self).pointee = nil
        }
    }
}
