import BenchModels
import Foundation
import Freehold

/// Freehold as a program uses it: live Swift objects, `realm.add`, `Results`.
final class ObjectSubject: Subject {
    let layer = Layer.objects
    let data: Dataset
    let folder: String
    var kind = FileKind.people
    var realm: Realm!

    init(_ data: Dataset, folder: String) {
        self.data = data
        self.folder = folder
    }

    var version: String { "this package" }

    func path(_ kind: FileKind) -> String { "\(folder)/\(layer.fileName)-\(kind.rawValue).realm" }

    var isKennel: Bool { kind == .kennel || kind == .linked || kind == .lists }

    func create(_ kind: FileKind) {
        close()
        for suffix in ["", "-lock", ".writer"] { unlink(path(kind) + suffix) }
        open(kind)
    }

    func open(_ kind: FileKind) {
        close()
        self.kind = kind
        let types: [ObjectBase.Type] =
            kind.hasShelves
            ? [Shelf.self, Address.self]
            : kind == .articles
                ? [Article.self]
                : kind == .shops
                    ? [Shop.self, Place.self]
                    : isKennel ? [Owner.self, Dog.self] : kind == .indexed ? [IndexedPerson.self] : [Person.self]
        attempt {
            realm = try Realm(
                configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: path(kind)), objectTypes: types)
            )
        }
    }

    func close() { realm = nil }

    @discardableResult
    func attempt<R>(_ body: () throws -> R) -> R {
        do { return try body() } catch { fail("Freehold's objects: \(error)") }
    }

    func write(_ body: () -> Void) {
        attempt { try realm.write { body() } }
    }

    private func add(_ row: Row) {
        let created = Date(timeIntervalSince1970: Double(row.created) / 1e6)
        switch kind {
        case .indexed:
            let person = IndexedPerson()
            person.id = Int(row.id)
            person.name = row.name
            person.age = Int(row.age)
            person.score = row.score
            person.active = row.active
            person.created = created
            realm.add(person)
        case .kennel, .linked, .lists:
            let owner = Owner()
            owner.id = Int(row.id)
            owner.name = row.name
            owner.age = Int(row.age)
            owner.score = row.score
            owner.active = row.active
            owner.created = created
            realm.add(owner)
        default:
            let person = Person()
            person.id = Int(row.id)
            person.name = row.name
            person.age = Int(row.age)
            person.score = row.score
            person.active = row.active
            person.created = created
            realm.add(person)
        }
    }

    func insert(_ numbers: ArraySlice<Int>, perTransaction: Int) {
        var start = numbers.startIndex
        while start < numbers.endIndex {
            let end = min(start + perTransaction, numbers.endIndex)
            write { for number in numbers[start..<end] { add(data.rows[number]) } }
            start = end
        }
    }

    /// Runs the body on stored objects of eight properties, in a realm of their own.
    func withWide(_ count: Int, _ body: ([Wide]) -> Int64) -> Int64 {
        attempt {
            let realm = try Realm(
                configuration: Realm.Configuration(inMemoryIdentifier: "wide", objectTypes: [Wide.self])
            )
            try realm.write {
                for number in 0..<count {
                    let wide = Wide()
                    wide.second = number
                    wide.third = "third"
                    realm.add(wide)
                }
            }
            return body(Array(realm.objects(Wide.self)))
        }
    }

    func insertGenerated(count: Int) {
        write { for number in 0..<count { add(Row(number)) } }
    }

    func countPeople() -> Int64 {
        switch kind {
        case .indexed: Int64(realm.objects(IndexedPerson.self).count)
        case .kennel, .linked, .lists: Int64(realm.objects(Owner.self).count)
        default: Int64(realm.objects(Person.self).count)
        }
    }

    func openAndReadOne(_ kind: FileKind, id: Int) -> Int64 {
        open(kind)
        let age = realm.object(ofType: Person.self, forPrimaryKey: id)!.age
        close()
        return Int64(age)
    }
}
