import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Results: misuse of orders, groups and sections traps")
struct StageTrapTests {
    private func expectTrap(_ result: ExitTest.Result?, _ words: [String]) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }

    static let misuses: [(kind: Int, words: [String])] = [
        (0, ["StageDog", "nothing"]), (1, ["StageDog", "best", "object"]), (2, ["StageDog", "marks", "several"]),
        (3, ["@max"]), (4, ["StageDog", "owners", "several"]), (5, ["StageDog", "name", "aggregated"]),
        (6, ["StageDog", "born", "aggregated"]), (7, ["self", "name"]), (8, ["self"]), (9, ["no property 'age'"]),
        (10, ["unmanaged"]), (11, ["unmanaged"]), (12, ["filtered"]), (13, ["name", "aggregated"]),
    ]

    @Test(arguments: misuses)
    func `paths without an order, and those that can't be aggregated, trap`(misuse: (kind: Int, words: [String])) async
    {
        let kind: Int = misuse.kind
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [kind = kind as Int] in
            let realm = try stageRealm()
            let owner = StageOwner()
            try realm.write { realm.add(owner) }
            let dogs = realm.objects(StageDog.self)
            switch kind {
            case 0: _ = dogs.sorted(byKeyPath: "best.nothing")
            case 1: _ = dogs.sorted(by: \.best)
            case 2: _ = dogs.distinct(by: ["marks"])
            case 3: _ = dogs.sorted(byKeyPath: "marks.@max")
            case 4: _ = dogs.sorted(byKeyPath: "owners.name")
            case 5: _ = dogs.sum(ofProperty: "name") as Int
            case 6: _ = dogs.average(ofProperty: "born") as Double?
            case 7: _ = owner.numbers.sorted(byKeyPath: "name")
            case 8: _ = owner.numbers.sorted(by: ["self", "self"])
            case 9: _ = owner.numbers.sum(ofProperty: "age") as Int
            case 10: _ = StageOwner().dogs.sorted(by: \.name)
            case 11: _ = StageOwner().byName.distinct(by: ["name"])
            case 12: _ = owner.numbers.where { $0 > 1 }
            default: _ = StageOwner().dogs.sum(ofProperty: "name") as Int
            }
        }
        expectTrap(result, misuse.words)
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func `sections without descriptor, by another property, or by objects trap`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let dogs = try stageRealm().objects(StageDog.self)
            switch kind {
            case 0: _ = dogs.sectioned(by: { $0.name }, sortDescriptors: [])
            case 1: _ = dogs.sectioned(by: \.name, sortDescriptors: ["age"])
            case 2: _ = dogs.sectioned(by: { $0.best }, sortDescriptors: ["id"])
            case 3: _ = dogs.sectioned(by: \.name)[0]
            default: _ = dogs.grouped(by: \.name)[0]
            }
        }
        let words = ["descriptor", "'name' first", "no order", "Section 0", "0 groups"]
        expectTrap(result, [words[kind]])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a raw value without a case, in a list, set or map, traps`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try stageRealm()
            let owner = StageOwner()
            try realm.write {
                realm.add(owner)
                let transaction = realm.core.transaction!
                let table = transaction.schema.table(named: "StageOwner")!
                let unknown = FreeholdEngine.Value.string("unheard of")
                for name in ["moods", "moodSet", "moodMap"] {
                    let column = table.column(named: name)!
                    switch name {
                    case "moods": try transaction.listAppend(column, owner._key, values: [unknown])
                    case "moodSet": _ = try transaction.setInsert(column, owner._key, value: unknown)
                    default: try transaction.dictionarySet(column, owner._key, forKey: "a", to: unknown)
                    }
                }
            }
            switch kind {
            case 0: _ = owner.moods[0]
            case 1: _ = owner.moodSet[0]
            case 2: _ = owner.moodMap["a"]
            default: for entry in owner.moodMap { _ = entry.value }
            }
        }
        expectTrap(result, ["unheard of", "StageMood"])
    }
}
