#if Logging
    import FreeholdEngine
    public import Logging

    extension Realm {
        /// Logs the operations of the library in this process, for all files, with swift-log.
        ///
        /// ```swift
        /// Realm.log(to: Logger(label: "db"), slowWrite: .milliseconds(500))
        /// ```
        /// | Level | Events |
        /// |---|---|
        /// | warning | slow writes and queries; long waits for other writers, and waits that exceeded `busyTimeout` |
        /// | notice | migrations and other changes of a file's schema |
        /// | info | compactions |
        /// | debug | files that are opened and closed; writes that were cancelled while they waited |
        /// | trace | every write, every query |
        ///
        /// The metadata contains the numbers (`file`, `waited`, `lasted`, `bytes`, …). Stored values and constants of
        /// queries aren't logged. The logger is called synchronously on the thread that did the work.
        ///
        /// - Parameters:
        ///   - slowWrite: The duration from which a write transaction counts as slow.
        ///   - longWait: The duration from which the wait for other writers counts as long.
        ///   - slowQuery: The duration from which a query counts as slow.
        /// - Returns: A token that stops the logging. You don't need to keep it.
        @discardableResult
        public static func log(
            to logger: Logging.Logger,
            slowWrite: Duration = .seconds(1),
            longWait: Duration = .seconds(1),
            slowQuery: Duration = .milliseconds(200)
        ) -> DiagnosticsToken {
            DiagnosticsToken([.files, .writes, .queries, .maintenance]) { event in
                switch event {
                case .opened(let opening):
                    logger.debug("A file was opened.", metadata: opening.metadata)
                case .closed(let path):
                    logger.debug("A file was closed.", metadata: ["file": "\(path)"])
                case .changedSchema(let change):
                    logger.notice("A file's schema was changed.", metadata: change.metadata)
                case .compacted(let compaction):
                    logger.info("A file was compacted.", metadata: compaction.metadata)
                case .heldJournal(let held):
                    logger.warning("A cursor of a file's journal isn't moved.", metadata: held.metadata)
                case .queried(let query):
                    let isSlow = query.lasted >= slowQuery
                    logger.log(
                        level: isSlow ? .warning : .trace,
                        isSlow ? "A query was slow." : "A query was run.",
                        metadata: query.metadata
                    )
                case .wrote(let write):
                    let (level, text): (Logging.Logger.Level, String) =
                        switch write.outcome {
                        case .busy: (.warning, "A write gave up waiting for other writers.")
                        case .cancelled: (.debug, "A write was cancelled while it waited.")
                        case _ where write.lasted >= slowWrite: (.warning, "A write was slow.")
                        case _ where write.waited >= longWait: (.warning, "A write waited long for other writers.")
                        default: (.trace, "A write ended.")
                        }
                    logger.log(level: level, "\(text)", metadata: write.metadata)
                }
            }
        }
    }

    extension DiagnosticEvent.Opening {
        fileprivate var metadata: Logging.Logger.Metadata {
            [
                "file": "\(path)", "version": "\(version)", "bytes": "\(fileBytes)", "readOnly": "\(isReadOnly)",
                "encrypted": "\(isEncrypted)",
            ]
        }
    }

    extension DiagnosticEvent.SchemaChange {
        fileprivate var metadata: Logging.Logger.Metadata {
            [
                "file": "\(path)", "action": "\(action.rawValue)", "from": "\(oldVersion)", "to": "\(newVersion)",
                "lasted": "\(lasted.inSeconds)",
            ]
        }
    }

    extension DiagnosticEvent.Compaction {
        fileprivate var metadata: Logging.Logger.Metadata {
            ["file": "\(path)", "before": "\(bytesBefore)", "after": "\(bytesAfter)", "lasted": "\(lasted.inSeconds)"]
        }
    }

    extension DiagnosticEvent.HeldJournal {
        fileprivate var metadata: Logging.Logger.Metadata {
            ["file": "\(path)", "cursor": "\(cursor)", "bytes": "\(bytes)", "moved": "\(movedAt)"]
        }
    }

    extension DiagnosticEvent.Query {
        fileprivate var metadata: Logging.Logger.Metadata {
            var out: Logging.Logger.Metadata = [
                "file": "\(path)", "class": "\(className)", "operation": "\(operation.rawValue)",
                "lasted": "\(lasted.inSeconds)",
            ]
            if let text { out["query"] = "\(text)" }
            return out
        }
    }

    extension DiagnosticEvent.Write {
        fileprivate var metadata: Logging.Logger.Metadata {
            [
                "file": "\(path)", "outcome": "\(outcome.rawValue)", "version": "\(version)",
                "waited": "\(waited.inSeconds)", "lasted": "\(lasted.inSeconds)", "commit": "\(commit.inSeconds)",
                "bytes": "\(bytes)", "waiting": "\(waiting)",
            ]
        }
    }
#endif
