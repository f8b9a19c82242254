extension SnapshotCheck {
    /// Checks the placeholders and the links to them for errors that the other checks of hidden tables don't detect.
    func checkPlaceholders() {
        for table in schema.hiddenTables {
            if let id = table.owner(TableSpec.placeholderPrefix) { checkPlaceholders(table, of: id) }
            if let id = table.owner(TableSpec.linksPrefix) { checkLinks(table, of: id) }
        }
    }

    private func checkPlaceholders(_ table: Table, of id: Int) {
        guard let owner = schema.table(id: id), owner.primaryKey?.type == table.primaryKey?.type,
            owner.primaryKey != nil, table.columns.count == 1
        else { return report("There are placeholders of a class \(id) that can't have any.") }
        for key in snapshot.keys(table) {
            let value = snapshot.value(table.columns[0], key)
            if snapshot.find(primaryKey: value, in: owner) != nil {
                report("'\(owner.name)' has both an object and a placeholder with the primary key \(value).")
            }
            if snapshot.withBacklinks(table.mixedInverse, key, body: { snapshot.count(of: $0) }) == 0 {
                report("Nothing links to the placeholder of '\(owner.name)' with the primary key \(value).")
            }
        }
    }

    private func checkLinks(_ table: Table, of id: Int) {
        guard let owner = schema.table(id: id), table.columns.count == TableSpec.links(of: owner).columns.count else {
            return report("There are links to placeholders of a class \(id) that doesn't exist.")
        }
        var seen: Set<HiddenLinks.Place> = []
        for row in snapshot.keys(table) {
            let key = ObjectKey(snapshot.readInt(table.columns[0], row) ?? -1)
            let columnID = Int(snapshot.readInt(table.columns[1], row) ?? -1)
            let subject = "Object \(key) of '\(owner.name)', column \(columnID), links to placeholders"
            guard snapshot.contains(owner, key),
                let column = owner.columns.first(where: { $0.id == columnID && ($0.type == .link || $0.type == .mixed) }
                )
            else {
                report("\(subject): there is no such property.")
                continue
            }
            if !seen.insert(.init(key: key, column: columnID)).inserted { report("\(subject) in two rows.") }
            check(snapshot.hiddenLinks(row: row, table), column, key: key, subject: subject)
        }
    }

    private func check(_ links: HiddenLinks, _ column: Column, key: ObjectKey, subject: String) {
        if links.isEmpty { report("\(subject), but to none.") }
        for element in links.elements {
            var isSound = true
            var count = 0
            element.kept.value.forEachObjectLink { link in
                count += 1
                guard let table = schema.table(id: link.tableID), let id = table.owner(TableSpec.placeholderPrefix),
                    column.type == .mixed || (column.targetTableID == id && element.isHidden),
                    snapshot.contains(table, link.key)
                else {
                    isSound = false
                    return
                }
            }
            if !isSound || count == 0 { report("\(subject): \(element.kept.value) can't stand there.") }
        }
        switch column.collection {
        case .none:
            if links.elements.count != 1 { report("\(subject), \(links.elements.count) of them.") }
            if let first = links.elements.first, first.isHidden, !snapshot.value(column, key).isNull {
                report("\(subject) and has another value.")
            }
        case .list:
            let end = snapshot.listCount(column, key) + links.hiddenCount
            var last = -1
            for element in links.elements {
                if element.position <= last || element.position >= end {
                    report("\(subject): position \(element.position) behind \(last), before \(end).")
                }
                last = element.position
            }
        case .set:
            if links.elements.contains(where: { !$0.isHidden }) { report("\(subject) inside of a set's values.") }
        case .dictionary:
            if Set(links.elements.map(\.name)).count != links.elements.count { report("\(subject): a key twice.") }
            for element in links.elements
            where element.isHidden == (snapshot.dictionaryIndex(column, key, of: element.name) != nil) {
                report("\(subject): the key '\(element.name)' is \(element.isHidden ? "shown, too" : "not shown").")
            }
        }
    }
}
