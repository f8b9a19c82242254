/// The plan by which a query finds its objects: through one or several indexes or by a scan, depending on the estimated cost.
struct AccessPlan {
    /// An access and the conditions that it answers, by their positions in the conjunction.
    struct Candidate {
        let access: any IndexAccess
        let covers: [Int]
    }

    /// The accesses that the planner may use. Tests compare them.
    enum Choice: Sendable {
        case cheapest
        /// Uses an index wherever that is possible.
        case indexes
        case scan
    }

    let planner: Planner
    let table: Table
    let conjuncts: [Predicate]
    /// The accesses whose results are intersected. The array is empty for a scan.
    private(set) var chosen: [Candidate] = []
    /// The conditions that remain to be checked for each object.
    private(set) var rest: [Predicate]
    /// The estimated number of objects that meet all conditions, or `nil` if indexes give no estimate.
    private(set) var estimate: Int?
    /// The estimated duration in nanoseconds.
    private(set) var cost: Double

    var view: DataView { planner.view }

    private static let maximumCandidates = 16

    /// - Parameters:
    ///   - wanted: the number of objects that are needed, the first ones by key.
    ///   - isCount: whether only the number of objects is needed.
    init(
        _ planner: Planner,
        _ table: Table,
        conjuncts: [Predicate],
        wanted: Int? = nil,
        isCount: Bool = false,
        choice: Choice = .cheapest
    ) {
        self.planner = planner
        self.table = table
        self.conjuncts = conjuncts
        rest = conjuncts
        cost = 0
        var candidates = choice == .scan ? [] : planner.candidates(conjuncts, table)
        if candidates.isEmpty { return }
        let rows = Double(Swift.max(1, planner.view.count(table)))
        estimate = Self.estimate(candidates, rows)

        // The planning takes time proportional to the square of the number of candidates. For a long query, only the best candidates are compared.
        if candidates.count > Self.maximumCandidates && choice == .cheapest {
            candidates.sort { $0.access.estimate < $1.access.estimate }
            candidates.removeSubrange(Self.maximumCandidates...)
        }
        var share = 1.0
        if let wanted, let estimate, estimate > wanted { share = Double(wanted) / Double(estimate) }
        let best = candidates.map { (candidate: $0, cost: total($0, isCount: isCount)) }.min { $0.cost < $1.cost }!
        // A lower bound of the scan's cost usually decides, and then the nodes of the scan aren't created.
        if choice == .cheapest, best.cost >= share * Self.leastScanCost(conjuncts, of: table, in: planner.view) {
            let scanCost = share * AccessCost.scan(planner.node(.and(conjuncts), table), of: table, in: planner.view)
            if best.cost >= scanCost {
                cost = scanCost
                return
            }
        }
        cost = best.cost
        take(best.candidate)
        var found = Double(best.candidate.access.estimate)
        let others = candidates.filter { $0.covers != best.candidate.covers }
        for other in others.sorted(by: { $0.access.cost < $1.access.cost }) {
            // An access adds less if some of its conditions are already answered.
            guard other.covers.allSatisfy({ at in !chosen.contains { $0.covers.contains(at) } }) else { continue }
            let extra = other.access.cost + Double(other.access.estimate) * AccessCost.entry
            let saved = AccessCost.tests(planner.node(.and(other.covers.map { conjuncts[$0] }), table), found)
            guard extra < saved || choice == .indexes else { continue }
            take(other)
            found *= Swift.min(1, Double(other.access.estimate) / rows)
            cost += extra - saved
        }
    }

    /// Returns a lower bound of the cost of each scan of the table that checks the conditions.
    private static func leastScanCost(_ conjuncts: [Predicate], of table: Table, in view: DataView) -> Double {
        var each = 0.2
        for case .oneOf(_, let values) in conjuncts where values.count > 16 { each += 2 }
        return Double(view.count(table)) * each + Double(view.clusterCount(table)) * AccessCost.cluster
    }

    /// Returns the estimated number of objects that meet the conditions. The conditions are assumed to be independent, except those of one compound
    /// index.
    private static func estimate(_ candidates: [Candidate], _ rows: Double) -> Int {
        var seen: Set<Int> = []
        var found = rows
        for candidate in candidates.sorted(by: { $0.covers.count > $1.covers.count })
        where seen.isDisjoint(with: candidate.covers) {
            seen.formUnion(candidate.covers)
            found *= Swift.min(1, Double(candidate.access.estimate) / rows)
        }
        return Int(found)
    }

    private mutating func take(_ candidate: Candidate) {
        chosen.append(candidate)
        let answered = Set(chosen.flatMap { $0.access.isExact ? $0.covers : [] })
        rest = conjuncts.indices.filter { !answered.contains($0) }.map { conjuncts[$0] }
    }

