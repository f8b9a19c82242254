import CFreeholdShims
import FreeholdEngine
import Synchronization

/// A persisted property of a class.
struct PropertyInfo {
    /// The position in `ClassInfo.properties`.
    let index: Int
    let name: String
    /// The name in the file.
    fileprivate(set) var columnName: String
    /// A Boolean value that indicates whether the property defines its name in the file, so that no policy changes it.
    let isMapped: Bool
    let shape: _PropertyShape
    let isPrimaryKey: Bool
    let indexKind: Property.Index
    /// The name of the origin property, for linking objects.
    let origin: String?
    let deleteRule: DeleteRule
    /// The offset of the wrapper from the object's address.
    let offset: Int
    let metaOffset: Int
    let access: any PersistedAccess.Type
    /// The name in the file of the class to which links lead, for a dynamic class.
    var targetName: String?
    /// The access that converts values for the property of the Swift class, for a dynamic class.
    var typedAccess: (any PersistedAccess.Type)?

    /// The target class, for links of Swift classes.
    var target: ObjectBase.Type? { shape.target }
    /// The access that converts values for the property.
    var converter: any PersistedAccess.Type { typedAccess ?? access }
    var isIndexed: Bool { indexKind == .values }
    var isComputed: Bool { shape.type == .linkingObjects }
    var isCollection: Bool { shape.collection != .none }
    /// A Boolean value that indicates whether the property is a link to one object.
    var isLink: Bool { shape.type == .object && shape.collection == .none }
    /// A Boolean value that indicates whether the property is declared like `@Persisted var dog: Dog`, which can't be
    /// stored.
    var isRequiredLink: Bool { isLink && !shape.isOptional }
}

/// The description of a model class. It is determined once, by reflection on the class and on a temporary instance.
///
/// For a configuration with naming policies, the class has a second description. It differs only in the names of the
/// table and its columns.
final class ClassInfo: Sendable {
    let cls: ObjectBase.Type
    /// The name in the declaration.
    let className: String
    /// The name of the class's table.
    let tableName: String
    /// The policies of the realm for which this description was made.
    let naming: Naming
    /// A Boolean value that indicates whether the class defines the name of its table, so that no policy changes it.
    private let isMapped: Bool
    /// The dynamic class, for a class that is used by name. Its objects have the class ``DynamicObject``.
    let dynamic: DynamicClass?
    /// The properties. Those of superclasses are first, and those of each class are in the order of declaration.
    nonisolated(unsafe) let properties: [PropertyInfo]
    let primaryKeyIndex: Int?
    /// The mistakes in the declaration. Opening a realm reports them.
    let problems: [SchemaProblem]
    /// The initial memory of an accessor. It is nil if a class has other stored properties, whose initial values only
    /// its initialisers know.
    let template: AccessorTemplate?
    private let byName: [String: Int]
    private let byColumnName: [String: Int]
    /// The direct access to each property.
    nonisolated(unsafe) let directProperties: [DirectProperty]
    /// A Boolean value that indicates whether all properties can be stored and adopted in place.
    let isDirect: Bool
    let hasLists: Bool

    private static let known = Mutex<[ObjectIdentifier: ClassInfo]>([:])

    /// Returns the description of a class.
    ///
    /// - Complexity: O(1) after the first call, which takes some 50 µs.
    static func of(_ cls: ObjectBase.Type) -> ClassInfo {
        let id = ObjectIdentifier(cls)
        if let info = known.withLock({ $0[id] }) { return info }
        // The description is made outside the lock, because the initialiser of the class is code of the program.
        let made = ClassInfo(cls)
        return known.withLock { known in
            if let first = known[id] { return first }
            known[id] = made
            return made
        }
    }

    private struct Variant: Hashable {
        let cls: ObjectIdentifier
        let naming: Naming
    }

    private static let variants = Mutex<[Variant: ClassInfo]>([:])

