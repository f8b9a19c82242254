/// An object as the server keeps it: its values, and what later merges need to know of how they came about (sync-design.md, section 8).
///
/// It changes in merges only.
public struct MergedObject: Sendable {
    /// The version at which this incarnation was made.
    public private(set) var born: StreamVersion
    /// The version at which it died. It is kept until the horizon.
    public private(set) var died: StreamVersion?
    /// The version of its last change.
    public internal(set) var changed: StreamVersion

    /// The versions of the last changes of collections and of what lies inside of embedded objects, by property, where it isn't the one at
    /// which the object was made. Of single values their writes know.
    private(set) var touched: [SyncString: StreamVersion] = [:]

    /// The versions at which a second create of the live object, by another file, met other contents than its own, by property.
    private(set) var contested: [SyncString: StreamVersion] = [:]

    private(set) var record: Record
    /// The files whose own creates took part in making it. They know it, whatever version they saw.
    private(set) var makers: [FileIdent]
    /// The files that deleted it, be it as the second.
    private(set) var deleters: [FileIdent] = []

    /// A new incarnation.
    init(_ fields: [NewField], _ author: Author) {
        born = author.version
        changed = author.version
        record = Record(base: author.mark(.real))
        makers = [author.ident]
        record.create(fields, author)
    }

    /// One that was stored.
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

    /// What it holds, also after its death.
    ///
    /// - Complexity: O(*n*) for *n* values.
    public var contents: [SyncString: MergedContent] { record.contents }

    public var isAlive: Bool { died == nil }

    // MARK: Merging

    /// Whether the author means this incarnation.
    func isKnown(to author: Author) -> Bool { author.seen >= born || makers.contains { author.isOwn($0, born) } }

    /// Whether a create makes a new incarnation behind this dead one.
    ///
    /// - Parameter base: the cursor of the author.
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

    /// - Returns: whether it was alive.
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

    /// The commit is done with the object.
    mutating func finish() { record.finish() }

    // MARK: Reading

    /// The value of a property. Nil if it never was written.
    func content(_ property: SyncString) -> MergedContent? { record.fields[property]?.content }

    func links(to name: ObjectName, by property: SyncString) -> Bool {
        content(property)?.links(to: name) ?? false
    }

    // MARK: Upkeep

    /// Forgets what no commit of the horizon's version or a later one can name.
    ///
    /// - Returns: false if nothing is left: the object is to be forgotten.
    public mutating func trim(horizon: StreamVersion) -> Bool {
        if let died, died <= horizon { return false }
        record.trim(horizon: horizon)
        if !contested.isEmpty { contested = contested.filter { $0.value > horizon } }
        return true
    }

    /// Makes one of neighbouring adds to one counter. An add that was merged counts as if it had come with the last of them.
    public mutating func mergeNeighbouringAdds() { record.mergeAdds() }
}

extension Change {
    /// The property whose last change only the object can tell: of a single value its write knows.
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
