/// An operand whose numbers are produced cluster by cluster: columns of numbers, counts, constants and calculations. The numbers of dead slots are
/// arbitrary.
class NumberSource {
    let view: DataView
    /// A Boolean value that indicates whether the numbers are integers. Otherwise they are doubles.
    let isInteger: Bool

    init(view: DataView, isInteger: Bool) {
        self.view = view
        self.isInteger = isInteger
    }

    /// Writes the numbers of the first `n` slots and sets `hasNulls`.
    func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) { fatalError("abstract") }

    /// Returns `nil` for an operand that has to be read row by row.
    static func make(_ operand: Operand, _ table: Table, planner: Planner) -> NumberSource? {
        let view = planner.view
        switch operand {
        case .constant(.int(let value)): return ConstantSource(view: view, int: value)
        case .constant(.double(let value)): return ConstantSource(view: view, double: value)
        case .constant(.float(let value)): return ConstantSource(view: view, double: Double(value))
        case .path(let path):
            guard path.subscripts.isEmpty, let column = path.column, column.collection == .none,
                [.int, .double, .float].contains(column.type)
            else { return nil }
            if path.steps.isEmpty { return ColumnSource(view: view, column: column) }
            var links: [Column] = []
            for step in path.steps {
                guard case .link(let link) = step, link.collection == .none else { return nil }
                links.append(link)
            }
            return LinkedSource(view: view, table: table, links: links, column: column)
        case .count(let path):
            if let collection = path.countedCollection {
                return CountSource(view: view, table: table, column: collection)
            }
            guard path.column == nil, path.steps.count == 1, path.subscripts.isEmpty,
                case .backlink(let origin) = path.steps[0]
            else { return nil }
            return BacklinkCountSource(view: view, table: table, origin: origin)
        case .arithmetic(let op, let a, let b):
            guard let a = make(a, table, planner: planner), let b = make(b, table, planner: planner) else { return nil }
            return ArithmeticSource(view: view, op, left: a, right: b)
        case .matches(let path, let predicate):
            guard let target = view.schema.targetTable(of: path) else { return nil }
            if let collection = path.countedCollection {
                let targets = TargetSet(view: view, table: target, node: planner.node(predicate, target))
                return MatchCountSource(view: view, table: table, column: collection, targets)
            }
            guard path.column == nil, path.steps.count == 1, case .backlink(let origin) = path.steps[0],
                origin.type == .link
            else { return nil }
            let node = planner.node(predicate, target)
            return BacklinkMatchSource(
                view: view,
                table: table,
                origin: origin,
                TableScan(view: view, table: target, node: node)
            )
        case .incomingLinks(let steps):
            guard steps.isEmpty else { return nil }
            // The inverse of links in mixed values has the form of a link column's inverse.
            let origins = view.schema.linkColumns(to: table) + [table.mixedInverse]
            let counts = origins.map { BacklinkCountSource(view: view, table: table, origin: $0) as NumberSource }
            return counts.dropFirst().reduce(counts[0]) { ArithmeticSource(view: view, .add, left: $0, right: $1) }
        case .aggregate(let aggregate, let path): return AggregateSource(aggregate, path, in: table, view: view)
        case .constant, .constants, .type, .length: return nil
        }
    }
}

private final class ConstantSource: NumberSource {
    private let int: Int64
    private let double: Double

    init(view: DataView, int: Int64) {
        self.int = int
        double = 0
        super.init(view: view, isInteger: true)
    }

    init(view: DataView, double: Double) {
        int = 0
        self.double = double
        super.init(view: view, isInteger: false)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        if isInteger {
            out.ints.update(repeating: int, count: n)
        } else {
            out.doubles.update(repeating: double, count: n)
        }
    }
}

private final class ColumnSource: NumberSource {
    private let column: Column