    private func total(_ candidate: Candidate, isCount: Bool) -> Double {
        let access = candidate.access
        let isAll = access.isExact && candidate.covers.count == conjuncts.count
        if isAll, isCount, access is ValuesAccess {
            // The entries of whole blocks are counted at once.
            return AccessCost.descent * 2 + Double(access.estimate) * 0.3
        }
        if isAll { return access.cost }
        let covered = access.isExact ? candidate.covers : []
        let left = conjuncts.indices.filter { !covered.contains($0) }.map { conjuncts[$0] }
        return access.cost + AccessCost.tests(planner.node(.and(left), table), Double(access.estimate))
    }

    /// The single access that combines all chosen accesses.
    var access: (any IndexAccess)? {
        if chosen.count < 2 { return chosen.first?.access }
        let rising = chosen.map(\.access).sorted { $0.estimate < $1.estimate }
        return IntersectionAccess(parts: rising, view: view, table: table)
    }
}

extension Planner {
    /// Returns all accesses through which an index can answer a part of the conjunction.
    func candidates(_ conjuncts: [Predicate], _ table: Table) -> [AccessPlan.Candidate] {
        conjuncts.indices.compactMap { i in
            access(conjuncts[i], table).map { AccessPlan.Candidate(access: $0, covers: [i]) }
        } + rangeCandidates(conjuncts, table) + compoundCandidates(conjuncts, table)
    }

    /// Returns an access to the objects that meet a condition, or `nil` if no index can find them.
    func access(_ predicate: Predicate, _ table: Table) -> (any IndexAccess)? {
        switch predicate {
        case .comparison(let path, let op, let value):
            return pathAccess(path, ValueTest(.comparison(op, value)), in: table)
        case .between(let path, let lower, let upper, let isClosed):
            return pathAccess(path, ValueTest(.between(lower: lower, upper: upper, isClosed: isClosed)), in: table)
        case .oneOf(let path, let values):
            if path.isPlain, path.steps.isEmpty, let column = path.column, column.collection == .none,
                column.isIndexed || column.isPrimaryKey, let condition = EncodedCondition(oneOf: values, column)
            {
                return access(condition, column, in: table)
            }
            return pathAccess(path, ValueTest(.oneOf(values)), in: table)
        case .text(let path, let op, let pattern, let options):
            return pathAccess(path, ValueTest(.text(op, pattern, options)), in: table)
        case .fullText(let path, let query): return fullTextAccess(path, query, in: table)
        case .within(let path, let test): return placesAccess(path, test, in: table)
        case .objects(let keys): return ObjectsAccess(given: keys, view: view, table: table)
        case .constant(false): return ObjectsAccess(given: [], view: view, table: table)
        case .or(let all):
            var parts: [any IndexAccess] = []
            for predicate in all {
                guard let part = access(predicate, table) else { return nil }
                parts.append(part)
            }
            return parts.isEmpty ? nil : UnionAccess(parts: parts, view: view, table: table)
        case .and(let all):
            guard let best = candidates(all, table).min(by: { $0.access.cost < $1.access.cost }) else { return nil }
            return best.covers.count == all.count ? best.access : SupersetAccess(access: best.access)
        case .constant, .operands, .texts, .elements, .not: return nil
        }
    }

    func pathAccess(_ path: PropertyPath, _ test: ValueTest, in table: Table) -> (any IndexAccess)? {
        guard path.isPlain else { return nil }
        guard path.steps.isEmpty, let column = path.column, column.type != .link else {
            return linkAccess(path, test, in: table)
        }
        guard column.collection == .none, column.isIndexed || column.isPrimaryKey,
            let condition = EncodedCondition(test, column)
        else { return nil }
        return access(condition, column, in: table)
    }

    func access(_ condition: EncodedCondition, _ column: Column, in table: Table) -> (any IndexAccess)? {
        guard let tree = view.searchTree(column) else { return nil }
        return ValuesAccess(
            view: view,
            table: table,
            tree: tree,
            subject: "\(table.name).\(column.name)",
            index: QueryIndex(column, of: table),
            values: condition.values,
            ranges: condition.ranges,
            isExact: condition.isExact
        )
    }

    /// Returns the node that checks a condition at the end of a path.
    func pathNode(_ path: PropertyPath, _ test: ValueTest, in table: Table) -> PlanNode {
        switch test.kind {
        case .comparison(let op, let value): node(.comparison(path, op, value), table)
        case .between(let lower, let upper, let isClosed):
            node(.between(path, lower: lower, upper: upper, isClosed: isClosed), table)
        case .oneOf(let values): node(.oneOf(path, values), table)
        case .text(let op, let pattern, let options): node(.text(path, op, pattern, options), table)
        }
    }
}

/// An access whose objects may not all meet the condition.
struct SupersetAccess: IndexAccess {
    let access: any IndexAccess

    var estimate: Int { access.estimate }
    var cost: Double { access.cost }
    var isExact: Bool { false }
    var operation: QueryPlan.Operation { access.operation }
    var subject: String { access.subject }
    var index: QueryIndex? { access.index }
    var parts: [any IndexAccess] { access.parts }
    func keys() -> [ObjectKey] { access.keys() }
}
