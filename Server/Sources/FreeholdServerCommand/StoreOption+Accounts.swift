import ArgumentParser
import Foundation
import FreeholdServer

#if PostgreSQL
    import FreeholdPostgresAccounts
    import FreeholdPostgresStore
#endif

/// The accounts and the configuration of a server, for commands.
extension StoreOption {
    /// Opens the accounts of a server.
    ///
    /// - Parameter folder: The server's folder, or the address of its database.
    /// - Throws: `ValidationError` if the folder doesn't exist.
    func accounts(_ folder: String) async throws -> any AccountStorage {
        #if PostgreSQL
            if let address = try address(folder) {
                var options = PostgresStore.Options(address: address)
                (options.writers, options.readers) = (1, 1)
                let store = try await PostgresAccountStore.open(options)
                try await Self.refuseForgotten(self.local(folder), store)
                return store
            }
        #else
            _ = try address(folder)
        #endif
        return try AccountStore.existing(folder)
    }

    /// Opens the accounts of a server, and checks that a user exists.
    ///
    /// - Throws: `CommandFailure` if the user doesn't exist, `ValidationError` if the folder doesn't exist.
    func accounts(_ folder: String, user: String) async throws -> any AccountStorage {
        let accounts = try await accounts(folder)
        guard try await accounts.user(user) != nil else {
            throw CommandFailure("There is no user '\(user)': 'user list' shows an app's users and their ids.")
        }
        return accounts
    }

    #if PostgreSQL
        /// Throws if the database has no apps although the folder has accounts, because the accounts weren't copied to
        /// the database.
        static func refuseForgotten(_ folder: String?, _ store: PostgresAccountStore) async throws {
            guard let folder, FileManager.default.fileExists(atPath: "\(folder)/accounts.realm"),
                try await store.apps().isEmpty, try await !AccountStore(at: folder).apps().isEmpty
            else { return }
            throw CommandFailure(
                "The accounts are in \(folder), and the database has none. Copy them with: freehold-server app copy \(folder) --store …"
            )
        }
    #endif
}
