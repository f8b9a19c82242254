import FreeholdEngine

/// A change of a file's classes, as one migration.
struct SchemaChange {
    private let steps: [StudioJSON]

    private static let mostSteps = 100

    init(_ steps: [StudioJSON]) throws(StudioError) {
        guard !steps.isEmpty, steps.count <= Self.mostSteps else {
            throw StudioError(.invalid, "A migration has 1 to \(Self.mostSteps) steps.")
        }
        self.steps = steps
    }

    /// A new name of a class or a property.
    private enum Rename {
        case property(class: String, from: String, to: String)
        case table(from: String, to: String)
    }

    private struct Target {
        var specs: [TableSpec]
        var renames: [Rename] = []
        var removed: [String] = []

        func index(_ name: String) throws(StudioError) -> Int {
            guard let i = specs.firstIndex(where: { $0.name == name }) else {
                throw StudioError(.notFound, "The file has no class '\(name)'.")
            }
            return i
        }
    }

    /// Makes the change, or only plans it.
    ///
    /// - Parameter isDry: A Boolean value that indicates whether the change is cancelled. It is then made in memory only.
    func run(on database: Database, isDry: Bool) throws -> StudioJSON {
        let transaction: WriteTransaction
        if isDry {
            let failure = EngineError(.cancelled, "The migration is only planned.")
            transaction = database.failedWrite(on: try database.snapshot(), failure)
        } else {
            transaction = try database.beginWrite(until: .now + .seconds(2))
        }
        defer { transaction.cancel() }
        let target = try target(transaction.schema)
        let plan = try SchemaPlan(target.specs, against: transaction.schema)
        let listed = plan.steps(in: transaction).filter { !isRenamed($0, target.renames) }
        let shown =
            renameTexts(target.renames, transaction)
            + target.removed.map { name in
                (
                    SchemaStep(.removeClass, name).description,
                    transaction.schema.table(named: name).map { transaction.count($0) } ?? 0
                )
            } + listed.map { ($0.description, $0.objects) }
        let json = StudioJSON.array(shown.map { ["text": .string($0.0), "objects": .int($0.1)] })
        if isDry { return ["plan": json] }
        for name in target.removed {
            if let table = transaction.schema.table(named: name) { transaction.dropTable(table) }
        }
        try transaction.extendSchema(to: target.specs, suspendsPrimaryKeys: false)
        for rename in target.renames { try make(rename, target, in: transaction) }
        try transaction.finishSchema(target.specs, userVersion: transaction.userVersion)
        let snapshot = try transaction.commit()
        return ["plan": json, "version": .int(snapshot.version)]
    }

    private func make(_ rename: Rename, _ target: Target, in transaction: WriteTransaction) throws {
        switch rename {
        case .property(let name, let from, let to):
            guard let table = transaction.schema.table(named: name),
                let spec = target.specs[try target.index(name)].columns.first(where: { $0.name == to })
            else { throw StudioError(.notFound, "The file has no property '\(name).\(from)'.") }
            try transaction.renameColumn(table, from: from, to: spec)
        case .table(let from, let to): try transaction.renameTable(from: from, to: to, specs: target.specs)
        }
    }

    /// Returns a Boolean value that indicates whether a step of the plan is replaced by a rename.
    private func isRenamed(_ step: SchemaStep, _ renames: [Rename]) -> Bool {
        renames.contains { rename in
            switch rename {
            case .property(let name, let from, let to):
                step.className == name
                    && (step.kind == .addProperty && step.property == to
                        || step.kind == .removeProperty && step.property == from)
            case .table(_, let to): step.className == to && step.kind == .addClass
            }
        }
    }

    private func renameTexts(_ renames: [Rename], _ view: DataView) -> [(String, Int)] {
        renames.map { rename in
            switch rename {
            case .property(let name, let from, let to): ("rename property '\(name).\(from)' to '\(to)'", 0)
            case .table(let from, let to): ("rename class '\(from)' to '\(to)'", 0)
            }
        }
    }

    // MARK: Steps

