#if Metrics
    import Foundation
    import FreeholdEngine
    public import Metrics

    extension Realm {
        /// Records metrics of the library in this process with swift-metrics. The dimension `file` is the file's name.
        ///
        /// | Label | Kind | Meaning |
        /// |---|---|---|
        /// | `freehold.write.wait` | timer | the time for which a write waited for other writers |
        /// | `freehold.write.duration` | timer | the time from the begin of a write transaction to its end |
        /// | `freehold.write.commit` | timer | the part of that time that the commit took |
        /// | `freehold.write.bytes` | recorder | the bytes of the blocks that a commit wrote |
        /// | `freehold.write.total` | counter | writes, by `outcome`: committed, unchanged, rolledBack, busy, cancelled |
        /// | `freehold.write.waiting` | gauge | the number of waiting writes of the process |
        /// | `freehold.file.bytes` | gauge | the size of the file |
        /// | `freehold.readers` | gauge | the number of held versions of the file, in all processes |
        /// | `freehold.versions.active` | gauge | the number of versions from the oldest held one to the newest; if it keeps growing, a reader never ends |
        /// | `freehold.query.duration` | timer | queries, by `class` and `operation`: objects, count, first, aggregate |
        /// | `freehold.file.opened` | counter | opened files |
        ///
        /// Each write updates the gauges. ``Store/statistics()`` returns their values at any time.
        ///
        /// - Parameter factory: The factory of the metrics, or `nil` for that of the process, `MetricsSystem.factory`.
        /// - Returns: A token that stops the recording. You don't need to keep it.
        @discardableResult
        public static func recordMetrics(factory: (any MetricsFactory)? = nil) -> DiagnosticsToken {
            DiagnosticsToken([.files, .writes, .queries, .readers]) { event in
                let factory = factory ?? MetricsSystem.factory
                switch event {
                case .opened(let opening):
                    Counter(label: "freehold.file.opened", dimensions: file(opening.path), factory: factory).increment()
                case .wrote(let write): record(write, factory)
                case .queried(let query):
                    let dimensions =
                        file(query.path) + [("class", query.className), ("operation", query.operation.rawValue)]
                    Metrics.Timer(label: "freehold.query.duration", dimensions: dimensions, factory: factory)
                        .recordNanoseconds(query.lasted.nanoseconds)
                case .closed, .changedSchema, .compacted: break
                }
            }
        }

        private static func record(_ write: DiagnosticEvent.Write, _ factory: any MetricsFactory) {
            let file = file(write.path)
            func timer(_ label: String, _ duration: Duration) {
                Metrics.Timer(label: label, dimensions: file, factory: factory).recordNanoseconds(duration.nanoseconds)
            }
            func gauge(_ label: String, _ value: some BinaryInteger) {
                Gauge(label: label, dimensions: file, factory: factory).record(value)
            }
            Counter(
                label: "freehold.write.total",
                dimensions: file + [("outcome", write.outcome.rawValue)],
                factory: factory
            )
            .increment()
            timer("freehold.write.wait", write.waited)
            if write.outcome != .busy, write.outcome != .cancelled { timer("freehold.write.duration", write.lasted) }
            if write.outcome == .committed {
                timer("freehold.write.commit", write.commit)
                Recorder(label: "freehold.write.bytes", dimensions: file, aggregate: true, factory: factory)
                    .record(write.bytes)
            }
            gauge("freehold.write.waiting", write.waiting)
            gauge("freehold.file.bytes", write.fileBytes)
            if let readers = write.readers { gauge("freehold.readers", readers) }
            if let versions = write.activeVersions { gauge("freehold.versions.active", versions) }
        }

        private static func file(_ path: String) -> [(String, String)] {
            [("file", URL(fileURLWithPath: path).lastPathComponent)]
        }
    }

    extension Duration {
        fileprivate var nanoseconds: Int64 { Int64(self / .nanoseconds(1)) }
    }
#endif
