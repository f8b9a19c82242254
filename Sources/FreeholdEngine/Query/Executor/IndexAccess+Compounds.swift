/// The conditions of a conjunction, expressed as runs of a compound index's entries.
struct CompoundMatch {
    /// Whole entries, if the conditions are on all columns. Otherwise `ranges` is used.
    private(set) var values = EncodedValues()
    private(set) var ranges: [EncodedRange] = []
    private(set) var covers: [Int] = []
    private(set) var isExact = true
    /// The number of leading columns that have one value each.
    private(set) var fixedColumns = 0

    /// The maximum number of runs that are created by combining the values of several columns.
    private static let maximumRuns = 5000

    /// Returns `nil` if there isn't a condition on the first column.
    init?(_ compound: CompoundColumnIndex, _ conditions: [ColumnCondition]) {
        var prefixes: [[UInt8]] = [[]]
        var equalColumns = 0
        columns: for column in compound.columns {
            let onColumn = conditions.filter { $0.column.index == column.index }
            let encoded = onColumn.compactMap { condition in
                EncodedCondition(condition.test, column, isPart: true).map { (condition.place, $0) }
            }
            guard let (places, condition) = EncodedCondition.narrowest(encoded) else { break }
            let runs = condition.values.count + condition.ranges.count
            guard prefixes.count * runs <= Self.maximumRuns else { break }
            covers += places
            isExact = isExact && condition.isExact
            let all = (0..<condition.values.count).map { condition.values.with($0) { Array($0) } }
            guard condition.ranges.isEmpty else {
                for prefix in prefixes {
                    for value in all { ranges.append(.prefix(prefix + value)) }
                    for range in condition.ranges { ranges.append(range.behind(prefix)) }
                }
                break columns
            }
            if equalColumns == fixedColumns, all.count == 1, prefixes.count == 1 { fixedColumns += 1 }
            equalColumns += 1
            prefixes = prefixes.flatMap { prefix in all.map { prefix + $0 } }
        }
        if covers.isEmpty { return nil }
        if ranges.isEmpty {
            if equalColumns == compound.columns.count {
                for bytes in prefixes where bytes.count <= CompoundEncoding.cutLength {
                    bytes.withUnsafeBytes { values.append($0) }
                }
                values.sort()
                ranges = prefixes.filter { $0.count > CompoundEncoding.cutLength }.map { .prefix($0) }
            } else {
                ranges = prefixes.map { .prefix($0) }
            }
        }
        for i in ranges.indices where ranges[i].cut() { isExact = false }
        // Two ranges with the same shortened form become one.
        if !isExact, ranges.count > 1 {
            ranges = Dictionary(ranges.map { ($0.lower ?? [], $0) }) { a, _ in a }.values.sorted {
                ($0.lower ?? []).lexicographicallyPrecedes($1.lower ?? [])
            }
        }
    }
}

/// A condition on a column of the table itself, with its position in the conjunction.
struct ColumnCondition {
    let place: Int
    let column: Column
    let test: ValueTest

    /// Returns the conditions of this form among the conjuncts.
    static func all(_ conjuncts: [Predicate]) -> [ColumnCondition] {
        conjuncts.enumerated().compactMap { place, predicate in
            let path: PropertyPath
            let test: ValueTest
            switch predicate {
            case .comparison(let p, let op, let value): (path, test) = (p, ValueTest(.comparison(op, value)))
            case .between(let p, let lower, let upper, let isClosed):
                (path, test) = (p, ValueTest(.between(lower: lower, upper: upper, isClosed: isClosed)))
            case .oneOf(let p, let values): (path, test) = (p, ValueTest(.oneOf(values)))
            case .text(let p, let op, let pattern, let options):
                (path, test) = (p, ValueTest(.text(op, pattern, options)))
            default: return nil
            }
            guard path.steps.isEmpty, path.isPlain, let column = path.column, column.collection == .none else {
                return nil
            }
            return ColumnCondition(place: place, column: column, test: test)
        }
    }
}

extension EncodedRange {
    /// Returns the range of the entries that begin with the prefix and continue with a value in this range.
    fileprivate func behind(_ prefix: [UInt8]) -> EncodedRange {
        func after(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBytes { OrderedEncoding.successor(ofPrefix: $0) } }
        let all = EncodedRange.prefix(prefix)
        var range = EncodedRange(lower: all.lower, upper: all.upper, includesUpper: false)
        if let lower { range.lower = includesLower ? prefix + lower : after(prefix + lower) }
        if let upper { range.upper = includesUpper ? after(prefix + upper) : prefix + upper }
        return range
    }

