import Foundation
import FreeholdSyncCore
import Testing

/// The honest users of an attacked server: their requests stay quick, and the server bounds and releases its memory.
///
/// `make test-attacks` runs all attacks, each against a new server, and prints a table. The normal run includes a few
/// attacks that take seconds.
@Suite(.serialized, .enabled(if: AttackedServer.canRun, "it needs freehold-server and /proc"))
struct NoisyNeighbourTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var isDebug: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    @Test(.timeLimit(.minutes(20))) func `others notice little of a few attacks in seconds`() async throws {
        let server = try await AttackedServer()
        let traffic = try await HonestTraffic(server, limit: .seconds(30))
        let quiet = await traffic.measure { try? await Task.sleep(for: .seconds(1)) }
        var isFirst = true
        for attack in Attack.all where attack.isShort {
            let outcome = try await Self.run(attack, against: server, bounds: .short, traffic: traffic, quiet: quiet)
            if isFirst { print("\n" + AttackOutcome.header + "\n" + outcome.quietRow) }
            isFirst = false
            print(outcome.row)
            Self.check(outcome, .short)
        }
        traffic.leave()
        await server.end()
    }

    @Test(.timeLimit(.minutes(240)), .enabled(if: AttackedServer.runsAll, "make test-attacks"))
    func `others notice little of each attack`() async throws {
        let bounds: AttackBounds = Self.isDebug ? .debug : .promised
        let only = Self.environment["FREEHOLD_ATTACKS"]?.split(separator: ";") ?? []
        let chosen = Attack.all.filter { attack in only == ["1"] || only.contains { attack.name.contains($0) } }
        try #require(!chosen.isEmpty)
        print("\n" + AttackOutcome.header)
        var rows: [String] = []
        for attack in chosen {
            let server = try await AttackedServer()
            let traffic = try await HonestTraffic(server, limit: .seconds(30))
            let quiet = await traffic.measure { try? await Task.sleep(for: .seconds(2)) }
            do {
                let outcome = try await Self.run(
                    attack,
                    against: server,
                    bounds: bounds,
                    traffic: traffic,
                    quiet: quiet
                )
                if rows.isEmpty { print(outcome.quietRow) }
                let problems = outcome.problems(bounds)
                rows.append(outcome.row)
                print(outcome.row)
                for problem in problems { print("    \(problem)") }
                fflush(nil)
                Self.check(outcome, bounds)
            } catch { Issue.record("\(attack.name) couldn't be prepared: \(error)") }
            traffic.leave()
            await server.end()
        }
        print("\n" + ([AttackOutcome.header] + rows).joined(separator: "\n") + "\n")
    }

    @Test func `the attacks that still win are named once and exist`() {
        let names = Attack.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(
            KnownAttacks.winning.keys.allSatisfy(names.contains),
            "\(Set(KnownAttacks.winning.keys).subtracting(names))"
        )
        #expect(names.count > 45)
    }

    /// Measures honest users during an attack, and the time until the server has released what the attackers took.
    private static func run(
        _ attack: Attack,
        against server: AttackedServer,
        bounds: AttackBounds,
        traffic: HonestTraffic,
        quiet: HonestTraffic.Times
    ) async throws -> AttackOutcome {
        var outcome = AttackOutcome(name: attack.name, attackers: attack.attackers, quiet: quiet)
        // The connections of the attackers are closed in all cases.
        let divisor = bounds.window < .seconds(5) ? 50 : isDebug ? 10 : 1
        let field = AttackField(port: server.port, divisor: divisor)
        let connections = await server.metric("freehold_connections")
        let disk = server.diskBytes
        outcome.memoryBefore = server.residentBytes
        let watch = MemoryWatch(server)
        let work: Attack.Work
        do { work = try await attack.prepare(field) } catch {
            await field.leave()
            _ = watch.end()
            throw error
        }
        outcome.attacked = await traffic.measure {
            let attacker = Task { try? await work() }
            try? await Task.sleep(for: bounds.window)
            attacker.cancel()
            await field.leave()
            await attacker.value
        }
        let left = ContinuousClock.now
        outcome.memoryPeak = watch.end()
        repeat {
            outcome.memoryAfter = server.residentBytes
            let open = await server.metric("freehold_connections")
            let isSmall = outcome.memoryAfter - outcome.memoryBefore <= bounds.shared + bounds.slack
            if isSmall, let open, open <= connections ?? 0 {
                outcome.released = left.duration(to: .now)
            } else {
                try? await Task.sleep(for: .milliseconds(200))
            }
        } while outcome.released == nil && left.duration(to: .now) < bounds.release
        outcome.diskGrowth = server.diskBytes - disk
        outcome.afterwards = await traffic.measure {}
        return outcome
    }

    private static func check(_ outcome: AttackOutcome, _ bounds: AttackBounds) {
        let problems = outcome.problems(bounds)
        func record() {
            for problem in problems { Issue.record("\(outcome.name): \(problem)") }
        }
        guard let reason = KnownAttacks.winning[outcome.name] else { return record() }
        if problems.isEmpty {
            print("    '\(outcome.name)' wins no more (\(reason)): remove it from KnownAttacks")
        } else {
            withKnownIssue("\(reason)") { record() }
        }
    }
}
