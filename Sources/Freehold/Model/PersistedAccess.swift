import Foundation
import FreeholdEngine

/// What the library does with a property without knowing its type: a metatype of `Persisted<…>`.
protocol PersistedAccess {
    static var shape: _PropertyShape { get }
    static var metaOffset: Int { get }
    static var storage: DirectStorage { get }
    /// Whether the type is an optional; custom types that are stored as objects may be none.
    static var isOptionalType: Bool { get }
    /// Of integers and optional ones: what sums may be. Nil for all other types.
    static var integerBounds: IntegerBounds? { get }
    /// What the declaration says, of the instance by which the library learns of a class.
    static func options(_ wrapper: UnsafeRawPointer) -> PersistedOptions
    /// Makes the wrapper that of a row in memory that holds none yet.
    static func initializePlaceholder(_ wrapper: UnsafeMutableRawPointer, _ key: Int)
    /// Whether the bytes of such a wrapper may be copied, because it holds no reference.
    static var isPlaceholderCopied: Bool { get }
    /// Makes the wrapper of a property that is no collection that of a row; what it held is dropped.
    static func adopt(_ wrapper: UnsafeMutableRawPointer, _ key: Int)
    static func any(of object: ObjectBase, at property: PropertyInfo) -> Any?
    static func content(of object: ObjectBase, at property: PropertyInfo) -> _StoredContent
    /// What a property of an unmanaged object holds.
    static func unmanagedContent(_ wrapper: UnsafeRawPointer) -> _StoredContent
    /// Assigns a value to an unmanaged or managed object; false if the type doesn't fit.
    static func assign(_ content: _StoredContent, to object: ObjectBase, at property: PropertyInfo) -> Bool
    /// What a value of some type stands for, of scalars and mixed values; nil if the type doesn't fit.
    static func convert(_ value: Any) -> _StoredContent?
    /// The same of one element of a collection.
    static func convertElement(_ value: Any) -> _StoredContent?
    /// The property's collection; that of an unmanaged object is made if there was none.
    static func collection(of object: ObjectBase, at property: PropertyInfo) -> (any ContentCollection)?
    /// What stored content is read as by names; nil for null. Content that stands for no value of the type is plain data.
    static func any(from content: _StoredContent) -> Any?
    /// Whether stored content stands for a value of the property's type.
    static func isMapped(_ content: _StoredContent) -> Bool
    /// What a new object has where nothing is given.
    static var defaultContent: _StoredContent { get }
}

extension PersistedAccess {
    /// The value of a scalar property of an unmanaged object.
    static func unmanagedValue(_ wrapper: UnsafeRawPointer) -> FreeholdEngine.Value {
        if case .value(let value) = unmanagedContent(wrapper) { value } else { .null }
    }
}

struct PersistedOptions {
    let primary: Bool
    let index: Property.Index
    let origin: String?
    let mappedName: String?
    let deleteRule: DeleteRule
}

extension Persisted: PersistedAccess {
    static var shape: _PropertyShape { Value._rlmShape }
    static var metaOffset: Int { MemoryLayout<Self>.offset(of: \.meta)! }
    static var isOptionalType: Bool { Value.self is any OptionalProtocol.Type }
    static var integerBounds: IntegerBounds? { IntegerBounds.of(Value.self) }
    static var storage: DirectStorage { DirectStorage(Value.self, Value._rlmShape) }

    static func options(_ wrapper: UnsafeRawPointer) -> PersistedOptions {
        let wrapper = wrapper.assumingMemoryBound(to: Self.self)
        let meta = wrapper.pointee.meta
        let origin = Value._rlmUnbox(wrapper.pointee.value) as? any LinkingObjectsProtocol
        return PersistedOptions(
            primary: meta & primaryBit != 0,
            index: meta & indexedBit != 0
                ? .values : meta & fullTextBit != 0 ? .fullText : meta & placesBit != 0 ? .places : .none,
            origin: origin?._rlmOriginProperty,
            mappedName: MappedNames.name(meta & 0xffff),
            deleteRule: DeleteRule(rawValue: UInt8(meta >> deleteRuleShift & 3)) ?? .nullify
        )
    }

    static func initializePlaceholder(_ wrapper: UnsafeMutableRawPointer, _ key: Int) {
        wrapper.assumingMemoryBound(to: Self.self)
            .initialize(to: Self(_storage: Value._rlmPlaceholder(), meta: managedBit | UInt32(key)))
    }

    // Nil, the empty string, empty data and null are no references.
    static var isPlaceholderCopied: Bool {
        let type: Any.Type = Value._Storage.self
        return _isPOD(Value._Storage.self) || type is any OptionalProtocol.Type || type == String.self
            || type == Data.self
            || type == AnyRealmValue.self
    }

    static func adopt(_ wrapper: UnsafeMutableRawPointer, _ key: Int) {
        wrapper.assumingMemoryBound(to: Self.self).pointee =
            Self(_storage: Value._rlmPlaceholder(), meta: managedBit | UInt32(key))
    }

    private static func wrapper(_ object: ObjectBase, _ property: PropertyInfo) -> UnsafeMutablePointer<Self> {
        object._fieldAddress(property.offset).assumingMemoryBound(to: Self.self)
    }

