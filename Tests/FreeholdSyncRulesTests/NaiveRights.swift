import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules

/// Evaluates roles' documents for reads and writes, directly from their JSON. It doesn't support fields inside of
/// fields.
struct NaiveRights {
    let user: RuleUser
    let role: BSONDocument?

    init(roles: [BSONValue], user: RuleUser) {
        self.user = user
        role =
            roles.first { role in
                NaiveRules(user: user, document: [:]).says(role.documentValue!["apply_when"]!) == true
            }?.documentValue
    }

    private func says(_ expression: BSONValue?, _ document: BSONDocument) -> Bool {
        guard let expression else { return false }
        return NaiveRules(user: user, document: document).says(expression) == true
    }

    private func filter(_ key: String, _ document: BSONDocument) -> Bool {
        says(role?["document_filters"]?.documentValue?[key], document)
    }

    private func right(_ key: String, _ field: String) -> Bool {
        guard let role else { return false }
        if let whole = role[key]?.boolValue { return whole }
        let rule = role["fields"]?.documentValue?[field] ?? role["additional_fields"]
        return rule?.documentValue?[key]?.boolValue ?? false
    }

    private func writes(_ field: String) -> Bool { right("write", field) }
    private func reads(_ field: String) -> Bool { right("read", field) || writes(field) }

    private static let fields = RuleModels.tables[0].columns.map(\.name) + ["a field that isn't there"]

    private func canRead(_ document: BSONDocument) -> Bool {
        (filter("read", document) || filter("write", document)) && Self.fields.contains { reads($0) }
    }

    private func canChange(_ document: BSONDocument) -> Bool {
        filter("write", document) && Self.fields.contains { writes($0) }
    }

    /// Returns the names of the readable fields, beside the key, or `nil` if the object can't be read.
    func shown(_ document: BSONDocument) -> [String]? {
        canRead(document) ? document.keys.filter { $0 != "_id" && reads($0) } : nil
    }

    func allows(_ before: BSONDocument?, _ after: BSONDocument?) -> Bool {
        guard role != nil else { return before == nil && after == nil }
        switch (before, after) {
        case (nil, nil): return true
        case (nil, let after?):
            return says(role?["insert"], after) && filter("write", after)
                && Self.changed([:], after).allSatisfy { $0 == "_id" || writes($0) }
        case (let before?, nil): return canRead(before) && says(role?["delete"], before) && filter("write", before)
        case (let before?, let after?):
            guard canRead(before) else { return false }
            if RuleModels.contents(before) == RuleModels.contents(after) { return true }
            return canChange(before) && canChange(after)
                && Self.changed(before, after).allSatisfy { $0 != "_id" && writes($0) }
        }
    }

    private static func changed(_ a: BSONDocument, _ b: BSONDocument) -> [String] {
        func some(_ value: BSONValue?) -> BSONValue? {
            if value?.isNull == true || value?.arrayValue?.isEmpty == true { return nil }
            return value?.sorted
        }
        return Set(a.keys + b.keys).filter { name in
            if name == "marks" {
                return Set(a[name]?.arrayValue ?? []) != Set(b[name]?.arrayValue ?? [])
            }
            return some(a[name]) != some(b[name])
        }
    }
}

extension RandomRules {
    mutating func role(_ name: String) -> BSONDocument {
        func right(_ random: inout SeededRandom) -> BSONValue? { random.chance(60) ? .bool(random.chance(60)) : nil }
        func access(_ random: inout SeededRandom) -> BSONValue {
            var access = BSONDocument()
            access["read"] = right(&random)
            access["write"] = right(&random)
            return .document(access)
        }
        var role: BSONDocument = ["name": .string(name)]
        role["apply_when"] = random.chance(50) ? [:] : expression(ofUser: true)
        role["document_filters"] = [
            "read": random.chance(40) ? true : expression(), "write": random.chance(50) ? true : expression(),
        ]
        if random.chance(40) { role["read"] = .bool(random.chance(70)) }
        if random.chance(40) { role["write"] = .bool(random.chance(70)) }
        if random.chance(80) { role["insert"] = random.chance(70) ? true : expression() }
        if random.chance(80) { role["delete"] = random.chance(70) ? true : expression() }
        var fields = BSONDocument()
        for name in ["owner", "age", "team", "tags"] where random.chance(40) { fields[name] = access(&random) }
        if !fields.isEmpty { role["fields"] = .document(fields) }
        if random.chance(80) { role["additional_fields"] = access(&random) }
        return role
    }

    /// Another document, or one that differs in a field or in none.
    mutating func changed(_ document: BSONDocument?) -> BSONDocument {
        guard var document, random.chance(80) else { return self.document() }
        let other = self.document()
        for name in ["owner", "age", "team", "tags"] where random.chance(35) { document[name] = other[name] }
        return document
    }
}
