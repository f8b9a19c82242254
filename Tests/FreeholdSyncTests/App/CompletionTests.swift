import Foundation
import Freehold
import FreeholdSync
import Synchronization
import Testing

/// The forms with completion handlers, and sequences in place of publishers.
struct CompletionTests {
    let folder: TemporaryFolder
    let accounts = AccountServer()
    let server = LoopbackServer()
    let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
    }

    private func waiting<T: Sendable>(
        _ body: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in body { continuation.resume(with: $0) } }
    }

    private func waiting(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            body { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    @Test func `accounts, log-in, linking and log-out have completion handlers`() async throws {
        let app = app
        try await waiting { app.emailPasswordAuth.registerUser(email: "ann", password: "secret", completion: $0) }
        await #expect {
            try await waiting { app.emailPasswordAuth.registerUser(email: "ann", password: "x", completion: $0) }
        } throws: { ($0 as? AppError)?.code == .accountNameInUse }
        let user: User = try await waiting { done in
            app.login(credentials: .emailPassword(email: "ann", password: "secret")) { result in
                switch result {
                case .success(let user): done(.success(user))
                case .failure(let error): done(.failure(error))
                }
            }
        }
        expectEqual(app.currentUser, user)
        let data: Document = try await waiting { user.refreshCustomData($0) }
        expect(data.isEmpty)
        try await waiting { user.logOut(completion: $0) }
        expectEqual(user.state, .loggedOut)

        let guest: User = try await waiting { app.login(credentials: .anonymous, $0) }
        try await app.emailPasswordAuth.registerUser(email: "guest", password: "secret")
        let linked: User = try await waiting {
            guest.linkUser(credentials: .emailPassword(email: "guest", password: "secret"), $0)
        }
        expect(linked === guest)
        expect(!guest.isAnonymous)
        try await waiting { guest.delete(completion: $0) }
        expectEqual(guest.state, .removed)
        await #expect {
            let _: User = try await waiting {
                app.login(credentials: .emailPassword(email: "guest", password: "x"), $0)
            }
        } throws: { ($0 as? AppError)?.code == .invalidPassword }
    }

    @Test func `API keys have completion handlers`() async throws {
        try await app.emailPasswordAuth.registerUser(email: "ann", password: "secret")
        let user = try await app.login(credentials: .emailPassword(email: "ann", password: "secret"))
        let key: UserAPIKey = try await waiting { user.apiKeysAuth.createAPIKey(named: "robot", completion: $0) }
        try await waiting { user.apiKeysAuth.disableAPIKey(key.objectId, completion: $0) }
        let keys: [UserAPIKey] = try await waiting { user.apiKeysAuth.fetchAPIKeys($0) }
        expectEqual(keys.map(\.disabled), [true])
        try await waiting { user.apiKeysAuth.enableAPIKey(key.objectId, completion: $0) }
        let robot: User = try await waiting { app.login(credentials: .userAPIKey(key.key ?? ""), $0) }
        expect(robot === user)
    }

    @Test func `functions that the server doesn't have give a typed error`() async throws {
        let user = try await app.login(credentials: .anonymous)
        let dogs = user.mongoClient("mongodb-atlas").database(named: "a").collection(withName: "dogs")
        func unsupported<T: Sendable>(_ body: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void) async {
            await #expect { let _: T = try await waiting(body) } throws: { ($0 as? AppError)?.code == .unsupported }
        }
        await unsupported { dogs.insertOne(["a": 1], $0) }
        await unsupported { dogs.find(filter: [:], $0) }
        await unsupported { dogs.updateOneDocument(filter: [:], update: [:], $0) }
        await unsupported { done in user.functions.sum([1, 2]) { done($0) } }
    }

    @Test func `the current user and the users' states are published`() async throws {
        let (users, app) = (app.currentUsers, app)
        try await app.emailPasswordAuth.registerUser(email: "ann", password: "secret")
        let ann = try await app.login(credentials: .emailPassword(email: "ann", password: "secret"))
        let states = ann.states
        let guest = try await app.login(credentials: .anonymous)
        app.switch(to: ann)
        try await ann.logOut()
        try await guest.logOut()
        var told: [String?] = []
        for await user in users {
            told.append(user?.id)
            if told.count == 5 { break }
        }
        expectEqual(told, [ann.id, guest.id, ann.id, guest.id, nil])
        for await state in states {
            expectEqual(state, .loggedOut)
            break
        }
    }

    @MainActor @Test func `the progress of an opening, states of subscriptions, and errors of sessions are published`()
        async throws
    {
        let errors = app.syncManager.errors
        func configuration(_ name: String) async throws -> Realm.Configuration {
            try await app.emailPasswordAuth.registerUser(email: name, password: "secret")
            let user = try await app.login(credentials: .emailPassword(email: name, password: "secret"))
            var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { set in
                set.append(QuerySubscription<Dog>())
            })
            configuration.objectTypes = [Person.self, Dog.self, Collar.self]
            return configuration
        }
        let one = try await Realm(configuration: try await configuration("ann"), downloadBeforeOpen: .always)
        var states: [SyncSubscriptionState] = []
        let stream = one.subscriptions.states
        one.subscriptions.update({ one.subscriptions.append(QuerySubscription<Person>()) }, onComplete: nil)
        for await state in stream {
            states.append(state)
            if state == .complete, one.subscriptions.count == 2 { break }
        }
        expectEqual(states.last, .complete)
        try one.write { for age in 1...50 { one.create(Dog.self, value: ["age": age]) } }
        let uploads = try require(one.syncSession).progress(for: .upload, mode: .forCurrentlyOutstandingWork)
        var estimates: [Double] = []
        for await progress in uploads { estimates.append(progress.progressEstimate) }
        expectEqual(estimates.last, 1)

        let (other, told) = (try await configuration("bob"), AsyncStream<Double>.makeStream())
        let opened: Int = try await withCheckedThrowingContinuation { continuation in
            let task = Realm.asyncOpen(configuration: other) { result in
                continuation.resume(with: result.map { $0.objects(Dog.self).count })
            }
            task.addProgressNotification { told.continuation.yield($0.progressEstimate) }
        }
        expectEqual(opened, 50)
        for await estimate in told.stream where estimate == 1 { break }

        one.subscriptions.update(
            { one.subscriptions.append(QuerySubscription<Dog> { $0.name.matches(regularExpression: "rex") }) },
            onComplete: nil
        )
        for await failure in errors {
            guard let error = failure.error as? SyncError, error.code == .invalidFlexibleSyncSubscriptions else {
                continue
            }
            expect(failure.session === one.syncSession)
            break
        }
    }
}
