import Foundation
import Testing

@testable import Freehold

// "Declare Enum Properties", enums as keys (C++), and characters (C#, Kotlin), which Swift maps by a custom type.

private enum TaskStatusEnum: String, PersistableEnum {
    case notStarted
    case inProgress
    case complete
}

private enum Priority: Int, PersistableEnum {
    case low = 1
    case high = 10
}

private enum Fullness: Double, PersistableEnum {
    case half = 0.5
    case full = 1
}

private enum SwiftTab {
    class Task: SeedObject {
        @Persisted var name: String = ""
        @Persisted var owner: String?
        // Required enum property
        @Persisted var status = TaskStatusEnum.notStarted
        // Optional enum property
        @Persisted var optionalTaskStatusEnum: TaskStatusEnum?
        @Persisted(indexed: true) var priority: Priority
        @Persisted var ratio = Fullness.full
        @Persisted var history: List<TaskStatusEnum>
    }
}

private enum CPlusPlus {
    class ByStatus: SeedObject {
        @Persisted(primaryKey: true) var status: TaskStatusEnum
        @Persisted var count = 0
    }
    class ByPriority: SeedObject {
        @Persisted(primaryKey: true) var priority: Priority?
        @Persisted var count = 0
    }
}

/// A character of C#'s and Kotlin's: one UTF-16 unit, stored as a number.
private struct Char: CustomPersistable, Hashable {
    var unit: UInt16 = 0
    init(_ character: Character) { unit = character.utf16.first! }
    init(persistedValue: Int) { unit = UInt16(truncatingIfNeeded: persistedValue) }
    var persistableValue: Int { Int(unit) }
    typealias PersistedType = Int
}

private enum CSharp {
    class ByChar: SeedObject {
        @Persisted(primaryKey: true) var letter: Char
        @Persisted(indexed: true) var other: Char
        @Persisted var optional: Char?
    }
}

@Suite("Seeds 000, 001, 002, 003: enums and characters")
struct SeedEnumTests {
    @Test
    func `Task: enums of every raw type, required, optional, indexed and in a list`() throws {
        typealias Task = SwiftTab.Task
        let file = SeedFile(Task.self)
        try file.open { realm in
            let task = Task(value: ["name": "a"])
            expect(task.status == .notStarted && task.optionalTaskStatusEnum == nil && task.priority == .low)
            task.history.append(objectsIn: [.notStarted, .inProgress])
            try realm.write { realm.add(task) }
            expect(realm.schema["Task"]?["status"]?.type == .string && realm.schema["Task"]?["priority"]?.type == .int)
        }
        try file.open { realm in
            let task = realm.objects(Task.self)[0]
            expect(task.status == .notStarted && Array(task.history) == [.notStarted, .inProgress])
            try realm.write {
                task.status = .inProgress
                task.optionalTaskStatusEnum = .complete
                task.priority = .high
                task.ratio = .half
                task.history[1] = .complete
            }
        }
        try file.open { realm in
            let tasks = realm.objects(Task.self)
            expectEqual(tasks.where { $0.status == .inProgress && $0.optionalTaskStatusEnum == .complete }.count, 1)
            expect(tasks.where { $0.priority == .high }.count == 1 && tasks[0].ratio == .half)
            expect(tasks[0]["status"] as? String == "inProgress" && tasks[0]["priority"] as? Int == 10)
            expectEqual(Array(tasks[0].history), [.notStarted, .complete])
            try realm.write { tasks[0].optionalTaskStatusEnum = nil }
            expectEqual(tasks.where { $0.optionalTaskStatusEnum == nil }.count, 1)
            try realm.write { realm.delete(tasks) }
        }
    }

    @Test
    func `A raw value that no case has is an error`() throws {
        let realm = try seedRealm(SwiftTab.Task.self)
        let code = thrownCode { try realm.write { _ = realm.create(SwiftTab.Task.self, value: ["status": "lost"]) } }
        expect(code == .invalidValue && realm.isEmpty)
    }

    @Test
    func `C++: an enum as primary key, required or optional`() throws {
        let file = SeedFile(CPlusPlus.ByStatus.self, CPlusPlus.ByPriority.self)
        try file.open { realm in
            try realm.write {
                for status in TaskStatusEnum.allCases {
                    _ = realm.create(CPlusPlus.ByStatus.self, value: [status, 1] as [Any])
                }
                _ = realm.create(
                    CPlusPlus.ByPriority.self,
                    value: ["priority": Priority.high, "count": 2] as [String: Any]
                )
                _ = realm.create(CPlusPlus.ByPriority.self)
            }
        }
        try file.open { realm in
            let complete = realm.object(ofType: CPlusPlus.ByStatus.self, forPrimaryKey: TaskStatusEnum.complete)
            expect(complete?.status == .complete && realm.objects(CPlusPlus.ByStatus.self).count == 3)
            expectEqual(realm.object(ofType: CPlusPlus.ByPriority.self, forPrimaryKey: Priority.high)?.count, 2)
            expectEqual(realm.objects(CPlusPlus.ByPriority.self).map(\.priority), [.high, nil])
            let code = thrownCode { try realm.write { _ = realm.create(CPlusPlus.ByStatus.self, value: ["complete"]) } }
            expectEqual(code, .duplicatePrimaryKey)
        }
    }

    @Test
    func `C#, Kotlin: a character as key, index and optional`() throws {
        typealias ByChar = CSharp.ByChar
        let file = SeedFile(ByChar.self)
        try file.open { realm in
            let object = ByChar()
            (object.letter, object.other) = (Char("a"), Char("é"))
            try realm.write { realm.add(object) }
        }
        try file.open { realm in
            let object = try require(realm.object(ofType: ByChar.self, forPrimaryKey: Char("a")))
            expect(object.other == Char("é") && object.optional == nil)
            expectEqual(realm.objects(ByChar.self).where { $0.other == Char("é") }.count, 1)
            try realm.write { object.optional = Char("z") }
            expectEqual(object.optional, Char("z"))
        }
    }
}
