extension ClientTransaction {
    /// Returns the lists whose elements a commit names, as the author saw them and as far as the file still has them
    /// (sync-design.md, section 8).
    func oldLists(_ commit: Commit) throws -> [OldList] {
        var lists: [OldList] = []
        var known: Set<Place> = []
        for change in commit.changes {
            guard let seen = commit.seen[change.object], let shadow = try shadow(of: change.object) else { continue }
            for place in change.listPlaces where known.insert(place).inserted {
                if let elements = shadow.elements(of: place, seen: seen) {
                    lists.append(OldList(place: place, elements: elements))
                }
            }
        }
        return lists
    }
}

extension Change {
    /// The lists whose elements the change names, outer lists first.
    fileprivate var listPlaces: [Place] {
        guard let place else { return [] }
        var places: [Place] = []
        for (index, step) in place.path.enumerated() {
            if case .element = step { places.append(Place(place.object, Array(place.path[..<index]))) }
        }
        switch self {
        case .insert, .remove, .move, .clearList, .assignList: return places + [place]
        default: return places
        }
    }
}

extension Shadow {
    /// Returns the elements of a list at the version that the work saw. An element is `nil` if it has been removed
    /// since.
    fileprivate func elements(of place: Place, seen: StreamVersion) -> [SyncValue?]? {
        guard var fields = named else { return nil }
        var elements: [SyncValue?]?
        PlaceEditor(seen: seen).edit(place.path[...], in: &fields) { node, _ in
            guard case .list(let list)? = node, let runs = list.names[seen] else { return }
            var nodes: [SlotID: ClientNode] = [:]
            for slot in list.slots { if let node = slot.node { nodes[slot.element] = node } }
            let homes = Dictionary(list.slots.map { ($0.id, $0.element) }) { first, _ in first }
            elements = runs.flatMap { run in
                (0..<UInt64(run.count)).map { offset in
                    let id = SlotID(isOwn: run.first.isOwn, number: run.first.number &+ offset)
                    return nodes[homes[id] ?? id]?.content.plainValue
                }
            }
        }
        return elements
    }
}
