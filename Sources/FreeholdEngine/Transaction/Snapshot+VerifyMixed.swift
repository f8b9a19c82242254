extension SnapshotCheck {
    /// The mixed values of one object's property: their links, and the ids of the collections in them.
    func checkMixed(_ values: [Value], _ column: Column, _ who: String, _ key: Int64) {
        var ids: Set<UInt64> = []
        for value in values {
            value.forEachNested { nested in
                let id = nested.nestedID!
                if id == 0 { report("\(who) of O\(key): a nested collection without an id.") }
                if !ids.insert(id).inserted { report("\(who) of O\(key): two nested collections of the id \(id).") }
                if column.collection == .set { report("\(who) of O\(key): a nested collection in a set.") }
            }
            value.forEachScalar { scalar in
                guard case .objectLink(let link) = scalar else { return }
                let table = schema.table(id: link.tableID)
                if table == nil || table!.isEmbedded || tables[link.tableID]?.contains(link.key.raw, span: span) != true
                {
                    report("\(who) of O\(key): it links to \(link), which isn't there.")
                }
            }
        }
    }
}
