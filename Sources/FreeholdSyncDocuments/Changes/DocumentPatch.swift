public import FreeholdBSON
public import FreeholdSyncCore

/// What an HTTP request asks of an object: a whole document in its place, or edits by operators as MongoDB has them.
///
/// ```json
/// {"$set": {"name": "Rex", "address.city": "Bern"}, "$inc": {"age": 1}, "$push": {"tags": {"$each": ["a", "b"]}}}
/// ```
///
/// | Operator | What it does |
/// |---|---|
/// | `$set`, `$unset` | writes a property, an element (`dogs.0.name`) or an entry of a dictionary; empties or removes it |
/// | `$setOnInsert` | as `$set`, if the object is made |
/// | `$inc` | adds to a number. Adds to integers merge: of two at once none is lost |
/// | `$push` | adds at the end of a list; with `$each` several, with `$position` elsewhere |
/// | `$addToSet` | adds what isn't there yet, to a set or a list; with `$each` several |
/// | `$pull`, `$pullAll` | removes equal elements, those of `$in`, or embedded objects with these fields |
///
/// No path may lead to or through another one of the same patch.
public struct DocumentPatch: Sendable {
    enum Operator: String, CaseIterable {
        case set = "$set"
        case setOnInsert = "$setOnInsert"
        case unset = "$unset"
        case add = "$inc"
        case push = "$push"
        case addToSet = "$addToSet"
        case pull = "$pull"
        case pullAll = "$pullAll"
    }

    struct Edit {
        let kind: Operator
        let path: [String]
        let value: BSONValue
    }

    private enum Body: Sendable {
        case document(BSONDocument)
        case edits([Edit])
    }

    /// What a patch becomes.
    public struct Result: Sendable {
        /// Empty if nothing is different.
        public var changes: [Change]
        /// Paths of fields that the class hasn't.
        public var ignored: [String]
    }

    private let body: Body

    /// A patch from its document: operators if the first key begins with a dollar, else a whole document.
    ///
    /// - Throws: `DocumentMisfit` for operators that aren't known, and for paths that touch each other.
    /// - Complexity: O(*n* log *n*) for *n* paths.
    public init(_ document: BSONDocument) throws(DocumentMisfit) {
        guard document.first?.key.hasPrefix("$") == true else {
            body = .document(document)
            return
        }
        var edits: [Edit] = []
        for (key, value) in document {
            guard let kind = Operator(rawValue: key) else {
                let known = Operator.allCases.map(\.rawValue).joined(separator: ", ")
                throw DocumentMisfit(.operation, [key], "'\(key.prefix(40))' isn't supported: these are: \(known).")
            }
            guard case .document(let fields) = value else {
                throw DocumentMisfit(.operation, [key], "'\(key)' has a document of paths, not \(value.typeName).")
            }
            for (name, value) in fields {
                let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                guard !path.contains(""), path.count <= 64, !path.contains(where: { $0.hasPrefix("$") }) else {
                    throw DocumentMisfit(.operation, [key, name], "'\(name.prefix(80))' is no path of fields.")
                }
                edits.append(Edit(kind: kind, path: path, value: value))
            }
        }
        let sorted = edits.map(\.path).sorted { $0.lexicographicallyPrecedes($1) }
        for (first, second) in zip(sorted, sorted.dropFirst()) where second.starts(with: first) {
            throw DocumentMisfit(
                .operation,
                second,
                "The patch edits '\(first.joined(separator: "."))' twice, or something in it."
            )
        }
        body = .edits(edits)
    }

    /// The changes that the patch is for an object.
    ///
    /// - Parameters:
    ///   - key: the object's `_id`.
    ///   - stored: what the object holds. Nil if it isn't there.
    ///   - upserts: whether an object that isn't there is made.
    ///   - numbers: of the file that uploads the changes.
    /// - Throws: `DocumentMisfit`, with the path, for what the class or the object doesn't have.
    /// - Complexity: O(size of the patch and of what it touches).
    public func changes(
        of className: String,
        key: BSONValue,
        stored: [SyncString: MergedContent]?,
        mapping: DocumentMapping,
        upserts: Bool = false,
        numbers: inout OwnNumbers
    ) throws(DocumentMisfit) -> Result {
        let name = try mapping.name(key, of: className)
        let (found, _) = try mapping.schema.topLevel(name.className)
        guard stored != nil || upserts else { throw DocumentMisfit(.gone, [], "There is no such object.") }
        var draft = ObjectChanges(mapping.schema, name, numbers)
        var ignored: [String] = []
        switch (body, stored) {
        case (.document(let document), let stored):
            let object = try Self.object(document, key, className, mapping)
            let fields = object.fields.merging(try mapping.missing(object.fields, of: found, [])) { first, _ in first }
            ignored = object.ignored
            if let stored {
                try draft.update([], of: found, from: stored, to: fields, isWhole: true)
            } else {
                draft.create(fields)
            }
        case (.edits(let edits), nil):
            let object = try Self.object(try Self.document(edits), key, className, mapping)
            ignored = object.ignored
            draft.create(object.fields.merging(try mapping.missing(object.fields, of: found, [])) { first, _ in first })
        case (.edits(let edits), let stored?):
            var editor = PatchEditor(mapping: mapping, draft: draft)
            for edit in edits where edit.kind != .setOnInsert {
                if edit.path == ["_id"] {
                    try Self.check(edit.value, name, className, mapping)
                } else {
                    try editor.perform(edit, on: stored, of: found)
                }
            }
            draft = editor.draft
            ignored = editor.ignored
        }
        numbers = draft.numbers
        return Result(changes: draft.changes, ignored: ignored)
    }

    /// The object of a document whose `_id` is this one, or isn't said.
    private static func object(
        _ document: BSONDocument,
        _ key: BSONValue,
        _ className: String,
        _ mapping: DocumentMapping
    ) throws(DocumentMisfit) -> MappedObject {
        var document = document
        if let id = document["_id"] {
            try check(id, try mapping.name(key, of: className), className, mapping)
        } else {
            document["_id"] = key
        }
        return try mapping.object(document, of: className)
    }

    private static func check(_ id: BSONValue, _ name: ObjectName, _ className: String, _ mapping: DocumentMapping)
        throws(DocumentMisfit)
    {
        guard try mapping.name(id, of: className) == name else {
            throw DocumentMisfit(.key, ["_id"], "An object's '_id' can't be changed.")
        }
    }

    /// What operators make of nothing.
    private static func document(_ edits: [Edit]) throws(DocumentMisfit) -> BSONDocument {
        var document = BSONDocument()
        for edit in edits {
            switch edit.kind {
            case .set, .setOnInsert, .add: document.put(edit.value, at: edit.path[...])
            case .push, .addToSet:
                document.put(.array(try PatchEditor.elements(edit).values), at: edit.path[...])
            case .unset, .pull, .pullAll: break
            }
        }
        return document
    }
}

extension BSONDocument {
    fileprivate mutating func put(_ value: BSONValue, at path: ArraySlice<String>) {
        guard let key = path.first else { return }
        if path.count == 1 {
            self[key] = value
        } else {
            var inner = self[key]?.documentValue ?? [:]
            inner.put(value, at: path.dropFirst())
            self[key] = .document(inner)
        }
    }
}
