/// The matching objects of a table in ascending order of keys, found by a scan or through indexes.
///
/// The initialiser makes the plan. The plan is carried out when objects are requested for the first time.
final class QuerySource {
    let view: DataView
    let table: Table
    /// The plan, or `nil` if a single look-up found all objects.
    private(set) var plan: AccessPlan?
    let predicate: Predicate
    let choice: AccessPlan.Choice
    let recorder: PlanRecorder?
    let uses: IndexUses?
    private var content: Content?

    private enum Content {
        /// All matches.
        case keys([ObjectKey])
        /// An access that finds all matches.
        case access(any IndexAccess)
        case scan(TableScan)
    }

    /// - Parameters:
    ///   - wanted: the number of objects that are needed, the first ones by key.
    ///   - isCount: whether only the number of objects is needed.
    init(
        _ view: DataView,
        _ table: Table,
        predicate: Predicate,
        wanted: Int? = nil,
        isCount: Bool = false,
        choice: AccessPlan.Choice = .cheapest,
        recorder: PlanRecorder? = nil,
        uses: IndexUses? = nil
    ) {
        self.view = view
        self.table = table
        self.predicate = predicate
        self.recorder = recorder
        self.uses = uses
        self.choice = choice
        let planner = Planner(view: view)
        if case .constant = predicate { return }
        let conjuncts = Self.conjuncts(predicate)
        if choice != .scan, let (i, column, keys) = Self.lookUp(conjuncts, view) {
            var rest = conjuncts
            rest.remove(at: i)
            uses?.note(QueryIndex(column, of: table))
            recorder?.add(
                .index,
                "\(table.name).\(column.name)",
                estimate: keys.count,
                examined: keys.count,
                matches: keys.count
            )
            content = .keys(checked(keys, rest, planner: planner))
            return
        }
        plan = AccessPlan(planner, table, conjuncts: conjuncts, wanted: wanted, isCount: isCount, choice: choice)
    }

    static func conjuncts(_ predicate: Predicate) -> [Predicate] {
        if case .and(let all) = predicate { return all.flatMap(conjuncts) }
        return [predicate]
    }

    /// The estimated number of matching objects, or `nil` if indexes give no estimate.
    var estimate: Int? {
        if case .keys(let keys)? = content { return keys.count }
        return plan?.estimate
    }

    // MARK: Look-up

    /// The maximum number of objects with one value for which the look-up is used without a comparison of costs.
    private static let few = 100

    /// Returns the first condition for which an index finds few objects in one look-up.
    private static func lookUp(_ conjuncts: [Predicate], _ view: DataView) -> (Int, Column, [ObjectKey])? {
        for (i, predicate) in conjuncts.enumerated() {
            if let (column, value) = single(predicate), let keys = view.indexLookup(column, value, atMost: few) {
                return (i, column, keys)
            }
        }
        return nil
    }

    /// Returns the column and the value of an equality that an index can answer.
    private static func single(_ predicate: Predicate) -> (Column, Value)? {
        let path: PropertyPath
        let value: Value
        switch predicate {
        case .comparison(let p, .equal, let constant): (path, value) = (p, constant)
        case .text(let p, .equal, let text, []): (path, value) = (p, text)
        default: return nil
        }
        guard path.steps.isEmpty, path.isPlain, let column = path.column, column.collection == .none,
            column.isIndexed || column.isPrimaryKey,
            column.type == .mixed ? !value.holdsNaN : value.isNull || value.type == column.type
        else { return nil }
        return (column, value)
    }

    // MARK: Running

    /// Returns the objects that meet the remaining conditions.
    private func checked(_ keys: [ObjectKey], _ rest: [Predicate], planner: Planner) -> [ObjectKey] {
        if rest.isEmpty { return keys }
        let node = planner.node(.and(rest), table)
        if node.constant == true { return keys }
        let found = keys.filterWithinLimit { node.test($0) }
        recorder?.add(.check, table.name, estimate: keys.count, examined: keys.count, matches: found.count)
        return found
    }

    private func run() -> Content {
        if let content { return content }
        let made = makeContent()
        content = made
        return made
    }

