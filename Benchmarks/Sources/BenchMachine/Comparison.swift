import Foundation

/// One figure of a run, with what each repetition gave.
public struct MeasuredFigure: Codable, Sendable {
    public let name: String
    public let unit: String
    public let values: [Double]
    /// More is better.
    public let isRate: Bool

    public init(_ name: String, unit: String, values: [Double], isRate: Bool = false) {
        (self.name, self.unit, self.values, self.isRate) = (name, unit, values.filter(\.isFinite), isRate)
    }

    /// The best of the repetitions: what other work on the machine disturbed least.
    var best: Double? { isRate ? values.max() : values.min() }
}

/// Runs of one state of the code beside runs of another one.
///
/// A row is slower if its best value is by more than the limit, and the median of the runs' best ones, too: one quiet moment of either side
/// doesn't decide.
public struct Comparison: Sendable {
    public struct Row: Sendable {
        public let name: String
        public let unit: String
        public let before: Double
        public let after: Double
        /// How many times as long (or, of a rate, as slow) it is now: of the best values, and of the medians of the runs' best.
        public let ratios: (best: Double, median: Double)

        public func isSlower(_ limit: Double) -> Bool { min(ratios.best, ratios.median) > 1 + limit }
        public func isFaster(_ limit: Double) -> Bool { max(ratios.best, ratios.median) < 1 / (1 + limit) }
    }

    public let rows: [Row]
    /// Rows that only one side has.
    public let missing: [String]
    public let limit: Double

    /// - Parameters:
    ///   - before: a list of rows for each run.
    ///   - limit: 0.1 for 10 %.
    public init(before: [[MeasuredFigure]], after: [[MeasuredFigure]], limit: Double) {
        self.limit = limit
        let (old, new) = (Self.gathered(before), Self.gathered(after))
        var rows: [Row] = []
        for (name, unit, isRate, values) in old {
            guard let other = new.first(where: { $0.name == name })?.values else { continue }
            let best = isRate ? (values.max()!, other.max()!) : (values.min()!, other.min()!)
            let middle = (median(values), median(other))
            func ratio(_ pair: (Double, Double)) -> Double { isRate ? pair.0 / pair.1 : pair.1 / pair.0 }
            let ratios = (best: ratio(best), median: ratio(middle))
            guard ratios.best.isFinite, ratios.median.isFinite else { continue }
            rows.append(Row(name: name, unit: unit, before: best.0, after: best.1, ratios: ratios))
        }
        self.rows = rows
        let names = (Set(old.map(\.name)), Set(new.map(\.name)))
        missing = names.0.symmetricDifference(names.1).sorted()
    }

    /// The runs' best values, row by row, in the order of the first run that has it.
    private static func gathered(
        _ runs: [[MeasuredFigure]]
    ) -> [(name: String, unit: String, isRate: Bool, values: [Double])] {
        var (rows, places): ([(name: String, unit: String, isRate: Bool, values: [Double])], [String: Int]) = ([], [:])
        for measurement in runs.joined() {
            guard let best = measurement.best else { continue }
            if let place = places[measurement.name] {
                rows[place].values.append(best)
            } else {
                places[measurement.name] = rows.count
                rows.append((measurement.name, measurement.unit, measurement.isRate, [best]))
            }
        }
        return rows
    }

    public var slower: [Row] { rows.filter { $0.isSlower(limit) } }

    public var markdown: String {
        func table(_ rows: [Row]) -> String {
            "| | before | after | × |\n|---|---:|---:|---:|\n"
                + rows.map { row in
                    let ratio = String(format: "%.2f", row.ratios.best)
                    return
                        "| \(row.name) | \(figure(row.before)) \(row.unit) | \(figure(row.after)) \(row.unit) | \(ratio) |"
                }.joined(separator: "\n")
        }
        let percent = Int((limit * 100).rounded())
        let faster = rows.filter { $0.isFaster(limit) }.sorted { $0.ratios.best < $1.ratios.best }
        var parts = [
            "\(rows.count) rows compared; \(slower.count) slower and \(faster.count) faster by more than \(percent) %."
        ]
        if !slower.isEmpty {
            parts.append("Slower:\n\n" + table(slower.sorted { $0.ratios.best > $1.ratios.best }))
        }
        if !faster.isEmpty { parts.append("Faster:\n\n" + table(faster)) }
        if !missing.isEmpty { parts.append("Only on one side: " + missing.joined(separator: "; ")) }
        return parts.joined(separator: "\n\n") + "\n"
    }
}
