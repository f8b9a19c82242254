/// What changed in the view between two cursors. The client takes it in as one transaction.
public struct Changes: Hashable, Sendable {
    /// The client's cursor.
    public var from: Cursor
    /// The client's cursor afterwards. If it is `from`, the message corrects what the client has, and no transaction of the
    /// server belongs to it.
    public var to: Cursor
    /// The greatest effective clock of the stream at `to`.
    public var clock: Clock
    public var classes: [ClassBatch]
    /// More messages with the same cursors follow, and belong to the same transaction.
    public var continues: Bool
    /// Of the view at `to`.
    public var checksums: Checksums?

    public init(
        from: Cursor,
        to: Cursor,
        clock: Clock,
        classes: [ClassBatch],
        continues: Bool = false,
        checksums: Checksums? = nil
    ) {
        self.from = from
        self.to = to
        self.clock = clock
        self.classes = classes
        self.continues = continues
        self.checksums = checksums
    }
}

/// Begins the state of a view, or of what a new query set adds to it.
public struct BootstrapBegin: Hashable, Sendable {
    /// Of the snapshot that the objects come from. The client's cursor once the bootstrap ended.
    public var cursor: Cursor
    /// The query set that is complete at the end.
    public var queryVersion: UInt64
    /// What the client says of its state at the next `bind`.
    public var view: UInt64
    /// About how many objects and bytes will come.
    public var objects: UInt64
    public var bytes: UInt64

    public init(cursor: Cursor, queryVersion: UInt64, view: UInt64, objects: UInt64, bytes: UInt64) {
        self.cursor = cursor
        self.queryVersion = queryVersion
        self.view = view
        self.objects = objects
        self.bytes = bytes
    }
}

public struct BootstrapChunk: Hashable, Sendable {
    public var classes: [ClassBatch]
    /// Which keys the chunk says everything of: what the client holds there and the chunk doesn't name isn't in the view. Without
    /// ranges the chunk only adds and takes away what it names.
    public var covers: [KeyRange]
    /// Where to go on if the connection is lost after this chunk.
    public var position: BootstrapPosition

    public init(classes: [ClassBatch], covers: [KeyRange] = [], position: BootstrapPosition) {
        self.classes = classes
        self.covers = covers
        self.position = position
    }
}

/// How far a bootstrap came. Any node can go on from it: it first sends what changed since `cursor` in what the client has.
public struct BootstrapPosition: Hashable, Sendable {
    public var cursor: Cursor
    public var queryVersion: UInt64
    /// The last object. Classes come by rising names, objects by rising keys.
    public var last: ObjectName

    public init(cursor: Cursor, queryVersion: UInt64, last: ObjectName) {
        self.cursor = cursor
        self.queryVersion = queryVersion
        self.last = last
    }
}

/// Keys of a class, in the order of `PrimaryKey`.
public struct KeyRange: Hashable, Sendable {
    public let className: SyncString
    /// Nil at the class's start.
    public let after: PrimaryKey?
    /// Nil at its end.
    public let through: PrimaryKey?

    public init(className: SyncString, after: PrimaryKey? = nil, through: PrimaryKey? = nil) {
        self.className = className
        self.after = after
        self.through = through
    }
}

public struct BootstrapEnd: Hashable, Sendable {
    /// What `bootstrapBegin` said.
    public var cursor: Cursor
    public var queryVersion: UInt64
    /// The greatest effective clock of the stream at the cursor.
    public var clock: Clock
    public var checksums: Checksums

    public init(cursor: Cursor, queryVersion: UInt64, clock: Clock, checksums: Checksums) {
        self.cursor = cursor
        self.queryVersion = queryVersion
        self.clock = clock
        self.checksums = checksums
    }
}

/// Asks the server to go on.
public struct Resume: Hashable, Sendable {
    public var cursor: Cursor?
    public var bootstrap: BootstrapPosition?
    /// Classes whose sums differed: the server names all keys of them (`BootstrapChunk.covers`).
    public var compare: [SyncString]
    /// As in `bind`.
    public var leastBase: StreamVersion?
    public var held: [HeldObject]

    public init(
        cursor: Cursor? = nil,
        bootstrap: BootstrapPosition? = nil,
        compare: [SyncString] = [],
        leastBase: StreamVersion? = nil,
        held: [HeldObject] = []
    ) {
        self.cursor = cursor
        self.bootstrap = bootstrap
        self.compare = compare
        self.leastBase = leastBase
        self.held = held
    }
}
