import FreeholdEngine

/// The differences between two files, by class. Objects are compared by their primary keys, or, in classes without one, by their numbers.
struct FileComparison {
    let left: Snapshot
    let leftFacts: SchemaFacts
    let right: Snapshot
    let rightFacts: SchemaFacts

    private static let mostObjects = 200

    func json() -> StudioJSON {
        let names = Set(left.schema.tables.map(\.name)).union(right.schema.tables.map(\.name)).sorted()
        return ["classes": .array(names.compactMap(compare))]
    }

    private func compare(_ name: String) -> StudioJSON? {
        let (a, b) = (left.schema.table(named: name), right.schema.table(named: name))
        guard let a, let b else {
            let count = (a.map { left.count($0) } ?? b.map { right.count($0) }) ?? 0
            return [
                "class": .string(name), "only": .string(a != nil ? "left" : "right"),
                "added": .int(b == nil ? 0 : count),
                "removed": .int(a == nil ? 0 : count), "changed": 0, "objects": [], "properties": [],
            ]
        }
        // An embedded object is compared as a part of its owner.
        if a.isEmbedded, b.isEmbedded { return nil }
        var (added, removed, changed) = (0, 0, 0)
        var objects: [StudioJSON] = []
        func add(
            _ kind: String,
            _ table: Table,
            key: ObjectKey,
            isLeft: Bool,
            properties: [StudioJSON] = []
        ) {
            guard objects.count < Self.mostObjects else { return }
            let title = isLeft ? leftFacts.title(table, key, in: left) : rightFacts.title(table, key, in: right)
            objects.append([
                "key": .int(key.raw), "title": .text(title),
                "kind": .string(kind), "properties": .array(properties),
            ])
        }
        for i in 0..<left.count(a) {
            let key = left.key(at: i, in: a)
            guard let other = counterpart(key, a, b) else {
                removed += 1
                add("removed", a, key: key, isLeft: true)
                continue
            }
            let properties = differences(a, of: key, b, of: other)
            guard !properties.isEmpty else { continue }
            changed += 1
            add("changed", a, key: key, isLeft: true, properties: properties)
        }
        for i in 0..<right.count(b) {
            let key = right.key(at: i, in: b)
            let isKnown =
                if let column = b.primaryKey, a.primaryKey != nil {
                    left.find(primaryKey: right.value(column, key), in: a) != nil
                } else {
                    left.contains(a, key)
                }
            if isKnown { continue }
            added += 1
            add("added", b, key: key, isLeft: false)
        }
        let onlyLeft = a.columns.filter { b.column(named: $0.name) == nil }
        let onlyRight = b.columns.filter { a.column(named: $0.name) == nil }
        guard added + removed + changed > 0 || !onlyLeft.isEmpty || !onlyRight.isEmpty else { return nil }
        return [
            "class": .string(name), "only": .null, "added": .int(added), "removed": .int(removed),
            "changed": .int(changed),
            "objects": .array(objects),
            "properties": .array(
                onlyLeft.map { ["property": .string($0.name), "only": "left"] }
                    + onlyRight.map { ["property": .string($0.name), "only": "right"] }
            ),
        ]
    }

    private func counterpart(_ key: ObjectKey, _ a: Table, _ b: Table) -> ObjectKey? {
        if let column = a.primaryKey, b.primaryKey != nil {
            return right.find(primaryKey: left.value(column, key), in: b)
        }
        return right.contains(b, key) ? key : nil
    }

    private func differences(_ a: Table, of x: ObjectKey, _ b: Table, of y: ObjectKey) -> [StudioJSON] {
        let (leftText, rightText) = (
            ObjectText(view: left, facts: leftFacts), ObjectText(view: right, facts: rightFacts)
        )
        var out: [StudioJSON] = []
        for column in a.columns {
            guard let other = b.column(named: column.name) else { continue }
            var (p, q) = (JSONText(), JSONText())
            leftText.property(column, of: x, to: &p)
            rightText.property(other, of: y, to: &q)
            if p.bytes == q.bytes { continue }
            out.append([
                "name": .string(column.name),
                "left": ValueWriter(view: left, facts: leftFacts).json(column, of: x),
                "right": ValueWriter(view: right, facts: rightFacts).json(other, of: y),
            ])
        }
        return out
    }
}
