#if Logging
    import FreeholdEngine
    public import Logging

    extension Realm {
        /// Logs what the library does in this process, in all files, by swift-log.
        ///
        /// ```swift
        /// Realm.log(to: Logger(label: "db"), slowWrite: .milliseconds(500))
        /// ```
        /// | Level | What |
        /// |---|---|
        /// | warning | writes and queries that are slow, waits for other writers that are long or were given up (`busyTimeout`) |
        /// | notice | migrations and other changes of a file's schema |
        /// | info | compactions |
        /// | debug | files that are opened and closed, writes that were cancelled while they waited |
        /// | trace | every write, every query |
        ///
        /// Figures are in the metadata (`file`, `waited`, `lasted`, `bytes`, …). Values that are stored, and the constants of
        /// queries, aren't logged. The logger is called on the thread that did the work, before that goes on.
        ///
        /// - Parameters:
        ///   - slowWrite: a write transaction that is open for longer is slow.
        ///   - longWait: a write that waits for others longer waits long.
        ///   - slowQuery: a query that takes longer is slow.
        /// - Returns: what ends it; it needn't be kept.
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
