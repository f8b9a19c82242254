import FreeholdBSON

extension ProjectReader {
    mutating func rules(of source: SourceFiles, _ found: [ClassFiles], _ sync: SyncFiles?) throws(ProjectError)
        -> RuleSet
    {
        let defaultFile = source.folder + "/default_rule.json"
        if case .partition? = sync?.settings.mode {
            // These rules were for other requests than those of sync, and may give more rights than partitions did.
            for one in found where one.files.rules != nil { notePassedOver(one.files.rulesFile) }
            if source.defaultRule != nil { notePassedOver(defaultFile) }
            return RuleSet()
        }
        if let sync, let permissions = sync.permissions {
            for one in found where Self.hasRoles(one.files.rules) { notePassedOver(one.files.rulesFile) }
            if Self.hasRoles(source.defaultRule) { notePassedOver(defaultFile) }
            return try rules(of: permissions, sync, found)
        }
        var rules = RuleSet()
        for one in found {
            guard let document = one.files.rules else { continue }
            var reader = SettingsReader(document, one.files.rulesFile)
            var own = ClassRules(
                one.name,
                roles: try roles(&reader, of: "the class '\(one.name)'"),
                database: one.files.place.database
            )
            own.identifier = reader.value("_id") ?? reader.value("id")
            for key in ["database", "collection", "schema", "relationships"] { _ = reader.value(key) }
            noteOthers(reader)
            rules.classes.append(own)
        }
        if let document = source.defaultRule {
            var reader = SettingsReader(document, defaultFile)
            rules.defaultRoles = try roles(&reader, of: "all other classes")
            for key in ["_id", "id"] { _ = reader.value(key) }
            noteOthers(reader)
        }
        return rules
    }

    private mutating func notePassedOver(_ file: String) {
        note(.leftOut, file, because: "These rules were for other requests than sync's: devices never had them.")
    }

    private mutating func noteOthers(_ reader: SettingsReader) {
        for (key, _) in reader.others.prefix(limits.listedNames) {
            note(.ignored, reader.file, reader.path + [key], because: "Freehold doesn't know what this is.")
        }
    }

    private static func hasRoles(_ rules: BSONDocument?) -> Bool { rules?["roles"]?.arrayValue?.isEmpty == false }

    /// Returns the roles in the order in which they are tested.
    private mutating func roles(_ reader: inout SettingsReader, of whom: String) throws(ProjectError) -> [Role] {
        if let filters = try reader.list("filters"), !filters.isEmpty {
            note(
                .ignored,
                reader.file,
                reader.path + ["filters"],
                because: "App Services asked filters for other requests than sync's."
            )
        }
        let values = try reader.list("roles") ?? []
        guard values.count <= limits.rules.count else {
            throw ProjectError(reader.file, reader.path + ["roles"], "More than \(limits.rules.count) roles.")
        }
        var roles: [Role] = []
        for (index, value) in values.enumerated() {
            roles.append(role(value, reader.file, reader.path + ["roles", "\(index)"], index, of: whom))
        }
        return roles
    }

    /// Returns a role. A role that can't be parsed gives no rights to the users to whom it may apply, as in App
    /// Services.
    private mutating func role(
        _ value: BSONValue,
        _ file: String,
        _ path: [String],
        _ index: Int,
        of whom: String
    ) -> Role {
        do {
            let role = try Role(value, limits: limits.rules)
            check(role, file, path)
            return role
        } catch {
            let document = value.documentValue ?? [:]
            let name = document["name"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } ?? "role \(index + 1)"
            let applyWhen = document["apply_when"].flatMap { try? RuleExpression(ofUser: $0, limits: limits.rules) }
            note(
                .leftOut,
                file,
                path + error.path,
                because: "The role '\(name)' of \(whom) gives no right"
                    + (applyWhen == nil ? ", and nobody gets one of the roles behind it" : "") + ": \(error.reason)"
            )
            return Role(name, applyWhen: applyWhen ?? .always, readFilter: nil, writeFilter: nil)
        }
    }

    private mutating func check(_ role: Role, _ file: String, _ path: [String]) {
        if role.readFilter == nil || role.writeFilter == nil {
            note(
                .leftOut,
                file,
                path,
                because:
                    "The role '\(role.name)' gives less than it may look like: sync asks 'document_filters' for both reading and "
                    + "writing, and they aren't both there."
            )
            return
        }
        let canWrite = role.write ?? true
        for (name, expression) in [("insert", role.insert), ("delete", role.delete)] where canWrite && expression == nil
        {
            note(
                .changed,
                file,
                path,
                because:
                    "The role '\(role.name)' says nothing of '\(name)': Freehold refuses what isn't allowed. Set it to true if it should be."
            )
        }
    }
}

// MARK: - Permissions of before 2023

extension ProjectReader {
    /// Reads the `permissions` of sync: `rules` by class, and `defaultRoles`.
    private mutating func rules(of permissions: BSONDocument, _ sync: SyncFiles, _ found: [ClassFiles])
        throws(ProjectError) -> RuleSet
    {
        let path = sync.path + ["permissions"]
        var reader = SettingsReader(permissions, sync.file, path)
        var rules = RuleSet()
        for (key, value) in try reader.object("rules") ?? [:] {
            let place = path + ["rules", key]
            guard case .array(let values) = value else {
                throw ProjectError(sync.file, place, "An array of roles has to stand here, not \(value.typeName).")
            }
            let one = found.first { $0.name == key } ?? found.first { $0.files.place.collection == key }
            let name = one?.name ?? key
            guard !rules.classes.contains(where: { $0.className == name }) else {
                throw ProjectError(sync.file, place, "The class '\(name)' has rules already.")
            }
            rules.classes.append(
                ClassRules(
                    name,
                    roles: try converted(values, sync.file, place, of: "the class '\(name)'"),
                    database: one?.files.place.database ?? sync.settings.database ?? "app"
                )
            )
        }
        if let values = try reader.list("defaultRoles"), !values.isEmpty {
            rules.defaultRoles = try converted(values, sync.file, path + ["defaultRoles"], of: "all other classes")
        }
        noteOthers(reader)
        rules.classes.sort { $0.className.utf8.lexicographicallyPrecedes($1.className.utf8) }
        return rules
    }

    private mutating func converted(_ values: [BSONValue], _ file: String, _ path: [String], of whom: String)
        throws(ProjectError) -> [Role]
    {
        guard values.count <= limits.rules.count else {
            throw ProjectError(file, path, "More than \(limits.rules.count) roles.")
        }
        var roles: [Role] = []
        for (index, value) in values.enumerated() {
            let converted = value.documentValue.map { BSONValue.document(Self.converted($0)) } ?? value
            roles.append(role(converted, file, path + ["\(index)"], index, of: whom))
        }
        return roles
    }

    /// Converts a role in the same way as App Services in 2023: a condition of documents becomes a filter, and fields
    /// without a rule are open.
    private static func converted(_ old: BSONDocument) -> BSONDocument {
        var role = BSONDocument()
        for (key, value) in old where !["read", "write", "applyWhen"].contains(key) { role.append(key, value) }
        role["apply_when"] = old["applyWhen"] ?? old["apply_when"]
        role["document_filters"] = ["read": old["read"] ?? false, "write": old["write"] ?? false]
        let saysOfFields = ["fields", "additional_fields"].contains { old[$0]?.documentValue?.isEmpty == false }
        if !saysOfFields {
            role["read"] = true
            role["write"] = true
        }
        for key in ["insert", "delete", "search"] where role[key] == nil { role[key] = true }
        return role
    }
}
