internal import FreeholdBSON
internal import FreeholdEngine
internal import FreeholdSyncCore

/// Computes the changes that turn one object into another. They are as few as possible, so that they don't conflict
/// with edits of other parts by devices.
struct ObjectChanges {
    let schema: DocumentSchema
    let name: ObjectName
    var numbers: OwnNumbers
    private(set) var changes: [Change] = []

    init(_ schema: DocumentSchema, _ name: ObjectName, _ numbers: OwnNumbers) {
        self.schema = schema
        self.name = name
        self.numbers = numbers
    }

    mutating func add(_ change: Change) { changes.append(change) }

    // MARK: New objects

    mutating func create(_ fields: [SyncString: MergedContent]) {
        changes.append(.create(name, newFields(fields)))
    }

    private mutating func newFields(_ fields: [SyncString: MergedContent]) -> [NewField] {
        fields.sorted { $0.key < $1.key }.map { NewField($0.key, newContent($0.value)) }
    }

    private mutating func newContent(_ content: MergedContent) -> NewContent {
        switch content {
        case .value, .embedded: return .value(written(content))
        case .list(let elements):
            let first = numbers.take(elements.count)
            return .list(first: first, elements.map { written($0) })
        case .set(let elements): return .set(Self.sorted(elements))
        case .dictionary(let entries):
            let sorted = entries.sorted { $0.key < $1.key }
            return .dictionary(SyncDictionary(sorted.map { (key: $0.key, value: written($0.value)) }))
        }
    }

    /// Returns the content as a value, or as a new embedded object.
    mutating func written(_ content: MergedContent) -> SyncValue {
        switch content {
        case .value(let value): return value
        case .embedded(let fields):
            let number = numbers.take()
            return .embedded(EmbeddedValue(number: number, fields: newFields(fields)))
        case .list, .set, .dictionary: return .null
        }
    }

    static func sorted(_ elements: [SetElement: SyncValue]) -> [SyncValue] {
        elements.values.map { (text: "\($0)", value: $0) }.sorted { $0.text < $1.text }.map(\.value)
    }

    // MARK: Differences

    /// - Parameters:
    ///   - steps: The steps from the object to the container of the fields.
    ///   - isWhole: A Boolean value that indicates whether fields that are missing in the new contents are emptied.
    mutating func update(
        _ steps: [Place.Step],
        of found: DocumentSchema.Class,
        from old: [SyncString: MergedContent],
        to new: [SyncString: MergedContent],
        isWhole: Bool,
        _ path: [String] = []
    ) throws(DocumentMisfit) {
        for property in found.properties.keys.sorted() {
            guard let column = found.properties[property] else { continue }
            let inner = path + [property.string]
            try Self.check(old[property], column, inner)
            var content = new[property]
            if content == nil, isWhole, old[property] != nil { content = column.emptyContent }
            guard let content else { continue }
            try update(steps + [.property(property)], column, from: old[property], to: content, inner)
        }
    }

    /// Checks the stored content of a property.
    ///
    /// - Throws: `DocumentMisfit` for content that isn't of the property's kind, because no change of such a property
    ///   is possible.
    static func check(_ old: MergedContent?, _ column: ColumnSpec, _ path: [String]) throws(DocumentMisfit) {
        let fits =
            switch (old, column.collection) {
            case (nil, _), (.value?, .none), (.embedded?, .none), (.list?, .list), (.set?, .set),
                (.dictionary?, .dictionary):
                true
            default: false
            }
        guard fits else {
            throw DocumentMisfit(.stored, path, "What is stored is another kind of collection than the class has.")
        }
    }

    mutating func update(
        _ steps: [Place.Step],
        _ column: ColumnSpec,
        from old: MergedContent?,
        to new: MergedContent,
        _ path: [String]
    ) throws(DocumentMisfit) {
        switch (old, new) {
        case (_, .value), (_, .embedded): try updateValue(steps, column, from: old, to: new, path)
        case (let old, .list(let elements)):
            var before: [MergedContent] = []
            if case .list(let known)? = old { before = known }
            try updateList(steps, column, from: before, to: elements, path)
        case (let old, .set(let elements)):
            var before: [SetElement: SyncValue] = [:]
            if case .set(let known)? = old { before = known }
            let gone = before.filter { elements[$0.key] == nil }
            // An element that is equal but not identical, such as −0.0 and 0.0, replaces the other one.
            let new = elements.filter { before[$0.key] != $0.value }
            if !gone.isEmpty, new.isEmpty, elements.isEmpty {
                add(.clearSet(place(steps), hidden: []))
            } else {
                if !gone.isEmpty { add(.removeFromSet(place(steps), Self.sorted(gone))) }
                if !new.isEmpty { add(.insertIntoSet(place(steps), Self.sorted(new))) }
            }
        case (let old, .dictionary(let entries)):
            var before: [SyncString: MergedContent] = [:]
            if case .dictionary(let known)? = old { before = known }
            try updateDictionary(steps, column, from: before, to: entries, path)
        }
    }

