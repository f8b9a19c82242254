public import FreeholdBSON

extension Role {
    /// The role as a document in the format of App Services. Reading the document gives an equal role.
    public var document: BSONDocument {
        var document = BSONDocument()
        if let identifier { document.append("_id", identifier) }
        document.append("name", .string(name))
        document.append("apply_when", applyWhen.source)
        if readFilter != nil || writeFilter != nil {
            var filters = BSONDocument()
            if let readFilter { filters.append("read", readFilter.source) }
            if let writeFilter { filters.append("write", writeFilter.source) }
            document.append("document_filters", .document(filters))
        }
        if let read { document.append("read", .bool(read)) }
        if let write { document.append("write", .bool(write)) }
        if let insert { document.append("insert", insert.source) }
        if let delete { document.append("delete", delete.source) }
        if let search { document.append("search", search.source) }
        if !fields.isEmpty { document.append("fields", .document(FieldRule.document(fields))) }
        let rest = additionalFields.document
        if !rest.isEmpty { document.append("additional_fields", .document(rest)) }
        return document
    }
}

extension FieldAccess {
    fileprivate var document: BSONDocument {
        var document = BSONDocument()
        if let read { document.append("read", .bool(read)) }
        if let write { document.append("write", .bool(write)) }
        return document
    }
}

extension FieldRule {
    fileprivate static func document(_ rules: [FieldRule]) -> BSONDocument {
        var document = BSONDocument()
        for rule in rules {
            var inner = rule.access.document
            if !rule.fields.isEmpty { inner.append("fields", .document(Self.document(rule.fields))) }
            document.append(rule.name, .document(inner))
        }
        return document
    }
}
