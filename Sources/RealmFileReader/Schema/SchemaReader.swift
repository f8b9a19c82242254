import FreeholdEngine

/// A reader of the descriptions of tables.
struct SchemaReader {
    let nodes: FileNodes
    let formatVersion: Int

    /// Returns the name and the reference of each table.
    func tables(_ top: FileTop) throws(RealmFileError) -> [(name: String, ref: UInt64)] {
        guard let namesRef = top.tableNames, let tablesRef = top.tables else { return [] }
        let names = try nodes.byteLeaf(namesRef, isText: true) { () in nil }
        let refs = try nodes.refs(tablesRef)
        var tables: [(name: String, ref: UInt64)] = []
        for i in 0..<min(names.count, refs.count) {
            // A removed table leaves a number in its place.
            guard let ref = refs.ref(i) else { continue }
            tables.append((try text(names, i), ref))
        }
        return tables
    }

    private func text(_ leaf: ByteLeaf, _ i: Int) throws(RealmFileError) -> String {
        guard let bytes = try nodes.bytes(leaf, i, isText: true) else { return "" }
        guard let string = String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self) else {
            throw .damaged("a name isn't UTF-8", at: 0)
        }
        return string
    }

    func table(_ name: String, _ ref: UInt64) throws(RealmFileError) -> RealmFileClass {
        let node = try nodes.refs(ref)
        guard let specRef = node.ref(0) else { throw .damaged("the table \(name) has no description", at: node.offset) }
        let number = node.number(3) ?? 0
        guard number >= 0, number <= Int64(UInt32.max) else {
            throw .damaged("the table \(name) has the number \(number)", at: node.offset)
        }
        let primaryKey = node.number(11)
        let kind: RealmFileClass.Kind =
            switch (node.number(12) ?? 0) & 3 {
            case 0: .topLevel
            case 1: .embedded
            default: .asymmetric
            }
        let opposites: Node? = if let ref = node.ref(7) { try nodes.ints(ref) } else { nil }
        let root = node.ref(2) ?? 0
        return RealmFileClass(
            name: name,
            number: Int(number),
            kind: kind,
            properties: try properties(specRef, primaryKey, opposites: opposites),
            count: try count(root),
            root: root
        )
    }

    private func count(_ root: UInt64) throws(RealmFileError) -> Int {
        guard root != 0 else { return 0 }
        let node = try nodes.refs(root)
        if node.isInner { return counted(node.number(2)) }
        if let keys = node.ref(0) { return try nodes.ints(keys).count }
        return counted(node.number(0))
    }

    /// Returns a number of objects. A file has at most 2^40 objects, and the number of a damaged file must not overflow
    /// sums.
    private func counted(_ number: Int64?) -> Int { Int(min(max(0, number ?? 0), 1 << 40)) }

    private func properties(
        _ ref: UInt64,
        _ primaryKey: Int64?,
        opposites: Node?
    ) throws(RealmFileError) -> [RealmFileProperty] {
        let spec = try nodes.refs(ref)
        guard let typesRef = spec.ref(0), let namesRef = spec.ref(1), let attributesRef = spec.ref(2),
            let keysRef = spec.ref(5)
        else {
            throw .damaged("a table's description isn't complete", at: spec.offset)
        }
        let (types, attributes, keys) = (
            try nodes.ints(typesRef), try nodes.ints(attributesRef), try nodes.ints(keysRef)
        )
        let names = try nodes.byteLeaf(namesRef, isText: true) { () in nil }
        let enumerations: Node? = if let ref = spec.ref(4) { try nodes.refs(ref) } else { nil }
        guard keys.count >= types.count, attributes.count >= types.count, types.count <= 65_536 else {
            throw .damaged("a table's description has \(types.count) types and \(keys.count) keys", at: spec.offset)
        }
        var properties: [RealmFileProperty] = []
        var seen: Set<String> = []
        for i in 0..<types.count {
            guard let type = StoredType(rawValue: UInt8(clamping: types.int(i) & 0xffff)) else {
                throw .damaged("a column has the unknown type \(types.int(i))", at: types.offset)
            }
            // The columns of backlinks are the last ones, and have no names.
            guard type != .backlink else { continue }
            guard i < names.count else { throw .damaged("a column has no name", at: spec.offset) }
            let name = try text(names, i)
            guard seen.insert(name).inserted else {
                throw .damaged("two columns have the name \(name)", at: spec.offset)
            }
            let key = keys.int(i)
            properties.append(
                try property(
                    name,
                    type,
                    place: Int(key & 0xffff),
                    attributes: attributes.int(i),
                    isPrimaryKey: primaryKey == key,
                    opposites: opposites,
                    strings: enumerations?.ref(i)
                )
            )
        }
        return properties
    }

    private func property(
        _ name: String,
        _ type: StoredType,
        place: Int,
        attributes: Int64,
        isPrimaryKey: Bool,
        opposites: Node?,
        strings: UInt64?
    ) throws(RealmFileError) -> RealmFileProperty {
        let isNullable = attributes & 16 != 0
        let collection: CollectionKind =
            if attributes & 32 != 0 || type == .linkList { .list } else if attributes & 64 != 0 {
                .dictionary
            } else if attributes & 128 != 0 { .set } else { .none }
        var target: Int?
        if type == .link || type == .linkList {
            guard let opposites, place < opposites.count, opposites.int(place) >= 0 else {
                throw .damaged("the link \(name) has no target", at: opposites?.offset ?? 0)
            }
            target = Int(opposites.int(place))
        }
        let isLink = target != nil
        return RealmFileProperty(
            name: name,
            type: type.columnType ?? .int,
            isOptional: type == .mixed || type == .typedLink
                || (isLink ? collection == .none || collection == .dictionary : isNullable),
            collection: collection,
            target: target,
            index: attributes & 256 != 0 ? .fullText : attributes & 1 != 0 ? .values : .none,
            isPrimaryKey: isPrimaryKey,
            place: place,
            form: LeafForm(
                type: type,
                isNullable: isNullable,
                isElement: collection != .none,
                strings: strings
            )
        )
    }
}
