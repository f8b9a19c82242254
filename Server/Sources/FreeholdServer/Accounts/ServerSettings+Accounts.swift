import FreeholdSyncCore
import Logging

extension ServerSettings {
    /// The settings as they are used, with the apps that have accounts.
    ///
    /// - Throws: `SettingsError`, `TokenRefusal`, and what Freehold throws if the file of accounts can't be opened.
    func withAccounts(_ logger: Logger) async throws -> (ServerSettings, AccountService?) {
        guard let accounts else { return (try checked(), nil) }
        var options = AccountService.Options()
        (options.publicAddress, options.tokenLifetime) = (accounts.publicAddress, accounts.tokenLifetime)
        accounts.change(&options)
        let store = try AccountStore(at: accounts.folder, now: options.now)
        let apps = try await store.apps()
        var settings = self
        settings.node.apps = nodeApps(apps, members: nil)
        guard !settings.node.apps.isEmpty else {
            throw SettingsError("There is no app: make one by 'app create', or name it in the settings ('apps').")
        }
        settings = try settings.checked(hasAccounts: !apps.isEmpty)
        var open: [String: AccountApp] = [:]
        if isDevelopment {
            for name in settings.node.apps.keys {
                let id = name.string
                open[id] = AccountApp(id: id, allowsAnonymous: true, emailPassword: .autoConfirm, access: .everyone)
            }
        }
        let service = try await AccountService(
            folder: accounts.folder,
            store: store,
            options,
            mailer: accounts.mailer ?? ConsoleMailer(logger, showsTokens: isDevelopment),
            otherTokens: tokens.keys.isEmpty ? nil : try await JWTAuthenticator(tokens.keys, tokens.expectations),
            openApps: open,
            isSecure: tls != nil,
            syncPath: node.path,
            logger: logger
        )
        settings.node.apps = nodeApps(apps, members: service.members)
        return (settings, service)
    }

    /// The apps of these settings, and those that have accounts.
    func nodeApps(_ accounts: [AccountApp], members: AccountMembers?) -> [SyncString: NodeApp] {
        var apps = node.apps
        for app in accounts {
            let name = SyncString(app.id)
            // What the settings allow goes before.
            var known = apps[name] ?? NodeApp()
            if known.access == .nobody { known.access = app.access }
            apps[name] = known
        }
        // As `checked` has it.
        if isDevelopment { for name in apps.keys { apps[name]?.access = .everyone } }
        guard let members else { return apps }
        for name in apps.keys {
            let id = name.string
            apps[name]?.isMember = { members.isMember($0, of: id) }
        }
        return apps
    }
}
