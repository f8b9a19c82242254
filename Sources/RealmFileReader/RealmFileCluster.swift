public import FreeholdEngine

/// Neighbouring objects of a class in a Realm file.
///
/// Links are given by the keys of the file, which are ``keys`` of the target's class. A link to a deleted object is
/// null.
public struct RealmFileCluster {
    let stored: StoredCluster
    let nodes: FileNodes
    let formatVersion: Int

    /// The keys of the objects, in ascending order.
    public var keys: [Int64] { stored.keys }
    public var count: Int { stored.keys.count }

    /// Returns the values of a property that isn't a collection, object by object.
    public func values(of property: RealmFileProperty) throws(RealmFileError) -> [Value] {
        precondition(property.collection == .none, "\(property.name) is a collection")
        var values: [Value] = []
        values.reserveCapacity(count)
        guard count > 0 else { return values }
        try nodes.readWhole(try stored.column(property.place), property.form, expected: count, into: &values)
        return values
    }

    /// Calls the body with the values of a property that isn't a collection. If the values are large, each call has the
    /// values of some objects. The body receives the position of the first one.
    public func forEachPart(
        of property: RealmFileProperty,
        _ body: (_ position: Int, _ values: [Value]) throws -> Void
    ) throws {
        precondition(property.collection == .none, "\(property.name) is a collection")
        guard count > 0 else { return }
        var next: Int? = 0
        while let first = next {
            var values: [Value] = []
            let column = try stored.column(property.place)
            next = try nodes.read(column, property.form, expected: count, from: first, into: &values)
            nodes.release()
            try body(first, values)
        }
    }

    /// Calls the body with the elements of a list or set of the object at the position, a part at a time.
    ///
    /// A list of links omits links to deleted objects, like Realm does. The elements of a set are in the order of the
    /// file, which until format 23 isn't the order of their values.
    public func forEachPart(
        of property: RealmFileProperty,
        at position: Int,
        in collections: RealmFileCollections,
        _ body: ([Value]) throws -> Void
    ) throws {
        guard let ref = collections.refs[position] else { return }
        var failure: (any Error)?
        let isLink = property.type == .link
        do throws(RealmFileError) {
            try nodes.forEachLeaf(ref) { (leaf) throws(RealmFileError) in
                var next: Int? = 0
                while let first = next {
                    var values: [Value] = []
                    next = try nodes.read(leaf, property.form, expected: nil, from: first, into: &values)
                    nodes.release()
                    if isLink { values.removeAll(where: \.isNull) }
                    do { try body(values) } catch {
                        failure = error
                        throw RealmFileError(.io, "stopped")
                    }
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Returns the elements of a list or set of the object at the position.
    public func elements(
        of property: RealmFileProperty,
        at position: Int,
        in collections: RealmFileCollections
    ) throws -> [Value] {
        var values: [Value] = []
        try forEachPart(of: property, at: position, in: collections) { values += $0 }
        return values
    }

    /// Calls the body with the entries of the object's dictionary, in the order of the file, a part at a time.
    public func forEachEntries(
        of property: RealmFileProperty,
        at position: Int,
        in collections: RealmFileCollections,
        _ body: ([(key: String, value: Value)]) throws -> Void
    ) throws {
        var failure: (any Error)?
        do throws(RealmFileError) {
            let ref = collections.refs[position]
            try nodes.forEachEntries(ref, depth: 0, isOld: formatVersion < 23) { (part) throws(RealmFileError) in
                nodes.release()
                let entries = if let target = property.target { try links(part, to: target, property) } else { part }
                do { try body(entries) } catch {
                    failure = error
                    throw RealmFileError(.io, "stopped")
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Returns the entries of the object's dictionary, in the order of the file.
    public func entries(
        of property: RealmFileProperty,
        at position: Int,
        in collections: RealmFileCollections
    ) throws -> [(key: String, value: Value)] {
        var entries: [(key: String, value: Value)] = []
        try forEachEntries(of: property, at: position, in: collections) { entries += $0 }
        return entries
    }

    /// Returns the entries with plain links. In a dictionary, links contain their class, which the property already
    /// specifies.
    private func links(
        _ entries: [(key: String, value: Value)],
        to target: Int,
        _ property: RealmFileProperty
    ) throws(RealmFileError) -> [(key: String, value: Value)] {
        var entries = entries
        for i in entries.indices {
            guard case .objectLink(let link) = entries[i].value else { continue }
            guard link.tableID == target else {
                throw .damaged("\(property.name) links to an object of another class", at: stored.offset)
            }
            entries[i].value = .link(link.key)
        }
        return entries
    }

    /// Returns the positions of the collections of a property, for the methods above.
    public func collections(of property: RealmFileProperty) throws(RealmFileError) -> RealmFileCollections {
        precondition(property.collection != .none, "\(property.name) isn't a collection")
        guard count > 0 else { return RealmFileCollections(refs: []) }
        let node = try nodes.refs(try stored.column(property.place))
        guard node.count >= count else {
            throw .damaged("a leaf has \(node.count) collections for \(count) objects", at: node.offset)
        }
        return RealmFileCollections(refs: (0..<count).map { node.ref($0) })
    }
}

/// The positions of the collections of a cluster's objects. See ``RealmFileCluster/collections(of:)``.
public struct RealmFileCollections {
    let refs: [UInt64?]

    /// Returns a Boolean value that indicates whether the object's collection has never contained a value.
    public func isEmpty(at position: Int) -> Bool { refs[position] == nil }
}
