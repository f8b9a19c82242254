internal import CFreeholdShims

/// The declaration of a class: its properties, which are read from an instance, and the mistakes in its class methods.
struct ClassDeclaration {
    private(set) var properties: [PropertyInfo] = []
    private(set) var byName: [String: Int] = [:]
    private(set) var problems: [SchemaProblem]
    /// The number of all stored fields of the class and its superclasses, including fields that aren't properties.
    let fieldCount: Int

    private let className: String
    private let declaredKey: String?
    private let declaredIndexes: Set<String>
    private let ignored: Set<String>
    private let mapping: [String: String]
    private let policy: NamingPolicy?

    init(_ cls: ObjectBase.Type, _ names: ClassNames) {
        className = names.className
        problems = names.problems
        let fields = StoredFields.of(cls).dropFirst(StoredFields.of(ObjectBase.self).count)
        fieldCount = fields.count
        let isNested = fh_learning()
        fh_set_learning(true)
        let instance = cls.init(_addOverrideInitOrMakeYourInitConvenience: _HiddenInitializer())
        fh_set_learning(isNested)
        declaredKey = (cls as? Object.Type)?.primaryKey() ?? (cls as? AsymmetricObject.Type)?.primaryKey()
        declaredIndexes = Set((cls as? Object.Type)?.indexedProperties() ?? [])
        ignored = Set(cls.ignoredProperties())
        mapping = cls.propertiesMapping()
        policy = cls.propertyNamingPolicy()
        for field in fields { add(field, of: instance) }
        checkMentioned()
    }

    private mutating func refuse(_ property: String?, _ text: String) {
        problems.append(SchemaProblem(className, property, message: text))
    }

    /// Adds a field if it is a property.
    private mutating func add(_ field: StoredField, of instance: ObjectBase) {
        guard let access = field.type as? any PersistedAccess.Type else { return }
        let name = field.declaredName
        if ignored.contains(name) { return }
        let options = access.options(UnsafeRawPointer(instance._fieldAddress(field.offset)))
        let mapped = options.mappedName ?? mapping[name]
        if let other = mapping[name], let mapped, other != mapped {
            refuse(
                name,
                "has the stored name \"\(mapped)\" by mapTo: and \"\(other)\" by propertiesMapping(): give one"
            )
        }
        if access.shape.isProjection {
            refuse(name, "holds projections, which aren't stored: hold the objects themselves")
        }
        if byName[name] != nil { refuse(name, "is declared in the class and in a superclass") }
        if declaredIndexes.contains(name), options.index == .fullText {
            refuse(name, "has a full-text index and is named in indexedProperties(): a property has one index")
        }
        byName[name] = properties.count
        properties.append(
            PropertyInfo(
                index: properties.count,
                name: name,
                columnName: mapped ?? policy?.storedName(of: name) ?? name,
                isMapped: mapped != nil || policy != nil,
                shape: access.shape,
                isPrimaryKey: options.primary || declaredKey == name,
                indexKind: declaredIndexes.contains(name) && options.index == .none ? .values : options.index,
                origin: options.origin,
                deleteRule: options.deleteRule,
                offset: field.offset,
                metaOffset: field.offset + access.metaOffset,
                access: access
            )
        )
    }

    /// Reports names in the class's methods that aren't names of properties.
    private mutating func checkMentioned() {
        func isMissing(_ name: String) -> Bool { byName[name] == nil && !ignored.contains(name) }
        let key = declaredKey.map { [$0] } ?? []
        let mentions: [(function: String, names: [String], mistake: String)] = [
            ("primaryKey()", key.filter(isMissing), "no property"),
            ("indexedProperties()", declaredIndexes.filter(isMissing), "no property"),
            ("propertiesMapping()", mapping.keys.filter(isMissing), "no property"),
            ("primaryKey()", key.filter(ignored.contains), "ignored"),
            ("indexedProperties()", declaredIndexes.filter(ignored.contains), "ignored"),
        ]
        for mention in mentions {
            for name in mention.names.sorted() {
                refuse(nil, "\(mention.function) names \"\(name)\", which is \(mention.mistake)")
            }
        }
    }
}
