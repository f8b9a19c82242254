import BenchMachine

extension Report {
    /// Every figure of the run, for `freehold-bench compare`.
    var measurements: [MeasuredFigure] {
        var all = (results?.results ?? []).map {
            MeasuredFigure("\($0.workload), \($0.layer.fileName)", "ns", $0.nanoseconds)
        }
        for row in files?.rows ?? [] {
            for (kind, values) in row.values.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                all.append(MeasuredFigure("files: \(row.name), \(kind)", row.unit, values, isRate: row.unit == "MiB/s"))
            }
        }
        all += (migrations?.rows ?? []).map { MeasuredFigure("migrations: \($0.name)", "ns", $0.nanoseconds) }
        all += (placeholders?.rows ?? []).map { MeasuredFigure("placeholders: \($0.name)", $0.unit, $0.values) }
        for row in threads?.rows ?? [] {
            let name = "threads: \(row.name), \(row.readers)" + (row.isBesideWriter ? " beside a writer" : "")
            all.append(MeasuredFigure(name, "a second", row.rates, isRate: true))
        }
        all += (opens?.rows ?? []).map { MeasuredFigure("opens: \($0.name)", "µs", $0.microseconds) }
        for row in deletions?.rows ?? [] {
            all.append(MeasuredFigure("deletions: \(row.name)", "ns", row.nanoseconds))
        }
        for row in held?.rows ?? [] {
            all.append(MeasuredFigure("held: \(row.name), growth a commit", "bytes", [row.bytes]))
            all.append(MeasuredFigure("held: \(row.name)", "µs", [row.microseconds]))
        }
        for row in wide?.rows ?? [] {
            all.append(MeasuredFigure("wide: \(row.name), \(row.layer), written", "bytes", [row.bytes]))
            all.append(MeasuredFigure("wide: \(row.name), \(row.layer), processor", "µs", [row.processor]))
        }
        if let notifications {
            for row in notifications.callbacks + notifications.commits + notifications.handovers {
                for (index, times) in row.figures.enumerated() {
                    all.append(
                        MeasuredFigure("\(Notifications.name): \(row.name), column \(index + 1)", "µs", [times.minimum])
                    )
                }
            }
        }
        return all
    }
}
