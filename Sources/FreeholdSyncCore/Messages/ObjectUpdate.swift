/// Objects of one class, as a server sends them. Each is named once.
public struct ClassBatch: Hashable, Sendable {
    public var className: SyncString
    public var objects: [ObjectUpdate]

    public init(className: SyncString, objects: [ObjectUpdate]) {
        self.className = className
        self.objects = objects
    }
}

/// What a client learns of an object.
public struct ObjectUpdate: Hashable, Sendable {
    public var key: PrimaryKey
    public var content: Content
    /// Fields that two files made under one key, each with another content: what one of them wrote gave way. Those of versions that the client
    /// may not have. A file whose work gave way hands it to the app.
    public var contested: [ContestedField]

    public enum Content: Hashable, Sendable {
        /// All that the session may see of the object. Fields that aren't named have no value.
        ///
        /// - version: of the last change that the session can see.
        /// - born: the incarnation. Pending work that saw an earlier version, or none and was answered before, means another object.
        case whole(version: StreamVersion, born: StreamVersion, [ConfirmedField])
        /// What differs from the version that the client holds. It is the same incarnation. Fields that aren't named stay.
        case difference(version: StreamVersion, base: StreamVersion, [FieldDifference])
        /// The object is in the view at this version: a client that doesn't hold it so fetches it. Only in chunks that cover ranges.
        case present(version: StreamVersion)
        /// The object isn't in the view any more. Whether it was deleted can't be told: pending work stays until it is answered.
        case erased
    }

    public init(_ key: PrimaryKey, _ content: Content, contested: [ContestedField] = []) {
        self.key = key
        self.content = content
        self.contested = contested
    }
}

/// A field for which two creates of one object had different contents.
public struct ContestedField: Hashable, Sendable {
    public let name: SyncString
    /// The version of the second create.
    public let version: StreamVersion

    public init(_ name: SyncString, version: StreamVersion) {
        self.name = name
        self.version = version
    }
}

// MARK: - Whole

/// A field of an object, or of an embedded one, as the server has it.
public struct ConfirmedField: Hashable, Sendable {
    public let name: SyncString
    public let content: ConfirmedContent

    public init(_ name: SyncString, _ content: ConfirmedContent) {
        self.name = name
        self.content = content
    }
}

/// What the server has at a place. Defaults aren't told from other values: a pending default gives way to any.
public enum ConfirmedContent: Hashable, Sendable {
    /// Never an embedded object.
    case value(SyncValue)
    indirect case embedded(ConfirmedInstance)
    /// The elements in order, in runs.
    case list([ElementRun])
    case set([SyncValue])
    case dictionary([ConfirmedEntry])
}

/// An embedded object.
public struct ConfirmedInstance: Hashable, Sendable {
    /// The assignment that made it. A pending change that names the confirmed instance means this one if its author saw that version or a
    /// later one. Nil if no work of the client's can be about it.
    public var made: Made?
    public var fields: [ConfirmedField]

    public init(made: Made?, fields: [ConfirmedField]) {
        self.made = made
        self.fields = fields
    }
}

/// The commit and the number by which something came. The version tells whose commit it is to its author and to nobody else.
public struct Made: Hashable, Sendable {
    public let version: StreamVersion
    public let number: OwnNumber

    public init(version: StreamVersion, number: OwnNumber) {
        self.version = version
        self.number = number
    }
}

/// Elements that follow each other in a list.
public struct ElementRun: Hashable, Sendable {
    /// Of the first element; the next ones have the next numbers. Nil if no work of the client's can name them by numbers.
    public var made: Made?
    /// The numbers fall instead.
    public var isFalling: Bool
    /// The insert of an element that was moved: `made` is the move then. Such an element is a run of its own. The author of the insert recognises the
    /// element by it if another file moved the element before the author received it. Servers of earlier versions don't send it.
    public var origin: Made?
    /// Values and embedded objects.
    public var elements: [ConfirmedContent]

    public init(made: Made? = nil, origin: Made? = nil, isFalling: Bool = false, _ elements: [ConfirmedContent]) {
        self.made = made
        self.origin = origin
        self.isFalling = isFalling
        self.elements = elements
    }
}

public struct ConfirmedEntry: Hashable, Sendable {
    public let key: SyncString
    /// A value or an embedded object.
    public let content: ConfirmedContent

    public init(_ key: SyncString, _ content: ConfirmedContent) {
        self.key = key
        self.content = content
    }
}

// MARK: - Differences

/// A field that isn't as the client has it.
public struct FieldDifference: Hashable, Sendable {
    public let name: SyncString
    public let content: ContentDifference

    public init(_ name: SyncString, _ content: ContentDifference) {
        self.name = name
        self.content = content
    }
}

/// How what the server has at a place differs from what the client holds.
public enum ContentDifference: Hashable, Sendable {
    /// Nothing of the old content is left; so an embedded object is a new one. Lists that keep an element are never sent so, however short
    /// they are, since pending work may name it.
    case whole(ConfirmedContent)
    /// The embedded object is the one that the client holds.
    indirect case instance([FieldDifference])
    indirect case list(ListDifference)
    case set(SetDifference)
    indirect case dictionary(DictionaryDifference)
    /// The value is a dictionary, as the client holds it but for these entries inside.
    case nested([NestedDifference])
}

public struct ListDifference: Hashable, Sendable {
    /// The new list.
    public var pieces: [Piece]
    /// Elements that were kept but hold something else.
    public var edits: [Edit]

    public enum Piece: Hashable, Sendable {
        /// Elements of the list that the client holds. Each is kept once at most; what isn't kept is gone.
        case kept(start: Int, count: Int)
        case new(ElementRun)
    }

    public struct Edit: Hashable, Sendable {
        /// In the new list. Rising.
        public let index: Int
        public let content: ContentDifference

        public init(index: Int, content: ContentDifference) {
            self.index = index
            self.content = content
        }
    }

    public init(pieces: [Piece], edits: [Edit] = []) {
        self.pieces = pieces
        self.edits = edits
    }
}

public struct SetDifference: Hashable, Sendable {
    public var removed: [SyncValue]
    public var inserted: [SyncValue]

    public init(removed: [SyncValue] = [], inserted: [SyncValue] = []) {
        self.removed = removed
        self.inserted = inserted
    }
}

public struct DictionaryDifference: Hashable, Sendable {
    public var removed: [SyncString]
    public var changed: [Entry]

    public struct Entry: Hashable, Sendable {
        public let key: SyncString
        public let content: ContentDifference

        public init(_ key: SyncString, _ content: ContentDifference) {
            self.key = key
            self.content = content
        }
    }

    public init(removed: [SyncString] = [], changed: [Entry] = []) {
        self.removed = removed
        self.changed = changed
    }
}

/// An entry of a dictionary inside a mixed value.
public struct NestedDifference: Hashable, Sendable {
    /// The keys that lead to it; one at least.
    public let path: [SyncString]
    /// Nil if the entry is gone.
    public let value: SyncValue?

    public init(path: [SyncString], value: SyncValue?) {
        self.path = path
        self.value = value
    }
}
