// The views are compiled and evaluated here in the development of Freehold, with a module that has SwiftUI's interfaces.
#if SwiftUIShapes
    import ChoresModel
    import ChoresViews
    import Foundation
    import RealmSwift
    import SwiftUIShapes
    import Testing

    @Suite("Chores: the views")
    @MainActor
    struct ViewTests {
        private func realm() throws -> Realm {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "views of chores \(UUID())",
                    objectTypes: Chore.storedClasses
                )
            )
            try realm.write { realm.add(Chore.samples) }
            return realm
        }

        @Test func `chores are listed, searched, marked, edited, added and deleted`() async throws {
            let realm = try realm()
            var environment = EnvironmentValues()
            environment.realm = realm
            let host = ViewHost(environment: environment) { ChoreList() }
            #expect(host.texts(.header) == ["Balcony", "Kitchen"])
            #expect(host.texts(.toggle).sorted() == ["Clean the oven", "Wash the dishes", "Water the plants"])
            #expect(host.texts() == ["Soak the pans", "Dry the glasses"])

            host.field("Search chores").wrappedValue = "oven"
            try await host.wait { $0.texts(.toggle) == ["Clean the oven"] }
            host.toggle("Clean the oven").wrappedValue = true
            #expect(realm.objects(Chore.self).where { $0.isDone }.map(\.title) == ["Clean the oven"])
            host.field("Title").wrappedValue = "Clean the oven well"
            try await host.wait { $0.texts(.toggle) == ["Clean the oven well"] }
            host.tap("Add a step")
            try await host.wait { $0.texts() == ["Step 1"] }
            host.field("Search chores").wrappedValue = ""
            try await host.wait { $0.texts(.toggle).count == 3 }

            host.tap("New chore")
            try await host.wait { $0.texts(.header).contains("New chore") }
            host.field("New title").wrappedValue = "Sweep"
            host.field("New room").wrappedValue = "Attic"
            try await host.wait { $0.texts(.button).contains("Save Sweep") }
            host.tap("Save Sweep")
            try await host.wait { $0.texts(.header) == ["Attic", "Balcony", "Kitchen"] }
            // The list of the room is after that of the steps.
            host.deleteRows([0], list: 1)
            try await host.wait { $0.texts(.header) == ["Balcony", "Kitchen"] }
        }

        @Test func `the workload is shown`() async throws {
            let realm = try realm()
            let workload = Workload(realm)
            let host = ViewHost { WorkloadView(workload) }
            try await host.wait { $0.texts() == ["0 % done", "Kitchen: 30 minutes", "Balcony: 5 minutes"] }
            try realm.write { realm.objects(Chore.self).where { $0.room == "Balcony" }.first!.isDone = true }
            try await host.wait { $0.texts() == ["33 % done", "Kitchen: 30 minutes"] }
        }

        @Test func `previews have chores`() {
            let host = ViewHost { ChoreList().environment(\.realm, PreviewData.realm) }
            #expect(host.texts(.toggle).count == 3)
        }
    }
#endif
