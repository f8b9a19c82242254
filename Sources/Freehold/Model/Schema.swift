package import FreeholdEngine

/// The classes that a realm stores.
///
/// A schema contains the classes of the program, or is created at run time: see ``Realm/Configuration/schema``.
///
/// ```swift
/// var person = ObjectSchema(Person.self)
/// person.properties.append(Property("extra", .int))          // beside what the class declares
/// let log = ObjectSchema("Log", properties: [Property("text", .string)])      // without a Swift class
/// var configuration = Realm.Configuration()
/// configuration.schema = Schema([person, log])
/// ```
public struct Schema: Sendable {
    public var objectSchema: [ObjectSchema] {
        didSet {
            byName = Self.byName(objectSchema)
            identity = nil
        }
    }
    private var byName: [String: Int]
    /// The identity of a cached schema. Schemas with the same identity are equal.
    var identity: SchemaIdentity?

    /// Creates a schema from class schemas. It is checked when a realm is opened with it.
    public init(_ objectSchema: [ObjectSchema]) {
        self.objectSchema = objectSchema
        byName = Self.byName(objectSchema)
    }

    /// Creates the schema of model classes, with the names that the policies define.
    ///
    /// - Parameter types: The classes, or `nil` for all classes of the program.
    /// - Parameter classNamingPolicy: The policy for classes without an explicit name.
    /// - Parameter propertyNamingPolicy: The policy for properties without an explicit name.
    /// - Throws: `Realm.Error` with all mistakes in the classes.
    public init(
        classes types: [ObjectBase.Type]?,
        classNamingPolicy: NamingPolicy = .asDeclared,
        propertyNamingPolicy: NamingPolicy = .asDeclared
    ) throws {
        self = try SchemaCache.schema(
            of: types,
            Naming(classes: classNamingPolicy, properties: propertyNamingPolicy)
        )
    }

    /// Creates the schema of a file, with or without Swift classes.
    package init(_ stored: DatabaseSchema) {
        self.init(
            stored.tables.map { table in
                ObjectSchema(
                    table.name,
                    isEmbedded: table.isEmbedded,
                    isAsymmetric: table.isAsymmetric,
                    properties: table.columns.map { Property($0, in: stored) },
                    compoundIndexes: table.compounds.map {
                        CompoundIndex($0.columns.map(\.name), isUnique: $0.isUnique)
                    }
                )
            }
        )
    }

    /// The schema of a class by its name in the file or otherwise in Swift.
    public subscript(className: String) -> ObjectSchema? { byName[className].map { objectSchema[$0] } }

    /// Returns the positions of classes by name. The name in the file has precedence. Two classes may share a Swift
    /// name, which then identifies neither.
    private static func byName(_ schemas: [ObjectSchema]) -> [String: Int] {
        var byName: [String: Int] = [:]
        for (name, same) in Dictionary(grouping: schemas.indices, by: { schemas[$0].declaredName })
        where same.count == 1 {
            byName[name] = same[0]
        }
        for (i, schema) in schemas.enumerated() { byName[schema.className] = i }
        return byName
    }

    /// The classes that have a Swift class.
    var classes: [ClassInfo] { objectSchema.compactMap(\.typed) }

    /// The tables that the file must have, or receives.
    var tableSpecs: [TableSpec] {
        var specs = objectSchema.map(\.tableSpec)
        enterDeleteRules(&specs)
        return specs
    }

    /// Returns the tables for a file whose full-text indexes use the rules for words.
    func tableSpecs(_ textMatching: Realm.TextMatching) -> [TableSpec] {
        guard textMatching == .latin1 else { return tableSpecs }
        var specs = tableSpecs
        for i in specs.indices {
            for c in specs[i].columns.indices where specs[i].columns[c].indexKind == .fullText {
                specs[i].columns[c].indexKind = .fullTextLatin1
            }
        }
        return specs
    }
}

extension Schema: Equatable {
    /// Returns a Boolean value that indicates whether both have the same classes in any order.
    public static func == (a: Schema, b: Schema) -> Bool {
        a.objectSchema.count == b.objectSchema.count && a.objectSchema.allSatisfy { b[$0.className] == $0 }
    }
}

