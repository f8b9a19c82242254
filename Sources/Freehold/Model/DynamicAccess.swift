import FreeholdEngine
import Foundation

/// The access to a property of a ``DynamicObject``, which has no wrappers. Each type of dynamic reads has its own
/// metatype.
enum DynamicAccess<Value: _Persistable>: PersistedAccess {
    static var shape: _PropertyShape { Value._rlmShape }
    static var metaOffset: Int { 0 }
    static var isOptionalType: Bool { Value.self is any OptionalProtocol.Type }
    static var integerBounds: IntegerBounds? { IntegerBounds.of(Value.self) }
    static var storage: DirectStorage { Value._rlmShape.type == .linkingObjects ? .computed : .other }

    static func options(_ wrapper: UnsafeRawPointer) -> PersistedOptions {
        PersistedOptions(primary: false, index: .none, origin: nil, mappedName: nil, deleteRule: .nullify)
    }

    static func initializePlaceholder(_ wrapper: UnsafeMutableRawPointer, _ key: Int) {}

    static var isPlaceholderCopied: Bool { true }

    static func adopt(_ wrapper: UnsafeMutableRawPointer, _ key: Int) {}

    private static func dynamic(_ object: ObjectBase) -> DynamicObject {
        guard let dynamic = object as? DynamicObject else {
            programmerError("A \(type(of: object)) was read as a dynamic object. Report this as a defect of Freehold.")
        }
        return dynamic
    }

    private static func get(_ object: ObjectBase, _ property: PropertyInfo) -> Value {
        if let collections = Value.self as? any ContentCollection.Type {
            return collection(collections, of: object, at: property) as! Value
        }
        if object._isManaged { return Value._rlmGet(object, property.index) }
        let content = dynamic(object).unmanagedContent(at: property)
        return Value._rlmFromContent(content) ?? Value._rlmDefaultValue()
    }

    private static func collection<C: ContentCollection>(
        _ type: C.Type,
        of object: ObjectBase,
        at property: PropertyInfo
    ) -> any ContentCollection {
        guard let table = object._table else {
            return dynamic(object).unmanagedCollection(at: property) { C() }
        }
        object._verifyLive(table)
        let collection = C()
        collection.bind(table, object._key, property: property.index)
        return collection
    }

    static func any(of object: ObjectBase, at property: PropertyInfo) -> Any? { any(get(object, property)) }

    /// Returns an integer as an `NSNumber`, because its width in Swift isn't known. It can be cast to all integer types
    /// that can represent it.
    private static func any(_ value: Value) -> Any? {
        let any = Value._rlmAny(value)
        if let int = any as? Int, Value._rlmShape.type == .int { return NSNumber(value: int) }
        return any
    }

    static func content(of object: ObjectBase, at property: PropertyInfo) -> _StoredContent {
        if !object._isManaged { return dynamic(object).unmanagedContent(at: property) }
        return Value._rlmContent(get(object, property))
    }

    static func unmanagedContent(_ wrapper: UnsafeRawPointer) -> _StoredContent { .null }

    static func convert(_ value: Any) -> _StoredContent? { Value._rlmConvert(value) }

    static func convertElement(_ value: Any) -> _StoredContent? {
        (Value.self as? any ContentCollection.Type)?.convertElement(value)
    }

    static func assign(_ content: _StoredContent, to object: ObjectBase, at property: PropertyInfo) -> Bool {
        dynamic(object).assign(content, to: property)
        return true
    }

    static func collection(of object: ObjectBase, at property: PropertyInfo) -> (any ContentCollection)? {
        get(object, property) as? any ContentCollection
    }

    static func any(from content: _StoredContent) -> Any? {
        Value._rlmFromContent(content).flatMap { any($0) }
    }

    static func isMapped(_ content: _StoredContent) -> Bool { Value._rlmFromContent(content) != nil }

    static var defaultContent: _StoredContent { Value._rlmContent(Value._rlmDefaultValue()) }
}

/// The types of dynamic reads for the properties of a schema.
enum DynamicTypes {
    static func access(_ property: Property) -> any PersistedAccess.Type {
        switch property.type {
        case .int: scalar(Int.self, property)
        case .bool: scalar(Bool.self, property)
        case .string: scalar(String.self, property)
        case .data: scalar(Data.self, property)
        case .date: scalar(Date.self, property)
        case .float: scalar(Float.self, property)
        case .double: scalar(Double.self, property)
        case .objectId: scalar(ObjectId.self, property)
        case .decimal128: scalar(Decimal128.self, property)
        case .UUID: scalar(Foundation.UUID.self, property)
        case .object: link(property)
        case .linkingObjects: DynamicAccess<LinkingObjects<DynamicObject>>.self
        case .any: mixed(property)
        }
    }

    private static func scalar<T: _PersistableScalar>(_ type: T.Type, _ property: Property) -> any PersistedAccess.Type
    {
        switch (property.collection, property.isOptional) {
        case (.none, false): DynamicAccess<T>.self
        case (.none, true): DynamicAccess<T?>.self
        case (.list, false): DynamicAccess<List<T>>.self
        case (.list, true): DynamicAccess<List<T?>>.self
        case (.set, false): DynamicAccess<MutableSet<T>>.self
        case (.set, true): DynamicAccess<MutableSet<T?>>.self
        case (.map, false): DynamicAccess<Map<String, T>>.self
        case (.map, true): DynamicAccess<Map<String, T?>>.self
        }
    }

    private static func link(_ property: Property) -> any PersistedAccess.Type {
        switch property.collection {
        case .none: DynamicAccess<DynamicObject?>.self
        case .list: DynamicAccess<List<DynamicObject>>.self
        case .set: DynamicAccess<MutableSet<DynamicObject>>.self
        case .map: DynamicAccess<Map<String, DynamicObject?>>.self
        }
    }

    private static func mixed(_ property: Property) -> any PersistedAccess.Type {
        switch property.collection {
        case .none: DynamicAccess<AnyRealmValue>.self
        case .list: DynamicAccess<List<AnyRealmValue>>.self
        case .set: DynamicAccess<MutableSet<AnyRealmValue>>.self
        case .map: DynamicAccess<Map<String, AnyRealmValue>>.self
        }
    }
}
