/// One thing that a transaction did, as the journal keeps it. Tables and columns are named by their ids.
public enum JournalChange: Sendable {
    /// Objects from `first` on were made, `count` of them. Their values follow as `.row`, unless they were deleted again; a
    /// value that doesn't follow is the default of its type.
    case made(table: Int, first: ObjectKey, count: Int)
    /// An object was deleted.
    case gone(JournalObject, primaryKey: Value?, cause: ChangeCause)
    /// A collection of an object that was there before was edited.
    case edited(JournalProperty, CollectionEdit, cause: ChangeCause)
    /// A collection, or a mixed value, of an object that was there before has links to objects that aren't there, which edits of
    /// it don't show and whose positions don't count: those of its elements at this point, before the first edit of the
    /// collection, again before it is cleared; those inside of a mixed value after an edit in it.
    case unshown(JournalProperty, [UnshownLink])
    /// The value of a property of an object that was there before, at the end of the transaction.
    case set(JournalProperty, Value, cause: ChangeCause)
    /// A number was added to an integer, wrapping.
    case added(JournalProperty, Int64)
    /// What a property holds of an object that the transaction made, or of any object if a change of the schema wrote it.
    case row(JournalProperty, JournalContent)
    /// The values of a property that the transaction made, of an object and those with the keys behind it, `count` of them, are
    /// ones that nobody chose: see `WriteTransaction.markDefault(_:_:)`. What somebody chose elsewhere beats them.
    case defaults(JournalProperty, count: Int)
    /// The schema from this entry on. What a property that it changed, or made, holds follows as `.row`, unless that is the
    /// default of its type.
    case schema(DatabaseSchema)
    /// What an object of before that the entry speaks of is called: its primary key, or the property that owns it.
    case named(JournalObject, JournalName)
    /// The entry is exact, which it says before all else. Its positions in lists count the elements that aren't shown, its values have
    /// the links to objects that aren't there (`ObjectKey.isPlaceholder`, which are named, too), and `unshown` comes before a clear only.
    /// Entries are exact in files where a table keeps images: see `WriteTransaction.keepImages(of:)`.
    case exact
    /// Random bits that an exact entry gets when it is made. A copy of the file has them, too, and no other entry has the same.
    case identity(UInt64)
    /// Where in the property that owns it an embedded object of before is, at the end.
    case placed(JournalObject, NestedSubscript)
    /// An object was there, and is about to be described as it was before the commit.
    case image(JournalObject, primaryKey: Value?)
    /// What a property of the last image's object, or of an embedded object that it owned, held; a column that isn't shown has its
    /// value told, too.
    case before(JournalProperty, JournalContent)
}

/// One edit of a collection, with the values that it brought.
public enum CollectionEdit: Equatable, Sendable {
    case insert(at: Int, [Value])
    case remove(at: Int, count: Int)
    case set(at: Int, Value)
    case move(from: Int, to: Int)
    case clear
    /// Of an integer in a list.
    case add(at: Int, Int64)
    /// Of a set.
    case insertValue(Value)
    case removeValue(Value)
    /// Of a dictionary.
    case setEntry(String, Value)
    case removeEntry(String)
    case addToEntry(String, Int64)
    /// Another content took the place of all that the collection showed, be it an equal one. Only exact entries say so; in others an assignment
    /// is a clear and inserts, or the difference.
    case assign(JournalContent)
    /// A list or dictionary inside of a mixed value.
    case nested(NestedEdit)
}

/// A link to an object that isn't there: see `WriteTransaction.reference(to:primaryKey:)`.
public struct UnshownLink: Equatable, Sendable {
    /// Where in the property it is. Of a list: the position among all elements, those that aren't shown, too.
    public let place: NestedSubscript
    /// From there on, inside of a mixed value.
    public let path: [NestedEdit.Step]
    /// The object's table and primary key.
    public let table: Int
    public let primaryKey: Value

    public init(place: NestedSubscript, path: [NestedEdit.Step], table: Int, primaryKey: Value) {
        self.place = place
        self.path = path
        self.table = table
        self.primaryKey = primaryKey
    }
}

/// An edit of a list or dictionary inside of a mixed value.
public struct NestedEdit: Equatable, Sendable {
    public enum Step: Hashable, Sendable {
        case element(Int)
        case entry(String)
    }

    public enum Change: Equatable, Sendable {
        /// A list, as the edit left it.
        case list([Value])
        /// Entries of a dictionary that are new or different, and the keys of those that went.
        case entries([NestedDictionary.Entry], removed: [String])
    }

    /// Which of the property's values it is in. The key of an entry, the position of an element.
    public let place: NestedSubscript
    /// From that value to the collection.
    public let path: [Step]
    public let change: Change

    public init(place: NestedSubscript, path: [Step], change: Change) {
        self.place = place
        self.path = path
        self.change = change
    }
}

/// An object by its table's id and its key, which the file gives to no other.
public typealias JournalObject = ObjectLink

public struct JournalProperty: Hashable, Sendable {
    public let object: JournalObject
    /// The column's id.
    public let column: Int

    public init(_ object: JournalObject, column: Int) {
        self.object = object
        self.column = column
    }
}

public enum JournalContent: Equatable, Sendable {
    case value(Value)
    /// Of a list, or of a set by rising values.
    case values([Value])
    /// Of a dictionary, by rising keys.
    case entries([NestedDictionary.Entry])
}

public enum JournalName: Equatable, Sendable {
    case primaryKey(Value)
    /// Of an embedded object.
    case owner(JournalProperty)
}

/// What one commit did, whole: see `Snapshot.journalEntry(at:)`.
public struct JournalEntry: Sendable {
    /// Where it lies. Later entries have greater positions.
    public let position: UInt64
    /// The position of the entry after it, if there is one.
    public let next: UInt64
    /// Rises by one with each entry of the file.
    public let number: UInt64
    /// The version that the commit made.
    public let version: UInt64
    /// By the machine's clock, in milliseconds since 1970.
    public let time: Int64
    let log: [UInt8]
    let state: [UInt8]

    /// The bytes that the entry takes in the file, except for its header.
    public var byteCount: Int { log.count + state.count }

    /// Calls the closure with all that the commit did: first what was done, in order (`made`, `gone`, `edited`), then the
    /// schema, and what things were at the end.
    ///
    /// - Throws: `.invalidDatabase` where the entry is damaged.
    /// - Complexity: O(size of the entry)
    public func forEach(_ body: (JournalChange) -> Void) throws(EngineError) {
        let isWhole = log.withUnsafeBytes { JournalDecoder.log($0, body) }
        guard isWhole, state.withUnsafeBytes({ JournalDecoder.state($0, body) }) else {
            throw EngineError(.invalidDatabase, "The journal's entry at \(position) is damaged.")
        }
    }
}
