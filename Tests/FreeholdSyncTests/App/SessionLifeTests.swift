import Foundation
import Freehold
import FreeholdEngine
import Testing

@testable import FreeholdSync

/// The memory of a program that logs users in and out.
struct SessionLifeTests {
    /// The memory of the process that isn't a mapped file, in KiB.
    private static var anonymousKiB: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    @MainActor @Test func `a round of log-in, open, write, upload, close and log-out leaves nothing in memory`()
        async throws
    {
        let folder = try TemporaryFolder()
        let (accounts, server) = (AccountServer(), LoopbackServer())
        let app = testApp(folder, accounts, server)
        try await app.emailPasswordAuth.registerUser(email: "ann", password: "secret")
        let rounds = TestBudget.range("rounds of log-in and log-out", usual: 24, soak: 400)
        var sizes: [Int] = []
        for round in rounds {
            weak var file: RealmSync?
            weak var session: SyncSession?
            weak var database: Database?
            let user = try await app.login(credentials: .emailPassword(email: "ann", password: "secret"))
            do {
                var configuration = user.flexibleSyncConfiguration()
                configuration.objectTypes = [Person.self, Dog.self, Collar.self]
                let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
                (file, session, database) = (realm.attachment as? RealmSync, realm.syncSession, realm.database)
                if round == 0 {
                    try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>()) }
                    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
                }
                try realm.write { realm.objects(Dog.self).first?.age = round }
                try await realm.syncSession?.wait(for: .upload)
                expect(file != nil && session != nil)
            }
            try await user.logOut()
            for _ in 0..<100_000 where file != nil || session != nil || database != nil { await Task.yield() }
            expect(file == nil, "round \(round): the file is held")
            expect(session == nil, "round \(round): the session is held")
            expect(database == nil, "round \(round): the database is held")
            sizes.append(Self.anonymousKiB)
        }
        let half = sizes.count / 2
        let growth = Double(sizes[sizes.count - 1] - sizes[half]) / Double(sizes.count - 1 - half)
        print("anonymous KiB a round, of the second half: \(growth); \(sizes)")
        if TestBudget.isSoak { expect(growth < 4, "\(growth)") }
    }
}
