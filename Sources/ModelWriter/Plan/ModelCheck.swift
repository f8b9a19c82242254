import FreeholdEngine

/// The checks for contradictions, which no language could represent.
enum ModelCheck {
    static func check(_ classes: [ModelClass], _ options: ModelOptions) throws(ModelError) {
        if let package = options.package { try check(package: package) }
        if let name = options.fileName, !IdentifierCharacters.ascii.isIdentifier(name) {
            throw ModelError(.option, nil, nil, "A file's name has letters of ASCII, digits and underscores only.")
        }
        var names: Set<String> = []
        for model in classes {
            let table = model.table
            try check(name: table.name, table.name, nil)
            guard names.insert(table.name).inserted else {
                throw ModelError(.name, table.name, nil, "There are two classes of that name.")
            }
        }
        let tables = Dictionary(classes.map { ($0.table.name, $0.table) }, uniquingKeysWith: { first, _ in first })
        for model in classes { try check(model, tables) }
    }

    private static func check(_ model: ModelClass, _ tables: [String: TableSpec]) throws(ModelError) {
        let table = model.table
        var names: Set<String> = []
        for column in table.columns {
            try check(name: column.name, table.name, column.name)
            guard names.insert(column.name).inserted else {
                throw ModelError(.name, table.name, column.name, "There are two properties of that name.")
            }
            if column.type == .link {
                guard let target = column.target, !target.isEmpty, !target.utf8.contains(0) else {
                    throw ModelError(.property, table.name, column.name, "It is a link that leads to no class.")
                }
                if column.collection == .set, tables[target]?.isEmbedded == true {
                    throw ModelError(.property, table.name, column.name, "A set can't hold embedded objects.")
                }
                if tables[target]?.isAsymmetric == true {
                    throw ModelError(.property, table.name, column.name, "Nothing can link to asymmetric objects.")
                }
            }
        }
        if let key = table.primaryKey {
            guard let column = table.columns.first(where: { $0.name == key }) else {
                throw ModelError(.property, table.name, key, "It is the primary key, and no property of the class.")
            }
            guard column.collection == .none, [.int, .string, .objectId, .uuid].contains(column.type) else {
                throw ModelError(
                    .property,
                    table.name,
                    key,
                    "A primary key is an integer, a string, an ObjectId or a UUID."
                )
            }
            if table.isEmbedded {
                throw ModelError(.property, table.name, key, "Embedded objects have no primary key.")
            }
        }
        for compound in table.compounds {
            for name in compound.columns where !names.contains(name) {
                throw ModelError(.property, table.name, name, "An index has it, and it isn't a property of the class.")
            }
        }
        for inverse in model.inverses {
            guard !inverse.name.isEmpty, !inverse.name.utf8.contains(0) else {
                throw ModelError(.name, table.name, nil, "An inverse relationship has no name.")
            }
            // The properties of a class that isn't given aren't known.
            guard let origin = tables[inverse.origin] else { continue }
            guard let column = origin.columns.first(where: { $0.name == inverse.property }),
                column.type == .mixed || (column.type == .link && column.target == table.name)
            else {
                let link = SourceText.printable(inverse.origin) + "." + SourceText.printable(inverse.property)
                throw ModelError(
                    .property,
                    table.name,
                    inverse.name,
                    "It is the inverse of '\(link)', which isn't a link to the class."
                )
            }
        }
    }

    private static func check(name: String, _ className: String, _ property: String?) throws(ModelError) {
        if name.isEmpty { throw ModelError(.name, className, property, "A name is empty.") }
        if name.utf8.contains(0) { throw ModelError(.name, className, property, "A name has the character 0 in it.") }
    }

    /// Checks a package name. It can't check the keywords of languages, which the user has to avoid.
    private static func check(package: String) throws(ModelError) {
        let parts = package.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ IdentifierCharacters.ascii.isIdentifier(String($0)) }) else {
            throw ModelError(
                .option,
                nil,
                nil,
                "A package is names with dots between them, of letters of ASCII, digits and underscores."
            )
        }
    }
}
