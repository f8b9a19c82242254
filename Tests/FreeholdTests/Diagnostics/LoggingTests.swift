#if Logging
    import Foundation
    import Freehold
    import Logging
    import Testing

    @Suite("Diagnostics: swift-log")
    struct LoggingTests {
        private struct Line: Sendable {
            var level: Logging.Logger.Level
            var text: String
            var metadata: Logging.Logger.Metadata
        }

        /// Keeps what is logged.
        private struct Handler: LogHandler {
            let lines: Locked<[Line]>
            var metadata: Logging.Logger.Metadata = [:]
            var logLevel = Logging.Logger.Level.trace

            init(_ lines: Locked<[Line]>) { self.lines = lines }

            subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                let entry = Line(level: event.level, text: "\(event.message)", metadata: event.metadata ?? [:])
                lines.change { $0.append(entry) }
            }
        }

        @Test func `slow writes and queries are logged as warnings, fast ones as traces, and no value is logged`()
            async throws
        {
            let heard = Locked<[Line]>([])
            let logger = Logging.Logger(label: "test") { _ in Handler(heard) }
            let configuration = serverConfiguration(inMemory: false)
            let all = Realm.log(to: logger, slowWrite: .seconds(3600), slowQuery: .zero)
            let store = try await Realm.Store(configuration)
            try await store.write { $0.add(ServerEntry(id: 4242)) }
            _ = try await store.read { $0.objects(ServerEntry.self).where { $0.amount == 4242 }.count }
            all.stop()
            let slow = Realm.log(to: logger, slowWrite: .zero)
            try await store.write { $0.add(ServerEntry(id: 4243)) }
            slow.stop()
            await store.close()
            let path = configuration.fileURL!.lastPathComponent
            let lines = heard.value.filter { "\($0.metadata["file"]!)".hasSuffix(path) }
            expect(lines.first?.text == "A file was opened." && lines.first?.level == .debug)
            expect(lines.contains { $0.text == "A file's schema was changed." && $0.level == .notice })
            expect(lines.contains { $0.text == "A write ended." && $0.level == .trace })
            expect(lines.contains { $0.text == "A query was slow." && $0.metadata["class"] == "ServerEntry" })
            expect(lines.last?.text == "A write was slow." && lines.last?.level == .warning)
            for line in lines {
                // The path has digits of its own.
                var metadata = line.metadata
                metadata["file"] = nil
                metadata["bytes"] = nil
                expect(!"\(line.text) \(metadata)".contains("4242"))
            }
            _ = try Realm.deleteFiles(for: configuration)
        }
    }
#endif
