public import FreeholdBSON
public import FreeholdSyncCore

/// The edit of an object by an HTTP request: a whole document that replaces it, or edits with MongoDB's operators.
///
/// ```json
/// {"$set": {"name": "Rex", "address.city": "Bern"}, "$inc": {"age": 1}, "$push": {"tags": {"$each": ["a", "b"]}}}
/// ```
///
/// | Operator | Effect |
/// |---|---|
/// | `$set`, `$unset` | writes, or empties or removes, a property, an element (`dogs.0.name`) or an entry of a dictionary |
/// | `$setOnInsert` | like `$set`, if the patch creates the object |
/// | `$inc` | adds to a number. Simultaneous adds to an integer are all applied |
/// | `$push` | appends an element to a list, or several with `$each`. `$position` inserts them elsewhere |
/// | `$addToSet` | adds a value to a set or a list if it is missing, or several with `$each` |
/// | `$pull`, `$pullAll` | removes equal elements, elements in `$in`, or embedded objects with the given fields |
///
/// No path may be equal to another path of the same patch, or begin with it.
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

    /// The result of a patch.
    public struct Result: Sendable {
        /// The changes. Empty if the patch changes nothing.
        public var changes: [Change]
        /// The paths of fields that the class doesn't have.
        public var ignored: [String]
    }

    private let body: Body

    /// Creates a patch from its document. The document contains operators if its first key begins with a dollar sign.
    /// Otherwise it is a whole document.
    ///
    /// - Throws: `DocumentMisfit` for unknown operators, and for paths of which one begins with another.
    /// - Complexity: O(*n* log *n*) for *n* paths
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
                    throw DocumentMisfit(.operation, [key, name], "'\(name.prefix(80))' isn't a path of fields.")
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

    /// Returns the changes that the patch makes to an object.
    ///
    /// - Parameters:
    ///   - key: The `_id` of the object.
    ///   - stored: The contents of the object, or `nil` if it doesn't exist.
    ///   - upserts: A Boolean value that indicates whether a missing object is created.
    ///   - numbers: The numbers of the file that uploads the changes.
    /// - Throws: `DocumentMisfit` with the path, for parts that the class or the object doesn't have.
    /// - Complexity: O(size of the patch and of the parts that it changes)
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
        if stored == nil { try mapping.checkNew(name) }
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

    /// Returns the object of a document whose `_id` is the given key or missing.
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

    /// Returns the document that the operators create from nothing.
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