    /// Returns the description of a class for realms with these policies.
    ///
    /// - Complexity: O(1) after the first call.
    static func of(_ cls: ObjectBase.Type, _ naming: Naming) -> ClassInfo {
        let plain = of(cls)
        if naming == .plain { return plain }
        return variants.withLock { variants in
            let key = Variant(cls: ObjectIdentifier(cls), naming: naming)
            if let known = variants[key] { return known }
            let made = ClassInfo(plain, naming)
            variants[key] = made
            return made
        }
    }

    /// Returns the description of another class for the same policies.
    func sibling(_ cls: ObjectBase.Type) -> ClassInfo { Self.of(cls, naming) }

    private init(_ cls: ObjectBase.Type) {
        self.cls = cls
        naming = .plain
        dynamic = nil
        let names = ClassNames(cls)
        className = names.className
        tableName = names.tableName ?? className
        isMapped = names.tableName != nil
        let declaration = ClassDeclaration(cls, names)
        let properties = declaration.properties
        primaryKeyIndex = properties.firstIndex { $0.isPrimaryKey }
        template = properties.count == declaration.fieldCount ? AccessorTemplate(of: cls, properties) : nil
        directProperties = properties.map {
            DirectProperty(
                storage: $0.access.storage,
                index: $0.index,
                offset: $0.offset,
                metaOffset: $0.metaOffset,
                isLinkList: $0.shape.type == .object && $0.shape.collection == .list && !$0.shape.isOptional
                    && !($0.target is EmbeddedObject.Type),
                isPlainList: $0.shape.collection == .list && $0.shape.holdsPlainValues,
                isPlainCollection: $0.shape.collection != .none && $0.shape.holdsPlainValues,
                isEmbedded: $0.shape.type == .object && $0.target is EmbeddedObject.Type,
                access: $0.access
            )
        }
        hasLists = directProperties.contains { $0.storage == .collection }
        isDirect = !directProperties.contains { $0.storage == .other }
        self.properties = properties
        byName = declaration.byName
        byColumnName = Self.byColumnName(properties)
        problems = declaration.problems
    }

    /// Creates a copy with other names in the file.
    private init(_ plain: ClassInfo, _ naming: Naming) {
        cls = plain.cls
        className = plain.className
        self.naming = naming
        dynamic = nil
        isMapped = plain.isMapped
        tableName = isMapped ? plain.tableName : naming.classes.storedName(of: className)
        var properties = plain.properties
        for i in properties.indices where !properties[i].isMapped {
            properties[i].columnName = naming.properties.storedName(of: properties[i].name)
        }
        self.properties = properties
        byName = plain.byName
        byColumnName = Self.byColumnName(properties)
        primaryKeyIndex = plain.primaryKeyIndex
        problems = plain.problems
        template = plain.template
        directProperties = plain.directProperties
        isDirect = plain.isDirect
        hasLists = plain.hasLists
    }

    /// Creates the description of a class that is used by name.
    init(dynamic: DynamicClass) {
        cls = DynamicObject.self
        className = dynamic.schema.declaredName
        tableName = dynamic.schema.className
        naming = .plain
        isMapped = true
        self.dynamic = dynamic
        let typed = dynamic.schema.typed
        properties = dynamic.schema.allProperties.enumerated().map { index, property in
            let access = DynamicTypes.access(property)
            return PropertyInfo(
                index: index,
                name: property.name,
                columnName: property.columnName,
                isMapped: true,
                shape: access.shape,
                isPrimaryKey: property.isPrimaryKey,
                indexKind: property.index,
                origin: property.originProperty,
                deleteRule: property.deleteRule,
                offset: 0,
                metaOffset: 0,
                access: access,
                targetName: property.objectClassName,
                typedAccess: typed.flatMap { typed in
                    typed.index(named: property.name).map { typed.properties[$0].access }
                }
            )
        }
        byName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        byColumnName = Self.byColumnName(properties)
        primaryKeyIndex = properties.firstIndex { $0.isPrimaryKey }
        problems = []
        template = nil
        directProperties = properties.map {
            DirectProperty(
                storage: $0.access.storage,
                index: $0.index,
                offset: 0,
                metaOffset: 0,
                isLinkList: $0.shape.type == .object && $0.shape.collection == .list,
                isPlainList: $0.shape.collection == .list && $0.shape.holdsPlainValues,
                isPlainCollection: $0.shape.collection != .none && $0.shape.holdsPlainValues,
                isEmbedded: false,
                access: $0.access
            )
        }
        hasLists = false
        isDirect = false
    }

