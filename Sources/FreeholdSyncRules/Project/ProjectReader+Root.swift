import FreeholdBSON

extension ProjectReader {
    /// The content of the file at the top of the project.
    struct Root {
        let file: String
        var name = ""
        var ids = ProjectIds()
        var layout: ProjectLayout
        var environment = ""
        var allowedRequestOrigins: [String] = []
        var settings: BSONDocument = [:]
        /// Settings that older layouts keep in this file.
        var customUserData: BSONDocument?
        var sync: BSONDocument?
    }

    /// The possible files, newest layout first.
    static var rootFiles: [(name: String, layout: ProjectLayout)] {
        [
            ("root_config.json", .v20230101), ("app_config.json", .v20230101), ("realm_config.json", .v20210101),
            ("config.json", .v20200603), ("stitch.json", .v20180301),
        ]
    }

    mutating func root() throws(ProjectError) -> Root {
        let names = Set(try tree.entries(of: "").filter { !$0.isFolder }.map(\.name))
        let found = Self.rootFiles.filter { names.contains($0.name) }
        guard let (file, usual) = found.first, let document = try document(of: file) else {
            let inner = try folders(in: "").filter { ["backend", "app", "realm"].contains($0) }.first
            throw ProjectError(
                "",
                "There is no project: one has root_config.json, realm_config.json, config.json or stitch.json."
                    + (inner.map { " It may be in '\($0)'." } ?? "")
            )
        }
        for (other, _) in found.dropFirst() {
            note(.ignored, other, because: "\(file) is newer: this one is passed over.")
        }
        var reader = SettingsReader(document, file)
        var root = Root(file: file, layout: usual)
        let metadata = try metadata(&root)
        if let version = try reader.number("config_version") ?? metadata {
            guard let layout = ProjectLayout(rawValue: version) else {
                let known = ProjectLayout.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
                throw ProjectError(file, ["config_version"], "\(version) isn't a known layout: those are \(known).")
            }
            root.layout = layout
        }
        let app = try reader.name("app_id")
        root.ids.clientApp = app ?? root.ids.clientApp
        guard let name = try reader.name("name") ?? root.ids.clientApp else {
            throw ProjectError(file, "An app has a 'name'.")
        }
        root.name = name
        root.environment = try reader.text("environment") ?? ""
        root.allowedRequestOrigins = try reader.texts("allowed_request_origins") ?? []
        if var security = try reader.object("security").map({ SettingsReader($0, file, ["security"]) }) {
            root.allowedRequestOrigins += try security.texts("allowed_request_origins") ?? []
            root.allowedRequestOrigins += try security.texts("allowed_origins") ?? []
            for (key, _) in security.others {
                note(.ignored, file, ["security", key], because: "Freehold has no such setting.")
            }
        }
        if let hosting = try reader.object("hosting"), hosting["enabled"] == true {
            note(.ignored, file, ["hosting"], because: "Freehold hosts no files: any web server can.")
        }
        root.customUserData = try reader.object("custom_user_data_config")
        root.sync = try reader.object("sync")
        root.settings = reader.others
        return root
    }

    /// Reads the identifiers that the command line stores in a folder of its own. Returns the number of the layout.
    private mutating func metadata(_ root: inout Root) throws(ProjectError) -> Int? {
        let file: String
        let document: BSONDocument
        if let newer = try self.document(of: ".mdb/meta.json") {
            (file, document) = (".mdb/meta.json", newer)
        } else if let older = try self.document(of: ".mdb/app_meta.json") {
            (file, document) = (".mdb/app_meta.json", older)
        } else {
            return nil
        }
        var reader = SettingsReader(document, file)
        root.ids = ProjectIds(
            clientApp: try reader.name("client_app_id"),
            app: try reader.name("app_id"),
            group: try reader.name("group_id")
        )
        return try reader.number("config_version")
    }
}

// MARK: - Environments, values

extension ProjectReader {
    mutating func environments() throws(ProjectError) -> [String: BSONDocument] {
        var environments: [String: BSONDocument] = [:]
        for (name, file, document) in try documents(in: "environments") {
            var reader = SettingsReader(document, file)
            environments[name == "no-environment" ? "" : name] = try reader.object("values") ?? [:]
            for (key, _) in reader.others { note(.ignored, file, [key], because: "An environment has 'values' only.") }
        }
        return environments
    }

    mutating func values() throws(ProjectError) -> [ProjectValue] {
        var values: [ProjectValue] = []
        var names: Set<String> = []
        for (fileName, file, document) in try documents(in: "values") {
            var reader = SettingsReader(document, file)
            let name = try reader.name("name") ?? fileName
            guard names.insert(name).inserted else {
                throw ProjectError(file, ["name"], "There are two values named '\(name)'.")
            }
            let isSecret = try reader.flag("from_secret") ?? false
            // Null is a valid value here.
            let plain = document["value"] ?? .null
            _ = reader.value("value")
            guard isSecret else {
                values.append(ProjectValue(name, .plain(plain), others: reader.others))
                continue
            }
            guard case .string(let secret) = plain, !secret.isEmpty else {
                throw ProjectError(file, ["value"], "A value from a secret has the secret's name here.")
            }
            values.append(ProjectValue(name, .secret(secret), others: reader.others))
            note(
                .needed,
                file,
                ["value"],
                because:
                    "The value '\(name)' is the secret '\(secret)', which no export has: rules that ask for it give no right "
                    + "until the server is notified."
            )
        }
        return values
    }
}
