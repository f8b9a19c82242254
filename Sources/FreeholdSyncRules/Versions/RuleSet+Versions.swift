import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore

extension RuleSet {
    /// Returns the rules in stored names, in the form in which a server applies them to stored objects.
    ///
    /// Rules use the names of the newest version. A class or property that this version doesn't have is found under its
    /// last name. Default roles become roles of each class without roles of its own, because a name can be stored under
    /// different names in different classes. Unknown names aren't changed, and are reported by
    /// ``problems(schema:matcher:)`` with ``SchemaVersions/storage``.
    ///
    /// Rules are about stored values. If an app is shown another value for null, a rule finds null.
    ///
    /// - Throws: `RuleError` for an expression that becomes too large.
    /// - Complexity: O(size of the rules and of all versions). Default roles count for each class.
    public func mapped(to versions: SchemaVersions, limits: RuleLimits = RuleLimits()) throws(RuleError) -> RuleSet {
        if versions.versions.count == 1, versions.newest.isOwn { return self }
        let mapper = RuleMapper(map: VersionMap(ruleNames: versions), limits: limits)
        var mapped = RuleSet(defaultRoles: defaultRoles)
        // Present names take precedence over earlier names of the same class.
        let newest = versions.newest
        let sorted =
            classes.filter { newest.classes[$0.className] != nil }
            + classes.filter { newest.classes[$0.className] == nil }
        for rules in sorted {
            var new = rules
            if let owner = mapper.map.named(SyncString(rules.className)) {
                new.className = owner.stored.string
                new.roles = try mapper.mapped(rules.roles, owner)
            }
            if !mapped.classes.contains(where: { $0.className == new.className }) { mapped.classes.append(new) }
        }
        if let defaultRoles {
            for owner in mapper.map.classes where !owner.isEmbedded {
                let name = owner.stored.string
                guard !mapped.classes.contains(where: { $0.className == name }) else { continue }
                mapped.classes.append(ClassRules(name, roles: try mapper.mapped(defaultRoles, owner)))
            }
        }
        return mapped
    }
}

extension VersionMap {
    /// Creates a map with the names of all versions for the stored classes. Newer names take precedence.
    convenience init(ruleNames versions: SchemaVersions) {
        let stored = StoredTables(versions)
        let storage = stored.tables
        let indices = Dictionary(
            storage.enumerated().map { (SyncString($1.name), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var names: [SyncString: Int] = [:]
        var properties: [[(SyncString, Int)]] = storage.map { _ in [] }
        for version in versions.versions.reversed() {
            for (name, storedName) in version.classes {
                guard let index = indices[SyncString(storedName)] else { continue }
                if names[SyncString(name)] == nil { names[SyncString(name)] = index }
                for (name, property) in version.properties[name] ?? [:] {
                    let columns = storage[index].columns
                    guard let place = columns.firstIndex(where: { SyncString($0.name) == SyncString(property) }) else {
                        continue
                    }
                    properties[index].append((SyncString(name), place))
                }
            }
        }
        let own = SchemaVersion(number: 0, own: storage)
        let maps = storage.enumerated().map { index, table in
            let plain = ClassMap(table, own, stored, indices)
            return ClassMap(
                plain.name,
                stored: plain.stored,
                isEmbedded: plain.isEmbedded,
                plain.properties,
                names: properties[index]
            )
        }
        self.init(maps, names: names)
    }
}

/// Translates roles into stored names.
private struct RuleMapper {
    let map: VersionMap
    let limits: RuleLimits

    func mapped(_ roles: [Role], _ owner: ClassMap) throws(RuleError) -> [Role] {
        var mapped: [Role] = []
        for role in roles {
            var new = role
            new.readFilter = try self.mapped(role.readFilter, owner)
            new.writeFilter = try self.mapped(role.writeFilter, owner)
            new.insert = try self.mapped(role.insert, owner)
            new.delete = try self.mapped(role.delete, owner)
            new.fields = self.mapped(role.fields, owner)
            mapped.append(new)
        }
        return mapped
    }

    private func mapped(_ rules: [FieldRule], _ owner: ClassMap) -> [FieldRule] {
        rules.map { rule in
            guard let property = owner.named(SyncString(rule.name)) else { return rule }
            let inner = map.embedded(property).map { mapped(rule.fields, $0) } ?? rule.fields
            return FieldRule(property.stored.string, rule.access, fields: inner)
        }
    }

    private func mapped(_ expression: RuleExpression?, _ owner: ClassMap) throws(RuleError) -> RuleExpression? {
        guard let expression else { return nil }
        return try RuleExpression(mapped(expression.source, owner), limits: limits)
    }

    /// Translates a document that contains fields of the class, and conditions of the query language.
    private func mapped(_ value: BSONValue, _ owner: ClassMap) throws(RuleError) -> BSONValue {
        switch value {
        case .string(let text):
            if text == "%%true" || text == "%%false" { return value }
            return .string(
                try QueryTemplate(text, []).mapped { ConditionMapper(map, isOfRules: true).mapped($0, owner) }
            )
        case .document(let document):
            var new = BSONDocument()
            for (key, value) in document { new.append(name(key, owner), try mapped(value, key, owner)) }
            return .document(new)
        default: return value
        }
    }

    private func mapped(_ value: BSONValue, _ key: String, _ owner: ClassMap) throws(RuleError) -> BSONValue {
        // The value of a field or an expansion is a test, which contains no names.
        guard key.hasPrefix("$") || key.hasPrefix("%"), !key.hasPrefix("%%") else { return value }
        guard case .array(let parts) = value else { return try mapped(value, owner) }
        var new: [BSONValue] = []
        for part in parts { new.append(try mapped(part, owner)) }
        return .array(new)
    }

    private func name(_ key: String, _ owner: ClassMap) -> String {
        if key.hasPrefix("$") || key.hasPrefix("%") { return key }
        var current: ClassMap? = owner
        var names: [String] = []
        for part in key.split(separator: ".", omittingEmptySubsequences: false) {
            guard let property = current?.named(SyncString(String(part))) else {
                current = nil
                names.append(String(part))
                continue
            }
            names.append(property.stored.string)
            current = property.target.map { map.classes[$0] }
        }
        return names.joined(separator: ".")
    }
}
