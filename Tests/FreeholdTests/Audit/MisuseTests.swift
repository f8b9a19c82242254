import Foundation
import Testing

@testable import Freehold

/// Misuse that traps, each in a process of its own. The message names the rule, and the place if possible.
@Suite("Misuse of lists, objects and realms traps")
struct MisuseTests {
    enum Misuse: String, CaseIterable, Sendable, Codable, CustomTestStringConvertible {
        case negativeIndex, indexAtEnd, insertBehindEnd, removeAtEnd, removeFirstOfNone, removeLastOfTooMany
        case rangeBehindEnd, replaceBehindEnd, moveBehindEnd, swapBehindEnd, offsetsBehindEnd, setBehindEnd
        case linkingObjects, results, appendOutside, removeOutside, deleteOutside, createOutside, deleteAllOutside
        case listOfDeleted, setOfDeleted, addDeleted, deleteTwice, deleteUnmanaged, deleteForeign, linkForeign
        case unknownProperty, keyOfOtherType, noPrimaryKey, cancelOutside, assignLinkingObjects, queryUnmanaged
        case subscriptOutside, aggregateOfText

        var testDescription: String { rawValue }

        var words: [String] {
            switch self {
            case .negativeIndex, .indexAtEnd, .insertBehindEnd, .removeAtEnd, .rangeBehindEnd, .replaceBehindEnd,
                .moveBehindEnd, .swapBehindEnd, .offsetsBehindEnd, .setBehindEnd, .linkingObjects, .results:
                ["out of bounds", "count"]
            case .removeFirstOfNone, .removeLastOfTooMany: ["can't be removed", "count"]
            case .appendOutside, .removeOutside, .deleteOutside, .createOutside, .deleteAllOutside, .subscriptOutside:
                ["outside a write transaction", "realm.write"]
            case .listOfDeleted, .setOfDeleted, .addDeleted, .deleteTwice: ["deleted", "isInvalidated"]
            case .deleteUnmanaged: ["unmanaged", "RTDog"]
            case .deleteForeign, .linkForeign: ["another realm", "RTDog"]
            case .unknownProperty: ["RTDog", "nothing"]
            case .keyOfOtherType: ["primary key", "RTDog"]
            case .noPrimaryKey: ["RTPerson", "no primary key"]
            case .cancelOutside: ["cancelWrite", "without a write transaction"]
            case .assignLinkingObjects: ["LinkingObjects"]
            case .queryUnmanaged: ["unmanaged"]
            case .aggregateOfText: ["name"]
            }
        }

        func run(isManaged: Bool) throws {
            let realm = try newRealm()
            let person = RTPerson(name: "Ann"), dog = RTDog(id: 1)
            person.scores.append(objectsIn: [1, 2, 3])
            person.dogs.append(dog)
            if isManaged { try realm.write { realm.add(person) } }
            let list = person.scores
            if isManaged && !isOutside { realm.beginWrite() }
            switch self {
            case .negativeIndex: _ = list[-1]
            case .indexAtEnd: _ = list[3]
            case .setBehindEnd: list[3] = 1
            case .insertBehindEnd: list.insert(1, at: 4)
            case .removeAtEnd: list.remove(at: 3)
            case .removeFirstOfNone:
                list.removeAll()
                list.removeFirst()
            case .removeLastOfTooMany: list.removeLast(4)
            case .rangeBehindEnd: list.removeSubrange(2..<4)
            case .replaceBehindEnd: list.replaceSubrange(3..<5, with: [1])
            case .moveBehindEnd: list.move(from: 0, to: 3)
            case .swapBehindEnd: list.swapAt(0, 3)
            case .offsetsBehindEnd: list.remove(atOffsets: [0, 3])
            case .linkingObjects: _ = dog.owners[1]
            case .results: _ = realm.objects(RTDog.self)[-1]
            case .appendOutside: list.append(4)
            case .removeOutside: list.removeAll()
            case .deleteOutside: realm.delete(dog)
            case .createOutside: realm.create(RTDog.self, value: [2])
            case .deleteAllOutside: realm.deleteAll()
            case .subscriptOutside: dog["age"] = 5
            case .listOfDeleted:
                realm.delete(person)
                _ = list.count
            case .setOfDeleted:
                realm.delete(dog)
                dog.age = 5
            case .addDeleted:
                realm.delete(dog)
                realm.add(dog)
            case .deleteTwice:
                realm.delete(dog)
                realm.delete(dog)
            case .deleteUnmanaged: realm.delete(RTDog(id: 2))
            case .deleteForeign, .linkForeign:
                let other = try newRealm()
                try other.write {
                    if self == .deleteForeign {
                        other.delete(dog)
                    } else {
                        other.create(RTPerson.self).favourite = dog
                    }
                }
            case .unknownProperty: _ = dog["nothing"]
            case .keyOfOtherType: _ = realm.object(ofType: RTDog.self, forPrimaryKey: "text")
            case .noPrimaryKey: _ = realm.object(ofType: RTPerson.self, forPrimaryKey: 1)
            case .cancelOutside: realm.cancelWrite()
            case .assignLinkingObjects: dog.owners = dog.owners
            case .queryUnmanaged: _ = RTPerson().dogs.where { $0.age > 1 }
            case .aggregateOfText: _ = realm.objects(RTDog.self).sum(ofProperty: "name") as Int
            }
        }

        var isOutside: Bool {
            switch self {
            case .appendOutside, .removeOutside, .deleteOutside, .createOutside, .deleteAllOutside, .subscriptOutside,
                .cancelOutside:
                true
            default: false
            }
        }

        /// Those of unmanaged lists.
        static let ofLists: [Misuse] = [
            .negativeIndex, .indexAtEnd, .insertBehindEnd, .removeAtEnd, .removeFirstOfNone, .removeLastOfTooMany,
            .rangeBehindEnd, .replaceBehindEnd, .moveBehindEnd, .swapBehindEnd, .offsetsBehindEnd, .setBehindEnd,
        ]
    }

    @Test(arguments: Misuse.allCases)
    func `misuse of managed objects traps`(_ misuse: Misuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
            try misuse.run(isManaged: true)
            exit(0)
        }
        expectTrap(result, misuse)
    }

    @Test(arguments: Misuse.ofLists)
    func `misuse of unmanaged lists traps`(_ misuse: Misuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
            try misuse.run(isManaged: false)
            exit(0)
        }
        expectTrap(result, misuse)
    }

    private func expectTrap(_ result: ExitTest.Result?, _ misuse: Misuse) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("Fatal error: Freehold: "), "\(misuse): \(message.prefix(500))")
        for word in misuse.words { expect(message.contains(word), "\(misuse): \(message.prefix(500))") }
    }
}
