package import FreeholdEngine

/// The classes that a realm stores.
///
/// Found in the program, or made by hand: see ``Realm/Configuration/schema``.
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
    /// Of one that is cached: what has the same is the same.
    var identity: SchemaIdentity?

    /// A schema made by hand. It is checked when a realm is opened with it.
    public init(_ objectSchema: [ObjectSchema]) {
        self.objectSchema = objectSchema
        byName = Self.byName(objectSchema)
    }

    /// The schema of model classes, with the names that these policies give them.
    ///
    /// - Parameter types: Nil for all classes of the program.
    /// - Parameter classNamingPolicy: For the names of classes without one of their own.
    /// - Parameter propertyNamingPolicy: For the names of properties without one of their own.
    /// - Throws: `Realm.Error` with every mistake in the classes.
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

    /// What a file has, with or without Swift classes.
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

    /// By the name of the class in the file, else in Swift.
    public subscript(className: String) -> ObjectSchema? { byName[className].map { objectSchema[$0] } }

    /// The name in the file beats that in Swift, which two classes may share: then only the former tells.
    private static func byName(_ schemas: [ObjectSchema]) -> [String: Int] {
        var byName: [String: Int] = [:]
        for (name, same) in Dictionary(grouping: schemas.indices, by: { schemas[$0].declaredName })
        where same.count == 1 {
            byName[name] = same[0]
        }
        for (i, schema) in schemas.enumerated() { byName[schema.className] = i }
        return byName
    }

    /// Those that have a Swift class.
    var classes: [ClassInfo] { objectSchema.compactMap(\.typed) }

    /// What the file must have, or is given.
    var tableSpecs: [TableSpec] {
        var specs = objectSchema.map(\.tableSpec)
        enterDeleteRules(&specs)
        return specs
    }

    /// The same for a file whose full-text indexes tell words in that way.
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
    /// Equal if both have the same classes, in whatever order.
    public static func == (a: Schema, b: Schema) -> Bool {
        a.objectSchema.count == b.objectSchema.count && a.objectSchema.allSatisfy { b[$0.className] == $0 }
    }
}

extension Schema: CustomStringConvertible {
    public var description: String {
        "Schema {\n" + objectSchema.map { $0.described(indent: "\t") + "\n" }.joined() + "}"
    }
}

/// What is stored of one class.
public struct ObjectSchema: Sendable {
    /// The name in the file.
    public var className: String
    /// In the order of declaration, superclasses' first; with linking objects, of which nothing is stored.
    public var allProperties: [Property]
    public var isEmbedded: Bool
    /// Whether objects of the class are only sent: see ``AsymmetricObject``.
    public var isAsymmetric: Bool
    public var compoundIndexes: [CompoundIndex]
    /// What is known of the Swift class, if there is one.
    let typed: ClassInfo?

    /// A class that has no Swift class: its objects are made and read by name, as ``DynamicObject``.
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

    /// A model class, as it is declared. Properties can be added to it; those of the class must stay as they are.
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

    /// The properties that are stored, in the order of declaration, superclasses' first. To assign them leaves the
    /// linking objects as they are.
    public var properties: [Property] {
        get { allProperties.filter { !$0.isComputed } }
        set {
            let names = Set(newValue.map(\.name))
            allProperties = newValue + computedProperties.filter { !names.contains($0.name) }
        }
    }

    /// The linking objects.
    public var computedProperties: [Property] { allProperties.filter(\.isComputed) }

    /// The Swift class; `DynamicObject` where there is none.
    public var objectClass: AnyClass { typed?.cls ?? DynamicObject.self }
    public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

    /// By the name in Swift, else in the file.
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
