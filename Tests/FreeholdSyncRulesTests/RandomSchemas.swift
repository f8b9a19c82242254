import FreeholdBSON
import FreeholdEngine

@testable import FreeholdSyncRules

/// Random classes that can be synced, with indexes and delete rules that documents don't have.
struct RandomSchemas {
    var random: SeededRandom

    private static let plain: [ColumnType] = [
        .bool, .int, .float, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid, .mixed,
    ]
    private static let names = [
        "name", "age", "größe", "a b", "x-y", "_hidden", "title", "properties", "required", "bsonType",
    ]

    mutating func tables() -> [TableSpec] {
        let classes = (0..<Int.random(in: 1...3, using: &random)).map { "Class\($0)" }
        let embedded = (0..<Int.random(in: 0...3, using: &random)).map { "Embedded\($0)" }
        var tables = classes.map { name in
            let key = ColumnSpec("_id", random.pick([.int, .string, .objectId, .uuid]), optional: random.chance(20))
            return TableSpec(name, columns: [key] + columns(classes + embedded, embedded), primaryKey: "_id")
        }
        // Embedded classes contain only later ones.
        for (index, name) in embedded.enumerated() {
            let inner = Array(embedded[(index + 1)...])
            tables.append(TableSpec(name, columns: columns(classes + inner, inner), isEmbedded: true))
        }
        return tables
    }

    private mutating func columns(_ targets: [String], _ embedded: [String]) -> [ColumnSpec] {
        Self.names.filter { _ in random.chance(50) }.map { name in
            var kind: CollectionKind = random.chance(50) ? .none : random.pick([.list, .set, .dictionary])
            var column: ColumnSpec
            if random.chance(40) {
                let target = random.pick(targets)
                if kind == .set, embedded.contains(target) { kind = .list }
                column = ColumnSpec(name, .link, optional: random.chance(50), collection: kind, target: target)
                column.rules.targets = random.pick([.nullify, .cascade])
            } else {
                column = ColumnSpec(name, random.pick(Self.plain), optional: random.chance(40), collection: kind)
                column.isIndexed = random.chance(20) && kind == .none && column.type == .int
            }
            return column
        }
    }

    /// Returns the part that documents keep: no indexes, and only those embedded classes that are used by a property.
    func written(_ tables: [TableSpec]) -> [TableSpec] {
        var reached = tables.filter { !$0.isEmbedded }
        var index = 0
        while index < reached.count {
            for column in reached[index].columns {
                guard let target = tables.first(where: { $0.name == column.target }), target.isEmbedded,
                    !reached.contains(where: { $0.name == target.name })
                else { continue }
                reached.append(target)
            }
            index += 1
        }
        return reached.filter { !$0.isEmbedded }.map(\.synced)
            + reached.filter(\.isEmbedded).map(\.synced).sorted { $0.name < $1.name }
    }
}
