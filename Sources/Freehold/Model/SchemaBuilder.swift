import FreeholdEngine

/// A mistake in the declaration of a model.
struct SchemaProblem: Hashable, Sendable, CustomStringConvertible {
    let className: String
    let property: String?
    let message: String

    init(_ className: String, _ property: String?, _ message: String) {
        self.className = className
        self.property = property
        self.message = message
    }

    var description: String { "\(className)\(property.map { ".\($0)" } ?? "") \(message)" }
}

/// Makes the schema of a set of classes, or says everything that is wrong with them at once.
enum SchemaBuilder {
    static let maximumClassName = 57
    static let maximumPropertyName = 63
    static let maximumProperties = Int(UInt16.max)

    /// - Parameter types: nil for all models of the program that don't exclude themselves.
    static func build(_ types: [AnyClass]?, naming: Naming = .plain) throws(Realm.Error) -> Schema {
        var problems: [SchemaProblem] = []
        var classes: [ObjectBase.Type] = []
        if let types {
            for type in types {
                guard let cls = type as? ObjectBase.Type, !isBase(cls) else {
                    problems.append(
                        SchemaProblem(ClassNames.qualified(type), nil, "is no model: models are subclasses of Object")
                    )
                    continue
                }
                if !classes.contains(where: { $0 == cls }) { classes.append(cls) }
            }
        } else {
            classes = Discovery.modelClasses().filter { $0.shouldIncludeInDefaultSchema() }
        }
        var infos = classes.map { ClassInfo.of($0, naming) }
        if types == nil {
            // What exists for its subclasses alone stores nothing.
            let bases = Set(infos.filter { $0.properties.isEmpty }.map { ObjectIdentifier($0.cls) })
            infos.removeAll { bases.contains(ObjectIdentifier($0.cls)) && hasSubclass($0.cls, among: classes) }
            infos.sort { $0.tableName < $1.tableName }
        }

        for info in infos { problems += SchemaValidation.problems(of: info) }
        problems += SchemaValidation.problems(among: infos)
        guard problems.isEmpty else { throw error(for: problems) }
        return Schema(infos)
    }

    private static func isBase(_ cls: ObjectBase.Type) -> Bool {
        cls == ObjectBase.self || Discovery.roots.contains { $0 == cls }
    }

    private static func hasSubclass(_ cls: ObjectBase.Type, among classes: [ObjectBase.Type]) -> Bool {
        classes.contains { other in
            var next: AnyClass? = _getSuperclass(other)
            while let superclass = next {
                if superclass == cls { return true }
                next = _getSuperclass(superclass)
            }
            return false
        }
    }

    private static func error(for problems: [SchemaProblem]) -> Realm.Error {
        let one = problems.count == 1
        return Realm.Error(
            .invalidSchema,
            one
                ? problems[0].description
                : "\(problems.count) mistakes in the models:\n" + problems.map { "- \($0)" }.joined(separator: "\n"),
            className: one ? problems[0].className : nil,
            property: one ? problems[0].property : nil
        )
    }
}

enum SchemaValidation {
    /// What is wrong with a class by itself.
    static func problems(of info: ClassInfo) -> [SchemaProblem] {
        var problems = info.problems
        func report(_ property: PropertyInfo?, _ message: String) {
            problems.append(SchemaProblem(info.className, property?.name, message))
        }
        if info.properties.isEmpty { report(nil, "has no @Persisted property") }
        if info.properties.count > SchemaBuilder.maximumProperties { report(nil, "has too many properties") }
        if info.tableName.isEmpty { report(nil, "has an empty name") }
        if info.tableName.utf8.count > SchemaBuilder.maximumClassName {
            report(
                nil,
                "has a name of over \(SchemaBuilder.maximumClassName) bytes (\(info.tableName)): give it a shorter one in the file by overriding mappedName()"
            )
        }
        var columns: [String: String] = [:]
        let names = Set(info.properties.map(\.name))
        for property in info.properties {
            if property.columnName.isEmpty { report(property, "has an empty name") }
            if property.columnName.utf8.count > SchemaBuilder.maximumPropertyName {
                report(
                    property,
                    "has a name of over \(SchemaBuilder.maximumPropertyName) bytes (\(property.columnName)): give it a shorter one in the file with mapTo:"
                )
            }
            if property.columnName.contains(".") {
                report(property, "has a dot in its stored name \"\(property.columnName)\": key paths can't name it")
            }
            if let other = columns[property.columnName], other != property.name {
                report(property, "has the stored name \"\(property.columnName)\", which \(other) has too")
            } else if property.columnName != property.name, names.contains(property.columnName) {
                report(
                    property,
                    "has the stored name \"\(property.columnName)\", which is the name of another property in Swift"
                )
            }
            columns[property.columnName] = property.name
            if property.isRequiredLink {
                report(property, "must be optional: `var \(property.name): \(targetName(property))?`")
            }
            if property.shape.collection == .list, property.shape.type == .object, property.shape.isOptional {
                report(property, "must be a list of objects that aren't optional")
            }
            if property.isComputed, property.origin == nil {
                report(property, "needs @Persisted(originProperty: …)")
            }
        }
        let keys = info.properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            report(nil, "has more than one primary key: \(keys.map(\.name).joined(separator: ", "))")
        }
        for key in keys where key.isCollection || ![.int, .string, .objectId, .UUID].contains(key.shape.type) {
            report(key, "can't be a primary key: those are integers, strings, object ids and UUIDs")
        }
        for property in info.properties where property.isIndexed && !property.isPrimaryKey {
            if property.isCollection
                || ![.int, .bool, .string, .date, .objectId, .UUID].contains(property.shape.type)
            {
                report(property, "can't be indexed: only integers, booleans, strings, dates, object ids and UUIDs can")
            }
        }
        return problems
    }

    /// What is wrong between classes.
    static func problems(among infos: [ClassInfo]) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        let chosen = Set(infos.map { ObjectIdentifier($0.cls) })
        for (name, same) in Dictionary(grouping: infos, by: \.tableName).sorted(by: { $0.key < $1.key })
        where same.count > 1 {
            let types = same.map { ClassNames.qualified($0.cls) }.sorted().joined(separator: ", ")
            problems.append(
                SchemaProblem(
                    name,
                    nil,
                    "is the name of \(same.count) classes (\(types)): give one another in the file by overriding mappedName(), or choose with objectTypes"
                )
            )
        }
        for info in infos {
            for property in info.properties {
                guard let target = property.target else { continue }
                let targetInfo = info.sibling(target)
                if !chosen.contains(ObjectIdentifier(target)) {
                    problems.append(
                        SchemaProblem(
                            info.className,
                            property.name,
                            target == Object.self
                                ? "links to Object itself: name a subclass"
                                : "links to \(targetInfo.className), which isn't among the realm's classes: add it to objectTypes"
                        )
                    )
                }
                guard property.isComputed, let origin = property.origin else { continue }
                guard let index = targetInfo.index(named: origin) else {
                    problems.append(
                        SchemaProblem(
                            info.className,
                            property.name,
                            "has the origin \"\(origin)\", which is no property of \(targetInfo.className)"
                        )
                    )
                    continue
                }
                let link = targetInfo.properties[index]
                if link.shape.type != .object || link.target != info.cls {
                    problems.append(
                        SchemaProblem(
                            info.className,
                            property.name,
                            "has the origin \(targetInfo.className).\(origin), which is no link to \(info.className)"
                        )
                    )
                }
            }
        }
        return problems
    }

    private static func targetName(_ property: PropertyInfo) -> String {
        property.target.map { ClassInfo.of($0).className } ?? "Object"
    }
}
