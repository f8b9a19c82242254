import BenchMachine
import BenchModels
import Foundation
import Freehold
import Synchronization

/// Readers of one process, each with a realm of its own on a thread of its own: how many operations a second all of them do
/// together, and how many times a single one's that is.
final class ThreadFigures {
    enum Work: String, CaseIterable {
        case find = "find by primary key, random, read Int + String"
        case findText = "find by primary key, random, read through the accessor twice"
        case walk = "walk objects, read 3 properties (Int, Double, Bool)"
        case walkText = "walk objects, read 3 properties (String, Int, Double)"
        case links = "read a link, and a property behind it"
        case lists = "read 3 Ints of a list"
        case first = "indexed string equality, first match read"
        case count = "count of a condition (an operation: an object)"
    }

    struct Row {
        let name: String
        let readers: Int
        let isBesideWriter: Bool
        /// A second, of all readers.
        var rates: [Double] = []
        /// Commits a second.
        var commits: [Double] = []
        var best: Double { rates.max() ?? .nan }
    }

    private(set) var rows: [Row] = []
    private let count: Int
    private let folder: String
    private let time: Double
    private static let types: [ObjectBase.Type] = [Person.self, IndexedPerson.self, Owner.self, Dog.self]

    /// - Parameter only: names of works that are measured; nil for all.
    init(count: Int, folder: String, repeats: Int, time: Double, only: String? = nil) {
        self.count = count
        self.folder = folder
        self.time = time
        fill()
        let works = Work.allCases.filter { only.map($0.rawValue.contains) ?? true }
        // The first access to the file takes longer, so it isn't a part of any figure.
        for work in works { _ = measure(work, readers: 1, isBesideWriter: false, time: 0.05) }
        for _ in 0..<repeats {
            for work in works {
                for readers in [1, 2, 4] { note(work, readers, isBesideWriter: false) }
            }
            guard works.contains(.find) else { continue }
            for readers in [1, 2, 4] { note(.find, readers, isBesideWriter: true) }
        }
        for row in rows { progress("\(row.name), \(row.readers): \(figure(row.best))/s") }
    }

