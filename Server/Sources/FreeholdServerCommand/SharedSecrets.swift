import FreeholdServer

#if PostgreSQL
    import FreeholdPostgresStore
#endif

/// The secrets that all servers of a database have in common.
struct SharedSecrets {
    /// The secret that signs the tokens of accounts.
    let accounts: String
    /// The secrets of issuers whose tokens the servers accept.
    let tokens: [String]

    /// - Parameter folder: The folder whose `accounts.secret` is used if the settings don't contain the secret, or `nil` for a server without a
    ///   folder.
    /// - Throws: `SettingsError` if the secret is missing.
    init(_ settings: ServerSettings, folder: String?) throws {
        if let secret = settings.accounts?.secret {
            accounts = secret
        } else if let folder {
            accounts = try ServerSecret.read(folder)
        } else {
            throw SettingsError(
                "Servers of one database share a secret that signs tokens. Without a folder, it is in the file that FREEHOLD_ACCOUNTS_SECRET_FILE names, or in FREEHOLD_ACCOUNTS_SECRET: a text of at least 32 bytes. 'freehold-server init --store … --secret-file FILE' makes such a file."
            )
        }
        tokens = settings.tokens.keys.compactMap { if case .secret(let text) = $0 { text } else { nil } }
    }

    #if PostgreSQL
        /// Adds marks of the secrets to the options, so that the store can compare them with those of other servers.
        func mark(_ options: inout PostgresStore.Options) {
            options.secretMark = ServerSecret.mark(of: accounts, tokens: tokens)
            options.earlierSecretMarks = [ServerSecret.mark(of: accounts)]
        }
    #endif
}
