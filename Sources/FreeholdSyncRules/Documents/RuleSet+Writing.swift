public import FreeholdBSON

extension RuleSet {
    /// The rules as one document by names of classes. Reading the document gives equal rules, except for databases and
    /// identifiers.
    ///
    /// - Complexity: O(size of the rules)
    public var document: BSONDocument {
        var document = BSONDocument()
        if let defaultRoles { document.append("default", .document(Self.document(defaultRoles))) }
        var entries = BSONDocument()
        for rules in classes { entries.append(rules.className, .document(Self.document(rules.roles))) }
        if !classes.isEmpty { document.append("classes", .document(entries)) }
        return document
    }

    /// The rules in the format of App Services: one document for each collection, followed by one for the default
    /// roles. Reading them as an array gives equal rules.
    ///
    /// - Complexity: O(size of the rules)
    public var documents: [BSONDocument] {
        var documents = classes.map { rules in
            var document = BSONDocument()
            if let identifier = rules.identifier { document.append("_id", identifier) }
            if let database = rules.database { document.append("database", .string(database)) }
            document.append("collection", .string(rules.className))
            for (key, value) in Self.document(rules.roles) { document.append(key, value) }
            return document
        }
        if let defaultRoles { documents.append(Self.document(defaultRoles)) }
        return documents
    }

    private static func document(_ roles: [Role]) -> BSONDocument {
        ["roles": .array(roles.map { .document($0.document) })]
    }
}