    private func target(_ schema: DatabaseSchema) throws(StudioError) -> Target {
        var target = Target(specs: schema.tables.map { $0.spec(in: schema) })
        for step in steps {
            guard let members = step.members, members.count == 1, let member = members.first else {
                throw StudioError(.invalid, "A step of a migration is an object with one member.")
            }
            try apply(member.key, member.value, to: &target)
        }
        return target
    }

    private func text(_ body: StudioJSON, _ name: String) throws(StudioError) -> String {
        guard let text = body[name]?.text, !text.isEmpty else {
            throw StudioError(.invalid, "A step needs '\(name)' as a text.")
        }
        return text
    }

    private func apply(_ kind: String, _ body: StudioJSON, to target: inout Target) throws(StudioError) {
        let name = try text(body, "class")
        switch kind {
        case "addClass":
            var spec = TableSpec(name, columns: [], isEmbedded: body["kind"]?.text == "embedded")
            for property in body["properties"]?.elements ?? [] { spec.columns.append(try column(property)) }
            spec.primaryKey = body["key"]?.text
            target.specs.append(spec)
        case "removeClass":
            target.specs.remove(at: try target.index(name))
            for i in target.specs.indices { target.specs[i].columns.removeAll { $0.target == name } }
            target.removed.append(name)
        case "renameClass":
            let new = try text(body, "to")
            target.specs[try target.index(name)].name = new
            for i in target.specs.indices {
                for j in target.specs[i].columns.indices where target.specs[i].columns[j].target == name {
                    target.specs[i].columns[j].target = new
                }
            }
            target.renames.append(.table(from: name, to: new))
        case "add": target.specs[try target.index(name)].columns.append(try column(body["property"] ?? .null))
        case "remove":
            let (i, property) = (try target.index(name), try text(body, "property"))
            target.specs[i].columns.removeAll { $0.name == property }
            if target.specs[i].primaryKey == property { target.specs[i].primaryKey = nil }
            target.specs[i].compounds.removeAll { $0.columns.contains(property) }
        case "rename":
            let (i, from, to) = (try target.index(name), try text(body, "property"), try text(body, "to"))
            guard let j = target.specs[i].columns.firstIndex(where: { $0.name == from }) else {
                throw StudioError(.notFound, "Class '\(name)' has no property '\(from)'.")
            }
            target.specs[i].columns[j].name = to
            if target.specs[i].primaryKey == from { target.specs[i].primaryKey = to }
            for k in target.specs[i].compounds.indices {
                target.specs[i].compounds[k].columns = target.specs[i].compounds[k].columns.map { $0 == from ? to : $0 }
            }
            target.renames.append(.property(class: name, from: from, to: to))
        case "index":
            let (i, property) = (try target.index(name), try text(body, "property"))
            guard let j = target.specs[i].columns.firstIndex(where: { $0.name == property }) else {
                throw StudioError(.notFound, "Class '\(name)' has no property '\(property)'.")
            }
            switch body["kind"]?.text {
            case nil, "none": target.specs[i].columns[j].indexKind = .none
            case "values": target.specs[i].columns[j].indexKind = .values
            case "fullText": target.specs[i].columns[j].indexKind = .fullText
            default: throw StudioError(.invalid, "An index is 'values', 'fullText' or 'none'.")
            }
        default: throw StudioError(.invalid, "There is no step '\(kind.prefix(40))'.")
        }
    }

    private func column(_ json: StudioJSON) throws(StudioError) -> ColumnSpec {
        let name = try text(json, "name")
        guard let type = ColumnType(studioName: try text(json, "type")),
            let collection = CollectionKind(studioName: json["collection"]?.text)
        else { throw StudioError(.invalid, "The type of '\(name)' isn't known.") }
        let isSingleLink = type == .link && (collection == .none || collection == .dictionary)
        return ColumnSpec(
            name,
            type,
            optional: (json["optional"]?.flag ?? false) || isSingleLink,
            collection: collection,
            target: json["target"]?.text,
            indexed: json["index"]?.text == "values"
        )
    }
}