    static func get(_ object: ObjectBase, _ property: PropertyInfo) -> Value {
        let wrapper = wrapper(object, property)
        if wrapper.pointee.meta & managedBit != 0 { return Value._rlmGet(object, property.index) }
        if let value = Value._rlmUnbox(wrapper.pointee.value) { return value }
        let fresh = Value._rlmDefaultValue()
        wrapper.pointee.value = Value._rlmBox(fresh)
        return fresh
    }

    static func any(of object: ObjectBase, at property: PropertyInfo) -> Any? {
        if property.isRequiredLink { return nil }
        if let content = unmapped(object, property) { return content.plain }
        return Value._rlmAny(get(object, property))
    }

    static func content(of object: ObjectBase, at property: PropertyInfo) -> _StoredContent {
        if property.isRequiredLink { return .object(nil) }
        return unmapped(object, property) ?? Value._rlmContent(get(object, property))
    }

    /// The stored content of a managed object's property, if it stands for no value of the type.
    private static func unmapped(_ object: ObjectBase, _ property: PropertyInfo) -> _StoredContent? {
        guard property.shape.isPartial, !property.isCollection, let content = object._storedContent(of: property),
            Value._rlmFromContent(content) == nil
        else { return nil }
        // A custom type that is stored as an object has a default value for none.
        if case .object(nil) = content { return nil }
        return content
    }

    static func unmanagedContent(_ wrapper: UnsafeRawPointer) -> _StoredContent {
        let storage = wrapper.assumingMemoryBound(to: Self.self).pointee.value
        return Value._rlmContent(Value._rlmUnbox(storage) ?? Value._rlmDefaultValue())
    }

    static func convert(_ value: Any) -> _StoredContent? { Value._rlmConvert(value) }

    static func convertElement(_ value: Any) -> _StoredContent? {
        (Value.self as? any ContentCollection.Type)?.convertElement(value)
    }

    static func assign(_ content: _StoredContent, to object: ObjectBase, at property: PropertyInfo) -> Bool {
        guard let value = Value._rlmFromContent(content) else { return false }
        let wrapper = wrapper(object, property)
        if wrapper.pointee.meta & managedBit != 0 {
            Value._rlmSet(object, property.index, value)
        } else if Value._rlmCopiesOnAssignment {
            Value._rlmAssign(get(object, property), value)
        } else {
            wrapper.pointee.value = Value._rlmBox(value)
        }
        return true
    }

    static func collection(of object: ObjectBase, at property: PropertyInfo) -> (any ContentCollection)? {
        get(object, property) as? any ContentCollection
    }

    static func any(from content: _StoredContent) -> Any? {
        guard let value = Value._rlmFromContent(content) else { return content.plain }
        return Value._rlmAny(value)
    }

    static func isMapped(_ content: _StoredContent) -> Bool { Value._rlmFromContent(content) != nil }

    static var defaultContent: _StoredContent { Value._rlmContent(Value._rlmDefaultValue()) }
}

/// A collection that is a property's content.
protocol ContentCollection: AnyObject {
    /// Empty and unmanaged.
    init()
    /// Becomes the collection of a row's property; what it held is dropped.
    func bind(_ table: ManagedTable, _ key: ObjectKey, _ property: Int)
    /// `.list` or `.dictionary`.
    var content: _StoredContent { get }
    /// What a value stands for as an element; nil if it isn't of the element's type.
    static func convertElement(_ value: Any) -> _StoredContent?
    /// Replaces the elements; false if one isn't of the element's type.
    func assignContents(_ content: _StoredContent) -> Bool
}

extension ObjectBase {
    /// The content of a property as it is stored, whether or not it stands for a value of the property's type. Nil for an
    /// unmanaged object.
    final func _storedContent(of property: PropertyInfo) -> _StoredContent? {
        guard _isManaged, let table = _table, let at = _prepareRead(property.index) else { return nil }
        let value = at.view._withUnsafeGuaranteedRef { view in
            at.column._withUnsafeGuaranteedRef { view.value($0, _key) }
        }
        return table.content(of: value, property.index)
    }

    /// The content at the end of a path of names, through links; nil if a link leads to nothing, or a name isn't that of
    /// a property with one value.
    final func _content(at names: ArraySlice<String>) -> _StoredContent? {
        guard let name = names.first, let index = _info.index(named: name) else { return nil }
        let property = _info.properties[index]
        if property.isCollection || property.isComputed { return nil }
        let content = property.access.content(of: self, at: property)
        if names.count == 1 { return content }
        guard case .object(let next?) = content else { return nil }
        return next._content(at: names.dropFirst())
    }

    /// The stored value at the end of a path of names, as plain data, if it stands for no value of the property's type.
    final func _unmapped(at path: String) -> Any? {
        var object = self
        let names = path.split(separator: ".").map(String.init)
        for (i, name) in names.enumerated() {
            guard let index = object._info.index(named: name) else { return nil }
            let property = object._info.properties[index]
            if i == names.count - 1 {
                guard property.shape.isPartial, !property.isCollection else { return nil }
                let content = property.access.content(of: object, at: property)
                return property.access.isMapped(content) ? nil : content.plain
            }
            guard property.isLink, case .object(let next?) = property.access.content(of: object, at: property) else {
                return nil
            }
            object = next
        }
        return nil
    }

    final func _fieldAddress(_ offset: Int) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque() + offset
    }
}