    private func makeContent() -> Content {
        let planner = Planner(view: view)
        guard let plan, let access = plan.access else {
            let node = planner.node(predicate, table)
            return .scan(TableScan(view: view, table: table, node: recorder?.counting(node, table) ?? node))
        }
        uses?.note(access)
        if plan.rest.isEmpty, recorder == nil { return .access(access) }
        let keys = access.keys()
        if let recorder { access.record(keys.count, in: recorder) }
        let rest = planner.node(.and(plan.rest), table)
        if rest.constant == nil, recorder == nil,
            AccessCost.tests(rest, Double(keys.count)) > AccessCost.scan(rest, of: table, in: view)
        {
            // There are more objects than expected, so the remaining conditions are checked cluster by cluster.
            let set = KeySet(table, in: view)
            for key in keys { set.insert(key) }
            return .scan(
                TableScan(view: view, table: table, node: planner.and([ObjectNode(view: view) { set }, rest]))
            )
        }
        return .keys(checked(keys, plan.rest, planner: planner))
    }

    /// A Boolean value that indicates whether the matches have been found.
    var hasKeys: Bool { if case .keys? = content { true } else { false } }

    /// Returns the matches and keeps them for further uses.
    func keepKeys() -> [ObjectKey] {
        let found = keys()
        content = .keys(found)
        return found
    }

    /// The scan that finds the objects, or `nil` if they are found otherwise.
    var scan: TableScan? {
        if recorder == nil, case .scan(let scan) = run() { scan } else { nil }
    }

    func keys() -> [ObjectKey] {
        switch run() {
        case .keys(let keys): keys
        case .access(let access): access.keys()
        case .scan(let scan):
            record(scan) {
                $0.keys()
            } matches: {
                $0.count
            }
        }
    }

    func count() -> Int {
        switch run() {
        case .keys(let keys): keys.count
        case .access(let access): access.count()
        case .scan(let scan):
            record(scan) {
                $0.count()
            } matches: {
                $0
            }
        }
    }

    func first() -> ObjectKey? {
        switch run() {
        case .keys(let keys): keys.first
        case .access(let access): access.keys().first
        case .scan(let scan):
            record(scan) {
                $0.first()
            } matches: {
                $0 == nil ? 0 : 1
            }
        }
    }

    func forEach(_ body: (ObjectKey) -> Void) {
        switch run() {
        case .keys(let keys): keys.forEachWithinLimit(body)
        case .access(let access): access.keys().forEachWithinLimit(body)
        case .scan(let scan):
            guard recorder != nil else { return scan.forEachKey(body) }
            keys().forEach(body)
        }
    }

    func forEachUntil(_ body: (ObjectKey) -> Bool) {
        let found: [ObjectKey]
        switch run() {
        case .keys(let keys): found = keys
        case .access(let access): found = access.keys()
        case .scan(let scan):
            var matches = 0
            record(scan) { scan in
                scan.forEachCluster { cluster, mask, n in
                    for slot in 0..<n where mask[slot] != 0 {
                        matches += 1
                        if !body(ObjectKey(Int64(cluster * view.clusterSpan + slot))) { return false }
                    }
                    return true
                }
            } matches: {
                matches
            }
            return
        }
        found.forEachWithinLimitUntil(body)
    }

    private func record<R>(_ scan: TableScan, _ body: (TableScan) -> R, matches: (R) -> Int) -> R {
        guard let recorder else { return body(scan) }
        _ = recorder.takeRows()
        let result = body(scan)
        let examined = scan.node.constant == nil ? recorder.takeRows() : 0
        let expected = plan?.estimate ?? view.count(table)
        recorder.add(.scan, table.name, estimate: expected, examined: examined, matches: matches(result))
        return result
    }

    func fold(into fold: inout ColumnFold) {
        let scan: TableScan
        switch run() {
        case .keys(let keys):
            return keys.forEachWithinLimit { fold.add(view.value(fold.column, $0)) }
        case .access(let access):
            return access.keys().forEachWithinLimit { fold.add(view.value(fold.column, $0)) }
        case .scan(let made): scan = made
        }
        if scan.node.constant == true {
            for cluster in 0..<view.clusterCount(table) {
                let live = view.liveCount(table, cluster: cluster)
                if live == 0 { continue }
                if WorkLimit.cutsHere { return }
                if let presence = view.presence(table, cluster: cluster) {
                    fold.add(cluster, present: presence)
                } else {
                    fold.add(cluster, nil, count: live)
                }
            }
            return
        }
        scan.forEachCluster { cluster, mask, n in
            if !MaskKernels.isEmpty(mask, n) { fold.add(cluster, mask, count: n) }
            return true
        }
    }
}
