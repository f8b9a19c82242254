import Foundation
import Freehold
import Testing

@testable import FreeholdServer

#if PostgreSQL
    import FreeholdPostgresAccounts
    import FreeholdPostgresStore
    import PostgresProcess
#endif

/// The kind of storage that a test of accounts uses.
enum AccountPlace: String, CaseIterable, CustomTestStringConvertible {
    case file
    case postgres

    /// The kinds that this machine has.
    static var all: [AccountPlace] {
        #if PostgreSQL
            PostgresServer.isThere ? allCases : [.file]
        #else
            [.file]
        #endif
    }

    var testDescription: String { self == .file ? "in a file" : "in PostgreSQL" }
}

/// The accounts of the servers of one test. Several servers can have one home.
final class AccountHome: Sendable {
    let place: AccountPlace
    let folder: TestFolder
    #if PostgreSQL
        private let known: TestDatabase?

        /// The database. A test that needs it runs on PostgreSQL.
        var database: TestDatabase { get throws { try #require(known) } }
    #endif

    /// A Boolean value that indicates whether accounts in PostgreSQL have the clock of the test, and not the database's.
    let hasTestClock: Bool

    init(_ place: AccountPlace = .file, folder: TestFolder? = nil) throws {
        (self.place, self.folder, hasTestClock) = (place, try folder ?? TestFolder(), true)
        #if PostgreSQL
            known = place == .postgres ? try TestDatabase() : nil
        #endif
    }

    #if PostgreSQL
        /// Creates a home whose time is that of the database.
        init(_ database: TestDatabase) throws {
            (place, folder, known, hasTestClock) = (.postgres, try TestFolder(), database, false)
        }
    #endif

    /// Opens the accounts once more, as another server or a command does.
    ///
    /// - Parameter clock: The clock of the test. Without it, the time is that of the storage.
    func open(_ clock: TestClock? = nil) async throws -> any AccountStorage {
        #if PostgreSQL
            if let known {
                var options = PostgresStore.Options(address: known.address)
                (options.writers, options.readers) = (4, 4)
                let database = try await PostgresDatabase.open(options)
                guard hasTestClock, let clock else { return PostgresAccountStore(database) }
                return PostgresAccountStore(database, clock: { clock.now })
            }
        #endif
        guard let clock else { return try AccountStore(at: folder.path) }
        return try AccountStore(at: folder.path, now: { clock.now })
    }

    /// The number of stored refresh tokens.
    func tokenCount() async throws -> Int {
        #if PostgreSQL
            if let known { return try #require(Int(known.sql("SELECT count(*) FROM freehold.session"))) }
        #endif
        return try await AccountStore(at: folder.path).work { $0.objects(StoredSession.self).count }
    }
}
