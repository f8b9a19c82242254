import Foundation
import FreeholdEngine
import RealmFileReader
import TestRandom
import TestRealmFiles
import Testing

@testable import FreeholdImport

struct ConversionTests {
    private let place = ImportTally.Place("Word", property: "any")

    /// A dry run that has assigned keys to the objects of all classes.
    private func prepared() throws -> RealmImport {
        let run = RealmImport(try RealmFixture.format24.open(), nil, isDryRun: true)
        for item in run.classes { try run.readObjects(of: item) }
        return run
    }

    @Test(arguments: [0, 10_000], [false, true])
    func `a map of keys gives each object's new key, and none for others`(_ memory: Int, _ isScattered: Bool) throws {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
            ?? TestSeed.random(in: 0 ... .max)
        let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 25 : 2_000
        print("ConversionTests: FREEHOLD_SEED=\(seed), \(count) maps")
        var (random, cases) = (SeededRandom(seed: seed), 0)
        for _ in 0..<count {
            cases += 1
            let scratch = ScratchFile()
            let blockRuns = [1, 7, 512].randomElement(using: &random)!
            let map = KeyMap(scratch, memory: memory, blockRuns: blockRuns)
            var keys: [Int64: Int64] = [:]
            var (old, new) = (Int64.random(in: 0..<3, using: &random), Int64(0))
            for _ in 0..<Int.random(in: 0..<4000, using: &random) {
                map.append(old: old, new: ObjectKey(new))
                keys[old] = new
                if isScattered {
                    old += Int64.random(in: 1..<1 << 40, using: &random)
                    new += Int.random(in: 0..<999, using: &random) == 0 ? 2 : 1
                } else {
                    old += Int.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: 1..<1000, using: &random) : 1
                    new += Int.random(in: 0..<9, using: &random) == 0 ? 2 : 1
                }
            }
            for key in keys.keys { expectEqual(map[key]?.raw, keys[key]) }
            for _ in 0..<100 {
                let near = (keys.keys.randomElement(using: &random) ?? 0) + Int64.random(in: -2...2, using: &random)
                let key = Bool.random(using: &random) ? near : Int64.random(in: 0..<(old + 10), using: &random)
                expectEqual(map[key]?.raw, keys[key])
            }
            expect(map[.max] == nil)
            try scratch.check()
            if memory > 0 { expectEqual(scratch.size, 0) }
            // For scattered keys, the stored data is hardly larger than the keys themselves.
            if isScattered, blockRuns < 8 { expect(scratch.size <= keys.count * 9) }
        }
        expectEqual(cases, count)
    }

    @Test func `keys that can't be written to a file are an error`() throws {
        let scratch = ScratchFile(in: URL(fileURLWithPath: "/nowhere at all"))
        let map = KeyMap(scratch, memory: 0, blockRuns: 128)
        for i in 0..<1000 { map.append(old: Int64(i * 2), new: ObjectKey(Int64(i))) }
        expect(map[0] == nil)
        let error = #expect(throws: EngineError.self) { try scratch.check() }
        expect(error?.code == .io && error?.path == "/nowhere at all")
    }

    @Test(arguments: [
        ("plain", "plain"), ("a.b.c", "a%2Eb%2Ec"), ("$set", "%24set"), ("a$", "a$"), (".", "%2E"), ("", ""),
        ("é.", "é%2E"),
    ])
    func `keys that a dictionary doesn't permit are percent-encoded`(_ old: String, _ new: String) throws {
        let run = try prepared()
        expectEqual(run.name(old, place), new)
        expectEqual(run.tally.encodedKeys, (old == new ? [:] : [place: 1]))
    }

    @Test func `links without a target become null, and are counted`() throws {
        let run = try prepared()
        let word = run.file.requireClass("Word")
        let there = Value.objectLink(ObjectLink(tableID: word.number, key: ObjectKey(0)))
        let gone = Value.objectLink(ObjectLink(tableID: word.number, key: ObjectKey(7)))
        let nowhere = Value.objectLink(ObjectLink(tableID: 4711, key: ObjectKey(0)))
        expect(run.converted(there, target: nil, at: place) == there && run.tally.missingTargets.isEmpty)
        expect(
            run.converted(gone, target: nil, at: place) == .null
                && run.converted(nowhere, target: nil, at: place) == .null
        )
        expectEqual(run.converted(.link(ObjectKey(7)), target: word.number, at: place), .null)
        let nested = Value.list(NestedList([.int(1), nowhere, .dictionary(NestedDictionary([.init("a.b", gone)]))]))
        let expected = Value.list(NestedList([.int(1), .null, .dictionary(NestedDictionary([.init("a%2Eb", .null)]))]))
        expectEqual(run.converted(nested, target: nil, at: place), expected)
        expect(run.tally.missingTargets == [place: 5] && run.tally.encodedKeys == [place: 1])
        var report = run.report
        run.tally.enter(into: &report)
        expectEqual(report.notes.map(\.kind), [.missingTarget, .encodedKeys])
        expect(report.notes.allSatisfy { $0.className == "Word" && $0.property == "any" })
        expect(report.description.contains("note: Word.any: 5 links lead to no object"))
    }
}
