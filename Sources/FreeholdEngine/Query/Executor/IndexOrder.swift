#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The order of an index, used for a sort. A walk over the index's entries visits the objects in sorted order.
struct IndexOrder {
    let view: DataView
    let table: Table
    let tree: IndexTree
    let subject: String
    let index: QueryIndex
    /// The range of the entries that are visited.
    let range: EncodedRange
    /// The conditions that the range answers, by their positions in the conjunction.
    let answered: Set<Int>
    let sort: [SortKey]
    /// The number of an entry's values that decide its order, for a compound index: the fixed values and the sorted values.
    let compoundValues: Int?
    /// A Boolean value that indicates whether objects with equal entries have to be sorted by further keys.
    let isPartial: Bool

    /// The estimated maximum number of visited entries.
    var entries: Int { range.withBounds { tree.estimate(lower: $0, upper: $1, in: view) } }

    /// Returns the index order with the fewest entries that matches a sort, or `nil` if none does.
    static func best(_ planner: Planner, _ table: Table, conjuncts: [Predicate], sort: [SortKey]) -> IndexOrder? {
        let columns = sort.map { key -> Column? in
            let path = key.path
            guard path.steps.isEmpty, path.subscripts.isEmpty, path.column?.collection == CollectionKind.none else {
                return nil
            }
            return path.column
        }
        guard let first = columns.first ?? nil else { return nil }
        var found: [IndexOrder] = []
        let conditions = ColumnCondition.all(conjuncts)
        if first.isIndexed || first.isPrimaryKey, let tree = planner.view.searchTree(first) {
            var range = EncodedRange()
            var answered: Set<Int> = []
            for condition in conditions where condition.column.index == first.index {
                if let encoded = EncodedCondition(condition.test, first), encoded.values.isEmpty,
                    encoded.ranges.count == 1
                {
                    range = encoded.ranges[0]
                    if encoded.isExact { answered = [condition.place] }
                    break
                }
            }
            found.append(
                IndexOrder(
                    view: planner.view,
                    table: table,
                    tree: tree,
                    subject: "\(table.name).\(first.name)",
                    index: QueryIndex(first, of: table),
                    range: range,
                    answered: answered,
                    sort: sort,
                    compoundValues: nil,
                    isPartial: sort.count > 1
                )
            )
        }
        for compound in table.compounds {
            if let order = compoundOrder(
                planner,
                table,
                compound: compound,
                conditions: conditions,
                sort: sort,
                columns: columns
            ) {
                found.append(order)
            }
        }
        return found.min { a, b in a.isPartial == b.isPartial ? a.entries < b.entries : b.isPartial }
    }

    private static func compoundOrder(
        _ planner: Planner,
        _ table: Table,
        compound: CompoundColumnIndex,
        conditions: [ColumnCondition],
        sort: [SortKey],
        columns: [Column?]
    ) -> IndexOrder? {
        let match = CompoundMatch(compound, conditions)
        let fixed = match?.fixedColumns ?? 0
        var sorted = 0
        for column in compound.columns.dropFirst(fixed) {
            // Mixed numbers are ordered by their nearest doubles.
            guard sorted < sort.count, columns[sorted]?.index == column.index, column.type != .mixed,
                sort[sorted].ascending == sort[0].ascending
            else { break }
            sorted += 1
        }
        if sorted == 0 { return nil }
        var range = EncodedRange()
        var answered: Set<Int> = []
        if let match, match.values.isEmpty, match.ranges.count == 1 {
            range = match.ranges[0]
            if match.isExact { answered = Set(match.covers) }
        } else if fixed > 0 {
            return nil
        }
        return IndexOrder(
            view: planner.view,
            table: table,
            tree: planner.view.searchTree(compound),
            subject: "\(table.name).(\(compound))",
            index: QueryIndex(compound, of: table),
            range: range,
            answered: answered,
            sort: sort,
            compoundValues: fixed + sorted,
            isPartial: sorted < sort.count
        )
    }

    /// Returns the part of an entry that decides its order. Entries with equal bytes up to `length` are equal, or can't be distinguished.
    private func group(_ entry: UnsafeRawBufferPointer) -> (length: Int, isInexact: Bool) {
        if let compoundValues {
            guard let found = CompoundEncoding.parse(entry, values: compoundValues) else {
                return (CompoundEncoding.cutLength, true)
            }
            return (found.end, false)
        }
        guard OrderedEncoding.needsCheck(entry) else { return (entry.count, false) }
        return (Swift.min(entry.count, 1 + OrderedEncoding.cutLength), true)
    }

