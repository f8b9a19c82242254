extension SnapshotCheck {
    /// Checks that the collections inside the mixed values of one object's property have different ids.
    func checkNested(_ values: [Value], _ column: Column, subject: String, key: Int64) {
        var ids: Set<UInt64> = []
        for value in values {
            value.forEachNested { nested in
                let id = nested.nestedID!
                if id == 0 { report("\(subject) of O\(key): a nested collection without an id.") }
                if !ids.insert(id).inserted { report("\(subject) of O\(key): two nested collections of the id \(id).") }
            }
        }
    }
}
