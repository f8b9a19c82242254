import FreeholdSyncCore
import Logging

extension ServerSettings {
    /// The settings that the server runs with, and the service of accounts; nil if the settings have no folder for accounts.
    ///
    /// The file of accounts is opened, and its apps are added to those that the settings name. Then the settings are checked: see
    /// `checked(hasAccounts:)`.
    ///
    /// - Throws: `SettingsError`, `TokenRefusal`, and what Freehold throws if the file of accounts can't be opened.
    func withAccounts(_ logger: Logger, _ tls: TLSContexts?) async throws -> (ServerSettings, AccountService?) {
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
            names: ServerNames(host: Loopback.bare(host), tls: tls),
            syncPath: node.path,
            logger: logger
        )
        settings.node.apps = nodeApps(apps, service.members, served)
        return (settings, service)
    }

    /// The apps that the settings name, and those in the file of accounts.
    ///
    /// `AccountWatch` makes them again when that file, or the classes of an app, have changed.
    ///
    /// - Parameters:
    ///   - accounts: the apps in the file of accounts.
    ///   - members: which users each app has; nil while the service of accounts isn't there yet.
    ///   - served: the classes and rules of the apps, as they are at any time.
    func nodeApps(_ accounts: [AccountApp], _ members: AccountMembers?, _ served: ServedApps) -> [SyncString: NodeApp] {
        var apps = node.apps
        for app in accounts {
            let name = SyncString(app.id)
            // If the settings give access to an app, that of the file of accounts doesn't count.
            var known = apps[name] ?? NodeApp()
            if known.access == .nobody { known.access = app.access }
            apps[name] = known
        }
        for name in apps.keys {
            if isDevelopment {
                // `checked` opens the apps of the settings in the same way; these may be others.
                apps[name]?.access = .everyone
                // An app that only the settings name has no documents yet; development mode adopts its classes.
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
