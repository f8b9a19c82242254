#if canImport(SwiftUI) || SwiftUIShapes
    import ChoresModel
    public import RealmSwift
    #if canImport(SwiftUI)
        import SwiftUI
    #else
        import SwiftUIShapes
    #endif

    /// The chores of previews: a realm in memory.
    @MainActor
    public enum PreviewData {
        public static let realm: Realm = {
            let realm = try! Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "previews",
                    objectTypes: Chore.storedClasses
                )
            )
            try! realm.write { if realm.isEmpty { realm.add(Chore.samples) } }
            return realm
        }()
    }

    #if canImport(SwiftUI)
        #Preview("All chores") { ChoreList().environment(\.realm, PreviewData.realm) }
        #Preview("One chore") { ChoreEditor(chore: PreviewData.realm.objects(Chore.self).first!) }
    #endif
#endif
