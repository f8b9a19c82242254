/// An access to the objects that meet a condition, without a visit to every object of the table.
///
/// The planner requests an access for each condition of a conjunction (`Planner.access`), compares the costs with that of a scan, and uses the keys
/// of one or several accesses. The creation of an access must be cheap. It only estimates; look-ups are made by `keys`.
protocol IndexAccess {
    /// The estimated number of objects.
    var estimate: Int { get }
    /// The estimated duration of `keys`, in nanoseconds.
    var cost: Double { get }
    /// A Boolean value that indicates whether exactly the objects that meet the condition are found. If it is false, the objects include all that
    /// meet the condition and may include more, so each object is checked again.
    var isExact: Bool { get }
    /// The operation that `explain` reports.
    var operation: QueryPlan.Operation { get }
    var subject: String { get }
    /// The index that this access reads itself.
    var index: QueryIndex? { get }
    /// The accesses that this access combines.
    var parts: [any IndexAccess] { get }
    /// Returns the keys of the live objects in ascending order, without duplicates.
    func keys() -> [ObjectKey]
    /// Returns the number of objects.
    func count() -> Int
}

extension IndexAccess {
    var index: QueryIndex? { nil }
    var parts: [any IndexAccess] { [] }
    func count() -> Int { keys().count }

    /// Records the access and its parts, with the number of objects that it found.
    func record(_ found: Int, in recorder: PlanRecorder, depth: Int = 0) {
        recorder.add(
            operation,
            subject,
            estimate: estimate,
            examined: parts.isEmpty ? found : 0,
            matches: found,
            depth: depth
        )
        for part in parts { part.record(part.count(), in: recorder, depth: depth + 1) }
    }
}

/// Estimated costs in nanoseconds. They hold for an optimised build and a million rows in memory.
enum AccessCost {
    /// One descent in an index tree.
    static let descent = 300.0
    /// One entry of a run.
    static let entry = 2.0
    /// The check of one object by its key.
    static let test = 50.0
    /// The extraction of one object from a scan's mask.
    static let match = 2.0
    /// One cluster of a scan.
    static let cluster = 60.0

    /// Returns the cost of sorting `count` keys of a table.
    static func order(_ count: Int, keySpace: Int) -> Double {
        let sorting = Double(count) * Double(Int.bitWidth - count.leadingZeroBitCount) * 3
        return min(sorting, Double(count) * 3 + Double(keySpace) / 100)
    }

    /// Returns the cost of checking `count` objects one by one with a node.
    static func tests(_ node: PlanNode, _ count: Double) -> Double { count * max(test, Double(node.cost) / 10) }

    /// Returns the cost of checking the whole table with a node.
    static func scan(_ node: PlanNode, of table: Table, in view: DataView) -> Double {
        Double(view.count(table)) * (Double(node.cost) / 10 + 0.2) + Double(view.clusterCount(table)) * cluster
    }
}

/// The union of the objects of several accesses.
struct UnionAccess: IndexAccess {
    let parts: [any IndexAccess]
    let view: DataView
    let table: Table

    var estimate: Int { parts.reduce(0) { $0 + $1.estimate } }
    var cost: Double {
        parts.reduce(0) { $0 + $1.cost }
            + AccessCost.order(estimate, keySpace: view.clusterCount(table) * view.clusterSpan)
    }
    var isExact: Bool { parts.allSatisfy { $0.isExact } }
    var operation: QueryPlan.Operation { .union }
    var subject: String { table.name }

    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for part in parts { keys += part.keys() }
        keys.restoreOrder(in: table, view, isUnique: false)
        return keys
    }
}

/// The intersection of the objects of several accesses.
struct IntersectionAccess: IndexAccess {
    let parts: [any IndexAccess]
    let view: DataView
    let table: Table

    var estimate: Int {
        let rows = Double(Swift.max(1, view.count(table)))
        return Int(parts.reduce(rows) { $0 * Swift.min(1, Double($1.estimate) / rows) })
    }
    var cost: Double { parts.reduce(0) { $0 + $1.cost + Double($1.estimate) * AccessCost.entry } }
    var isExact: Bool { parts.allSatisfy { $0.isExact } }
    var operation: QueryPlan.Operation { .intersection }
    var subject: String { table.name }

    func keys() -> [ObjectKey] {
        var found = parts[0].keys()
        for part in parts.dropFirst() where !found.isEmpty {
            let other = part.keys()
            var kept: [ObjectKey] = []
            var i = 0
            for key in found {
                while i < other.count, other[i] < key { i += 1 }
                if i == other.count { break }
                if other[i] == key { kept.append(key) }
            }
            found = kept
        }
        return found
    }
}

/// An access to given objects.
struct ObjectsAccess: IndexAccess {
    let given: [ObjectKey]
    let view: DataView
    let table: Table

    var estimate: Int { given.count }
    var cost: Double { Double(given.count) * 20 + AccessCost.order(given.count, keySpace: .max) }
    var isExact: Bool { true }
    var operation: QueryPlan.Operation { .objects }
    var subject: String { table.name }

    func keys() -> [ObjectKey] {
        var keys = given.filter { view.contains(table, $0) }
        keys.restoreOrder(in: table, view, isUnique: false)
        return keys
    }
}

extension [ObjectKey] {
    /// Sorts the keys and removes duplicates.
    /// - Parameter isUnique: whether the array contains each key at most once.
    mutating func restoreOrder(in table: Table, _ view: DataView, isUnique: Bool) {
        var isRising = true
        for i in 1..<Swift.max(1, count) where self[i] <= self[i - 1] {
            isRising = false
            break
        }
        if isRising { return }
        let keySpace = view.clusterCount(table) * view.clusterSpan
        let bits = Int.bitWidth - count.leadingZeroBitCount
        guard count * bits * 3 > count * 3 + keySpace / 100 else {
            sort()
            if !isUnique { removeRepetitions() }
            return
        }
        let set = KeySet(keys: keySpace)
        for key in self { set.insert(key) }
        removeAll(keepingCapacity: true)
        set.forEach { append($0) }
    }

    private mutating func removeRepetitions() {
        var kept = 0
        for i in indices where i == 0 || self[i] != self[kept - 1] {
            self[kept] = self[i]
            kept += 1
        }
        removeLast(count - kept)
    }
}

extension KeySet {
    /// Calls `body` with the keys in ascending order.
    func forEach(_ body: (ObjectKey) -> Void) {
        for w in 0..<(limit + 63) >> 6 {
            var word = words[w]
            while word != 0 {
                body(ObjectKey(Int64(w << 6 + word.trailingZeroBitCount - 1)))
                word &= word - 1
            }
        }
    }
}
