extension DataView {
    /// Calls `body` with every object to which a column of an object links, once for each link. For a mixed column, this includes links inside lists
    /// and dictionaries.
    func forEachTarget(_ column: Column, _ key: ObjectKey, body: (ObjectLink) -> Void) {
        switch (column.type, column.collection) {
        case (.link, .none):
            if let target = readLink(column, key) { body(ObjectLink(tableID: column.targetTableID!, key: target)) }
        case (.link, _):
            _ = forEachLink(column, key) { target in
                body(ObjectLink(tableID: column.targetTableID!, key: target))
                return true
            }
        case (.mixed, .none): value(column, key).forEachObjectLink(body)
        case (.mixed, _):
            _ = forEachElement(column, key) { element in
                element.forEachObjectLink(body)
                return true
            }
        default: break
        }
    }
}
