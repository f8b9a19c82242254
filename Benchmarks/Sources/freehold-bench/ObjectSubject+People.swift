import BenchModels
import Freehold

extension ObjectSubject {
    private var people: Results<Person> { realm.objects(Person.self) }

    func find(_ ids: [Int]) -> Int64 {
        var sum = 0
        for id in ids {
            let person = realm.object(ofType: Person.self, forPrimaryKey: id)!
            sum += person.age + person.name.utf8.count
        }
        return Int64(sum)
    }

    func walkScalars() -> Int64 {
        var sum = 0
        for person in people { sum &+= person.age &+ Int(person.score * 4) &+ (person.active ? 1 : 0) }
        return Int64(sum)
    }

    func walkWithText() -> Int64 {
        var sum = 0
        for person in people { sum &+= person.name.utf8.count &+ person.age &+ Int(person.score * 4) }
        return Int64(sum)
    }

    func count(_ condition: Condition) -> Int64 {
        let matching =
            switch condition {
            case .ageOver50: people.where { $0.age > 50 }
            case .nameEquals: people.where { $0.name == Condition.equalName }
            case .nameContains: people.where { $0.name.contains(Condition.contained) }
            case .nameContainsFolded:
                people.where { $0.name.contains(Condition.containedFolded, options: .caseInsensitive) }
            case .nameBegins: people.where { $0.name.starts(with: Condition.beginning) }
            case .nameBeginsFolded:
                people.where { $0.name.starts(with: Condition.beginningFolded, options: .caseInsensitive) }
            case .threeConditions: people.where { $0.age > 50 && $0.score < 500 && $0.active == true }
            }
        return Int64(matching.count)
    }

    func sumAges() -> Int64 { Int64(people.sum(of: \.age)) }

    func sumScores() -> Double { people.sum(of: \.score) }

    func sortedByName() -> [Int64] { people.sorted(by: \.name).map { Int64($0.id) } }
    func sortedByAge() -> [Int64] { people.sorted(by: \.age).map { Int64($0.id) } }
    func firstHundredByName() -> [Int64] {
        people.where { $0.age > 50 }.sorted(by: \.name).prefix(100).map { Int64($0.id) }
    }

    func findIndexed(_ numbers: [Int]) -> Int64 {
        let people = realm.objects(IndexedPerson.self)
        var sum = 0
        for number in numbers {
            let name = data.rows[number].name
            let person = people.where { $0.name == name }.first!
            sum += (person.age >= 0 ? 0 : 1) + name.utf8.count
        }
        return Int64(sum)
    }

    func updateAll() {
        write { for person in people { person.age += 1 } }
    }

    func update(_ ids: [Int]) {
        write { for id in ids { realm.object(ofType: Person.self, forPrimaryKey: id)!.age += 1 } }
    }

    func deleteUnder50() {
        write { realm.delete(people.where { $0.age < 50 }) }
    }
}