    func place(_ steps: [Place.Step]) -> Place { Place(name, steps) }

    /// Updates a register: a property, an element or an entry.
    mutating func updateValue(
        _ steps: [Place.Step],
        _ column: ColumnSpec,
        from old: MergedContent?,
        to new: MergedContent,
        _ path: [String]
    ) throws(DocumentMisfit) {
        if let old, old.looksLike(new) { return }
        if old == nil, case .value(.null) = new, case .property? = steps.last { return }
        switch (old, new) {
        case (.embedded(let before)?, .embedded(let after)):
            guard let target = schema.target(of: column) else { break }
            return try update(
                steps + [.instance(.confirmed)],
                of: target,
                from: before,
                to: after,
                isWhole: true,
                path
            )
        case (.value(.dictionary(let before))?, .value(.dictionary(let after))):
            return updateNested(steps, from: before, to: after)
        default: break
        }
        let value = written(new)
        add(.set(place(steps), value, .real))
    }

    /// Updates a dictionary in a mixed value, which merges key by key.
    private mutating func updateNested(_ steps: [Place.Step], from old: SyncDictionary, to new: SyncDictionary) {
        let after = Dictionary(new.entries.map { ($0.key, $0.value) }) { first, _ in first }
        let before = Dictionary(old.entries.map { ($0.key, $0.value) }) { first, _ in first }
        for entry in old.entries where after[entry.key] == nil && !entry.key.string.utf8.contains(0) {
            add(.removeEntry(place(steps + [.nested(entry.key)])))
        }
        for entry in new.entries {
            let steps = steps + [.nested(entry.key)]
            switch (before[entry.key], entry.value) {
            case (let old?, let new) where MergedContent.value(old).looksLike(.value(new)): continue
            case (.dictionary(let old)?, .dictionary(let new)): updateNested(steps, from: old, to: new)
            default: add(.set(place(steps), entry.value, .real))
            }
        }
    }

    private mutating func updateDictionary(
        _ steps: [Place.Step],
        _ column: ColumnSpec,
        from old: [SyncString: MergedContent],
        to new: [SyncString: MergedContent],
        _ path: [String]
    ) throws(DocumentMisfit) {
        // Documents can't contain keys with the character 0. Such entries are kept.
        let gone = old.keys.filter { new[$0] == nil && !$0.string.utf8.contains(0) }.sorted()
        if new.isEmpty, !gone.isEmpty, gone.count == old.count {
            return add(.clearDictionary(place(steps), hidden: []))
        }
        for key in gone { add(.removeEntry(place(steps + [.entry(key)]))) }
        for (key, content) in new.sorted(by: { $0.key < $1.key }) {
            try updateValue(steps + [.entry(key)], column, from: old[key], to: content, path + [key.string])
        }
    }
}

extension ColumnSpec {
    var emptyContent: MergedContent {
        switch collection {
        case .none: .value(emptyValue)
        case .list: .list([])
        case .set: .set([:])
        case .dictionary: .dictionary([:])
        }
    }
}

extension MergedContent {
    /// Returns whether a document shows both contents in the same way. In a document, dates have milliseconds, and a
    /// link in a mixed value is its key.
    func looksLike(_ other: MergedContent) -> Bool {
        switch (self, other) {
        case (.value(let a), .value(let b)): return a.looksLike(b)
        case (.embedded(let a), .embedded(let b)), (.dictionary(let a), .dictionary(let b)):
            let keys = Set(a.keys).union(b.keys).filter { !$0.string.utf8.contains(0) }
            return keys.allSatisfy { key in
                guard let first = a[key], let second = b[key] else { return false }
                return first.looksLike(second)
            }
        case (.list(let a), .list(let b)): return a.count == b.count && zip(a, b).allSatisfy { $0.looksLike($1) }
        case (.set(let a), .set(let b)): return a == b
        default: return false
        }
    }
}

extension SyncValue {
    fileprivate func looksLike(_ other: SyncValue) -> Bool {
        switch (self, other) {
        case (.link, .link): return self == other
        case (.list(let a), .list(let b)): return a.count == b.count && zip(a, b).allSatisfy { $0.looksLike($1) }
        case (.dictionary(let a), .dictionary(let b)):
            let (a, b) = (a.shown, b.shown)
            return a.count == b.count && zip(a, b).allSatisfy { $0.key == $1.key && $0.value.looksLike($1.value) }
        case (.list, _), (.dictionary, _), (.embedded, _), (_, .list), (_, .dictionary), (_, .embedded): return false
        default: return self == other || BSONValue(self) == BSONValue(other)
        }
    }
}

extension SyncDictionary {
    fileprivate var shown: [Entry] { entries.filter { !$0.key.string.utf8.contains(0) } }
}
