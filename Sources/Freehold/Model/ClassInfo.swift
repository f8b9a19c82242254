import CFreeholdShims
import FreeholdEngine
import Synchronization

/// One persisted property of a class.
struct PropertyInfo {
    /// Its position in `ClassInfo.properties`.
    let index: Int
    let name: String
    /// The name in the file.
    fileprivate(set) var columnName: String
    /// The name in the file is the property's own, so that no policy changes it.
    let isMapped: Bool
    let shape: _PropertyShape
    let isPrimaryKey: Bool
    let indexKind: Property.Index
    /// For linking objects.
    let origin: String?
    let deleteRule: DeleteRule
    /// Of the wrapper, from the object's address.
    let offset: Int
    let metaOffset: Int
    let access: any PersistedAccess.Type
    /// Of a dynamic class: what links lead to, by its name in the file.
    var targetName: String?
    /// Of a dynamic class: what converts values for the property of the Swift class.
    var typedAccess: (any PersistedAccess.Type)?

    /// For links of Swift classes.
    var target: ObjectBase.Type? { shape.target }
    /// What converts values for the property.
    var converter: any PersistedAccess.Type { typedAccess ?? access }
    var isIndexed: Bool { indexKind == .values }
    var isComputed: Bool { shape.type == .linkingObjects }
    var isCollection: Bool { shape.collection != .none }
    /// A link to one object.
    var isLink: Bool { shape.type == .object && shape.collection == .none }
    /// `@Persisted var dog: Dog`, which can't be stored.
    var isRequiredLink: Bool { isLink && !shape.isOptional }
}

/// What the library knows of a model class: found once, by reflection on the class and on one throw-away instance.
///
/// Where a configuration has naming policies, there is a second one of the class for them: it differs in the names of
/// table and columns only.
final class ClassInfo: Sendable {
    let cls: ObjectBase.Type
    /// As declared.
    let className: String
    /// The name of the class's table.
    let tableName: String
    /// The policies of the realm that this is for.
    let naming: Naming
    /// The name of the table is the class's own, so that no policy changes it.
    private let isMapped: Bool
    /// For a class that is used by name; its objects are of class ``DynamicObject``.
    let dynamic: DynamicClass?
    /// Those of superclasses first, each class's in the order of declaration.
    nonisolated(unsafe) let properties: [PropertyInfo]
    let primaryKeyIndex: Int?
    /// Mistakes in the declaration, for the open to report.
    let problems: [SchemaProblem]
    /// The memory of a new accessor; nil where a class has stored properties of its own, whose initial values only its
    /// initialisers know.
    let template: AccessorTemplate?
    private let byName: [String: Int]
    private let byColumnName: [String: Int]
    /// By property.
    nonisolated(unsafe) let directProperties: [DirectProperty]
    /// Whether every property can be stored and adopted in place.
    let isDirect: Bool
    let hasLists: Bool

    private static let known = Mutex<[ObjectIdentifier: ClassInfo]>([:])

    /// - Complexity: O(1) after the first time (some 50 µs).
    static func of(_ cls: ObjectBase.Type) -> ClassInfo {
        let id = ObjectIdentifier(cls)
        if let info = known.withLock({ $0[id] }) { return info }
        // Made outside the lock: the class's initialiser is user code.
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

    /// What realms with these policies know of the class. - Complexity: O(1) after the first time.
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

    /// What the same realms know of another class.
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

    /// The same with other names in the file.
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

    /// A class that is used by name.
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

    /// Whether an accessor that nobody refers to can become that of another row: it holds nothing of its own.
    var canReuseAccessors: Bool { template != nil || dynamic != nil }

    /// Whether the property is a list of objects.
    @inline(__always)
    func isLinkList(_ property: Int) -> Bool { directProperties[property].isLinkList }

    /// Whether the property is a list of values that are neither objects nor mixed.
    @inline(__always)
    func isPlainList(_ property: Int) -> Bool { directProperties[property].isPlainList }

    /// By the name in Swift, else by the name in the file.
    func index(named name: String) -> Int? { byName[name] ?? byColumnName[name] }

    /// An instance whose values are never read: where it can be, one whose initialisers haven't run.
    @inline(__always) func makeAccessor() -> ObjectBase { template?.make() ?? makeByInitializer() }

    @inline(never) private func makeByInitializer() -> ObjectBase {
        if dynamic != nil { return DynamicObject() }
        return cls.init(_addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer())
    }

    /// Turns every wrapper of a new accessor into a managed one.
    @inline(__always) func markManaged(_ object: ObjectBase) {
        // The template's are, and dynamic objects have none.
        if template == nil, dynamic == nil { adopt(object) }
    }

    /// Turns every wrapper of an object into a managed one; collections keep their identity.
    func adopt(_ object: ObjectBase) {
        let address = object._fieldAddress(0)
        for direct in directProperties where !direct.adopt(address, object) {
            properties[direct.index].access.adopt(address + direct.offset, direct.index)
        }
    }

    /// The value of a scalar property; of unmanaged and managed objects.
    func value(of object: ObjectBase, at index: Int) -> Value {
        if case .value(let value) = content(of: object, at: index) { value } else { .null }
    }

    /// A new unmanaged object with default values.
    func makeUnmanaged() -> ObjectBase {
        dynamic == nil
            ? cls.init(_addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer()) : DynamicObject.unmanaged(self)
    }

    var isAsymmetric: Bool { dynamic?.schema.isAsymmetric ?? (cls is AsymmetricObject.Type) }

    var isEmbedded: Bool { dynamic?.schema.isEmbedded ?? (cls is EmbeddedObject.Type) }

    /// What a property of the object holds; of unmanaged and managed objects.
    func content(of object: ObjectBase, at index: Int) -> _StoredContent {
        let property = properties[index]
        return property.access.content(of: object, at: property)
    }
}

extension ClassInfo {
    /// Ends the program for a name that is no property's.
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
