#if Metrics
    import Foundation
    import FreeholdEngine
    public import Metrics

    extension Realm {
        /// Records what the library does in this process by swift-metrics, with the file's name as the dimension `file`.
        ///
        /// | Label | Kind | What |
        /// |---|---|---|
        /// | `freehold.write.wait` | timer | how long a write waited for other writers |
        /// | `freehold.write.duration` | timer | from a write transaction's begin to its end |
        /// | `freehold.write.commit` | timer | the part of it that the commit took |
        /// | `freehold.write.bytes` | recorder | bytes of the blocks that a commit wrote |
        /// | `freehold.write.total` | counter | writes, by `outcome`: committed, unchanged, rolledBack, busy, cancelled |
        /// | `freehold.write.waiting` | gauge | writes of the process that wait |
        /// | `freehold.file.bytes` | gauge | the file's size |
        /// | `freehold.readers` | gauge | versions of the file that somebody holds, over all processes |
        /// | `freehold.versions.active` | gauge | versions from the oldest held to the newest; a growing one is a reader that never ends |
        /// | `freehold.query.duration` | timer | queries, by `class` and `operation`: objects, count, first, aggregate |
        /// | `freehold.file.opened` | counter | files that were opened |
        ///
        /// Gauges are set with each write; ``Store/statistics()`` tells them at any time.
        ///
        /// - Parameter factory: nil for the process's, `MetricsSystem.factory`.
        /// - Returns: what ends it; it needn't be kept.
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
