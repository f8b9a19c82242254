/// An object with access by the names of its class and properties. Its class may have no Swift class.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     print(dog.name as! String, dog["age"] as? Int)
/// }
/// ```
///
/// Properties are read and written by their names in Swift or in the file. Integers are `NSNumber`s, which can be cast
/// to all integer types that can represent them. Enums and custom types are read as their stored values, and links as
/// `DynamicObject`s. Collections are live and have the types of their elements: `List<Int>`, `List<String?>`,
/// `List<DynamicObject>`. Assigned values are converted like in `Realm.create`.
///
/// Dynamic objects are managed. `Realm.dynamicCreate` creates them. For bad data, it returns an unmanaged object with
/// default values.
///
/// - Precondition: The class has a property of the name.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// The class of an unmanaged object.
    private var info: ClassInfo?
    /// The assigned values of an unmanaged object and the collections that were read from it, by property.
    private var contents: [Int: _StoredContent] = [:]
    private var collections: [Int: any ContentCollection] = [:]
    /// An object of the Swift class, which provides the default values of an unmanaged object.
    private lazy var defaults: ObjectBase? = info?.dynamic?.schema.typed?.makeUnmanaged()

    public override init() { super.init() }

    /// Creates an unmanaged object.
    static func unmanaged(_ info: ClassInfo) -> DynamicObject {
        let object = DynamicObject()
        object.info = info
        return object
    }

    override var _unmanagedInfo: ClassInfo { info ?? super._unmanagedInfo }

    public override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// The property with the name.
    public subscript(dynamicMember member: String) -> Any? {
        get {
            if let recorder = _extra?.recorder {
                if _rawKey != -1 { recorder.isAmbiguous = true }
                _rawKey = 0
                recorder.names.append(member)
                recorder.placedNames.append(member)
                return nil
            }
            return _value(named: member)
        }
        set { _setValue(newValue, named: member) }
    }

    // MARK: Unmanaged

    func unmanagedContent(at property: PropertyInfo) -> _StoredContent {
        if let collection = collections[property.index] { return collection.content }
        if let content = contents[property.index] { return content }
        if let defaults, let index = defaults._info.index(named: property.name) {
            return defaults._info.content(of: defaults, at: index)
        }
        if let value = info?.dynamic?.schema.allProperties[property.index].defaultValue,
            let content = try? ValueConversion.field(value, of: property, in: info!)
        {
            contents[property.index] = content
            return content
        }
        return property.access.defaultContent
    }

    func unmanagedCollection(at property: PropertyInfo, _ make: () -> any ContentCollection) -> any ContentCollection {
        if let collection = collections[property.index] { return collection }
        let content = unmanagedContent(at: property)
        let collection = make()
        _ = collection.assignContents(content)
        collections[property.index] = collection
        return collection
    }

    /// Assigns converted content. For a managed object, this requires a write transaction.
    func assign(_ content: _StoredContent, to property: PropertyInfo) {
        guard let table = _table else {
            contents[property.index] = content
            collections[property.index] = nil
            return
        }
        table.assign(content, to: property, of: self)
    }
}

extension ObjectBase {
    /// Returns a list of objects by the property's name. Its elements are ``DynamicObject``s. For a list of values,
    /// only members that don't use the elements can be called, such as `count`. The subscript returns a list with the
    /// type of its elements.
    ///
    /// - Precondition: The object is managed, and its class has a list of that name.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        let (table, property) = _dynamicCollection(propertyName, .list)
        let list = List<DynamicObject>()
        list.bind(table, _key, property: property)
        return list
    }

    /// Returns a set of objects by the property's name. Its elements are ``DynamicObject``s.
    ///
    /// - Precondition: The object is managed, and its class has a set of that name.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        let (table, property) = _dynamicCollection(propertyName, .set)
        let set = MutableSet<DynamicObject>()
        set.bind(table, _key, property: property)
        return set
    }

    /// Returns a map of objects by the property's name. Its values are ``DynamicObject``s.
    ///
    /// - Precondition: The object is managed, and its class has a map of that name.
    public final func dynamicMap(_ propertyName: String) -> Map<String, DynamicObject?> {
        let (table, property) = _dynamicCollection(propertyName, .map)
        let map = Map<String, DynamicObject?>()
        map.bind(table, _key, property: property)
        return map
    }

    private final func _dynamicCollection(
        _ name: String,
        _ kind: Property.Collection
    ) -> (table: ManagedTable, property: Int) {
        guard let table = _table else {
            programmerError(
                "A dynamic collection of an unmanaged \(_info.className) was asked for. Add the object to a realm first."
            )
        }
        _verifyLive(table)
        let dynamic = table.dynamic
        guard let index = dynamic.info.index(named: name) else { dynamic.info.noProperty(named: name) }
        guard dynamic.info.properties[index].shape.collection == kind else {
            programmerError("\(_info.className).\(name) isn't a \(kind). Read it with the subscript.")
        }
        return (dynamic, index)
    }
}