    private var configuration: Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: folder + "/threads.realm"), objectTypes: Self.types)
    }

    private func fill() {
        for suffix in ["", "-lock", ".writer"] { unlink(folder + "/threads.realm" + suffix) }
        let realm = try! Realm(configuration: configuration)
        try! realm.write {
            var dogs: [Dog] = []
            for number in 0..<max(1, count / 10) {
                let dog = Dog()
                dog.id = number
                dog.age = number % 20
                realm.add(dog)
                dogs.append(dog)
            }
            for number in 0..<count {
                let row = Row2(number)
                let person = Person()
                (person.id, person.name, person.age) = (number, row.name, row.age)
                (person.score, person.active) = (Double(number % 4000) / 4, number % 2 == 0)
                realm.add(person)
                guard number % 4 == 0 else { continue }
                let indexed = IndexedPerson()
                (indexed.id, indexed.name, indexed.age) = (number, row.name, row.age)
                realm.add(indexed)
                let owner = Owner()
                owner.id = number
                owner.dog = dogs[number % dogs.count]
                owner.numbers.append(objectsIn: [number, number + 1, number + 2])
                realm.add(owner)
            }
        }
    }

    private struct Row2 {
        let name: String
        let age: Int
        init(_ number: Int) {
            let row = freehold_bench.Row(number)
            name = row.name
            age = Int(row.age)
        }
    }

    private func note(_ work: Work, _ readers: Int, isBesideWriter: Bool) {
        let name = work.rawValue + (isBesideWriter ? ", beside a writer" : "")
        let found = measure(work, readers: readers, isBesideWriter: isBesideWriter, time: time)
        let i =
            rows.firstIndex { $0.name == name && $0.readers == readers }
            ?? {
                rows.append(Row(name: name, readers: readers, isBesideWriter: isBesideWriter))
                return rows.count - 1
            }()
        rows[i].rates.append(found.rate)
        if isBesideWriter { rows[i].commits.append(found.commits) }
    }

    private final class Race: Sendable {
        let ready = Atomic<Int>(0)
        let isOn = Atomic<Bool>(false)
        let isOver = Atomic<Bool>(false)
        let done = Atomic<Int>(0)
        let commits = Atomic<Int>(0)
    }

    private func measure(
        _ work: Work,
        readers: Int,
        isBesideWriter: Bool,
        time: Double
    ) -> (rate: Double, commits: Double) {
        let race = Race()
        let ended = DispatchGroup()
        func start(_ body: @escaping @Sendable () -> Void) {
            ended.enter()
            let thread = Thread {
                body()
                ended.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        let (configuration, count) = (configuration, count)
        for reader in 0..<readers {
            start {
                let realm = try! Realm(configuration: configuration)
                race.ready.add(1, ordering: .relaxed)
                while !race.isOn.load(ordering: .acquiring) { usleep(100) }
                var random = Random(UInt64(reader) + 99)
                var done = 0
                var sum = 0
                while !race.isOver.load(ordering: .relaxed) {
                    if isBesideWriter { realm.refresh() }
                    done += Self.batch(work, realm, count: count, random: &random, sum: &sum)
                }
                race.done.add(done, ordering: .relaxed)
                precondition(sum != .min)
            }
        }
        if isBesideWriter {
            start {
                let realm = try! Realm(configuration: configuration)
                while !race.isOn.load(ordering: .acquiring) { usleep(100) }
                var random = Random(7)
                while !race.isOver.load(ordering: .relaxed) {
                    try! realm.write {
                        for _ in 0..<10 {
                            realm.object(ofType: Person.self, forPrimaryKey: random.below(count))!.age += 1
                        }
                    }
                    race.commits.add(1, ordering: .relaxed)
                }
            }
        }
        while race.ready.load(ordering: .relaxed) < readers { usleep(200) }
        let began = ContinuousClock.now
        race.isOn.store(true, ordering: .releasing)
        usleep(UInt32(time * 1e6))
        race.isOver.store(true, ordering: .relaxed)
        ended.wait()
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        return (
            Double(race.done.load(ordering: .relaxed)) / seconds,
            Double(race.commits.load(ordering: .relaxed)) / seconds
        )
    }

    /// - Returns: how many operations it did.
    private static func batch(
        _ work: Work,
        _ realm: Realm,
        count: Int,
        random: inout Random,
        sum: inout Int
    ) -> Int {
        switch work {
        case .find:
            for _ in 0..<1000 {
                let person = realm.object(ofType: Person.self, forPrimaryKey: random.below(count))!
                sum &+= person.age &+ person.name.utf8.count
            }
            return 1000
        case .findText:
            for _ in 0..<1000 {
                let person = realm.object(ofType: IndexedPerson.self, forPrimaryKey: random.below(count) & ~3)!
                sum &+= person.age &+ Int(person.created.timeIntervalSince1970) &+ person.id
            }
            return 1000
        case .walk:
            var done = 0
            for person in realm.objects(Person.self) {
                sum &+= person.age &+ Int(person.score * 4) &+ (person.active ? 1 : 0)
                done += 1
                if done == 20_000 { break }
            }
            return done
        case .walkText:
            var done = 0
            for person in realm.objects(Person.self) {
                sum &+= person.name.utf8.count &+ person.age &+ Int(person.score * 4)
                done += 1
                if done == 20_000 { break }
            }
            return done
        case .links:
            var done = 0
            for owner in realm.objects(Owner.self) {
                sum &+= owner.dog?.age ?? 0
                done += 1
                if done == 5_000 { break }
            }
            return done
        case .lists:
            var done = 0
            for owner in realm.objects(Owner.self) {
                for number in owner.numbers { sum &+= number }
                done += 1
                if done == 2_000 { break }
            }
            return done
        case .first:
            let people = realm.objects(IndexedPerson.self)
            for _ in 0..<100 {
                let name = Row2(random.below(count) & ~3).name
                sum &+= people.where { $0.name == name }.first!.age
            }
            return 100
        case .count:
            sum &+= realm.objects(Person.self).where { $0.age > 50 }.count
            return count
        }
    }

    var markdown: String {
        var lines = [
            "## Readers of several threads", "",
            "Threads of one process, each with a realm of its own, \(grouped(count)) objects; operations a second of all readers "
                + "together, the best of \(rows.first?.rates.count ?? 0) runs, and how many times a single reader's that is. The "
                + "writer commits 10 changes at a time; its readers refresh after each thousand operations.",
            "", "| | 1 reader | 2 readers | 4 readers |", "|---|---:|---:|---:|",
        ]
        var names: [String] = []
        for row in rows where !names.contains(row.name) { names.append(row.name) }
        for name in names {
            let found = rows.filter { $0.name == name }
            let cells = found.map { row in
                let commits = row.commits.isEmpty ? "" : ", \(figure(row.commits.max()!)) commits"
                let scale = row.readers == 1 ? "" : String(format: " (%.2f ×)", row.best / found[0].best)
                return grouped(Int(row.best)) + scale + commits
            }
            lines.append("| \(name) | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }
}
