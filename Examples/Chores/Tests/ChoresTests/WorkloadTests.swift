import ChoresModel
import Foundation
import RealmSwift
import Testing

@Suite("Chores: the view model")
@MainActor
struct WorkloadTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "chores \(UUID())",
                objectTypes: Chore.storedClasses
            ),
            actor: MainActor.shared
        )
        try realm.write { realm.add(Chore.samples) }
        return realm
    }

    /// Waits until a condition is true.
    private func wait(until condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < end)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test func `the rooms follow the chores`() async throws {
        let realm = try await realm()
        let workload = Workload(realm)
        func texts() -> [String] { workload.rooms.map { "\($0.name) \($0.minutes)" } }
        try await wait { texts() == ["Kitchen 30", "Balcony 5"] }
        try realm.write {
            realm.objects(Chore.self).where { $0.room == "Kitchen" }.forEach { $0.isDone = true }
            realm.add(Chore("Sweep", room: "Balcony", minutes: 7))
        }
        try await wait { texts() == ["Balcony 12"] }
        try await wait { workload.progress == 0.5 }
    }

    @Test func `a household without chores has no workload`() async throws {
        let realm = try await realm()
        let workload = Workload(realm)
        try await wait { !workload.rooms.isEmpty }
        try realm.write { realm.deleteAll() }
        try await wait { workload.rooms.isEmpty }
        #expect(workload.progress == 0)
    }
}