    /// Widens bounds that are longer than the stored part of entries.
    /// - Returns: whether a bound was widened.
    fileprivate mutating func cut() -> Bool {
        var isCut = false
        if let bytes = lower, bytes.count > CompoundEncoding.cutLength {
            lower = Array(bytes.prefix(CompoundEncoding.cutLength))
            includesLower = true
            isCut = true
        }
        if let bytes = upper, bytes.count > CompoundEncoding.cutLength {
            upper = bytes.prefix(CompoundEncoding.cutLength).withUnsafeBytes {
                OrderedEncoding.successor(ofPrefix: $0)
            }
            includesUpper = false
            isCut = true
        }
        return isCut
    }
}

extension EncodedCondition {
    /// Returns the best of several conditions on one column for a search in an index, with the positions that it answers. The best condition has
    /// single values. If each condition is one range, the result is their intersection.
    static func narrowest(_ all: [(place: Int, condition: EncodedCondition)]) -> ([Int], EncodedCondition)? {
        guard let best = all.first(where: { $0.condition.ranges.isEmpty }) ?? all.first else { return nil }
        var (places, condition) = ([best.place], best.condition)
        guard condition.isRange else { return (places, condition) }
        for other in all where other.place != best.place && other.condition.isRange {
            condition.narrow(to: other.condition)
            places.append(other.place)
        }
        return (places, condition)
    }

    private var isRange: Bool { values.isEmpty && ranges.count == 1 }

    /// Replaces the range by its intersection with another range.
    private mutating func narrow(to other: EncodedCondition) {
        let range = other.ranges[0]
        if let bytes = range.lower {
            if ranges[0].lower.map({ $0.lexicographicallyPrecedes(bytes) }) ?? true {
                (ranges[0].lower, ranges[0].includesLower) = (bytes, range.includesLower)
            } else if ranges[0].lower == bytes {
                ranges[0].includesLower = ranges[0].includesLower && range.includesLower
            }
        }
        if let bytes = range.upper {
            if ranges[0].upper.map({ bytes.lexicographicallyPrecedes($0) }) ?? true {
                (ranges[0].upper, ranges[0].includesUpper) = (bytes, range.includesUpper)
            } else if ranges[0].upper == bytes {
                ranges[0].includesUpper = ranges[0].includesUpper && range.includesUpper
            }
        }
        isExact = isExact && other.isExact
        if ranges[0].isEmpty { ranges = [] }
    }
}

extension EncodedRange {
    fileprivate var isEmpty: Bool {
        guard let lower, let upper else { return false }
        if lower == upper { return !includesLower || !includesUpper }
        return upper.lexicographicallyPrecedes(lower)
    }
}

extension Planner {
    /// Returns the candidates for several ranges of one indexed column, combined into one range each.
    func rangeCandidates(_ conjuncts: [Predicate], _ table: Table) -> [AccessPlan.Candidate] {
        if conjuncts.count < 2 { return [] }
        let conditions = ColumnCondition.all(conjuncts).filter { $0.column.isIndexed || $0.column.isPrimaryKey }
        return Dictionary(grouping: conditions, by: \.column.index).values.compactMap { onColumn in
            guard onColumn.count > 1 else { return nil }
            let column = onColumn[0].column
            let encoded = onColumn.compactMap { condition in
                EncodedCondition(condition.test, column).map { (condition.place, $0) }
            }
            guard let (places, condition) = EncodedCondition.narrowest(encoded), places.count > 1,
                let access = access(condition, column, in: table)
            else { return nil }
            return AccessPlan.Candidate(access: access, covers: places)
        }
    }

    /// Returns the candidates of the table's compound indexes for a conjunction.
    func compoundCandidates(_ conjuncts: [Predicate], _ table: Table) -> [AccessPlan.Candidate] {
        if table.compounds.isEmpty { return [] }
        let conditions = ColumnCondition.all(conjuncts)
        if conditions.isEmpty { return [] }
        return table.compounds.compactMap { compound in
            guard let match = CompoundMatch(compound, conditions) else { return nil }
            let access = ValuesAccess(
                view: view,
                table: table,
                tree: view.searchTree(compound),
                subject: "\(table.name).(\(compound))",
                index: QueryIndex(compound, of: table),
                values: match.values,
                ranges: match.ranges,
                isExact: match.isExact
            )
            return AccessPlan.Candidate(access: access, covers: match.covers)
        }
    }
}