    private static func byColumnName(_ properties: [PropertyInfo]) -> [String: Int] {
        Dictionary(properties.map { ($0.columnName, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    var primaryKeyStorage: DirectStorage? { primaryKeyIndex.map { directProperties[$0].storage } }

    /// A Boolean value that indicates whether an unreferenced accessor can be reused for another row, because it has no
    /// state of its own.
    var canReuseAccessors: Bool { template != nil || dynamic != nil }

    /// Returns a Boolean value that indicates whether the property is a list of objects.
    @inline(__always)
    func isLinkList(_ property: Int) -> Bool { directProperties[property].isLinkList }

    /// Returns a Boolean value that indicates whether the property is a list of values that are neither objects nor
    /// mixed values.
    @inline(__always)
    func isPlainList(_ property: Int) -> Bool { directProperties[property].isPlainList }

    /// Returns the position of a property by its name in Swift or otherwise in the file.
    func index(named name: String) -> Int? { byName[name] ?? byColumnName[name] }

    /// Returns an instance whose values are never read. Its initialisers don't run if this is possible.
    @inline(__always) func makeAccessor() -> ObjectBase { template?.make() ?? makeByInitializer() }

    @inline(never) private func makeByInitializer() -> ObjectBase {
        if dynamic != nil { return DynamicObject() }
        return cls.init(_addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer())
    }

    /// Converts all wrappers of a new accessor to managed ones.
    @inline(__always) func markManaged(_ object: ObjectBase) {
        // The wrappers of a template are managed already, and dynamic objects have no wrappers.
        if template == nil, dynamic == nil { adopt(object) }
    }

    /// Converts all wrappers of an object to managed ones. Collections keep their identity.
    func adopt(_ object: ObjectBase) {
        let address = object._fieldAddress(0)
        for direct in directProperties where !direct.adopt(address, object) {
            properties[direct.index].access.adopt(address + direct.offset, direct.index)
        }
    }

    /// Returns the value of a scalar property of an unmanaged or managed object.
    func value(of object: ObjectBase, at index: Int) -> Value {
        if case .value(let value) = content(of: object, at: index) { value } else { .null }
    }

    /// Returns a new unmanaged object with default values.
    func makeUnmanaged() -> ObjectBase {
        dynamic == nil
            ? cls.init(_addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer()) : DynamicObject.unmanaged(self)
    }

    var isAsymmetric: Bool { dynamic?.schema.isAsymmetric ?? (cls is AsymmetricObject.Type) }

    var isEmbedded: Bool { dynamic?.schema.isEmbedded ?? (cls is EmbeddedObject.Type) }

    /// Returns the content of a property of an unmanaged or managed object.
    func content(of object: ObjectBase, at index: Int) -> _StoredContent {
        let property = properties[index]
        return property.access.content(of: object, at: property)
    }
}

extension ClassInfo {
    /// Ends the process because a name isn't the name of a property.
    @inline(never)
    func noProperty(named name: String) -> Never {
        let near = NearNames.of(name, properties.map(\.name))
        programmerError(
            "Invalid property name: \(className) has no property \"\(name)\". "
                + (near.isEmpty
                    ? "It has: \(properties.map(\.name).joined(separator: ", "))."
                    : "Did you mean \(near.joined(separator: ", "))?")
        )
    }
}
