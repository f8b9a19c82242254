/// The links to placeholders during a transaction. They are read from their rows when they are first needed, and written back at its end.
extension WriteTransaction {
    // MARK: Tables with hidden links

    /// Returns whether objects of a table link to placeholders. The result is stored when columns are opened: see `ColumnOverlay.hasHiddenLinks`.
    func hasHiddenLinks(_ tableID: Int) -> Bool {
        if hiddenLinks.isEmpty, !currentSchema.hasLinkTables { return false }
        if let pending = hiddenLinks[tableID], !pending.known.isEmpty { return true }
        return currentSchema.links(of: tableID).map { count($0) > 0 } ?? false
    }

    func pendingHiddenLinks(_ place: HiddenLinks.Place, _ tableID: Int) -> HiddenLinks {
        if let found = hiddenLinks[tableID]?.known[place] { return found }
        guard let table = currentSchema.links(of: tableID), count(table) > 0 else { return HiddenLinks() }
        let found = hiddenRow(place, table).map { hiddenLinks(row: $0, table) } ?? HiddenLinks()
        overlayOfHiddenLinks(tableID).known[place] = found
        return found
    }

    private func overlayOfHiddenLinks(_ tableID: Int) -> HiddenLinksOverlay {
        if let found = hiddenLinks[tableID] { return found }
        let made = HiddenLinksOverlay()
        hiddenLinks[tableID] = made
        return made
    }

    func setHiddenLinks(_ column: Column, _ key: ObjectKey, to links: HiddenLinks) {
        let overlay = overlayOfHiddenLinks(column.tableID)
        let place = HiddenLinks.Place(key: key, column: column.id)
        overlay.known[place] = links
        overlay.changed.insert(place)
        if !links.isEmpty, let table = tables[column.tableID] {
            for case let columns? in table.columns { columns.hasHiddenLinks = true }
        }
        if overlay.known.count > HiddenLinksOverlay.limit { writeHiddenLinks() }
    }

    /// Edits the hidden links of a property.
    /// - Returns: whether they have changed.
    @discardableResult
    func editHiddenLinks(_ column: Column, _ key: ObjectKey, edit: (inout HiddenLinks) -> Void) -> Bool {
        let old = hiddenLinks(column, key)
        var new = old
        edit(&new)
        if new == old { return false }
        setHiddenLinks(column, key, to: new)
        return true
    }

    /// Makes an edit of visible elements, for which the caller moves the hidden links itself.
    func placingHiddenLinks<Failure: Error>(_ edit: () throws(Failure) -> Void) throws(Failure) {
        let places = placesHiddenLinks
        placesHiddenLinks = true
        defer { placesHiddenLinks = places }
        try edit()
    }

    // MARK: Edits of the visible content. They are called if `ColumnOverlay.hasHiddenLinks` is true.

    /// Removes the hidden links of a property whose single value was set, or of an element or entry that was replaced.
    func dropHiddenLinks(_ column: Column, _ key: ObjectKey) {
        if placesHiddenLinks { return }
        editHiddenLinks(column, key) { $0.elements = [] }
    }

    /// Updates the hidden links before elements of a list are replaced.
    func moveHiddenLinks(_ column: Column, _ key: ObjectKey, range: Range<Int>, with count: Int) {
        if placesHiddenLinks || column.collection != .list { return }
        let links = hiddenLinks(column, key)
        if links.isEmpty { return }
        journal?.unshown(column, key, links: links, in: self)
        let shownCount = listCount(column, key)
        editHiddenLinks(column, key) { $0.replaceShown(range, with: count, of: shownCount) }
    }

    /// Makes an edit that moves an element together with the hidden links inside it.
    func movingHiddenLinks(_ column: Column, _ key: ObjectKey, from: Int, to: Int, edit: () -> Void) {
        if placesHiddenLinks || !columnOverlay(column).hasHiddenLinks { return edit() }
        let links = hiddenLinks(column, key)
        let place = links.stored(ofShown: from)
        let moved = links.elements.first { $0.position == place }
        edit()
        guard var moved else { return }
        editHiddenLinks(column, key) { links in
            moved.position = links.stored(ofShown: to)
            links.insert(moved)
        }
    }

    /// Makes an edit that exchanges two elements together with the hidden links inside them.
    func swappingHiddenLinks(_ column: Column, _ key: ObjectKey, at i: Int, and j: Int, edit: () -> Void) {
        if placesHiddenLinks || !columnOverlay(column).hasHiddenLinks { return edit() }
        journal?.unshown(column, key, links: hiddenLinks(column, key), in: self)
        placingHiddenLinks(edit)
        editHiddenLinks(column, key) { links in
            let (a, b) = (links.stored(ofShown: i), links.stored(ofShown: j))
            for n in links.elements.indices {
                if links.elements[n].position == a {
                    links.elements[n].position = b
                } else if links.elements[n].position == b {
                    links.elements[n].position = a
                }
            }
            links.elements.sort { $0.position < $1.position }
        }
    }

    /// Updates the hidden links before a list is reordered. The new i-th element is the one that was at `positions[i]`.
    func reorderHiddenLinks(_ column: Column, _ key: ObjectKey, positions: [Int]) {
        if placesHiddenLinks { return }
        journal?.unshown(column, key, links: hiddenLinks(column, key), in: self)
        editHiddenLinks(column, key) { links in
            let old = links
            var new = [Int](repeating: 0, count: positions.count)
            for (i, position) in positions.enumerated() where new.indices.contains(position) { new[position] = i }
            links.elements = links.elements.map { element in
                guard !element.isHidden else { return element }
                var moved = element
                moved.position = old.stored(ofShown: new[old.shown(before: element.position)])
                return moved
            }.sorted { $0.position < $1.position }
        }
    }

