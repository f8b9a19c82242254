/// One way to find the objects that meet a condition without looking at every object of the table.
///
/// The planner asks each condition of a conjunction for one (`Planner.access`), compares what they cost with a scan,
/// and has one or several of them give their keys. Making one must be cheap: it estimates, and looks things up only in
/// `keys`.
protocol IndexAccess {
    /// About how many objects it finds.
    var estimate: Int { get }
    /// About how long `keys` takes, in nanoseconds.
    var cost: Double { get }
    /// A Boolean value that indicates whether just the objects that meet the condition are found. Else each is checked again, and the access may find
    /// too many, but never too few.
    var isExact: Bool { get }
    /// What `explain` calls it, and on what.
    var operation: QueryPlan.Operation { get }
    var subject: String { get }
    /// The accesses that it is made of.
    var parts: [any IndexAccess] { get }
    /// Returns the live objects, rising, each once.
    func keys() -> [ObjectKey]
    /// How many there are.
    func count() -> Int
}

extension IndexAccess {
    var parts: [any IndexAccess] { [] }
    func count() -> Int { keys().count }

    /// Takes down the access and its parts, after it has found so many.
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

/// What things cost about, in nanoseconds. Measured in release, a million rows, data in memory.
enum AccessCost {
    /// One descent in an index tree.
    static let descent = 300.0
    /// One entry of a run.
    static let entry = 2.0
    /// One object's condition, asked for by its key.
    static let test = 50.0
    /// One object taken out of a scan's mask.
    static let match = 2.0
    /// One cluster of a scan.
    static let cluster = 60.0

    /// Bringing so many keys of a table into rising order.
    static func order(_ count: Int, _ keySpace: Int) -> Double {
        let sorting = Double(count) * Double(Int.bitWidth - count.leadingZeroBitCount) * 3
        return min(sorting, Double(count) * 3 + Double(keySpace) / 100)
    }

    /// Asking a node about so many objects one by one.
    static func tests(_ node: PlanNode, _ count: Double) -> Double { count * max(test, Double(node.cost) / 10) }

    /// Asking a node about all of a table.
    static func scan(_ node: PlanNode, _ table: Table, _ view: DataView) -> Double {
        Double(view.count(table)) * (Double(node.cost) / 10 + 0.2) + Double(view.clusterCount(table)) * cluster
    }
}

/// The objects that any of several accesses finds.
struct UnionAccess: IndexAccess {
    let parts: [any IndexAccess]
    let view: DataView
    let table: Table

    var estimate: Int { parts.reduce(0) { $0 + $1.estimate } }
    var cost: Double {
        parts.reduce(0) { $0 + $1.cost } + AccessCost.order(estimate, view.clusterCount(table) * view.clusterSpan)
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

/// The objects that every one of several accesses finds.
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

/// Given objects.
struct ObjectsAccess: IndexAccess {
    let given: [ObjectKey]
    let view: DataView
    let table: Table

    var estimate: Int { given.count }
    var cost: Double { Double(given.count) * 20 + AccessCost.order(given.count, .max) }
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
    /// Rising, each once. - Parameter isUnique: no key is there twice.
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
    /// The keys, rising.
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