    /// Returns the first `limit` objects that pass the test, in order, or `nil` if more than `budget` entries would have to be visited.
    /// - Parameter examined: is increased by the number of visited entries.
    func keys(
        limit: Int?,
        budget: Int = .max,
        examined: inout Int,
        where test: (ObjectKey) -> Bool
    ) -> [ObjectKey]? {
        var out: [ObjectKey] = []
        let limit = limit ?? .max
        if limit < 1 << 20 { out.reserveCapacity(limit) }
        /// The start of the objects that the index can't distinguish.
        var groupStart = 0
        var isInexact = false
        var looked = 0
        let isReversed = !sort[0].ascending
        let isEntire = compoundValues == nil
        func endGroup() {
            defer { groupStart = out.count }
            guard out.count - groupStart > 1 else { return }
            if isInexact || isPartial {
                var group = Array(out[groupStart...])
                group.sort()
                out.replaceSubrange(
                    groupStart...,
                    with: RowSorter(view: view, sort: sort).sorted(.keys(group), limit: nil)
                )
            } else if !isEntire {
                out[groupStart...].sort()
            } else if isReversed {
                out[groupStart...].reverse()
            }
        }
        var isOver = false
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { current in
            let last = current.baseAddress!
            var length = -1
            range.withBounds { lower, upper in
                tree.range(lower: lower, upper: upper, reversed: isReversed, in: view) { entry, raw in
                    looked &+= 1
                    if looked > budget {
                        isOver = true
                        return false
                    }
                    if looked & 1023 == 0, WorkLimit.cutsHere { return false }
                    let key = ObjectKey(raw)
                    guard test(key) else { return true }
                    let place = group(entry)
                    // A whole value differs from a shortened value with the same beginning.
                    let isSame =
                        length == place.length && isInexact == place.isInexact
                        && memcmp(last, entry.baseAddress!, length) == 0
                    if !isSame {
                        endGroup()
                        if out.count >= limit { return false }
                        length = place.length
                        isInexact = place.isInexact
                        memcpy(last, entry.baseAddress!, length)
                    } else if out.count >= limit, !isPartial, !isInexact, isEntire, !isReversed {
                        return false
                    }
                    out.append(key)
                    return true
                }
            }
        }
        examined = looked
        if isOver { return nil }
        endGroup()
        return out.count > limit ? Array(out[..<limit]) : out
    }
}

extension QuerySource {
    /// Returns the first `limit` matching objects in the order of a sort, by walking an index. Returns `nil` if sorting them is likely to be faster.
    func ordered(by sort: [SortKey], limit: Int?) -> [ObjectKey]? {
        guard choice != .scan, !hasKeys else { return nil }
        if sort[0].distance != nil { return limit.flatMap { nearest(sort, limit: $0) } }
        if sort.contains(where: { $0.distance != nil }) { return nil }
        let planner = Planner(view: view)
        let isAll: Bool
        if case .constant(let all) = predicate {
            guard all else { return nil }
            isAll = true
        } else {
            isAll = false
        }
        let conjuncts = isAll ? [] : plan?.conjuncts ?? []
        guard let order = IndexOrder.best(planner, table, conjuncts: conjuncts, sort: sort) else { return nil }
        let entries = Double(order.entries)
        let sortCost = OrderCost.sorted(sort[0].path.column!.type)
        let rest = conjuncts.indices.filter { !order.answered.contains($0) }.map { conjuncts[$0] }
        let node = planner.node(.and(rest), table)
        let each = limit == nil ? sortCost : OrderCost.best
        let isForced = choice == .indexes
        if node.constant == true {
            let walked = Swift.min(Double(limit ?? .max), entries) * OrderCost.walked
            guard isForced || walked < sourceCost(planner) + entries * each else { return nil }
            return walk(order, limit, budget: .max) { _ in true }
        }
        if let limit {
            let matches = Double(estimate ?? view.count(table) / 2)
            let sorting = sourceCost(planner) + matches * each
            let test = OrderCost.walked + AccessCost.tests(node, 1)
            let budget = isForced ? .max : Int(sorting / test)
            // The walk isn't started if the estimates show that too few objects match.
            if !isForced, estimate != nil, Double(limit) * entries / Swift.max(1, matches) > Double(budget) {
                return nil
            }
            return walk(order, limit, budget: budget) { node.test($0) }
        }
        let found = keepKeys()
        guard isForced || Double(found.count) * sortCost > entries * OrderCost.walked else { return nil }
        let set = KeySet(table, in: view)
        for key in found { set.insert(key) }
        return walk(order, nil, budget: .max) { set.contains($0) }
    }

    /// Returns the least or greatest value of all objects if an index has it, and `nil` otherwise.
    func extreme(_ aggregate: Aggregate, _ path: PropertyPath) -> Value? {
        guard aggregate == .minimum || aggregate == .maximum, choice != .scan, case .constant(true) = predicate,
            path.steps.isEmpty, path.isPlain, let column = path.column, column.isIndexed || column.isPrimaryKey,
            column.type == .int || column.type == .timestamp, let tree = view.searchTree(column)
        else { return nil }
        uses?.note(QueryIndex(column, of: table))
        var found: ObjectKey?
        // The entries of nulls precede all values.
        EncodedRange(lower: [OrderedEncoding.Tag.null], includesLower: false).withBounds { lower, upper in
            tree.keys(lower: lower, upper: upper, reversed: aggregate == .maximum, in: view) { key in
                found = ObjectKey(key)
                return false
            }
        }
        return found.map { view.value(column, $0) } ?? .null
    }

    private func walk(_ order: IndexOrder, _ limit: Int?, budget: Int, test: (ObjectKey) -> Bool) -> [ObjectKey]? {
        var examined = 0
        uses?.note(order.index)
        let keys = order.keys(limit: limit, budget: budget, examined: &examined, where: test)
        recorder?.add(
            .indexOrder,
            order.subject,
            estimate: Swift.min(order.entries, limit ?? .max),
            examined: examined,
            matches: keys?.count ?? 0
        )
        return keys
    }

    /// Returns the estimated time for finding all matches, in nanoseconds.
    private func sourceCost(_ planner: Planner) -> Double {
        if let plan, !plan.chosen.isEmpty { return plan.cost }
        return AccessCost.scan(planner.node(predicate, table), of: table, in: view)
    }
}

/// The estimated costs of sorting, in nanoseconds for each object.
private enum OrderCost {
    /// The visit of an index entry in order.
    static let walked = 50.0

    static func sorted(_ type: ColumnType) -> Double {
        switch type {
        case .string, .data: 200
        case .mixed, .decimal128: 500
        default: 40
        }
    }

    /// The selection of the first objects.
    static let best = 12.0
}
