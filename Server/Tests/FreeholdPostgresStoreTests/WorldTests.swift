#if PostgreSQL
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import SyncWorlds
    @testable import TestRandom

    /// Random histories and worlds on the store in PostgreSQL, beside the one in memory.
    @Suite(.needsPostgres) struct WorldTests {
        static let histories: [HistoryGenerator.Options] = [
            .init(name: "fields", kinds: [.write, .byDefault, .create, .delete]),
            .init(name: "sets and dictionaries", kinds: [.set, .clearSet, .dictionary, .clearDictionary, .add]),
            .init(name: "lists", kinds: [.insert, .insert, .remove, .move, .setElement, .clear, .assign]),
            .init(name: "everything"), .init(name: "everything, trimmed", refusals: 0, trims: true),
        ]

        @Test(arguments: histories)
        func `The store in PostgreSQL answers as the one in memory`(options: HistoryGenerator.Options) async throws {
            for seed in StoreSeeds.seeds("WorldTests, \(options)", count: 1, soak: 100) {
                let store = try await PostgresStore.opened()
                defer { store.remove() }
                _ = try await onThread { try Self.play(seed, options, PostgresTwin(store)) }
            }
        }

        /// - Returns: The stores after the history.
        @discardableResult
        static func play(_ seed: UInt64, _ options: HistoryGenerator.Options, _ store: PostgresTwin) throws
            -> PostgresTwin
        {
            var generator = HistoryGenerator(seed: seed, options)
            generator.run()
            var random = SeededRandom(seed: seed)
            var driver = StoreDriver(store, MergedStream(generator.history.rules).merge.rules)
            var group: [(FileIdent, Commit, now: Int64)] = []
            for event in generator.history.events {
                switch event {
                case .arrival(let ident, let commit, let now): group.append((ident, commit, now: now))
                case .trim:
                    let now = max(driver.store.head(of: StoreDriver<PostgresTwin>.stream).now, 1)
                    let times = (Int64.random(in: 0...now, using: &random), Int64.random(in: 0...now, using: &random))
                    let kind = ServerStoreRequest.Kind.trim(log: times.0, horizon: min(times.0, times.1))
                    _ = driver.store.perform(ServerStoreRequest(StoreDriver<PostgresTwin>.stream, kind))
                case .mergeNeighbouringAdds: break
                }
                guard random.chance(40) else { continue }
                driver.commit(group)
                group = []
                if random.chance(50) { driver.ask(&random) }
                if !driver.store.problems.isEmpty { break }
            }
            driver.commit(group)
            for _ in 0..<20 { driver.ask(&random) }
            driver.store.compare(StoreDriver<PostgresTwin>.stream)
            if let problem = driver.store.problems.first {
                Issue.record("seed \(seed), \(options): \(problem.prefix(20_000))")
            }
            return driver.store
        }

        @Test func `Values come back to the bit`() async throws {
            for seed in StoreSeeds.seeds("WorldTests, values", count: 2, soak: 200) {
                let store = try await PostgresStore.opened()
                defer { store.remove() }
                try await onThread { Self.write(seed, PostgresTwin(store)) }
            }
        }

        private static func write(_ seed: UInt64, _ store: PostgresTwin) {
            var rules = MergeRules()
            rules.createOnly = seed % 2 == 0 ? ["é"] : []
            var driver = StoreDriver(store, rules)
            var values = RandomValues(seed: seed)
            var random = SeededRandom(seed: seed &+ 1)
            let stream = StoreDriver<PostgresTwin>.stream
            for step in 1...TestBudget.cases(30, soak: 60) {
                let contents = driver.store.contents(of: stream)
                let version = driver.store.head(of: stream).version
                let changes = values.changes(contents)
                let commit = Commit(
                    number: UInt64(step),
                    clock: Clock(milliseconds: Int64(step) * 50),
                    base: version,
                    seen: Dictionary(changes.map { ($0.object, version) }) { first, _ in first },
                    changes: changes
                )
                driver.commit([(FileIdent(rawValue: 1), commit, now: Int64(step) * 50)])
                driver.ask(&random)
                if random.chance(4) {
                    let times = ServerStoreRequest.Kind.trim(log: Int64(step) * 25, horizon: Int64(step) * 20)
                    _ = driver.store.perform(ServerStoreRequest(stream, times))
                }
                if !driver.store.problems.isEmpty { break }
            }
            driver.store.compare(stream)
            if let problem = driver.store.problems.first { Issue.record("seed \(seed): \(problem.prefix(3_000))") }
        }

        static let worlds = [
            "failing", "narrow", "refusing whole commits", "links, cut logs", "everything, cut logs",
            "everything, copied files", "bootstraps", "asymmetric",
        ]

        @Test(arguments: worlds) func `Worlds come to rest on the store in PostgreSQL`(name: String) async throws {
            var profile = try #require(SimulatedProfile.all.first { $0.name == name })
            profile.steps = 100
            for seed in StoreSeeds.seeds("WorldTests, \(name)", count: 1, soak: 100) {
                let store = try await PostgresStore.opened()
                defer { store.remove() }
                try await onThread { [profile] in
                    var world = SimulatedWorld(seed: seed, profile, store: PostgresTwin(store))
                    world.play(profile.script(seed))
                    if var twin = world.store as? PostgresTwin, world.problems.isEmpty {
                        twin.compare(SimulatedWorld.stream)
                        world.problems += twin.problems
                    }
                    if let problem = world.problems.first {
                        Issue.record("seed \(seed), \(name): \(problem.prefix(3_000))")
                    }
                }
            }
        }
    }
#endif
