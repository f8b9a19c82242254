/// A change of a transaction in the journal. Tables and columns are identified by their ids.
public enum JournalChange: Sendable {
    /// `count` objects from `first` on were created. Their values follow as `.row`, unless the objects were deleted again. A value that doesn't
    /// follow is the default of its type.
    case made(table: Int, first: ObjectKey, count: Int)
    /// An object was deleted.
    case gone(JournalObject, primaryKey: Value?, cause: ChangeCause)
    /// A collection of an older object was edited.
    case edited(JournalProperty, CollectionEdit, cause: ChangeCause)
    /// The hidden links of a collection or a mixed value of an older object. These are links to placeholders, which edits don't contain and positions
    /// don't count. The links of a collection's elements are recorded before the first edit of the collection and before each clear. The links inside
    /// a mixed value are recorded after an edit in the value.
    case unshown(JournalProperty, [UnshownLink])
    /// The value of an older object's property at the end of the transaction.
    case set(JournalProperty, Value, cause: ChangeCause)
    /// A number was added to an integer, with wraparound.
    case added(JournalProperty, Int64)
    /// The content of a property of an object that the transaction created, or of any object if a change of the schema wrote it.
    case row(JournalProperty, JournalContent)
    /// The values of a property are defaults that the user didn't choose, for an object that the transaction created and the following ones, `count`
    /// in total: see `WriteTransaction.markDefault(_:_:)`. A value that was chosen elsewhere has precedence over them.
    case defaults(JournalProperty, count: Int)
    /// The schema from this entry on. The content of each property that the schema changed or created follows as `.row`, unless it is the default of
    /// its type.
    case schema(DatabaseSchema)
    /// The identification of an older object that the entry mentions: its primary key, or the property that owns it.
    case named(JournalObject, JournalName)
    /// The entry is exact. This change is always the first one of an entry. In an exact entry, positions in lists count hidden elements, values
    /// contain the links to placeholders (`ObjectKey.isPlaceholder`, which are identified, too), and `unshown` occurs only before a clear. Entries
    /// are exact in files in which a table keeps images: see `WriteTransaction.keepImages(of:)`.
    case exact
    /// Random bits that identify an exact entry. A copy of the file has the same bits, and no other entry has them.
    case identity(UInt64)
    /// The place of an older embedded object in the property that owns it, at the end of the transaction.
    case placed(JournalObject, NestedSubscript)
    /// The following changes describe an object as it was before the commit.
    case image(JournalObject, primaryKey: Value?)
    /// The content of a property before the commit. It belongs to the object of the last image, or to an embedded object that it owned. Hidden
    /// columns are included.
    case before(JournalProperty, JournalContent)
}

/// An edit of a collection, with its new values.
public enum CollectionEdit: Equatable, Sendable {
    case insert(at: Int, [Value])
    case remove(at: Int, count: Int)
    case set(at: Int, Value)
    case move(from: Int, to: Int)
    case clear
    /// An addition to an integer in a list.
    case add(at: Int, Int64)
    /// An insertion into a set.
    case insertValue(Value)
    case removeValue(Value)
    /// A new or replaced entry of a dictionary.
    case setEntry(String, Value)
    case removeEntry(String)
    case addToEntry(String, Int64)
    /// The whole visible content of the collection was replaced, possibly by equal content. Only exact entries contain this edit. In other entries,
    /// an assignment is a clear followed by inserts, or the difference.
    case assign(JournalContent)
    /// An edit of a list or dictionary inside a mixed value.
    case nested(NestedEdit)
}

/// A link to a missing object: see `WriteTransaction.reference(to:primaryKey:)`.
public struct UnshownLink: Equatable, Sendable {
    /// The place of the link in the property. For a list, it is the position among all elements, including hidden ones.
    public let place: NestedSubscript
    /// The path from there to the link, inside a mixed value.
    public let path: [NestedEdit.Step]
    /// The id of the object's table. `primaryKey` is the primary key of the object.
    public let table: Int
    public let primaryKey: Value

    public init(place: NestedSubscript, path: [NestedEdit.Step], table: Int, primaryKey: Value) {
        self.place = place
        self.path = path
        self.table = table
        self.primaryKey = primaryKey
    }
}

/// An edit of a list or dictionary inside a mixed value.
public struct NestedEdit: Equatable, Sendable {
    public enum Step: Hashable, Sendable {
        case element(Int)
        case entry(String)
    }

    public enum Change: Equatable, Sendable {
        /// The elements of a list after the edit.
        case list([Value])
        /// The new and changed entries of a dictionary, and the removed keys.
        case entries([NestedDictionary.Entry], removed: [String])
    }

    /// The property's value that contains the collection. It is the key of an entry or the position of an element.
    public let place: NestedSubscript
    /// The path from that value to the collection.
    public let path: [Step]
    public let change: Change

    public init(place: NestedSubscript, path: [Step], change: Change) {
        self.place = place
        self.path = path
        self.change = change
    }
}

/// An object by the id of its table and by its key, which the file never reuses.
public typealias JournalObject = ObjectLink

public struct JournalProperty: Hashable, Sendable {
    public let object: JournalObject
    /// The id of the column.
    public let column: Int

    public init(_ object: JournalObject, column: Int) {
        self.object = object
        self.column = column
    }
}

public enum JournalContent: Equatable, Sendable {
    case value(Value)
    /// The elements of a list, or of a set in ascending order.
    case values([Value])
    /// The entries of a dictionary in ascending order of keys.
    case entries([NestedDictionary.Entry])
}

public enum JournalName: Equatable, Sendable {
    case primaryKey(Value)
    /// The owner of an embedded object.
    case owner(JournalProperty)
}

/// The complete changes of a commit: see `Snapshot.journalEntry(at:)`.
public struct JournalEntry: Sendable {
    /// The position of the entry. Later entries have greater positions.
    public let position: UInt64
    /// The position of the entry after it, if there is one.
    public let next: UInt64
    /// The number of the entry, which increases by one with each entry of the file.
    public let number: UInt64
    /// The version that the commit created.
    public let version: UInt64
    /// The time of the commit by the machine's clock, in milliseconds since 1970.
    public let time: Int64
    let log: [UInt8]
    let state: [UInt8]

    /// The size of the entry in the file without its header, in bytes.
    public var byteCount: Int { log.count + state.count }

    /// Calls the closure with all changes of the commit: first the operations in order (`made`, `gone`, `edited`), then the schema, and then the
    /// state at the end.
    ///
    /// - Throws: `.invalidDatabase` if the entry is damaged.
    /// - Complexity: O(size of the entry)
    public func forEach(_ body: (JournalChange) -> Void) throws(EngineError) {
        let isWhole = log.withUnsafeBytes { JournalDecoder.log($0, body) }
        guard isWhole, state.withUnsafeBytes({ JournalDecoder.state($0, body) }) else {
            throw EngineError(.invalidDatabase, "The journal's entry at \(position) is damaged.")
        }
    }
}