    /// Removes the hidden links of dictionary entries that were set.
    func dropHiddenEntries(_ column: Column, _ key: ObjectKey, names: [String]) {
        if placesHiddenLinks || !columnOverlay(column).hasHiddenLinks { return }
        let links = hiddenLinks(column, key)
        if links.isEmpty { return }
        let names = Set(names)
        editHiddenLinks(column, key) { $0.elements.removeAll { names.contains($0.name) } }
    }

    /// Keeps only hidden entries, after all visible entries of a dictionary were removed.
    func keepHiddenEntries(_ column: Column, _ key: ObjectKey) {
        if placesHiddenLinks || !columnOverlay(column).hasHiddenLinks { return }
        editHiddenLinks(column, key) { $0.elements.removeAll { !$0.isHidden } }
    }

    /// Removes the hidden links of an object that is being deleted.
    func dropHiddenLinks(of table: Table, _ key: ObjectKey) {
        for column in table.columns where column.type == .link || column.type == .mixed {
            editHiddenLinks(column, key) { $0.elements = [] }
        }
    }

    /// Makes an edit inside the i-th visible value of a property, and keeps the value's links to placeholders in their places.
    func keepingHiddenLinks(
        _ column: Column,
        _ key: ObjectKey,
        at i: Int,
        replacing old: Value,
        with new: Value,
        edit: () -> Void
    ) {
        guard columnOverlay(column).hasHiddenLinks else { return edit() }
        if column.collection == .list { journal?.unshown(column, key, links: hiddenLinks(column, key), in: self) }
        placingHiddenLinks(edit)
        let name = column.collection == .dictionary ? dictionaryKey(column, key, at: i) : ""
        editHiddenLinks(column, key) { links in
            let position = column.collection == .list ? links.stored(ofShown: i) : 0
            guard
                let at = links.elements.firstIndex(where: {
                    $0.position == position && $0.name == name && (column.collection == .none || !$0.isHidden)
                })
            else { return }
            if let kept = links.elements[at].kept.after(replacing: old, with: new) {
                links.elements[at].kept = kept
            } else {
                links.elements.remove(at: at)
            }
        }
    }

    // MARK: The journal

    func unshown(_ links: HiddenLinks, _ column: Column) -> [UnshownLink] {
        var out: [UnshownLink] = []
        func add(_ kept: Value, at place: NestedSubscript, path: [NestedEdit.Step]) {
            switch kept {
            case .objectLink(let link):
                guard let table = currentSchema.table(id: link.tableID), contains(table, link.key),
                    let owner = table.owner(TableSpec.placeholderPrefix)
                else { return }
                let primaryKey = value(table.columns[0], link.key)
                out.append(UnshownLink(place: place, path: path, table: owner, primaryKey: primaryKey))
            case .list(let list):
                for (i, value) in list.values.enumerated() { add(value, at: place, path: path + [.element(i)]) }
            case .dictionary(let dictionary):
                for entry in dictionary.entries { add(entry.value, at: place, path: path + [.entry(entry.key)]) }
            default: break
            }
        }
        for element in links.elements {
            let place: NestedSubscript =
                switch column.collection {
                case .none, .set: .property
                case .list: .element(element.position)
                case .dictionary: .entry(element.name)
                }
            add(element.kept.value, at: place, path: [])
        }
        return out
    }

    // MARK: Rows

    /// Writes the pending changes to the rows, and removes them from memory.
    func writeHiddenLinks() {
        for (id, overlay) in hiddenLinks.sorted(by: { $0.key < $1.key }) where !overlay.changed.isEmpty {
            guard let owner = currentSchema.table(id: id), let table = linksTable(of: owner) else { continue }
            let places = overlay.changed.sorted { ($0.key, $0.column) < ($1.key, $1.column) }
            // All look-ups take place first, because a look-up after a write would settle the index.
            let rows = places.map { hiddenRow($0, table) }
            for (place, row) in zip(places, rows) {
                write(overlay.known[place] ?? HiddenLinks(), at: place, found: row, in: table)
            }
            overlay.known = [:]
            overlay.changed = []
        }
        hiddenLinks = hiddenLinks.filter { !$0.value.known.isEmpty }
    }

    private func write(_ links: HiddenLinks, at place: HiddenLinks.Place, found: ObjectKey?, in table: Table) {
        if links.isEmpty {
            guard let found else { return }
            noteUnlinked(hiddenLinks(row: found, table))
            delete(table, found)
            return
        }
        let columns = table.columns
        let row: ObjectKey
        if let found {
            row = found
            noteUnlinked(hiddenLinks(row: found, table))
        } else {
            row = createKeyless(table)
            setInt(columns[0], row, to: place.key.raw)
            setInt(columns[1], row, to: Int64(place.column))
        }
        // The values were checked when they were set, so the writes can't fail.
        let elements = links.elements
        if elements.contains(where: { $0.position != 0 }) || found != nil {
            try? listAssign(columns[2], row, values: elements.map { .int(Int64($0.position)) })
        }
        if elements.contains(where: { !$0.name.isEmpty }) || found != nil {
            try? listAssign(columns[3], row, values: elements.map { .string($0.name) })
        }
        try? listAssign(columns[4], row, values: elements.map(\.kept.value))
    }

    private func linksTable(of owner: Table) -> Table? {
        if let table = currentSchema.links(of: owner.id) { return table }
        schemaChanged = true
        addTables([TableSpec.links(of: owner)], areKeyed: true, areHidden: true)
        return currentSchema.links(of: owner.id)
    }

    /// Records placeholders that may have lost their last link.
    private func noteUnlinked(_ links: HiddenLinks) {
        for element in links.elements { element.kept.value.forEachObjectLink { unlinkedPlaceholders.insert($0) } }
    }
}
