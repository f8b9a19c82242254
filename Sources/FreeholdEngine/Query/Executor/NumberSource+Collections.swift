/// The number of matching objects in a collection of links.
final class MatchCountSource: NumberSource {
    private let column: Column
    private let table: Table
    private let targets: TargetSet
    private let mask: MaskBuffer

    init(view: DataView, table: Table, column: Column, _ targets: TargetSet) {
        self.column = column
        self.table = table
        self.targets = targets
        mask = MaskBuffer(span: view.clusterSpan)
        super.init(view: view, isInteger: true)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        out.ints.update(repeating: 0, count: n)
        MaskKernels.set(mask.mask, count: n, to: true)
        view.forEachCollection(column, table, cluster: cluster, count: n, mask: mask.mask) { slot, list in
            var count: Int64 = 0
            _ = view.forEachLink(of: list.values) {
                if targets.contains($0) { count += 1 }
                return true
            }
            out.ints[slot] = count
        }
    }
}

/// The number of links from matching objects. The matching objects are found once, and their links are counted.
final class BacklinkMatchSource: NumberSource {
    private let table: Table
    private let origin: Column
    private let matching: TableScan
    /// The counts by object key.
    private lazy var counts: [Int64] = {
        var counts = [Int64](repeating: 0, count: view.clusterCount(table) * view.clusterSpan)
        func add(_ target: ObjectKey) {
            if counts.indices.contains(Int(target.raw)) { counts[Int(target.raw)] += 1 }
        }
        matching.forEachKey { key in
            if origin.collection == .none {
                if let target = view.readLink(origin, key) { add(target) }
            } else {
                _ = view.forEachLink(origin, key) {
                    add($0)
                    return true
                }
            }
        }
        return counts
    }()

    init(view: DataView, table: Table, origin: Column, _ matching: TableScan) {
        self.table = table
        self.origin = origin
        self.matching = matching
        super.init(view: view, isInteger: true)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        counts.withUnsafeBufferPointer { counts in
            out.ints.update(from: counts.baseAddress! + cluster * view.clusterSpan, count: n)
        }
    }
}

/// An aggregate of the integers or doubles in a collection, or in the objects of a collection of links.
final class AggregateSource: NumberSource {
    private let aggregate: Aggregate
    private let collection: Column
    /// The column of the objects, or `nil` for the elements themselves.
    private let column: Column?
    private let table: Table
    private let mask: MaskBuffer
    private let isIntegers: Bool

    /// Returns `nil` for other paths and types.
    init?(_ aggregate: Aggregate, _ path: PropertyPath, in table: Table, view: DataView) {
        guard path.subscripts.isEmpty, let end = path.column else { return nil }
        if path.steps.isEmpty, end.collection != .none {
            collection = end
            column = nil
        } else if path.steps.count == 1, case .link(let link) = path.steps[0], link.collection != .none,
            end.collection == .none
        {
            collection = link
            column = end
        } else {
            return nil
        }
        guard end.type == .int || end.type == .double else { return nil }
        self.aggregate = aggregate
        self.table = table
        isIntegers = end.type == .int
        mask = MaskBuffer(span: view.clusterSpan)
        super.init(view: view, isInteger: isIntegers && aggregate != .average)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        MaskKernels.set(mask.mask, count: n, to: true)
        if aggregate == .sum {
            out.ints.update(repeating: 0, count: n)
            out.doubles.update(repeating: 0, count: n)
        } else {
            // The aggregate of no values.
            MaskKernels.set(out.nulls, count: n, to: true)
            out.hasNulls = true
        }
        view.forEachCollection(collection, table, cluster: cluster, count: n, mask: mask.mask) { slot, list in
            if isIntegers {
                var fold = IntRowFold()
                forEachInt(list.values) { fold.add($0) }
                fold.write(aggregate, slot, into: out)
            } else {
                var fold = DoubleRowFold()
                forEachDouble(list.values) { fold.add($0) }
                fold.write(aggregate, slot, into: out)
            }
        }
    }

    private func forEachInt(_ list: StoredList, _ body: (Int64) -> Void) {
        if let column {
            _ = view.forEachLink(of: list) {
                if let value = view.readInt(column, $0) { body(value) }
                return true
            }
        } else if case .inline(let inline) = list {
            for i in 0..<inline.count where !inline.isNull(i) { body(inline.int(i)) }
        } else {
            _ = view.forEachValue(of: list, type: .int, isOptional: collection.isOptional) {
                if case .int(let value) = $0 { body(value) }
                return true
            }
        }
    }

    private func forEachDouble(_ list: StoredList, _ body: (Double) -> Void) {
        if let column {
            _ = view.forEachLink(of: list) {
                if let value = view.readDouble(column, $0) { body(value) }
                return true
            }
        } else {
            _ = view.forEachValue(of: list, type: .double, isOptional: collection.isOptional) {
                if case .double(let value) = $0 { body(value) }
                return true
            }
        }
    }
}

/// The aggregates of one row's integers.
private struct IntRowFold {
    var count = 0
    var sum: Int64 = 0
    var wideSum: Int128 = 0
    var least = Int64.max
    var greatest = Int64.min

    @inline(__always)
    mutating func add(_ value: Int64) {
        count += 1
        sum &+= value
        wideSum += Int128(value)
        least = min(least, value)
        greatest = max(greatest, value)
    }

    func write(_ aggregate: Aggregate, _ slot: Int, into out: NumberBuffer) {
        if aggregate == .sum {
            out.ints[slot] = sum
            return
        }
        guard count > 0 else { return }
        out.nulls[slot] = 0
        switch aggregate {
        case .minimum: out.ints[slot] = least
        case .maximum: out.ints[slot] = greatest
        case .average, .sum: out.doubles[slot] = Double(wideSum) / Double(count)
        }
    }
}

/// The aggregates of one row's doubles. NaNs are ignored for the least and the greatest value.
private struct DoubleRowFold {
    var count = 0
    var sum = 0.0
    var least: Double?
    var greatest: Double?

    @inline(__always)
    mutating func add(_ value: Double) {
        count += 1
        sum += value
        if value.isNaN { return }
        least = min(least ?? value, value)
        greatest = max(greatest ?? value, value)
    }

    func write(_ aggregate: Aggregate, _ slot: Int, into out: NumberBuffer) {
        let result: Double? =
            switch aggregate {
            case .sum: sum
            case .average: count > 0 ? sum / Double(count) : nil
            case .minimum: least
            case .maximum: greatest
            }
        guard let result else { return }
        out.doubles[slot] = result
        if aggregate != .sum { out.nulls[slot] = 0 }
    }
}
