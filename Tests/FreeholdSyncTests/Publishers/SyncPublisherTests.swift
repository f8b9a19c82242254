#if Combine
    import Foundation
    import Freehold
    import FreeholdCombine
    import Synchronization
    import TestScript
    import Testing

    @testable import FreeholdSync

    /// Texts that subscribers add.
    private final class Received: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        func wait(until condition: @Sendable ([String]) -> Bool) async throws {
            if try await !eventually({ condition(all) }) { throw NeverCame(all) }
        }
    }

    @Suite("Publishers: apps, users and sessions")
    struct SyncPublisherTests {
        let folder: TemporaryFolder
        let accounts = AccountServer()
        let server = LoopbackServer()
        let app: App

        init() throws {
            folder = try TemporaryFolder()
            app = testApp(folder, accounts, server)
        }

        private func value<Output>(_ future: Future<Output, any Error>) async throws -> Output {
            for try await value in future.values { return value }
            throw CancellationError()
        }

        private func ann() async throws -> User {
            let registered: Future<Void, any Error> = app.emailPasswordAuth.registerUser(
                email: "ann@example.org",
                password: "secret"
            )
            try await value(registered)
            let login: Future<User, any Error> = app.login(
                credentials: .emailPassword(email: "ann@example.org", password: "secret")
            )
            return try await value(login)
        }

        private func configuration(_ user: User) -> Realm.Configuration {
            var configuration = user.flexibleSyncConfiguration()
            configuration.objectTypes = [Person.self, Dog.self, Collar.self]
            return configuration
        }

        @Test func `a future delivers the user, and the error of a wrong password`() async throws {
            let user = try await ann()
            expectEqual(app.currentUser, user)
            let wrong: Future<User, any Error> = app.login(
                credentials: .emailPassword(email: "ann@example.org", password: "wrong")
            )
            await #expect(throws: AppError.self) { try await value(wrong) }
        }

        @Test func `an app and a user report log-ins and log-outs`() async throws {
            let received = Received()
            let queue = DispatchQueue(label: "received")
            var cancellables = [
                app.objectWillChange.receive(on: queue).sink { app in
                    received.add("app: \(app.currentUser == nil ? "nobody" : "a user")")
                }
            ]
            let user = try await ann()
            try await received.wait { $0.contains("app: a user") }
            cancellables.append(user.objectWillChange.sink { received.add("user: \($0.state)") })
            let logOut: Future<Void, any Error> = user.logOut()
            try await value(logOut)
            let state = "user: \(user.state)"
            try await received.wait { $0.contains("app: nobody") && $0.contains(state) }
            cancellables = []
            expectEqual(user.state, .loggedOut)
        }

        @MainActor @Test func `an opening and its session report their progress`() async throws {
            let user = try await ann()
            let received = Received()
            let cancellable = Realm.asyncOpen(configuration: configuration(user))
                .onProgressNotification { received.add("progress \($0.progressEstimate)") }
                .sink(receiveCompletion: { received.add("\($0)") }) { realm in
                    received.add("open \(realm.isEmpty)")
                }
            try await received.wait { $0.contains("finished") && $0.contains("progress 1.0") }
            expect(received.all.contains("open true"))
            cancellable.cancel()

            let realm = try await Realm(configuration: configuration(user), downloadBeforeOpen: .never)
            let updated = Received()
            let update = realm.subscriptions.updateSubscriptions {
                realm.subscriptions.append(QuerySubscription<Dog>())
            }
            .sink(receiveCompletion: { updated.add("\($0)") }, receiveValue: {})
            try await updated.wait { $0 == ["finished"] }
            update.cancel()
            let states = Received()
            let state = realm.subscriptions.statePublisher.sink { states.add("\($0)") }
            try await states.wait { $0.last == "\(SyncSubscriptionState.complete)" }
            state.cancel()
            let session = try require(realm.syncSession)
            try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
            let transfers = Received()
            let transfer = session.progressPublisher(for: .upload, mode: .forCurrentlyOutstandingWork)
                .sink(receiveCompletion: { _ in transfers.add("finished") }) { progress in
                    transfers.add("\(progress.isTransferComplete)")
                }
            try await transfers.wait { $0 == ["true", "finished"] }
            transfer.cancel()
            let connections = Received()
            let connection = session.connectionStatePublisher.sink { connections.add("\($0)") }
            session.suspend()
            try await connections.wait { !$0.isEmpty }
            connection.cancel()
        }
    }
#endif
