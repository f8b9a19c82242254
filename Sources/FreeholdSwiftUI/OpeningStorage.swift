#if (canImport(SwiftUI) || SwiftUIShapes) && Sync
    public import Foundation
    #if canImport(SwiftUI)
        import Combine
        import SwiftUI
    #else
        import SwiftUIShapes
    #endif
    public import Freehold
    import FreeholdCombine
    import FreeholdSync

    /// The state of an opening by ``AsyncOpen`` or ``AutoOpen``.
    public enum AsyncOpenState {
        /// The opening has begun.
        case connecting
        /// No user is logged in.
        case waitingForUser
        /// The realm is open. It belongs to the main thread.
        case open(Realm)
        /// The download has this progress. The total is an estimate.
        case progress(Progress)
        /// The opening has failed.
        case error(any Error)
    }

    /// An opening of the current user's realm, which begins again for another user.
    @MainActor
    final class OpeningStorage: ObservableObject {
        @Published private(set) var state: AsyncOpenState

        private let app: FreeholdSync.App
        private let declared: Realm.Configuration?
        private let opensOffline: Bool
        private var environment: Realm.Configuration?
        private var user: User?
        private var hasBegun = false
        private var opening: Realm.AsyncOpenTask?
        private var users: Task<Void, Never>?
        /// The number of openings. The results of earlier ones are ignored.
        private var openings = 0

        /// - Parameter timeout: The maximum time to open a connection, in milliseconds.
        init(_ app: FreeholdSync.App, _ configuration: Realm.Configuration?, timeout: UInt?, opensOffline: Bool) {
            if let timeout { app.syncManager.timeoutOptions.connectTimeout = timeout }
            self.app = app
            declared = configuration
            self.opensOffline = opensOffline
            state = app.currentUser == nil ? .waitingForUser : .connecting
        }

        deinit {
            users?.cancel()
            opening?.cancel()
        }

        /// Returns the app with an id, or the only app of the process.
        static func app(_ id: String?) -> FreeholdSync.App {
            let apps = FreeholdSync.App._all.filter { id == nil || $0.appId == id }
            if apps.count == 1 { return apps[0] }
            if let id, apps.isEmpty { return FreeholdSync.App(id: id) }
            fatalError(
                apps.isEmpty
                    ? "@AsyncOpen found no app. Create an App before the view is displayed, or pass an appId."
                    : "@AsyncOpen found \(apps.count) apps. Pass the app."
            )
        }

        /// Takes the configuration of the environment, if it syncs.
        func take(_ configuration: Realm.Configuration) {
            environment = configuration.syncConfiguration == nil ? nil : configuration
        }

        /// The state. The opening begins if it hasn't begun.
        var begun: AsyncOpenState {
            if !hasBegun {
                hasBegun = true
                let stream = app.currentUsers
                users = Task { @MainActor [weak self] in
                    for await _ in stream {
                        guard let self else { return }
                        self.follow(self.app.currentUser)
                    }
                }
                follow(app.currentUser)
            }
            return state
        }

        func cancel() {
            hasBegun = true
            users?.cancel()
            end()
        }

        private func end() {
            openings += 1
            opening?.cancel()
            opening = nil
        }

        private func follow(_ current: User?) {
            guard let current else {
                if user != nil {
                    end()
                    state = .waitingForUser
                }
                user = nil
                return
            }
            guard current != user else { return }
            user = current
            end()
            if case .connecting = state {} else { state = .connecting }
            open(current)
        }

        private func open(_ user: User) {
            guard let configuration = configuration(for: user) else {
                state = .error(
                    Realm.Error(
                        .fail,
                        "The configuration of @AsyncOpen has no sync configuration. Use "
                            + "`user.flexibleSyncConfiguration()`, or open the realm without @AsyncOpen."
                    )
                )
                return
            }
            let number = openings
            let task = Realm.asyncOpen(configuration: configuration, callbackQueue: .main) { [weak self] result in
                MainActor.assumeIsolated { self?.finish(result, of: configuration, number: number) }
            }
            task.addProgressNotification(queue: .main) { [weak self] progress in
                MainActor.assumeIsolated { self?.show(progress, number) }
            }
            opening = task
        }

        /// Returns the configuration for a user, or `nil` if the given one doesn't sync.
        private func configuration(for user: User) -> Realm.Configuration? {
            guard var given = declared ?? environment else {
                return user.flexibleSyncConfiguration(cancelAsyncOpenOnNonFatalErrors: true)
            }
            guard let sync = given.syncConfiguration else { return nil }
            var own = user.flexibleSyncConfiguration(
                clientResetMode: sync.clientResetMode,
                cancelAsyncOpenOnNonFatalErrors: true
            )
            own.syncConfiguration!.initialSubscriptions = sync.initialSubscriptions
            if sync.user != user { given.fileURL = own.fileURL }
            given.syncConfiguration = own.syncConfiguration
            return given
        }

        private func show(_ progress: SyncSession.Progress, _ number: Int) {
            guard number == openings else { return }
            switch state {
            case .connecting, .progress:
                let shown = Progress(totalUnitCount: 1_000)
                shown.completedUnitCount = Int64((progress.progressEstimate * 1_000).rounded())
                state = .progress(shown)
            default: break
            }
        }

        private func finish(
            _ result: Result<Realm, any Error>,
            of configuration: Realm.Configuration,
            number: Int
        ) {
            guard number == openings else { return }
            switch result {
            case .success(let realm): state = .open(realm)
            case .failure(let error):
                if opensOffline, let realm = try? Realm(configuration: configuration) {
                    state = .open(realm)
                } else {
                    state = .error(error)
                }
            }
        }
    }
#endif
