import FreeholdBSON

extension ProjectReader {
    mutating func providers() throws(ProjectError) -> [AuthenticationProvider] {
        var found: [(BSONDocument, file: String, path: [String], name: String)] = []
        if let document = try document(of: "auth/providers.json") {
            for (key, value) in document {
                let reader = try SettingsReader(value, "auth/providers.json", [key])
                found.append((reader.document, "auth/providers.json", [key], key))
            }
        }
        for (name, file, document) in try documents(in: "auth_providers") { found.append((document, file, [], name)) }
        var providers: [AuthenticationProvider] = []
        for (document, file, path, name) in found {
            let provider = try provider(document, file, path, name)
            guard !providers.contains(where: { $0.name == provider.name }) else {
                throw ProjectError(file, path, "There are two providers named '\(provider.name)'.")
            }
            providers.append(provider)
            check(provider, file, path)
        }
        for entry in try visible("auth") where !["providers.json", "custom_user_data.json"].contains(entry.name) {
            note(.ignored, "auth/" + entry.name, because: "Freehold doesn't know what this is.")
        }
        return providers.sorted { $0.name < $1.name }
    }

    private mutating func provider(_ document: BSONDocument, _ file: String, _ path: [String], _ name: String)
        throws(ProjectError) -> AuthenticationProvider
    {
        var reader = SettingsReader(document, file, path)
        var provider = AuthenticationProvider(try reader.name("type") ?? name)
        provider.name = try reader.name("name") ?? name
        provider.isDisabled = try reader.flag("disabled") ?? false
        provider.config = try reader.object("config") ?? [:]
        provider.secretConfig = try reader.object("secret_config") ?? [:]
        provider.redirectURIs = try reader.texts("redirect_uris") ?? []
        for (index, value) in (try reader.list("metadata_fields") ?? []).enumerated() {
            var field = try SettingsReader(value, file, path + ["metadata_fields", "\(index)"])
            guard let name = try field.name("name") else {
                throw ProjectError(file, field.path, "A field of metadata has a 'name'.")
            }
            provider.metadataFields.append(
                .init(name, isRequired: try field.flag("required") ?? false, fieldName: try field.name("field_name"))
            )
            for (key, _) in field.others {
                note(.ignored, file, field.path + [key], because: "Freehold doesn't know what this is.")
            }
        }
        provider.others = reader.others
        return provider
    }

    /// Records the features of a provider that Freehold's server doesn't support.
    private mutating func check(_ provider: AuthenticationProvider, _ file: String, _ path: [String]) {
        guard !provider.isDisabled else { return }
        switch provider.type {
        case "anon-user", "api-key": break
        case "local-userpass":
            if provider.config["runConfirmationFunction"] == true {
                note(
                    .needed,
                    file,
                    path + ["config", "runConfirmationFunction"],
                    because:
                        "A function confirmed new users. The server runs no functions: write a hook ('hook set … confirm', 'app set --email-password "
                        + "hook'), or let users be confirmed automatically or by mail."
                )
            }
            if provider.config["runResetFunction"] == true {
                note(
                    .needed,
                    file,
                    path + ["config", "runResetFunction"],
                    because:
                        "A function reset passwords. The server runs no functions: write a hook ('hook set … reset'), or let passwords be reset by mail."
                )
            }
        case "custom-token":
            note(
                .needed,
                file,
                path,
                because: provider.keySetAddress.map {
                    "The issuer's keys are at \($0): fetch them into a file, and name it in 'tokens.keySetFile'."
                }
                    ?? "The issuer's keys are secrets, which no export has: name files with them in 'tokens.secretFile' or 'tokens.publicKeyFile'."
            )
            if !provider.metadataFields.isEmpty {
                note(
                    .ignored,
                    file,
                    path + ["metadata_fields"],
                    because:
                        "Fields of tokens aren't copied into users' data: rules that ask for them in %%user.data give no right."
                )
            }
        case "custom-function":
            note(
                .needed,
                file,
                path,
                because:
                    "The function '\(provider.config["authFunctionName"]?.stringValue ?? "")' identified users. The server runs no functions: write a hook "
                    + "('hook set … custom-function') that returns the same ids."
            )
        case "oauth2-google", "oauth2-apple", "oauth2-facebook":
            note(
                .needed,
                file,
                path,
                because:
                    "Id tokens are checked by the provider's keys ('provider set'). Codes and access tokens need a call to the provider, which a hook "
                    + "makes ('hook set … \(provider.type)')."
            )
        default:
            note(
                .needed,
                file,
                path,
                because:
                    "Freehold has no log-in of the type '\(provider.type)'. A service of yours can log users in and give them a "
                    + "token of its own, which 'custom-token' takes."
            )
        }
    }

    mutating func customUserData(_ root: Root) throws(ProjectError) -> CustomUserDataSettings? {
        var reader: SettingsReader
        if let document = try document(of: "auth/custom_user_data.json") {
            reader = SettingsReader(document, "auth/custom_user_data.json")
        } else if let document = root.customUserData {
            reader = SettingsReader(document, root.file, ["custom_user_data_config"])
        } else {
            return nil
        }
        var settings = CustomUserDataSettings(
            isEnabled: try reader.flag("enabled") ?? false,
            dataSource: try reader.name("mongo_service_name"),
            database: try reader.name("database_name"),
            collection: try reader.name("collection_name"),
            userIdField: try reader.name("user_id_field")
        )
        settings.others = reader.others
        if settings.isEnabled, let function = settings.others["on_user_creation_function_name"]?.stringValue,
            !function.isEmpty
        {
            note(
                .needed,
                reader.file,
                reader.path + ["on_user_creation_function_name"],
                because:
                    "The function '\(function)' made documents of new users. The server runs no functions: a program of yours has to."
            )
        }
        return settings
    }
}
