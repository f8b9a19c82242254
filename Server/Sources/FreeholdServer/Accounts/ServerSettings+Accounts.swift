import FreeholdHTTP

import FreeholdSyncCore
import Logging
import Metrics

extension ServerSettings {
    /// Returns the settings with which the server runs, and the service of accounts. The service is `nil` if the
    /// settings have no folder for accounts.
    ///
    /// It opens the file of accounts, adds the apps of the file to those of the settings, and checks the settings: see
    /// `checked(hasAccounts:)`.
    ///
    /// - Throws: `SettingsError`, `TokenRefusal`, and the errors of Freehold if the file of accounts can't be opened.
    func withAccounts(
        _ logger: Logger,
        _ tls: TLSContexts?,
        metrics: any MetricsFactory
    ) async throws -> (ServerSettings, AccountService?) {
        guard let accounts else { return (try checked(), nil) }
        var options = AccountService.Options()
        (options.publicAddress, options.tokenLifetime) = (accounts.publicAddress, accounts.tokenLifetime)
        accounts.change(&options)
        let store: any AccountStorage =
            try accounts.storage
            ?? AccountStore(at: accounts.folder, timeout: options.storeTimeout, now: options.now)
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
            secret: try accounts.secret ?? ServerSecret.read(accounts.folder),
            store: store,
            served: served,
            members: AccountMembers(outside: tokenApps),
            options,
            mailer: accounts.mailer ?? ConsoleMailer(logger, showsTokens: isDevelopment),
            otherTokens: tokens.keys.isEmpty ? nil : try await JWTAuthenticator(tokens.keys, tokens.expectations),
            openApps: open,
            names: ServerNames(host: Loopback.bare(host), tls: tls),
            syncPath: node.path,
            logger: logger,
            metrics: metrics
        )
        settings.node.apps = nodeApps(apps, service.members, served)
        return (settings, service)
    }

    /// Returns the apps of the settings and the apps in the file of accounts.
    ///
    /// `AccountWatch` calls it again when that file, or the classes of an app, have changed.
    ///
    /// - Parameters:
    ///   - accounts: The apps in the file of accounts.
    ///   - members: The users of each app. `nil` before the service of accounts exists.
    ///   - served: The present classes and rules of the apps.
    func nodeApps(_ accounts: [AccountApp], _ members: AccountMembers?, _ served: ServedApps) -> [SyncString: NodeApp] {
        var apps = node.apps
        for app in accounts {
            let name = SyncString(app.id)
            // The access of an app in the settings takes precedence over that in the file of accounts.
            var known = apps[name] ?? NodeApp()
            if known.access == .nobody { known.access = app.access }
            apps[name] = known
        }
        for name in apps.keys {
            if isDevelopment {
                // `checked` opens the apps of the settings in the same way. This also opens the other apps.
                apps[name]?.access = .everyone
                // An app of the settings alone has no documents yet. Development mode adopts the classes of its
                // clients.
                if served[name.string] == nil { served.update(name.string, AppDocuments()) }
            }
            apps[name]?.served = served[name.string]
        }
        guard let members else { return apps }
        for name in apps.keys {
            let id = name.string
            // The access of an app that is being imported begins with its import's end.
            apps[name]?.isMember = { served[id]?.isBeingTransferred != true && members.isMember($0, of: id) }
        }
        return apps
    }
}
