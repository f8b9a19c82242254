import BenchMachine
import Foundation

/// The run as Markdown.
struct Report {
    struct Sizes {
        var inserted = 0
        var halved = 0
    }

    let objects: Int
    let repeats: Int
    let subjects: [any Subject]
    var workloads: [Workload] = []
    var results: Harness?
    var sizes: [Layer: Sizes] = [:]
    var memory: [Layer: PeakMemory.Figures] = [:]
    var files: FileFigures?
    var migrations: MigrationFigures?
    var placeholders: PlaceholderFigures?
    var threads: ThreadFigures?
    var opens: OpenFigures?
    var deletions: DeletionFigures?
    var held: HeldVersionFigures?
    var wide: WideValueFigures?
    var growth: [(size: Int, harness: Harness)] = []
    var notifications: Notifications.Figures?
    var seconds = 0

    init(objects: Int, repeats: Int, subjects: [any Subject]) {
        self.objects = objects
        self.repeats = repeats
        self.subjects = subjects
    }

    private var layers: [Layer] { subjects.map(\.layer) }

    var markdown: String {
        var parts = ["# Benchmark results", introduction, mainTable, goalsSummary]
        if !sizes.isEmpty || !memory.isEmpty { parts.append(sizeTable) }
        if let notifications { parts.append(notificationTables(notifications)) }
        if let files { parts.append(files.markdown) }
        if let migrations { parts.append(migrations.markdown) }
        if let placeholders { parts.append(placeholders.markdown) }
        if let threads { parts.append(threads.markdown) }
        if let opens { parts.append(opens.markdown) }
        if let deletions { parts.append(deletions.markdown) }
        if let held { parts.append(held.markdown) }
        if let wide { parts.append(wide.markdown) }
        if !growth.isEmpty { parts.append(growthTable) }
        parts.append(environment)
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var introduction: String {
        """
        \(grouped(objects)) objects `Person { id, name, age, score, active, created }`, \(repeats) repetitions, engines \
        interleaved workload by workload in one run of \(seconds) s. Every engine's counts and sums were compared in every \
        run. Nanoseconds an operation: **median** (minimum). A difference under 1.3 × is noise. The ratio is Freehold's \
        median to that of the rival that the goal names, else to LMDB's.

        Durability is the same everywhere: when a commit returns, its data and then its root are synced (LMDB and Freehold: \
        the data synced, then the root; SQLite: write-ahead log, `synchronous = FULL`).
        """
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func header(_ cells: [String]) -> String {
        row(cells) + "\n|" + cells.indices.map { $0 == 0 ? "---|" : "---:|" }.joined()
    }

    // MARK: The main table

    private var mainTable: String {
        var lines = [header(["Workload"] + layers.map(\.rawValue) + ["Goal", "Reached", ""])]
        for workload in workloads {
            let times = layers.map { layer in
                results?.result(workload.name, layer).map { "**\(figure($0.median))** (\(figure($0.minimum)))" } ?? "–"
            }
            let judged = workload.goals.filter { layers.contains($0.layer) }.map { judge($0, workload) }
            lines.append(
                row(
                    [workload.name] + times + [
                        judged.map(\.goal).joined(separator: "<br>"), judged.map(\.reached).joined(separator: "<br>"),
                        judged.map { $0.isMet ? "✓" : "✗" }.joined(separator: "<br>"),
                    ]
                )
            )
        }
        return lines.joined(separator: "\n")
    }

    private struct Judgement {
        let goal: String
        let reached: String
        let isMet: Bool
    }

    private func judge(_ goal: Goal, _ workload: Workload) -> Judgement {
        let who = goal.layer == .engine ? "engine" : "objects"
        let median = results?.result(workload.name, goal.layer)?.median ?? .nan
        let lmdb = results?.result(workload.name, .lmdb)?.median
        switch goal.bound {
        case .ratio(let bound, let rival):
            let ratio = median / (results?.result(workload.name, rival)?.median ?? .nan)
            return Judgement(
                goal: "\(who) ≤ \(bound) × \(rival == .lmdb ? "LMDB" : rival.rawValue)",
                reached: String(format: "%.2f ×", ratio),
                isMet: ratio <= bound
            )
        case .nanoseconds(let bound):
            let ratio = lmdb.map { String(format: " (%.2f × LMDB)", median / $0) } ?? ""
            return Judgement(
                goal: "\(who) ≤ \(figure(bound).replacingOccurrences(of: ".00", with: "")) ns",
                reached: figure(median) + " ns" + ratio,
                isMet: median <= bound
            )
        }
    }

    private var goalsSummary: String {
        let judged = workloads.flatMap { workload in
            workload.goals.filter { layers.contains($0.layer) }.map { (workload, judge($0, workload)) }
        }
        let missed = judged.filter { !$0.1.isMet }
        guard !missed.isEmpty else { return "All \(judged.count) goals are met." }
        return "\(judged.count - missed.count) of \(judged.count) goals are met. Missed:\n\n"
            + missed.map { "- \($0.0.name): \($0.1.goal), reached \($0.1.reached)" }.joined(separator: "\n")
    }

    // MARK: Other tables

    private var sizeTable: String {
        let title =
            "## File and memory\n\nMiB. Goals for Freehold at a million objects: ≤ 60 after the insert, ≤ 65 after "
            + "deleting half, ≤ 150 at the insert's peak. The peak is the process's, mapped pages of the file included; "
            + "in brackets before the insert.\n\n"
        func mebibytes(_ bytes: Int) -> String { bytes == 0 ? "–" : String(format: "%.1f", Double(bytes) / 1_048_576) }
        let lines = layers.map { layer in
            row([
                layer.rawValue, mebibytes(sizes[layer]?.inserted ?? 0), mebibytes(sizes[layer]?.halved ?? 0),
                memory[layer].map { String(format: "%.0f (%.0f)", $0.peak, $0.before) } ?? "–",
            ])
        }
        return title + header(["", "File after the insert", "after deleting half", "Peak memory of the insert"]) + "\n"
            + lines.joined(separator: "\n")
    }

    private func notificationTables(_ all: Notifications.Figures) -> String {
        func cells(_ row: Notifications.Row) -> String {
            self.row([row.name] + row.figures.map { String(format: "**%.0f** (%.0f)", $0.median, $0.minimum) })
        }
        let callbacks = all.callbacks.map(cells).joined(separator: "\n")
        let commits = all.commits.map(cells).joined(separator: "\n")
        let handovers = all.handovers.map(cells).joined(separator: "\n")
        return """
            ## Notifications

            Microseconds: **median** (minimum). One commit of 100 changes (60 of properties and links' targets, 20 new objects, \
            20 deleted) by a thread; from the call of `commitWrite`, the flush to the disk included, to that of an observer's block \
            on a queue, with the queue's realm at the new version. Goal: ≤ 1,000 at 100,000 objects, not growing with the result.

            \(header(["Observed, of so many objects"] + all.sizes.map { grouped($0) }))
            \(callbacks)

            A durable commit of one change, with observers of a filtered and sorted query on another thread:

            \(header(["", "Commit"]))
            \(commits)

            From the call of `commitWrite` with one change, flush included (for the other process: from its return), to the \
            notification of:

            \(header(["", "Later"]))
            \(handovers)
            """
    }

    private var growthTable: String {
        var lines = [
            "## Growth\n\nNanoseconds an operation (median) as the number of objects grows; the last column is the largest "
                + "to the smallest. Opening is per open.\n",
            header(["Workload", ""] + growth.map { grouped($0.size) } + ["growth"]),
        ]
        let names = growth[0].harness.results.map(\.workload)
        for name in names.enumerated().filter({ names.firstIndex(of: $0.element) == $0.offset }).map(\.element) {
            for layer in layers {
                let medians = growth.map { $0.harness.result(name, layer)?.median ?? .nan }
                let ratio = medians.last! / medians.first!
                lines.append(
                    row([name, layer.rawValue] + medians.map { figure($0) } + [String(format: "%.2f ×", ratio)])
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private var environment: String {
        var lines = [
            "## Machine",
            "",
            "- \(Machine.processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \(Machine.memory) GiB; \(Machine.kernel)",
            "- One 4 KiB overwrite + fdatasync in the folder of the run: \(Machine.syncMicroseconds) µs (median)",
        ]
        lines += subjects.map { "- \($0.layer.rawValue): \($0.version)" }
        lines.append("- Compiled by \(Machine.compiler), `-c release` (Swift -O, C and C++ -O2)")
        return lines.joined(separator: "\n")
    }
}
