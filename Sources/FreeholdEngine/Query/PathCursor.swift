/// The pointers to a column's leaves, each of which is looked up once.
final class LeafTable {
    let view: DataView
    let column: Column
    private var leaves: [UnsafeRawPointer?]
    private var known: [Bool]

    init(_ column: Column, in view: DataView) {
        self.view = view
        self.column = column
        let n = view.clusterCount(view.schema.table(id: column.tableID)!)
        leaves = .init(repeating: nil, count: n)
        known = .init(repeating: false, count: n)
    }

    /// Returns the leaf that holds the key's slot, or `nil` if the leaf isn't stored.
    @inline(__always)
    func locate(_ key: Int64) -> (leaf: Leaf, slot: Int)? {
        let span = view.clusterSpan
        let cluster = Int(key) / span
        var slot = Int(key) &- cluster &* span
        guard cluster < known.count else { return nil }
        if !known[cluster] {
            leaves[cluster] = view.leaf(column, cluster: cluster)
            known[cluster] = true
        }
        guard let address = leaves[cluster] else { return nil }
        var leaf = Leaf(address)
        if leaf.isSplit {
            let partSpan = Leaf.partSpan(clusterSpan: span, partsLog2: leaf.partsLog2)
            guard let part = view.leafPart(column, cluster: cluster, part: slot / partSpan) else { return nil }
            leaf = Leaf(part)
            slot %= partSpan
        }
        return slot < leaf.count ? (leaf, slot) : nil
    }
}

/// A reader of the values at the end of one path, for many objects of a view. The path has to-one steps and subscripts only.
final class PathCursor {
    let view: DataView
    /// The column of the values, or `nil` for the reached object itself.
    let column: Column?
    /// A Boolean value that indicates whether all steps are link columns and the value is in a column. `resolve` and `values` need this.
    let isPlain: Bool
    private let path: PropertyPath
    private let links: [LeafTable]
    private let leaves: LeafTable?
    private let distance: DistanceKey?

    /// Creates a cursor for the value of a sort key: the path's value, or the distance of its places from a point.
    convenience init(_ key: SortKey, in view: DataView) {
        self.init(key.distance == nil ? key.path : key.path.reachingObjects, in: view, key.distance)
    }

    init(_ path: PropertyPath, in view: DataView, _ distance: DistanceKey? = nil) {
        self.view = view
        self.path = path
        self.distance = distance
        column = path.column
        var links: [LeafTable] = []
        for case .link(let link) in path.steps { links.append(LeafTable(link, in: view)) }
        isPlain =
            links.count == path.steps.count && path.subscripts.isEmpty && column?.collection == CollectionKind.none
        self.links = isPlain ? links : []
        leaves = isPlain ? LeafTable(path.column!, in: view) : nil
    }

    /// A Boolean value that indicates whether the path has steps, so that a row may not have an object with the value.
    var hasSteps: Bool { !path.steps.isEmpty }

    /// The column's leaves, for a plain path.
    @inline(__always) var values: LeafTable { leaves.unsafelyUnwrapped }

    /// Returns the object with the value, or `nil` if a link is null. The path must be plain.
    @inline(__always)
    func resolve(_ key: Int64) -> Int64? {
        var key = key
        for table in links {
            guard let (leaf, slot) = table.locate(key) else { return nil }
            let stored = leaf.int(slot)
            if stored == 0 { return nil }
            key = stored &- 1
        }
        return key
    }

    /// Returns the value, or `nil` if a link on the path is null.
    func value(_ key: Int64) -> Value? {
        guard isPlain else { return read(key) }
        guard let target = resolve(key) else { return nil }
        let column = values.column
        guard let (leaf, slot) = values.locate(target) else { return column.defaultValue }
        return view.value(column.type, leaf, slot: slot, isOptional: column.isOptional, blobs: column.segment(.blobs))
    }

    private func read(_ key: Int64) -> Value? {
        let reader = PathReader(view: view)
        var key = ObjectKey(key)
        for step in path.steps {
            switch step {
            case .link(let link):
                guard let target = view.readLink(link, key) else { return nil }
                key = target
            case .element(let link, let place):
                let found = reader.values(PropertyPath([], link, subscripts: [place]), key)
                guard case .link(let target)? = found.first else { return nil }
                key = target
            case .backlink: preconditionFailure("Several objects have no order")
            }
        }
        if let distance { return distance.value(key, in: view) }
        guard let column else { return .link(key) }
        return reader.values(PropertyPath([], column, subscripts: path.subscripts), key).first ?? .null
    }
}