    init(view: DataView, column: Column) {
        self.column = column
        super.init(view: view, isInteger: column.type == .int)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        if column.isOptional { out.needNulls(n) }
        view.forEachLeaf(column, cluster: cluster, count: n) { leaf, start, m in
            let stored = min(leaf?.count ?? 0, m)
            if let leaf, stored > 0 {
                switch column.type {
                case .int: NumberKernels.widen(leaf, stored, to: out.ints + start)
                case .float:
                    let p = leaf.valuesPointer.assumingMemoryBound(to: Float.self)
                    NumberKernels.widen(p, stored, to: out.doubles + start)
                default:
                    let p = leaf.valuesPointer.assumingMemoryBound(to: Double.self)
                    (out.doubles + start).update(from: p, count: stored)
                }
                if let nulls = leaf.nullBitmap {
                    out.needNulls(n)
                    MaskKernels.fill(out.nulls + start, from: nulls, stored, ifSet: true, ifClear: false)
                }
            }
            guard stored < m else { return }
            if column.isOptional { return MaskKernels.set(out.nulls + start + stored, count: m - stored, to: true) }
            if isInteger {
                (out.ints + start + stored).update(repeating: 0, count: m - stored)
            } else {
                (out.doubles + start + stored).update(repeating: 0, count: m - stored)
            }
        }
    }
}

/// A source that reads the live objects row by row.
class RowNumberSource: NumberSource {
    let table: Table

    init(view: DataView, table: Table, isInteger: Bool) {
        self.table = table
        super.init(view: view, isInteger: isInteger)
    }

    func read(_ key: ObjectKey, _ slot: Int, into out: NumberBuffer) { fatalError("abstract") }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        let first = Int64(cluster * view.clusterSpan)
        let presence = view.presence(table, cluster: cluster)
        for slot in 0..<n where presence.map({ LeafEncoder.bit($0, slot) }) ?? true {
            read(ObjectKey(first + Int64(slot)), slot, into: out)
        }
    }
}

/// A source for a column of numbers at the end of single links.
private final class LinkedSource: RowNumberSource {
    private let links: [Column]
    private let column: Column

    init(view: DataView, table: Table, links: [Column], column: Column) {
        self.links = links
        self.column = column
        super.init(view: view, table: table, isInteger: column.type == .int)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        super.fill(cluster, count: n, into: out)
        out.hasNulls = true
    }

    override func read(_ key: ObjectKey, _ slot: Int, into out: NumberBuffer) {
        var object = key
        out.nulls[slot] = 1
        for link in links {
            guard let target = view.readLink(link, object) else { return }
            object = target
        }
        switch column.type {
        case .int:
            guard let value = view.readInt(column, object) else { return }
            out.ints[slot] = value
        case .float:
            guard let value = view.readFloat(column, object) else { return }
            out.doubles[slot] = Double(value)
        default:
            guard let value = view.readDouble(column, object) else { return }
            out.doubles[slot] = value
        }
        out.nulls[slot] = 0
    }
}

/// A source for the number of elements of a collection.
private final class CountSource: NumberSource {
    private let column: Column
    private let table: Table
    private let mask: MaskBuffer

    init(view: DataView, table: Table, column: Column) {
        self.column = column
        self.table = table
        mask = MaskBuffer(span: view.clusterSpan)
        super.init(view: view, isInteger: true)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        out.hasNulls = false
        out.ints.update(repeating: 0, count: n)
        MaskKernels.set(mask.mask, count: n, to: true)
        view.forEachCollection(column, table, cluster: cluster, count: n, mask: mask.mask) { slot, list in
            out.ints[slot] = Int64(view.count(of: list.values))
        }
    }
}

/// A source for the number of links of a column to an object.
final class BacklinkCountSource: RowNumberSource {
    private let origin: Column

