#if canImport(SwiftUI) || SwiftUIShapes
    public import Foundation
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold

    private struct ConfigurationKey: EnvironmentKey {
        static var defaultValue: Realm.Configuration { .defaultConfiguration }
    }

    private struct PartitionValueKey: EnvironmentKey {
        static var defaultValue: (any PartitionValue)? { nil }
    }

    /// A value by which an app divides its objects, such as the id of a user.
    public protocol PartitionValue: Sendable {}

    extension String: PartitionValue {}
    extension Int: PartitionValue {}
    extension Int32: PartitionValue {}
    extension Int64: PartitionValue {}
    extension UUID: PartitionValue {}
    extension ObjectId: PartitionValue {}

    extension EnvironmentValues {
        /// The configuration of the realm that views use.
        public var realmConfiguration: Realm.Configuration {
            get { self[ConfigurationKey.self] }
            set { self[ConfigurationKey.self] = newValue }
        }

        /// The realm that views use. Reading it opens the realm on the main thread.
        ///
        /// If the realm can't be opened, the error is written to the standard error stream, and the value is an empty realm
        /// in memory without classes. The process continues, because a view can read the value before it replaces it.
        /// Setting the value sets `realmConfiguration`.
        public var realm: Realm {
            get {
                do { return try Realm(configuration: realmConfiguration) } catch {
                    let text = "The realm of the environment couldn't be opened: \(error)\n"
                    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
                    let empty = Realm.Configuration(inMemoryIdentifier: "FreeholdSwiftUI.empty", objectTypes: [])
                    guard let realm = try? Realm(configuration: empty) else {
                        fatalError("The realm of the environment couldn't be opened: \(error)")
                    }
                    return realm
                }
            }
            set { realmConfiguration = newValue.configuration }
        }

        /// A value by which views choose their objects: `where: { $0.owner == partitionValue }`. Freehold doesn't divide
        /// files by it.
        public var partitionValue: (any PartitionValue)? {
            get { self[PartitionValueKey.self] }
            set { self[PartitionValueKey.self] = newValue }
        }
    }
#endif
