import FreeholdEngine

/// The object that the page shows on its own. The page is notified of the object's changes.
struct FollowedObject {
    let tableID: Int
    let key: ObjectKey
    /// The fields and the numbers of incoming links that were sent last, as JSON.
    var fields: [[UInt8]]
    var links: [UInt8]
}

extension StudioSession {
    /// Reports that the followed object has changed.
    func reportFollowed(_ view: Snapshot) {
        guard let followed, let facts else { return }
        guard let table = view.schema.table(id: followed.tableID), view.contains(table, followed.key) else {
            self.followed = nil
            let name = facts.schema.table(id: followed.tableID)?.name ?? ""
            return post([
                "push": "object", "class": .string(name), "key": .int(followed.key.raw), "version": .int(view.version),
                "gone": true, "fields": [], "links": false,
            ])
        }
        let reader = ObjectReader(view: view, facts: facts)
        let new = reader.state(table, followed.key)
        guard new.fields != followed.fields || new.links != followed.links else { return }
        let changed = table.columns.enumerated().filter { i, _ in
            i >= followed.fields.count || new.fields[i] != followed.fields[i]
        }
        self.followed = new
        post([
            "push": "object", "class": .string(table.name), "key": .int(followed.key.raw),
            "version": .int(view.version),
            "gone": false, "fields": .array(changed.map { .string($0.element.name) }),
            "links": .bool(new.links != followed.links),
        ])
    }
}
