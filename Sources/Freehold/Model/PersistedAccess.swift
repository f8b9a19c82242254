import Foundation
import FreeholdEngine

/// The access to a property without knowledge of its type. It is a metatype of `Persisted<…>`.
protocol PersistedAccess {
    static var shape: _PropertyShape { get }
    static var metaOffset: Int { get }
    static var storage: DirectStorage { get }
    /// A Boolean value that indicates whether the type is an optional. Custom types that are stored as objects may not
    /// be.
    static var isOptionalType: Bool { get }
    /// The bounds of sums for integers and optional integers, or nil for all other types.
    static var integerBounds: IntegerBounds? { get }
    /// Returns the options of the declaration, from the instance that the library inspects.
    static func options(_ wrapper: UnsafeRawPointer) -> PersistedOptions
    /// Initialises the wrapper of a row in memory that contains no wrapper yet.
    static func initializePlaceholder(_ wrapper: UnsafeMutableRawPointer, _ key: Int)
    /// A Boolean value that indicates whether the bytes of such a wrapper may be copied, because it contains no
    /// references.
    static var isPlaceholderCopied: Bool { get }
    /// Converts the wrapper of a property to that of a row and drops its value. The property isn't a collection.
    static func adopt(_ wrapper: UnsafeMutableRawPointer, _ key: Int)
    static func any(of object: ObjectBase, at property: PropertyInfo) -> Any?
    static func content(of object: ObjectBase, at property: PropertyInfo) -> _StoredContent
    /// Returns the content of a property of an unmanaged object.
    static func unmanagedContent(_ wrapper: UnsafeRawPointer) -> _StoredContent
    /// Assigns a value to an unmanaged or managed object. Returns false if the type doesn't fit.
    static func assign(_ content: _StoredContent, to object: ObjectBase, at property: PropertyInfo) -> Bool
    /// Converts a value of any type for a scalar or mixed property. Returns nil if the type doesn't fit.
    static func convert(_ value: Any) -> _StoredContent?
    /// Converts a value of any type for an element of a collection. Returns nil if the type doesn't fit.
    static func convertElement(_ value: Any) -> _StoredContent?
    /// Returns the property's collection. For an unmanaged object, it is created if necessary.
    static func collection(of object: ObjectBase, at property: PropertyInfo) -> (any ContentCollection)?
    /// Returns the result of reading stored content by name, or nil for null. Content that isn't a value of the type is
    /// returned as plain data.
    static func any(from content: _StoredContent) -> Any?
    /// Returns a Boolean value that indicates whether stored content is a value of the property's type.
    static func isMapped(_ content: _StoredContent) -> Bool
    /// The content of a new object's property without a given value.
    static var defaultContent: _StoredContent { get }
}

extension PersistedAccess {
    /// Returns the value of a scalar property of an unmanaged object.
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

    // Nil, the empty string, empty data and null contain no references.
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

    /// Returns the content of a managed object's property, or that which an unmanaged copy keeps, if it isn't a value of
    /// the type.
    private static func unmapped(_ object: ObjectBase, _ property: PropertyInfo) -> _StoredContent? {
        guard property.shape.isPartial, !property.isCollection,
            let content = object._kept(property.index) ?? object._storedContent(of: property),
            Value._rlmFromContent(content) == nil
        else { return nil }
        // A custom type that is stored as an object reads as its default value if no object is stored.
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
        guard let value = Value._rlmFromContent(content) else { return keep(content, in: object, at: property) }
        let wrapper = wrapper(object, property)
        let meta = wrapper.pointee.meta
        if meta & managedBit != 0 {
            Value._rlmSet(object, property.index, to: value)
            return true
        }
        if Value._rlmCopiesOnAssignment {
            Value._rlmAssign(get(object, property), to: value)
        } else {
            wrapper.pointee.value = Value._rlmBox(value)
        }
        if meta & observedBit != 0 { object._didAssignObserved() }
        return true
    }

    /// Keeps a content that isn't a value of the type, in an unmanaged object.
    ///
    /// - Returns: false if the content doesn't fit the stored type, either.
    private static func keep(_ content: _StoredContent, in object: ObjectBase, at property: PropertyInfo) -> Bool {
        guard object._core == nil, object._extra?.recorder == nil, property.shape.isPartial, !property.isCollection,
            property.shape.stores(content)
        else { return false }
        adopt(wrapper(object, property), property.index)
        object._keep(content, property.index)
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

/// A collection as the content of a property.
protocol ContentCollection: AnyObject {
    /// Creates an empty, unmanaged collection.
    init()
    /// Becomes the collection of a row's property. Its unmanaged content is dropped.
    func bind(_ table: ManagedTable, _ key: ObjectKey, property: Int)
    /// The content as `.list` or `.dictionary`.
    var content: _StoredContent { get }
    /// Converts a value for an element. Returns nil if it doesn't fit the element's type.
    static func convertElement(_ value: Any) -> _StoredContent?
    /// Replaces the elements. Returns false if one of them doesn't fit the element's type.
    func assignContents(_ content: _StoredContent) -> Bool
}

extension ObjectBase {
    /// Returns the stored content of a property, even if it isn't a value of the property's type. Returns nil for an
    /// unmanaged object.
    final func _storedContent(of property: PropertyInfo) -> _StoredContent? {
        guard _isManaged, let table = _table, let at = _prepareRead(property.index) else { return nil }
        let value = at.view._withUnsafeGuaranteedRef { view in
            at.column._withUnsafeGuaranteedRef { view.value($0, _key) }
        }
        return table.content(of: value, property.index)
    }

    /// Returns the content at the end of a path of names through links. Returns nil if a link is null, or if a name
    /// isn't the name of a property with one value.
    final func _content(at names: ArraySlice<String>) -> _StoredContent? {
        guard let name = names.first, let index = _info.index(named: name) else { return nil }
        let property = _info.properties[index]
        if property.isCollection || property.isComputed { return nil }
        let content = property.access.content(of: self, at: property)
        if names.count == 1 { return content }
        guard case .object(let next?) = content else { return nil }
        return next._content(at: names.dropFirst())
    }

    /// Returns the stored value at the end of a path of names as plain data, if it isn't a value of the property's
    /// type.
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
