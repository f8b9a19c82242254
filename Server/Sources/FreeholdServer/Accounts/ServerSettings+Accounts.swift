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
        let store = try AccountStore(at: accounts.folder, timeout: options.storeTimeout, now: options.now)
        let apps = try await store.apps()
        let served = ServedApps(adoptsAlways: isDevelopment, store: store, logger: logger)
        for app in apps { served.update(app.id, try await store.documents(of: app.id)) }
        var settings = self
        settings.node.apps = nodeApps(apps, nil, served)
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
            served: served,
            members: AccountMembers(outside: tokenApps),
            options,
            mailer: accounts.mailer ?? ConsoleMailer(logger, showsTokens: isDevelopment),
            otherTokens: tokens.keys.isEmpty ? nil : try await JWTAuthenticator(tokens.keys, tokens.expectations),
            openApps: open,
            isSecure: tls != nil,
            syncPath: node.path,
            logger: logger
        )
        settings.node.apps = nodeApps(apps, service.members, served)
        return (settings, service)
    }

    /// The apps of these settings, and those that have accounts.
    func nodeApps(_ accounts: [AccountApp], _ members: AccountMembers?, _ served: ServedApps) -> [SyncString: NodeApp] {
        var apps = node.apps
        for app in accounts {
            let name = SyncString(app.id)
            // What the settings allow goes before.
            var known = apps[name] ?? NodeApp()
            if known.access == .nobody { known.access = app.access }
            apps[name] = known
        }
        // As `checked` has it.
        for name in apps.keys {
            if isDevelopment {
                apps[name]?.access = .everyone
                // Apps that the settings name have classes, too.
                if served[name.string] == nil { served.update(name.string, AppDocuments()) }
            }
            apps[name]?.served = served[name.string]
        }
        guard let members else { return apps }
        for name in apps.keys {
            let id = name.string
            apps[name]?.isMember = { members.isMember($0, of: id) }
        }
        return apps
    }
}
