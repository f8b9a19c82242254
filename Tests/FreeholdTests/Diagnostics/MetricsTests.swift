#if Metrics
    import Foundation
    import Freehold
    import Metrics
    import Testing

    @Suite("Diagnostics: swift-metrics")
    struct MetricsTests {
        /// The recorded values, by label and dimensions.
        private final class Memory: MetricsFactory, CounterHandler, RecorderHandler, TimerHandler {
            let values: Locked<[String: [Double]]>
            let name: String

            init(_ values: Locked<[String: [Double]]> = Locked([:]), name: String = "") {
                self.values = values
                self.name = name
            }

            private func make(_ label: String, _ dimensions: [(String, String)]) -> Memory {
                let places = dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
                return Memory(values, name: "\(label)[\(places)]")
            }

            func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
                make(label, dimensions)
            }
            func makeRecorder(
                label: String,
                dimensions: [(String, String)],
                aggregate: Bool
            ) -> any RecorderHandler { make(label, dimensions) }
            func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
                make(label, dimensions)
            }
            func destroyCounter(_ handler: any CounterHandler) {}
            func destroyRecorder(_ handler: any RecorderHandler) {}
            func destroyTimer(_ handler: any TimerHandler) {}

            private func note(_ value: Double) {
                let name = name
                values.change { $0[name, default: []].append(value) }
            }
            func increment(by amount: Int64) { note(Double(amount)) }
            func reset() {}
            func record(_ value: Int64) { note(Double(value)) }
            func record(_ value: Double) { note(value) }
            func recordNanoseconds(_ duration: Int64) { note(Double(duration)) }
        }

        @Test func `writes, queries and the file are measured`() async throws {
            let memory = Memory()
            let configuration = serverConfiguration(inMemory: false)
            let token = Realm.recordMetrics(factory: memory)
            let store = try await Realm.Store(configuration)
            try await store.write { $0.add(ServerEntry(id: 1)) }
            _ = try await store.read { $0.objects(ServerEntry.self).where { $0.amount == 1 }.count }
            token.stop()
            try await store.write { $0.add(ServerEntry(id: 2)) }
            await store.close()
            let file = "file=\(configuration.fileURL!.lastPathComponent)"
            let values = memory.values.value
            expectEqual(values["freehold.file.opened[\(file)]"], [1])
            // The first is that of the schema.
            expectEqual(values["freehold.write.total[\(file),outcome=committed]"], [1, 1])
            for label in [
                "write.wait", "write.duration", "write.commit", "write.bytes", "file.bytes", "versions.active",
            ] {
                expectEqual(values["freehold.\(label)[\(file)]"]?.count, 2, "\(label)")
            }
            expectEqual(values["freehold.write.waiting[\(file)]"], [0, 0])
            expectEqual(values["freehold.query.duration[\(file),class=ServerEntry,operation=count]"]?.count, 1)
            _ = try Realm.deleteFiles(for: configuration)
        }
    }
#endif
