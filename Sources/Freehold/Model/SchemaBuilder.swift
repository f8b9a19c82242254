import FreeholdEngine

/// A builder that creates the schema of a set of classes, or reports all of its mistakes together.
enum SchemaBuilder {
    /// - Parameter types: The classes, or nil for all models of the program that don't exclude themselves.
    static func build(_ types: [AnyClass]?, naming: Naming = .plain) throws(Realm.Error) -> Schema {
        var problems: [SchemaProblem] = []
        var classes: [ObjectBase.Type] = []
        if let types {
            for type in types {
                guard let cls = type as? ObjectBase.Type, !Discovery.isRoot(cls) else {
                    problems.append(
                        SchemaProblem(
                            ClassNames.qualified(type),
                            nil,
                            message: "isn't a model: models are subclasses of Object"
                        )
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
            // A class without properties that exists only for its subclasses isn't stored.
            let bases = Set(infos.filter { $0.properties.isEmpty }.map { ObjectIdentifier($0.cls) })
            infos.removeAll { bases.contains(ObjectIdentifier($0.cls)) && hasSubclass($0.cls, among: classes) }
            infos.sort { $0.tableName < $1.tableName }
        }

        let schema = Schema(infos.map { ObjectSchema($0) })
        problems += SchemaValidation.problems(of: schema)
        guard problems.isEmpty else { throw error(for: problems) }
        return schema
    }

    /// Returns the schema if it is valid.
    static func check(_ schema: Schema) throws(Realm.Error) -> Schema {
        let problems = SchemaValidation.problems(of: schema)
        guard problems.isEmpty else { throw error(for: problems) }
        return schema
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