    init(view: DataView, table: Table, origin: Column) {
        self.origin = origin
        super.init(view: view, table: table, isInteger: true)
        view.settleBacklinks(origin.type == .mixed ? view.mixedInverse(of: origin) : origin)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        guard origin.type == .link, view.backlinkBuffer(origin, cluster: cluster) == nil else {
            return super.fill(cluster, count: n, into: out)
        }
        out.hasNulls = false
        out.ints.update(repeating: 0, count: n)
        guard let address = view.block(origin.segment(.backlinkLeaf), UInt64(cluster))?.baseAddress else { return }
        let leaf = Leaf(address)
        guard !leaf.isSplit else { return super.fill(cluster, count: n, into: out) }
        for slot in 0..<min(n, leaf.count) {
            out.ints[slot] =
                leaf.isReference(slot)
                ? Int64(leaf.reference(slot).length) : Int64(InlineList(leaf.bytes(slot), type: .int).count)
        }
    }

    override func read(_ key: ObjectKey, _ slot: Int, into out: NumberBuffer) {
        out.ints[slot] = Int64(view.backlinkCount(origin, key))
    }
}

final class ArithmeticSource: NumberSource {
    private let op: ArithmeticOperator
    private let a: NumberSource
    private let b: NumberSource
    private let right: NumberBuffer

    init(view: DataView, _ op: ArithmeticOperator, left a: NumberSource, right b: NumberSource) {
        self.op = op
        self.a = a
        self.b = b
        right = NumberBuffer(span: view.clusterSpan)
        super.init(view: view, isInteger: a.isInteger && b.isInteger)
    }

    override func fill(_ cluster: Int, count n: Int, into out: NumberBuffer) {
        a.fill(cluster, count: n, into: out)
        b.fill(cluster, count: n, into: right)
        if right.hasNulls {
            out.needNulls(n)
            MaskKernels.or(out.nulls, with: right.nulls, count: n)
        }
        if isInteger {
            if op == .divide { out.needNulls(n) }
            return NumberKernels.apply(op, to: out.ints, with: right.ints, count: n, nulls: out.nulls)
        }
        if a.isInteger { out.convertToDoubles(n) }
        if b.isInteger { right.convertToDoubles(n) }
        NumberKernels.apply(op, to: out.doubles, with: right.doubles, count: n)
    }
}

/// A comparison of two operands that are numbers.
final class NumberScan: PlanNode {
    private let a: NumberSource
    private let b: NumberSource
    private let op: Comparison
    private let left: NumberBuffer
    private let right: NumberBuffer
    private let single: (ObjectKey) -> Bool

    /// - Parameter single: returns the result for one object.
    init(
        view: DataView,
        _ a: NumberSource,
        _ op: Comparison,
        right b: NumberSource,
        single: @escaping (ObjectKey) -> Bool
    ) {
        // If one side has integers and the other doubles, the integers are on the left.
        let isSwapped = !a.isInteger && b.isInteger
        (self.a, self.b) = isSwapped ? (b, a) : (a, b)
        self.op = isSwapped ? op.mirrored : op
        left = NumberBuffer(span: view.clusterSpan)
        right = NumberBuffer(span: view.clusterSpan)
        self.single = single
        super.init(view: view)
    }

    override var cost: Int { 30 }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        a.fill(cluster, count: n, into: left)
        b.fill(cluster, count: n, into: right)
        switch (a.isInteger, b.isInteger) {
        case (true, true):
            NumberKernels.compare(
                op,
                left: UnsafePointer(left.ints),
                right: UnsafePointer(right.ints),
                count: n,
                into: mask
            )
        case (false, false):
            NumberKernels.compare(
                op,
                left: UnsafePointer(left.doubles),
                right: UnsafePointer(right.doubles),
                count: n,
                into: mask
            )
        default:
            NumberKernels.compare(
                op,
                left: UnsafePointer(left.ints),
                right: UnsafePointer(right.doubles),
                count: n,
                into: mask
            )
        }
        guard left.hasNulls || right.hasNulls else { return }
        left.needNulls(n)
        right.needNulls(n)
        NumberKernels.applyNulls(op, left: left.nulls, right: right.nulls, count: n, into: mask)
    }

    override func test(_ key: ObjectKey) -> Bool { single(key) }
}

extension Comparison {
    /// Returns whether the operator holds for two values that compare as less (-1), equal (0) or greater (1).
    @inline(__always)
    func holds(order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// The operator for exchanged sides.
    var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
