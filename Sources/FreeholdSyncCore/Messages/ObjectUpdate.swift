/// Objects of one class, as a server sends them. Each object occurs once.
public struct ClassBatch: Hashable, Sendable {
    public var className: SyncString
    public var objects: [ObjectUpdate]

    public init(className: SyncString, objects: [ObjectUpdate]) {
        self.className = className
        self.objects = objects
    }
}

/// The server's message about an object.
public struct ObjectUpdate: Hashable, Sendable {
    public var key: PrimaryKey
    public var content: Content
    /// The fields for which two files created the object under one key with different contents, so that one content was
    /// replaced. Only fields with versions that the client may not have are listed. A file whose content was replaced
    /// hands it to the app.
    public var contested: [ContestedField]
    /// The fields of the object before the change, for front ends of the server. `nil` if the session didn't have the object. They are
    /// never sent.
    public var before: [ConfirmedField]?

    public enum Content: Hashable, Sendable {
        /// All fields of the object that the session may see. Fields that are missing here have no value.
        ///
        /// - version: The version of the last change that the session can see.
        /// - born: The version of the incarnation. Pending work on an earlier version is about another incarnation, and
        ///   so is pending work without a version that was answered before.
        case whole(version: StreamVersion, born: StreamVersion, [ConfirmedField])
        /// The difference from the version that the client has. The incarnation is the same. Fields that are missing
        /// here are unchanged.
        case difference(version: StreamVersion, base: StreamVersion, [FieldDifference])
        /// The object is in the view at this version. A client that doesn't have this version fetches the object. Only
        /// chunks that cover ranges of keys contain this.
        case present(version: StreamVersion)
        /// The object is no longer in the view. The client can't distinguish whether it was deleted, so pending work
        /// stays until it is answered.
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

/// A field of an object or an embedded object in the server's state.
public struct ConfirmedField: Hashable, Sendable {
    public let name: SyncString
    public let content: ConfirmedContent

    public init(_ name: SyncString, _ content: ConfirmedContent) {
        self.name = name
        self.content = content
    }
}

/// The content of a place in the server's state. It doesn't distinguish defaults from other values: a pending default
/// is replaced by any of them.
public enum ConfirmedContent: Hashable, Sendable {
    /// A value that isn't an embedded object.
    case value(SyncValue)
    indirect case embedded(ConfirmedInstance)
    /// The elements in their order, grouped in runs.
    case list([ElementRun])
    case set([SyncValue])
    case dictionary([ConfirmedEntry])
}

/// An embedded object.
public struct ConfirmedInstance: Hashable, Sendable {
    /// The assignment that created the object. A pending change of the confirmed instance is about this one if its
    /// author saw that version or a later one. `nil` if no work of the client can be about it.
    public var made: Made?
    public var fields: [ConfirmedField]

    public init(made: Made?, fields: [ConfirmedField]) {
        self.made = made
        self.fields = fields
    }
}

/// The commit and the number of an insert, a move or an assignment. Only the author of the commit can recognise it by
/// the version.
public struct Made: Hashable, Sendable {
    public let version: StreamVersion
    public let number: OwnNumber

    public init(version: StreamVersion, number: OwnNumber) {
        self.version = version
        self.number = number
    }
}

/// Consecutive elements of a list.
public struct ElementRun: Hashable, Sendable {
    /// The commit and number of the first element. The next elements have the next numbers. `nil` if no work of the
    /// client can name the elements by numbers.
    public var made: Made?
    /// A Boolean value that indicates whether the numbers decrease instead.
    public var isFalling: Bool
    /// The insert of an element that was moved. `made` is then the move, and the element is a run of its own. The
    /// author of the insert recognises the element by this value if another file moved it before the author received
    /// it. Servers of earlier versions don't send it.
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

/// A field that differs from the client's state.
public struct FieldDifference: Hashable, Sendable {
    public let name: SyncString
    public let content: ContentDifference

    public init(_ name: SyncString, _ content: ContentDifference) {
        self.name = name
        self.content = content
    }
}

/// The difference between the server's content of a place and the client's.
public enum ContentDifference: Hashable, Sendable {
    /// Nothing of the old content is left, so that an embedded object is a new one. A list that keeps an element is
    /// never sent in this form, even if it is short, because pending work may name the element.
    case whole(ConfirmedContent)
    /// The embedded object is the one that the client has.
    indirect case instance([FieldDifference])
    indirect case list(ListDifference)
    case set(SetDifference)
    indirect case dictionary(DictionaryDifference)
    /// The value is the client's dictionary, except for these entries inside it.
    case nested([NestedDifference])
}

public struct ListDifference: Hashable, Sendable {
    /// The new list, in pieces.
    public var pieces: [Piece]
    /// The elements that were kept and whose content has changed.
    public var edits: [Edit]

    public enum Piece: Hashable, Sendable {
        /// Elements of the client's list. Each is kept at most once, and all other elements are removed.
        case kept(start: Int, count: Int)
        case new(ElementRun)
    }

    public struct Edit: Hashable, Sendable {
        /// The index in the new list. The indices of the edits are in rising order.
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
    /// The keys that lead to the entry. At least one.
    public let path: [SyncString]
    /// The new value. `nil` if the entry was removed.
    public let value: SyncValue?

    public init(path: [SyncString], value: SyncValue?) {
        self.path = path
        self.value = value
    }
}
