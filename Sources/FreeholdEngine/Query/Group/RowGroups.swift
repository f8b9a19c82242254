/// The objects of a query in groups of equal values at several paths. The groups are in the order of these values. Null and values behind a null link
/// are first.
///
/// ```swift
/// let groups = query.groups(by: [PropertyPath(city)], in: snapshot)
/// for i in 0..<groups.count { print(groups.key(i), groups.count(i), groups.aggregate(.sum, of: income, i)) }
/// ```
/// The groups are created in one pass over the objects. The first aggregate of a path takes one more pass, which computes all its aggregates for all
/// groups. Later changes of the view have no effect on the groups. Groups are used by one thread.
package final class RowGroups {
    private enum Rows {
        /// The code of each object's group, by the object's key. It is -1 for keys that aren't among the rows.
        case slots([Int32])
        case keys([ObjectKey], codes: [Int32])
    }

    private let view: DataView
    private let table: Table
    private let rows: Rows
    /// The codes of the groups, in the order of their keys.
    private let order: [Int32]
    private let coder: RowCoder
    /// The number of objects for each code.
    private let counts: [Int]
    private var folds: [(path: PropertyPath, fold: GroupFold)] = []

    init(_ source: RowSource, _ table: Table, by paths: [PropertyPath], in view: DataView) {
        self.view = view
        self.table = table
        let coder = RowCoder(paths, in: view, countsNoLink: true)
        var counts: [Int] = []
        // The first object of each group. Codes are counted from 0 in the order of the rows.
        var firsts: [ObjectKey] = []
        func count(_ code: Int32, _ key: Int64) {
            if Int(code) == counts.count {
                counts.append(0)
                firsts.append(ObjectKey(key))
            }
            counts[Int(code)] += 1
        }
        if case .scan(let query) = source, let scan = query.scan {
            let span = view.clusterSpan
            var codes = [Int32](repeating: -1, count: view.clusterCount(table) * span)
            codes.withUnsafeMutableBufferPointer { codes in
                scan.forEachCluster { cluster, mask, n in
                    let first = cluster * span
                    coder.fill(cluster, mask, count: n, into: codes.baseAddress! + first)
                    MaskKernels.forEach(mask, count: n) { count(codes[first + $0], Int64(first + $0)) }
                    return true
                }
            }
            rows = .slots(codes)
        } else {
            let keys = source.keys()
            var codes: [Int32] = []
            codes.reserveCapacity(keys.count)
            keys.forEachWithinLimit { codes.append(coder.code($0)) }
            for (key, code) in zip(keys, codes) { count(code, key.raw) }
            rows = .keys(codes.count < keys.count ? Array(keys.prefix(codes.count)) : keys, codes: codes)
        }
        self.counts = counts
        self.coder = coder
        // The order of the groups is that of their first objects.
        let sorted = RowSorter(view: view, sort: paths.map { SortKey($0) }, countsNoLink: true)
            .sorted(.keys(firsts), limit: nil)
        order =
            switch rows {
            case .slots(let codes): sorted.map { codes[Int($0.raw)] }
            case .keys: sorted.map { coder.code($0) }
            }
    }

    // MARK: Groups, by position

    package var count: Int { order.count }

    /// Returns the values at the paths.
    package func key(_ i: Int) -> [Value] { coder.values(order[i]) }

    /// Returns the number of objects in the group.
    package func count(_ i: Int) -> Int { counts[Int(order[i])] }

    /// Returns an aggregate of the group's objects. See `RowQuery.aggregate`.
    package func aggregate(_ aggregate: Aggregate, of path: PropertyPath, _ i: Int) -> Value {
        fold(path).result(aggregate, Int(order[i]))
    }

    // MARK: Folds

    private func fold(_ path: PropertyPath) -> GroupFold {
        if let known = folds.first(where: { $0.path.isSame(as: path) }) { return known.fold }
        let fold = makeFold(path)
        folds.append((path, fold))
        return fold
    }

    private func makeFold(_ path: PropertyPath) -> GroupFold {
        let column = path.column!
        let cursor = PathCursor(path, in: view)
        switch column.type {
        case .int where cursor.isPlain:
            var all = [GroupFold.Ints](repeating: .init(), count: counts.count)
            all.withUnsafeMutableBufferPointer { all in
                forEachValue(cursor, 0 as Int64) {
                    $0.int($1)
                } body: {
                    all[Int($0)].add($1)
                }
            }
            return .ints(all)
        case .double where cursor.isPlain:
            var all = [GroupFold.Doubles](repeating: .init(), count: counts.count)
            all.withUnsafeMutableBufferPointer { all in
                forEachValue(cursor, 0.0) {
                    $0.double($1)
                } body: {
                    all[Int($0)].add($1)
                }
            }
            return .doubles(all, isFloat: false)
        case .float where cursor.isPlain:
            var all = [GroupFold.Doubles](repeating: .init(), count: counts.count)
            all.withUnsafeMutableBufferPointer { all in
                forEachValue(cursor, 0.0) {
                    Double($0.float($1))
                } body: {
                    all[Int($0)].add($1)
                }
            }
            return .doubles(all, isFloat: true)
        default:
            var all = [GroupFold.Others](repeating: .init(column.type), count: counts.count)
            forEachKey { key, code in
                if let value = cursor.value(key) { all[Int(code)].add(value) }
            }
            return .others(all)
        }
    }

    /// Calls the body with each object's code and value, except nulls.
    @inline(__always)
    private func forEachValue<T>(
        _ cursor: PathCursor,
        _ zero: T,
        read: (Leaf, Int) -> T,
        body: (Int32, T) -> Void
    ) {
        let column = cursor.values.column
        guard case .slots(let codes) = rows, !cursor.hasSteps else {
            return forEachKey { key, code in
                guard let target = cursor.resolve(key) else { return }
                guard let (leaf, slot) = cursor.values.locate(target) else {
                    if !column.isOptional { body(code, zero) }
                    return
                }
                if !leaf.isNull(slot) { body(code, read(leaf, slot)) }
            }
        }
        let span = view.clusterSpan
        codes.withUnsafeBufferPointer { codes in
            for cluster in 0..<view.clusterCount(table) where view.liveCount(table, cluster: cluster) > 0 {
                if WorkLimit.cutsHere { return }
                view.forEachLeaf(column, cluster: cluster, count: span) { leaf, slots in
                    let codes = codes.baseAddress! + (cluster * span + slots.lowerBound)
                    guard let leaf else {
                        if column.isOptional { return }
                        for i in 0..<slots.count where codes[i] >= 0 { body(codes[i], zero) }
                        return
                    }
                    let hasNulls = leaf.hasNulls
                    for i in 0..<slots.count where codes[i] >= 0 {
                        if hasNulls, leaf.isNull(i) { continue }
                        body(codes[i], read(leaf, i))
                    }
                }
            }
        }
    }

    private func forEachKey(_ body: (Int64, Int32) -> Void) {
        switch rows {
        case .slots(let codes):
            for (i, code) in codes.enumerated() where code >= 0 { body(Int64(i), code) }
        case .keys(let keys, let codes):
            for (key, code) in zip(keys, codes) { body(key.raw, code) }
        }
    }
}

extension RowQuery {
    /// Returns the objects in groups of equal values at the paths. The paths have to-one steps only.
    ///
    /// - Complexity: O(objects), and O(g log g) for g groups.
    package func groups(by paths: [PropertyPath], in view: DataView) -> RowGroups {
        let groups = RowGroups(Pipeline(self).unsorted.rows(in: view), table, by: paths, in: view)
        return WorkLimit.hasCutQueries ? RowGroups(.keys([]), table, by: paths, in: view) : groups
    }
}

extension PropertyPath {
    /// Returns whether both paths read the same values. Both paths have to-one steps only.
    fileprivate func isSame(as other: PropertyPath) -> Bool {
        guard column?.isSame(as: other.column) ?? (other.column == nil), subscripts == other.subscripts,
            steps.count == other.steps.count
        else {
            return false
        }
        return zip(steps, other.steps).allSatisfy { a, b in
            switch (a, b) {
            case (.link(let a), .link(let b)): a.isSame(as: b)
            case (.element(let a, let x), .element(let b, let y)): a.isSame(as: b) && x == y
            default: false
            }
        }
    }
}