extension Schema: CustomStringConvertible {
    public var description: String {
        "Schema {\n" + objectSchema.map { $0.described(indent: "\t") + "\n" }.joined() + "}"
    }
}

/// The schema of one class.
public struct ObjectSchema: Sendable {
    /// The name in the file.
    public var className: String
    /// The properties in the order of declaration, those of superclasses first. They include linking objects, which
    /// aren't stored.
    public var allProperties: [Property]
    public var isEmbedded: Bool
    /// A Boolean value that indicates whether objects of the class are only sent. See ``AsymmetricObject``.
    public var isAsymmetric: Bool
    public var compoundIndexes: [CompoundIndex]
    /// The description of the Swift class, or nil if the class has none.
    let typed: ClassInfo?

    /// Creates a class without a Swift class. Its objects are created and read by name, as ``DynamicObject``s.
    public init(
        _ className: String,
        isEmbedded: Bool = false,
        isAsymmetric: Bool = false,
        properties: [Property],
        compoundIndexes: [CompoundIndex] = []
    ) {
        self.compoundIndexes = compoundIndexes
        self.className = className
        allProperties = properties
        self.isEmbedded = isEmbedded
        self.isAsymmetric = isAsymmetric
        typed = nil
    }

    /// Creates the schema of a declared model class. Properties can be added to it. Those of the class must not be
    /// changed.
    public init(_ type: ObjectBase.Type) { self.init(ClassInfo.of(type)) }

    init(_ info: ClassInfo) {
        if let dynamic = info.dynamic {
            self = dynamic.schema
            return
        }
        className = info.tableName
        allProperties = info.properties.map { Property($0, in: info) }
        isEmbedded = info.isEmbedded
        isAsymmetric = info.isAsymmetric
        compoundIndexes = info.cls.compoundIndexes()
        typed = info
    }

    /// The stored properties in the order of declaration, those of superclasses first. Assigning them keeps the linking
    /// objects.
    public var properties: [Property] {
        get { allProperties.filter { !$0.isComputed } }
        set {
            let names = Set(newValue.map(\.name))
            allProperties = newValue + computedProperties.filter { !names.contains($0.name) }
        }
    }

    /// The linking objects.
    public var computedProperties: [Property] { allProperties.filter(\.isComputed) }

    /// The Swift class, or `DynamicObject` if the class has none.
    public var objectClass: AnyClass { typed?.cls ?? DynamicObject.self }
    public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

    /// The property by its name in Swift or otherwise in the file.
    public subscript(propertyName: String) -> Property? {
        allProperties.first { $0.name == propertyName } ?? allProperties.first { $0.columnName == propertyName }
    }

    /// The name for messages.
    var declaredName: String { typed?.className ?? className }

    var tableSpec: TableSpec {
        TableSpec(
            className,
            columns: allProperties.compactMap(\.columnSpec),
            primaryKey: primaryKeyProperty?.columnName,
            isEmbedded: isEmbedded,
            isAsymmetric: isAsymmetric,
            compounds: compoundIndexes.map { compound in
                CompoundIndexSpec(
                    compound.properties.map { name in self[name]?.columnName ?? name },
                    unique: compound.isUnique
                )
            }
        )
    }
}

extension ObjectSchema: Equatable {
    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.isEmbedded == b.isEmbedded && a.isAsymmetric == b.isAsymmetric
            && a.allProperties == b.allProperties
            && Set(a.tableSpec.compounds) == Set(b.tableSpec.compounds)
    }
}

extension ObjectSchema: CustomStringConvertible {
    public var description: String { described(indent: "") }

    func described(indent: String) -> String {
        "\(indent)\(className) \(isEmbedded ? "(embedded) " : isAsymmetric ? "(asymmetric) " : ""){\n"
            + allProperties.map { $0.described(indent: indent + "\t") + "\n" }.joined()
            + compoundIndexes.map { "\(indent)\t\($0);\n" }.joined() + "\(indent)}"
    }
}
