import BenchMachine

extension Report {
    /// Every figure of the run, for `freehold-bench compare`.
    var measurements: [MeasuredFigure] {
        var all = (results?.results ?? []).map {
            MeasuredFigure("\($0.workload), \($0.layer.fileName)", unit: "ns", values: $0.nanoseconds)
        }
        for row in files?.rows ?? [] {
            for (kind, values) in row.values.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                all.append(
                    MeasuredFigure(
                        "files: \(row.name), \(kind)",
                        unit: row.unit,
                        values: values,
                        isRate: row.unit == "MiB/s"
                    )
                )
            }
        }
        all += (migrations?.rows ?? []).map {
            MeasuredFigure("migrations: \($0.name)", unit: "ns", values: $0.nanoseconds)
        }
        all += (placeholders?.rows ?? []).map {
            MeasuredFigure("placeholders: \($0.name)", unit: $0.unit, values: $0.values)
        }
        for row in threads?.rows ?? [] {
            let name = "threads: \(row.name), \(row.readers)" + (row.isBesideWriter ? " beside a writer" : "")
            all.append(MeasuredFigure(name, unit: "a second", values: row.rates, isRate: true))
        }
        all += (opens?.rows ?? []).map { MeasuredFigure("opens: \($0.name)", unit: "µs", values: $0.microseconds) }
        for row in deletions?.rows ?? [] {
            all.append(MeasuredFigure("deletions: \(row.name)", unit: "ns", values: row.nanoseconds))
        }
        for row in held?.rows ?? [] {
            all.append(MeasuredFigure("held: \(row.name), growth a commit", unit: "bytes", values: [row.bytes]))
            all.append(MeasuredFigure("held: \(row.name)", unit: "µs", values: [row.microseconds]))
        }
        for row in wide?.rows ?? [] {
            all.append(MeasuredFigure("wide: \(row.name), \(row.layer), written", unit: "bytes", values: [row.bytes]))
            all.append(
                MeasuredFigure("wide: \(row.name), \(row.layer), processor", unit: "µs", values: [row.processor])
            )
        }
        if let notifications {
            for row in notifications.callbacks + notifications.commits + notifications.handovers {
                for (index, times) in row.figures.enumerated() {
                    all.append(
                        MeasuredFigure(
                            "\(Notifications.name): \(row.name), column \(index + 1)",
                            unit: "µs",
                            values: [times.minimum]
                        )
                    )
                }
            }
        }
        return all
    }
}
