extension SnapshotCheck {
    /// Checks that the collections inside the mixed values of one object's property have different ids.
    func checkNested(_ values: [Value], at cell: CheckedCell) {
        var ids: Set<UInt64> = []
        for value in values {
            value.forEachNested { nested in
                let id = nested.nestedID!
                if id == 0 { report("\(cell.subject): a nested collection without an id.") }
                if !ids.insert(id).inserted { report("\(cell.subject): two nested collections of the id \(id).") }
            }
        }
    }
}
