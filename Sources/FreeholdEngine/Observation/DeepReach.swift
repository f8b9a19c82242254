/// The objects of a table that have changed themselves, or that link, over at most three links, to a changed object.
struct DeepReach: Sendable {
    /// The number of links that are followed.
    static let depth = 3

    private let tableID: Int
    /// The tables that can be reached with at most this number of links, by the number of links.
    private let reachable: [Set<Int>]
    /// A Boolean value that indicates whether a path can contain a link inside a mixed value.
    private let crossesMixed: Bool

    init(_ table: Table, in schema: DatabaseSchema) {
        tableID = table.id
        var reachable: [Set<Int>] = [[table.id]]
        var crossesMixed = false
        for _ in 0..<Self.depth {
            var next = reachable.last!
            for id in reachable.last! {
                for column in schema.table(id: id)?.columns ?? [] {
                    if column.type == .mixed {
                        crossesMixed = true
                        next.formUnion(schema.tables.map(\.id))
                    } else if let target = column.targetTableID {
                        next.insert(target)
                    }
                }
            }
            reachable.append(next)
        }
        self.reachable = reachable
        self.crossesMixed = crossesMixed
    }

    /// Returns the affected objects in ascending order of keys.
    /// - Parameter limit: the approximate maximum number of visited objects.
    /// - Returns: the objects, or `nil` if the limit was exceeded.
    /// - Complexity: O(changes and the backlinks that are followed from them).
    func affected(by changes: VersionChanges, in view: Snapshot, limit: Int) -> [ObjectKey]? {
        var budget = limit
        // The objects, by table, whose backlinks haven't been followed yet.
        var edge: [Int: [ObjectKey]] = [:]
        for (id, delta) in changes.tables where reachable[Self.depth].contains(id) {
            var keys: [ObjectKey] = []
            for modified in delta.modified.values { keys += modified }
            keys.sortUnique()
            budget -= keys.count
            if !keys.isEmpty { edge[id] = keys }
        }
        var result = edge[tableID] ?? []
        var seen: [Int: Set<ObjectKey>] = [:]
        for left in (0..<Self.depth).reversed() where !edge.isEmpty {
            var next: [Int: [ObjectKey]] = [:]
            for (id, keys) in edge {
                guard let table = view.schema.table(id: id) else { continue }
                for key in keys where view.contains(table, key) {
                    guard seen[id, default: []].insert(key).inserted else { continue }
                    origins(of: key, table, left: left, in: view, budget: &budget, into: &next)
                    if budget < 0 { return nil }
                }
            }
            for id in next.keys { next[id]!.sortUnique() }
            result += next[tableID] ?? []
            edge = next
        }
        result.sortUnique()
        return budget < 0 ? nil : result
    }

    /// Returns the objects that link to one object and can be reached with `left` links.
    private func origins(
        of key: ObjectKey,
        _ table: Table,
        left: Int,
        in view: Snapshot,
        budget: inout Int,
        into out: inout [Int: [ObjectKey]]
    ) {
        for column in view.schema.linkColumns(to: table) where reachable[left].contains(column.tableID) {
            let count = view.backlinkCount(column, key)
            if count == 0 { continue }
            budget -= count
            if budget < 0 { return }
            out[column.tableID, default: []] += view.backlinks(column, key)
        }
        guard crossesMixed else { return }
        let codes = view.withBacklinks(table.mixedInverse, key) { view.ints(of: $0, type: .int) }
        budget -= codes.count
        for code in codes {
            let origin = MixedOrigin(code)
            if reachable[left].contains(origin.tableID) { out[origin.tableID, default: []].append(origin.key) }
        }
    }
}
