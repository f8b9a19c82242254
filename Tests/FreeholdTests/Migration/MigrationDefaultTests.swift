import Foundation
import Synchronization
import Testing

@testable import Freehold

enum MDLevel: Int, PersistableEnum {
    case low = 1, high = 2
}

class MDDog: Object {
    @Persisted var name: String
    @Persisted(indexed: true) var level = MDLevel.low
    @Persisted var rank: MDLevel
    @Persisted var token = UUID()
    @Persisted var age = 7

    override class func compoundIndexes() -> [CompoundIndex] { [CompoundIndex(["level", "token"], isUnique: true)] }
}

/// A file of three dogs with names and, of text, ages.
private func writeDogs(_ base: Realm.Configuration, _ more: Property...) throws {
    let old = ObjectSchema("MDDog", properties: [Property("name", .string)] + more)
    try writeFile(migrationConfiguration(base, 1, [old])) { realm in
        for name in ["Rex", "Fay", "Max"] { realm.dynamicCreate("MDDog", value: ["name": name]) }
    }
}

struct MigrationDefaultTests {
    private func check(_ realm: Realm) {
        let dogs = realm.objects(MDDog.self)
        expectEqual(dogs.map(\.name), ["Rex", "Fay", "Max"])
        expect(dogs.allSatisfy { $0.level == .low && $0.rank == .low && $0.age == 7 })
        expectEqual(Set(dogs.map(\.token)).count, 3)
        expect(dogs.where { $0.level == .low }.count == 3 && dogs.where { $0.level == .high }.isEmpty)
    }

    @Test func `the additive mode gives existing objects the defaults before it builds indexes`() throws {
        try withNewFile { base in
            try writeDogs(base)
            let reports = Mutex<[MigrationProgress]>([])
            var configuration = base
            configuration.objectTypes = [MDDog.self]
            configuration.schemaMode = .additive
            configuration.migrationProgress = { report in reports.withLock { $0.append(report) } }
            let plan = try Realm.migrationPlan(for: configuration)
            expectEqual(plan.action, .addition)
            let costs = plan.steps.filter { $0.kind == .addProperty }.map(\.objects)
            expectEqual(costs, [3, 3, 3, 3], "\(plan)")
            for _ in 0..<2 {
                try readFile(configuration) { realm in
                    check(realm)
                    expectEqual(realm.core.view.userVersion, 1)
                }
            }
            let filled = reports.withLock { Set($0.map { $0.step.property ?? "" }) }
            expectEqual(filled, ["level", "rank", "token", "age"])
        }
    }

    @Test func `a program that has the file open sees the defaults that another program adds`() throws {
        try withNewFile { base in
            try writeDogs(base)
            let old = ObjectSchema("MDDog", properties: [Property("name", .string)])
            let open = try Realm(configuration: migrationConfiguration(base, 1, [old]))
            onOtherThread {
                var configuration = base
                configuration.objectTypes = [MDDog.self]
                configuration.schemaMode = .additive
                check(try Realm(configuration: configuration))
            }
            open.refresh()
            expectEqual(open.dynamicObjects("MDDog").map { $0["name"] as? String }, ["Rex", "Fay", "Max"])
        }
    }

    @Test func `a property with a changed type starts with defaults, too`() throws {
        try withNewFile { base in
            try writeDogs(base, Property("level", .string), Property("age", .string))
            var configuration = base
            configuration.objectTypes = [MDDog.self]
            configuration.schemaVersion = 2
            let plan = try Realm.migrationPlan(for: configuration)
            expect(
                plan.description.contains(
                    "change the type of 'MDDog.age' from 'string' to 'int', dropping its values (3 o"
                ),
                "\(plan)"
            )
            try readFile(configuration) { check($0) }
        }
    }
}
