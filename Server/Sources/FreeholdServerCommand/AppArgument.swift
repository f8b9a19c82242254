import ArgumentParser
import FreeholdServer

/// The first arguments of a command that reads or changes the configuration of an app.
struct AppArgument: ParsableArguments {
    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @OptionGroup var store: StoreOption
    @Argument(help: "The app's id.") var app: String

    /// Returns the configuration of the app.
    func documents() async throws -> AppDocuments { try await store.accounts(folder).documents(of: app) }

    /// Changes the configuration of the app. A running server applies the change within a second.
    func change(_ body: @escaping @Sendable (inout AppDocuments) throws -> Void) async throws {
        try await store.accounts(folder).changeDocuments(of: app, body)
    }
}

/// Settings of an app that commands set and remove by name: hooks, providers and sinks.
extension AppDocuments {
    /// Adds a setting. It replaces a setting with the same name.
    mutating func set<Setting>(
        _ setting: Setting,
        in list: WritableKeyPath<AppDocuments, [Setting]>,
        name: (Setting) -> String
    ) {
        let others = self[keyPath: list].filter { name($0) != name(setting) }
        self[keyPath: list] = (others + [setting]).sorted { name($0) < name($1) }
    }

    /// Removes a setting.
    ///
    /// - Parameter missing: The message if the list doesn't have the setting.
    /// - Throws: `ValidationError`
    mutating func remove<Setting>(
        from list: WritableKeyPath<AppDocuments, [Setting]>,
        missing: String,
        where isNamed: (Setting) -> Bool
    ) throws {
        guard self[keyPath: list].contains(where: isNamed) else { throw ValidationError(missing) }
        self[keyPath: list].removeAll(where: isNamed)
    }
}
