#if (canImport(SwiftUI) || SwiftUIShapes) && Sync
    #if canImport(SwiftUI)
        public import Combine
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold
    import FreeholdCombine
    public import FreeholdSync

    /// The opening of a user's synced realm, for a view. It begins when the view is first evaluated, and waits until the
    /// realm has downloaded the objects of its subscriptions.
    ///
    /// ```swift
    /// struct Start: View {
    ///     @AsyncOpen(appId: "dogs") var opening
    ///
    ///     var body: some View {
    ///         switch opening {
    ///         case .waitingForUser: LoginView()
    ///         case .connecting: ProgressView()
    ///         case .progress(let progress): ProgressView(progress)
    ///         case .open(let realm): DogList().environment(\.realm, realm)
    ///         case .error(let error): Text(error.localizedDescription)
    ///         }
    ///     }
    /// }
    /// ```
    /// If no user is logged in, the state is `.waitingForUser` until a log-in. The opening begins again for another user.
    /// ``AutoOpen`` differs in one case only: if the opening fails, for example because the server can't be reached, it opens
    /// the realm with its present contents. With `@AsyncOpen` the state is then `.error`.
    public typealias AsyncOpen = _Opening<_StrictOpening>

    /// The opening of a user's synced realm, like ``AsyncOpen``, except that the realm is opened with its present contents if
    /// the opening fails, for example because the server can't be reached.
    public typealias AutoOpen = _Opening<_OfflineOpening>

    /// The handling of an opening that fails.
    public protocol _OpeningMode {
        /// A Boolean value that indicates whether the realm is opened with its present contents.
        static var _opensOffline: Bool { get }
    }

    public enum _StrictOpening: _OpeningMode { public static var _opensOffline: Bool { false } }
    public enum _OfflineOpening: _OpeningMode { public static var _opensOffline: Bool { true } }

    /// The property wrapper of ``AsyncOpen`` and ``AutoOpen``.
    @preconcurrency @MainActor @propertyWrapper
    public struct _Opening<Mode: _OpeningMode>: DynamicProperty {
        @Environment(\.realmConfiguration) private var configuration
        @StateObject private var storage: OpeningStorage

        /// Creates an opening of a realm of the current user.
        ///
        /// - Parameters:
        ///   - appId: The id of the app. If it is `nil`, the process must have created exactly one app.
        ///   - configuration: The configuration of the realm. It must have a sync configuration, whose user is replaced by
        ///     the current user. If it is `nil`, the configuration of the environment is used if it has a sync
        ///     configuration, and otherwise `flexibleSyncConfiguration()` of the user.
        ///   - timeout: The maximum time to open a connection, in milliseconds.
        public init(appId: String? = nil, configuration: Realm.Configuration? = nil, timeout: UInt? = nil) {
            self.init(configuration, timeout: timeout) { OpeningStorage.app(appId) }
        }

        /// Creates an opening of a realm of the current user of an app. This is an addition to RealmSwift's API.
        public init(app: FreeholdSync.App, configuration: Realm.Configuration? = nil, timeout: UInt? = nil) {
            self.init(configuration, timeout: timeout) { app }
        }

        /// - Parameter app: A closure that returns the app. It is called when the view first appears, because Swift creates a
        ///   wrapper without arguments before the initialiser of a view assigns another one.
        private init(_ configuration: Realm.Configuration?, timeout: UInt?, app: @escaping () -> FreeholdSync.App) {
            _storage = StateObject(
                wrappedValue: OpeningStorage(app(), configuration, timeout: timeout, opensOffline: Mode._opensOffline)
            )
        }

        @available(*, unavailable, message: "Freehold has no partitions: subscribe to the objects with the value")
        public init<Partition>(
            appId: String? = nil,
            partitionValue: Partition,
            configuration: Realm.Configuration? = nil,
            timeout: UInt? = nil
        ) { fatalError("unavailable") }

        /// The state of the opening.
        public var wrappedValue: AsyncOpenState { storage.begun }

        /// A publisher of the states.
        public var projectedValue: Published<AsyncOpenState>.Publisher { storage.$state }

        /// Cancels the opening. The state doesn't change any more.
        public func cancel() { storage.cancel() }

        nonisolated public func update() { MainActor.assumeIsolated { storage.take(configuration) } }
    }
#endif
