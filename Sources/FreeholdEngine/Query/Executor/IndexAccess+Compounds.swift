/// Conditions of a conjunction as runs of a compound index's entries.
struct CompoundMatch {
    /// Whole entries; or, where these aren't all of the columns, ranges.
    private(set) var values = EncodedValues()
    private(set) var ranges: [EncodedRange] = []
    private(set) var covers: [Int] = []
    private(set) var isExact = true
    /// So many of the first columns have one value each.
    private(set) var fixedColumns = 0

    /// More runs than this aren't made of several columns' values.
    private static let maximumRuns = 5000

    /// Nil where no condition is on the first column.
    init?(_ compound: CompoundIndex, _ conditions: [ColumnCondition]) {
        var prefixes: [[UInt8]] = [[]]
        var equalColumns = 0
        columns: for column in compound.columns {
            let onColumn = conditions.filter { $0.column.index == column.index }
            let encoded = onColumn.compactMap { condition in
                EncodedCondition(condition.test, column, isPart: true).map { (condition.place, $0) }
            }
            guard let (place, condition) = encoded.first(where: { $0.1.ranges.isEmpty }) ?? encoded.first else { break }
            let runs = condition.values.count + condition.ranges.count
            guard prefixes.count * runs <= Self.maximumRuns else { break }
            covers.append(place)
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
        // Cut alike, two of them are one.
        if !isExact, ranges.count > 1 {
            ranges = Dictionary(ranges.map { ($0.lower ?? [], $0) }) { a, _ in a }.values.sorted {
                ($0.lower ?? []).lexicographicallyPrecedes($1.lower ?? [])
            }
        }
    }
}

/// A condition on a column of the table itself, and its place in the conjunction.
struct ColumnCondition {
    let place: Int
    let column: Column
    let test: ValueTest

    /// Those among conjuncts.
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
    /// Of the entries that begin with a prefix, those whose next value is in the range.
    fileprivate func behind(_ prefix: [UInt8]) -> EncodedRange {
        func after(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBytes { OrderedEncoding.successor(ofPrefix: $0) } }
        let all = EncodedRange.prefix(prefix)
        var range = EncodedRange(lower: all.lower, upper: all.upper, includesUpper: false)
        if let lower { range.lower = includesLower ? prefix + lower : after(prefix + lower) }
        if let upper { range.upper = includesUpper ? after(prefix + upper) : prefix + upper }
        return range
    }

    /// Widens bounds that are longer than what entries keep. - Returns: whether there were any.
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

extension Planner {
    /// What the table's compound indexes offer for a conjunction.
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
                values: match.values,
                ranges: match.ranges,
                isExact: match.isExact
            )
            return AccessPlan.Candidate(access: access, covers: match.covers)
        }
    }
}
