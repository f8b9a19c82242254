/// An object in the form that the server stores: its values, and the history that later merges need (sync-design.md,
/// section 8).
///
/// Only merges change it.
public struct MergedObject: Sendable {
    /// The version at which this incarnation was created.
    public private(set) var born: StreamVersion
    /// The version at which it was deleted. Deleted objects are kept until the horizon.
    public private(set) var died: StreamVersion?
    /// The version of the last change.
    public internal(set) var changed: StreamVersion

    /// The versions of the last changes of collections and of the insides of embedded objects, by property, as far as
    /// they differ from the version of the creation. The version of a single value is stored with its last write.
    private(set) var touched: [SyncString: StreamVersion] = [:]

    /// The versions at which another file's create of the live object met different contents, by property.
    private(set) var contested: [SyncString: StreamVersion] = [:]

    private(set) var record: Record
    /// The files whose creates took part in creating the object. They know the object even if they saw an earlier
    /// version.
    private(set) var makers: [FileIdent]
    /// The files that deleted the object. A file that deleted it after another one is included.
    private(set) var deleters: [FileIdent] = []

    /// Creates a new incarnation.
    init(_ fields: [NewField], _ author: Author) {
        born = author.version
        changed = author.version
        record = Record(base: author.mark(.real))
        makers = [author.ident]
        record.create(fields, author)
    }

    /// Creates an object from its stored form.
    init(
        born: StreamVersion,
        died: StreamVersion?,
        changed: StreamVersion,
        record: Record,
        makers: [FileIdent],
        deleters: [FileIdent],
        touched: [SyncString: StreamVersion] = [:],
        contested: [SyncString: StreamVersion] = [:]
    ) {
        self.contested = contested
        (self.born, self.died, self.changed, self.record) = (born, died, changed, record)
        self.touched = touched
        (self.makers, self.deleters) = (makers, deleters)
    }

    /// The properties. A deleted object still has them.
    ///
    /// - Complexity: O(*n*) for *n* values.
    public var contents: [SyncString: MergedContent] { record.contents }

    public var isAlive: Bool { died == nil }

    // MARK: Merging

    /// Returns whether the author's changes are about this incarnation.
    func isKnown(to author: Author) -> Bool { author.seen >= born || makers.contains { author.isOwn($0, born) } }

    /// Returns whether a create by the author creates a new incarnation after this deleted one.
    ///
    /// - Parameter base: The cursor of the author.
    func canFollow(_ author: Author, base: StreamVersion) -> Bool {
        guard let died else { return false }
        return base >= died || deleters.contains { author.isOwn($0, died) }
    }

    /// Merges another create of the live object.
    mutating func create(_ fields: [NewField], _ author: Author) {
        let isOwn = makers.contains { author.isOwn($0, born) }
        if !makers.contains(author.ident) { makers.append(author.ident) }
        let before = isOwn ? [] : fields.map { record.written($0.name) }
        record.create(fields, author)
        changed = author.version
        for (field, old) in zip(fields, before) {
            let (now, new) = (content(field.name), field.origin == .real ? ClientNode(field.content).content : nil)
            guard old?.lost(in: now) != nil || new?.lost(in: now) != nil else { continue }
            contested[field.name] = author.version
        }
        for field in fields {
            if case .value(let value) = field.content, !value.isEmbedded { continue }
            touch(field.name, author)
        }
    }

    private mutating func touch(_ name: SyncString, _ author: Author) {
        if author.version != born { touched[name] = author.version }
    }

    /// Deletes the object.
    ///
    /// - Returns: A Boolean value that indicates whether the object was alive.
    mutating func delete(_ author: Author) -> Bool {
        if !deleters.contains(author.ident) { deleters.append(author.ident) }
        guard died == nil else { return false }
        died = author.version
        changed = author.version
        return true
    }

    mutating func perform(_ change: Change, _ path: [Place.Step], _ author: Author) -> Outcome {
        let outcome = record.perform(change, path[...], author)
        if outcome == .done, !author.isRefused {
            changed = author.version
            if let name = change.touched(path) { touch(name, author) }
        }
        return outcome
    }

    /// Ends the changes of a commit.
    mutating func finish() { record.finish() }

    // MARK: Reading

    /// Returns the content of a property, or `nil` if the property was never written.
    func content(_ property: SyncString) -> MergedContent? { record.fields[property]?.content }

    func links(to name: ObjectName, by property: SyncString) -> Bool {
        content(property)?.links(to: name) ?? false
    }

    // MARK: Lists

    /// Returns the lists of properties that have a number of elements, or as many parts because of removed elements.
    func lists(ofAtLeast count: Int) -> [(name: SyncString, list: ListTree)] {
        record.fields.compactMap { field in
            guard case .list(let list) = field.value, list.hasParts(ofAtLeast: count) else { return nil }
            return (field.name, list)
        }
    }

    /// Returns whether the object has such a list.
    package func hasList(ofAtLeast count: Int) -> Bool {
        record.fields.contains { field in
            if case .list(let list) = field.value { list.hasParts(ofAtLeast: count) } else { false }
        }
    }

    func list(_ property: SyncString) -> ListTree? {
        guard case .list(let list)? = record.fields[property] else { return nil }
        return list
    }

    /// Replaces a list that the object has, when its stored form is written or read.
    mutating func setList(_ list: ListTree, of property: SyncString) { record.setList(list, of: property) }

    // MARK: Upkeep

    /// Removes data that no commit with a base at the horizon or later can name.
    ///
    /// - Returns: `false` if nothing is left, so that the object has to be removed.
    public mutating func trim(horizon: StreamVersion) -> Bool {
        if let died, died <= horizon { return false }
        record.trim(horizon: horizon)
        if !contested.isEmpty { contested = contested.filter { $0.value > horizon } }
        return true
    }

    /// Merges neighbouring adds to one counter into one add. The result has the position of the last of them.
    public mutating func mergeNeighbouringAdds() { record.mergeAdds() }
}

extension ListTree {
    fileprivate func hasParts(ofAtLeast count: Int) -> Bool {
        self.count >= count || leaves.count * Self.capacity / 2 >= count
    }
}

extension Change {
    /// Returns the property for which the object stores the version of the last change. Returns `nil` for a change of a
    /// single value, whose write has the version.
    fileprivate func touched(_ path: [Place.Step]) -> SyncString? {
        guard case .property(let name)? = path.first else { return nil }
        switch self {
        case .set where path.count == 1, .increment where path.count == 1: return nil
        default: return name
        }
    }
}

extension SyncValue {
    fileprivate var isEmbedded: Bool { if case .embedded = self { true } else { false } }
}
