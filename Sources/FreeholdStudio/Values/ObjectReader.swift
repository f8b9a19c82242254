import FreeholdEngine

/// Reads an object that is shown alone. The time to read an object doesn't depend on the number of links to it: the numbers of links are stored, and
/// parts of the links are read by position.
struct ObjectReader {
    let view: DataView
    let facts: SchemaFacts

    /// Returns the fields of an object, in the order of the properties, and the numbers of its incoming links.
    func state(_ table: Table, _ key: ObjectKey) -> FollowedObject {
        let writer = ValueWriter(view: view, facts: facts, limits: .field)
        let fields = table.columns.map { column in
            var out = JSONText()
            writer.write(column, of: key, to: &out)
            return out.bytes
        }
        return FollowedObject(tableID: table.id, key: key, fields: fields, links: links(table, key))
    }

    /// Returns the numbers of links to an object by class and property, as JSON.
    func links(_ table: Table, _ key: ObjectKey) -> [UInt8] {
        let counts = facts.incoming(table).map { ($0, view.backlinkCount($0, key)) }
        let found = counts.filter { $0.1 > 0 }
        return StudioJSON.array(
            found.map { column, count in
                [
                    "class": .string(view.schema.table(of: column).name), "property": .string(column.name),
                    "count": .int(count),
                ]
            }
        ).bytes
    }

    /// Returns some of the objects whose property links to an object.
    /// - Complexity: O(range · log n)
    func origins(_ column: Column, _ key: ObjectKey, in range: Range<Int>) -> StudioJSON {
        let count = view.backlinkCount(column, key)
        let origin = view.schema.table(of: column)
        let objects = range.clamped(to: 0..<count).map { i in
            let key = view.backlink(column, key, at: i)
            return StudioJSON.members([
                "to": .string(origin.name), "key": .int(key.raw),
                "title": .text(facts.title(origin, key, in: view)),
            ])
        }
        return ["count": .int(count), "from": .int(range.lowerBound), "objects": .array(objects)]
    }

    /// Returns the object that owns an embedded object.
    func owner(_ table: Table, _ key: ObjectKey) -> StudioJSON? {
        guard table.isEmbedded else { return nil }
        for column in facts.incoming(table) where view.backlinkCount(column, key) > 0 {
            let (origin, owner) = (view.schema.table(of: column), view.backlink(column, key, at: 0))
            return [
                "class": .string(origin.name), "key": .int(owner.raw), "property": .string(column.name),
                "title": .text(facts.title(origin, owner, in: view)),
            ]
        }
        return nil
    }
}
