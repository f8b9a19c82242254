import FreeholdEngine

extension StudioSession {
    static let classHandlers: [String: Handler] = [
        "classes": Handler { session, _, _ in
            try session.read { view, facts in
                [
                    "version": .int(view.version),
                    "classes": .array(view.schema.tables.map { ClassFacts.json($0, in: view, facts) }),
                ]
            }
        }
    ]
}

/// The description of a class in messages.
enum ClassFacts {
    static func json(_ table: Table, in view: DataView, _ facts: SchemaFacts) -> StudioJSON {
        [
            "class": .string(table.name),
            "kind": .string(table.isEmbedded ? "embedded" : table.isAsymmetric ? "asymmetric" : "object"),
            "count": .int(view.count(table)), "hue": .int(SchemaFacts.hue(table.name)),
            "key": .text(table.primaryKey?.name),
            "title": .text(facts.titleColumn(table)?.name),
            "indexes": .array(
                table.compounds.map { index in
                    ["properties": .array(index.columns.map { .string($0.name) }), "unique": .bool(index.isUnique)]
                }
            ),
            "properties": .array(table.columns.map { property($0, in: view.schema) }),
            "inverse": .array(
                facts.incoming(table).filter { $0.type == .link }.map { column in
                    [
                        "class": .string(view.schema.table(of: column).name), "property": .string(column.name),
                    ]
                }
            ),
        ]
    }

    static func property(_ column: Column, in schema: DatabaseSchema) -> StudioJSON {
        let target = column.type == .link ? column.targetTableID.flatMap { schema.table(id: $0) } : nil
        return .members([
            "name": .string(column.name), "type": .string(column.type.studioName), "optional": .bool(column.isOptional),
            "collection": .text(column.collection.studioName),
            "target": target.map { .string($0.name) }, "owns": target?.isEmbedded == true ? true : nil,
            "index": .text(column.indexKind.studioName),
            "primaryKey": column.isPrimaryKey ? true : nil,
            "rule": column.rules.targets.studioName.map { .string($0) },
            "ruleOfOrigins": column.rules.origins.studioName.map { .string($0) },
        ])
    }
}
