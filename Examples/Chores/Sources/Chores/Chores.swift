import ChoresModel
import ChoresViews
import Foundation
import RealmSwift

#if canImport(SwiftUI)
    import SwiftUI

    @main
    struct ChoresApp: SwiftUI.App {
        private let realm: Realm

        init() {
            realm = try! Realm(configuration: Realm.Configuration(objectTypes: Chore.storedClasses))
        }

        var body: some Scene {
            WindowGroup {
                TabView {
                    ChoreList().tabItem { Text("Chores") }
                    WorkloadView(Workload(realm)).tabItem { Text("Workload") }
                }
                .environment(\.realm, realm)
            }
        }
    }
#else
    /// Prints the workload of the samples on systems without SwiftUI.
    @main
    struct ChoresApp {
        @MainActor
        static func main() async throws {
            let realm = try await Realm(
                configuration: Realm.Configuration(inMemoryIdentifier: "chores", objectTypes: Chore.storedClasses),
                actor: MainActor.shared
            )
            let workload = Workload(realm)
            try await realm.asyncWrite { realm.add(Chore.samples) }
            while workload.rooms.isEmpty { await Task.yield() }
            print("This system has no SwiftUI. The workload of the sample chores:")
            for room in workload.rooms { print("  \(room.name): \(room.minutes) minutes") }
        }
    }
#endif
