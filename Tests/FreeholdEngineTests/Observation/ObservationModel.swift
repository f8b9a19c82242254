import Foundation

@testable import FreeholdEngine

/// The expected reports of observers, computed by a walk from every element.
struct NaiveObserver {
    let changes: VersionChanges
    let new: Snapshot
    private let modified: [Int: Set<ObjectKey>]

    init(_ changes: VersionChanges, _ new: Snapshot) {
        self.changes = changes
        self.new = new
        modified = changes.tables.mapValues { delta in delta.modified.values.reduce(into: []) { $0.formUnion($1) } }
    }

    /// Returns whether an object, or one within a number of links, has changed.
    func isDeeplyModified(_ table: Table, _ key: ObjectKey, links: Int = 3) -> Bool {
        if modified[table.id]?.contains(key) ?? false { return true }
        if links == 0 { return false }
        for column in table.columns {
            var isModified = false
            new.forEachTarget(column, key) { target in
                let table = new.schema.table(id: target.tableID)!
                if !isModified, isDeeplyModified(table, target.key, links: links - 1) { isModified = true }
            }
            if isModified { return true }
        }
        return false
    }

    func isModified(_ table: Table, _ key: ObjectKey, _ path: PropertyPath) -> Bool {
        func wasSet(_ column: Column) -> Bool {
            changes.tables[table.id]?.modified[column.id]?.contains(key) ?? false
        }
        guard let step = path.steps.first else { return path.column.map(wasSet) ?? false }
        var rest = path
        rest.steps.removeFirst()
        switch step {
        case .link(let column), .element(let column, _):
            if wasSet(column) { return true }
            let target = new.schema.table(id: column.targetTableID!)!
            var isHit = false
            new.forEachTarget(column, key) { if isModified(target, $0.key, rest) { isHit = true } }
            return isHit
        case .backlink(let origin):
            let links = changes.tables[origin.tableID]?.links ?? []
            if links.contains(where: { $0.column == origin.id && $0.targetTable == table.id && $0.target == key }) {
                return true
            }
            return new.backlinks(origin, key).contains {
                isModified(new.schema.table(id: origin.tableID)!, $0, rest)
            }
        }
    }

    func isModified(_ table: Table, _ key: ObjectKey, _ watched: WatchedPaths) -> Bool {
        switch watched {
        case .deep: isDeeplyModified(table, key)
        case .shallow: modified[table.id]?.contains(key) ?? false
        case .paths(let paths): paths.contains { isModified(table, key, $0) }
        }
    }
}

extension CollectionChanges {
    /// Returns the mistakes in the form of the changes, and the differences between their result and the new elements.
    func problems<T: Equatable>(from old: [T], to new: [T], isSame: (Int, Int) -> Bool) -> [String] {
        var out: [String] = []
        for (name, list) in [("deletions", deletions), ("insertions", insertions), ("modifications", modifications)]
        where zip(list, list.dropFirst()).contains(where: { $0 >= $1 }) { out.append("\(name) don't rise: \(list)") }
        guard deletions.allSatisfy(old.indices.contains), insertions.allSatisfy(new.indices.contains),
            modifications.allSatisfy(old.indices.contains), modifications.count == modificationsNew.count
        else { return out + ["out of bounds: \(self)"] }
        var made = old.indices.map { $0 }
        for i in deletions.reversed() { made.remove(at: i) }
        if !Set(modifications).isDisjoint(with: deletions) { out.append("modified and deleted: \(self)") }
        for i in insertions {
            guard i <= made.count else { return out + ["insertion past the end: \(self)"] }
            made.insert(-1, at: i)
        }
        guard made.count == new.count else { return out + ["\(made.count) elements, not \(new.count): \(self)"] }
        for (j, i) in made.enumerated() where i >= 0 {
            if newIndex(ofOld: i) != j || oldIndex(ofNew: j) != i { out.append("\(i) → \(j) is mapped otherwise") }
            let at = modifications.firstIndex(of: i)
            if let at, modificationsNew[at] != j { out.append("modified \(i) is at \(j), not \(modificationsNew[at])") }
            if at == nil, !isSame(i, j) { out.append("\(i) → \(j) differs") }
        }
        return out
    }
}
