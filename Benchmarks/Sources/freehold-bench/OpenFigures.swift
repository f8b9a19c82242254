import BenchMachine
import BenchModels
import Foundation
import Freehold

/// What `Realm()` costs: of a file that is closed, and of one that the process has open.
struct OpenFigures {
    private(set) var rows: [(name: String, microseconds: [Double])] = []
    private let folder: String
    private static let many: [ObjectBase.Type] = [
        Person.self, IndexedPerson.self, Owner.self, Dog.self, Address.self, Shelf.self, Article.self, Place.self,
        Shop.self, Wide.self,
    ]

    init(count: Int, folder: String, repeats: Int) {
        self.folder = folder
        fill(count, "open-one", types: [Person.self])
        fill(count, "open-many", types: Self.many)
        for _ in 0..<repeats {
            for (file, types, what) in [
                ("open-one", [Person.self] as [ObjectBase.Type], "a class"),
                ("open-many", Self.many, "\(Self.many.count) classes"),
            ] {
                let configuration = configuration(file, types)
                time("closed file, \(what), read one value", 20) { Self.openAndRead(configuration, count) }
                let kept = try! Realm(configuration: configuration)
                _ = kept.objects(Person.self).count
                time("open file, \(what), on the same thread", 500) { _ = try! Realm(configuration: configuration) }
                let openOnly: @Sendable () -> Void = { _ = try! Realm(configuration: configuration) }
                let openAndRead: @Sendable () -> Void = { Self.openAndRead(configuration, count) }
                note("open file, \(what), on another thread", Self.onAnotherThread { Self.time(500, openOnly) })
                note(
                    "open file, \(what), on another thread, read one value",
                    Self.onAnotherThread { Self.time(500, openAndRead) }
                )
                _ = kept.objects(Person.self).count
            }
        }
        for row in rows { progress("\(row.name): \(figure(median(row.microseconds))) µs") }
    }

    private func configuration(_ file: String, _ types: [ObjectBase.Type]) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: "\(folder)/\(file).realm"), objectTypes: types)
    }

    private static func openAndRead(_ configuration: Realm.Configuration, _ count: Int) {
        let realm = try! Realm(configuration: configuration)
        precondition(realm.object(ofType: Person.self, forPrimaryKey: count / 2)!.age >= 0)
    }

    /// Microseconds.
    private static func time(_ operations: Int, _ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        for _ in 0..<operations { body() }
        return (ContinuousClock.now - start) / .microseconds(1) / Double(operations)
    }

    private final class Answer: @unchecked Sendable { var value = 0.0 }

    private static func onAnotherThread(_ body: @escaping @Sendable () -> Double) -> Double {
        let answer = Answer()
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            answer.value = body()
            ended.signal()
        }
        ended.wait()
        return answer.value
    }

    private mutating func time(_ name: String, _ operations: Int, body: () -> Void) {
        note(name, Self.time(operations, body))
    }

    private mutating func note(_ name: String, _ value: Double) {
        if let i = rows.firstIndex(where: { $0.name == name }) {
            rows[i].microseconds.append(value)
        } else {
            rows.append((name, [value]))
        }
    }

    private func fill(_ count: Int, _ file: String, types: [ObjectBase.Type]) {
        for suffix in ["", "-lock", ".writer"] { unlink("\(folder)/\(file).realm" + suffix) }
        let realm = try! Realm(configuration: configuration(file, types))
        try! realm.write {
            for number in 0..<count {
                let row = Row(number)
                let person = Person()
                (person.id, person.name, person.age) = (number, row.name, Int(row.age))
                realm.add(person)
            }
        }
    }

    var markdown: String {
        var lines = ["## Opening", "", "Microseconds of `Realm()`: **median** (minimum).", "", "| | |", "|---|---:|"]
        for row in rows {
            lines.append(
                "| \(row.name) | **\(figure(median(row.microseconds)))** (\(figure(row.microseconds.min()!))) |"
            )
        }
        return lines.joined(separator: "\n")
    }
}
