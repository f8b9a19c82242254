internal import FreeholdEngine
internal import FreeholdSyncCore

/// The target of a patch's path in an object.
struct PatchTarget {
    var steps: [Place.Step]
    var column: ColumnSpec
    /// A Boolean value that indicates whether the target is a whole collection property. Otherwise it is a single
    /// value.
    var isCollection: Bool
    /// The present content of the target.
    var old: MergedContent?
    /// The end of the path that leads into missing parts.
    var rest: ArraySlice<String> = []
    /// A Boolean value that indicates whether the target is an entry of a dictionary, which can be removed.
    var isEntry = false
    /// A Boolean value that indicates whether the target is inside of a mixed value.
    var isNested = false

    private enum Spot {
        case property
        case element
        case entry
    }

    init(
        _ path: [String],
        in contents: [SyncString: MergedContent],
        of found: DocumentSchema.Class,
        _ schema: DocumentSchema
    ) throws(DocumentMisfit) {
        let name = SyncString(path[0])
        guard let column = found.properties[name] else { throw Self.unknown(path[0], found, []) }
        try ObjectChanges.check(contents[name], column, [path[0]])
        steps = [.property(name)]
        self.column = column
        isCollection = column.collection != .none
        old = contents[name]
        var at = 1
        while at < path.count {
            guard try follow(path[at], Array(path[..<at]), schema) else {
                rest = path[at...]
                return
            }
            at += 1
        }
    }

    private static func unknown(_ key: String, _ found: DocumentSchema.Class, _ path: [String]) -> DocumentMisfit {
        DocumentMisfit(.unknownField, path + [key], "The class '\(found.name)' has no '\(key.prefix(80))'.")
    }

    /// Follows the next key of the path. Returns `false` if the present target is missing, so that the key leads
    /// nowhere.
    private mutating func follow(_ key: String, _ path: [String], _ schema: DocumentSchema) throws(DocumentMisfit)
        -> Bool
    {
        if isCollection { return try followElement(key, path) }
        if isNested || column.type == .mixed {
            switch old {
            case .value(.dictionary(let entries))?:
                steps.append(.nested(SyncString(key)))
                old = entries[SyncString(key)].map { .value($0) }
                (isNested, isEntry) = (true, true)
                return true
            case nil, .value(.null)?: return false
            default:
                throw DocumentMisfit(
                    .operation,
                    path + [key],
                    "'\(path.joined(separator: "."))' holds no dictionary: set it as a whole."
                )
            }
        }
        guard let target = schema.target(of: column), target.isEmbedded else {
            throw DocumentMisfit(.unknownField, path + [key], "'\(path.joined(separator: "."))' has nothing inside.")
        }
        let name = SyncString(key)
        guard let inner = target.properties[name] else { throw Self.unknown(key, target, path) }
        guard case .embedded(let fields)? = old else { return false }
        try ObjectChanges.check(fields[name], inner, path + [key])
        steps += [.instance(.confirmed), .property(name)]
        column = inner
        isCollection = inner.collection != .none
        old = fields[name]
        isEntry = false
        return true
    }

    private mutating func followElement(_ key: String, _ path: [String]) throws(DocumentMisfit) -> Bool {
        switch (column.collection, old) {
        case (.list, let old):
            var elements: [MergedContent] = []
            if case .list(let known)? = old { elements = known }
            guard let index = Int(key), elements.indices.contains(index), key == "\(index)" else {
                throw DocumentMisfit(
                    .operation,
                    path + [key],
                    "'\(key.prefix(40))' isn't a place in the list: it has \(elements.count) elements."
                )
            }
            steps.append(.element(.confirmed(index)))
            self.old = elements[index]
        case (.dictionary, let old):
            steps.append(.entry(SyncString(key)))
            isEntry = true
            if case .dictionary(let entries)? = old {
                self.old = entries[SyncString(key)]
            } else {
                self.old = nil
            }
        default:
            throw DocumentMisfit(.operation, path + [key], "Elements of a set have no places.")
        }
        isCollection = false
        return true
    }
}
