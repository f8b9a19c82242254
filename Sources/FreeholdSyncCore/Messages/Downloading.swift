/// The changes of a view between two cursors. The client applies them in one transaction.
public struct Changes: Hashable, Sendable {
    /// The client's cursor before the changes.
    public var from: Cursor
    /// The client's cursor after the changes. If it equals `from`, the message corrects the client's state, and belongs
    /// to no transaction of the server.
    public var to: Cursor
    /// The greatest effective clock of the stream at `to`.
    public var clock: Clock
    public var classes: [ClassBatch]
    /// A Boolean value that indicates whether more messages with the same cursors follow. They belong to the same
    /// transaction.
    public var continues: Bool
    /// The checksums of the view at `to`.
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

/// The beginning of a bootstrap, which sends the state of a view, or the objects that a new query set adds to the view.
public struct BootstrapBegin: Hashable, Sendable {
    /// The cursor of the snapshot from which the objects are read. The client has it at the end of the bootstrap.
    public var cursor: Cursor
    /// The version of the query set that is complete at the end.
    public var queryVersion: UInt64
    /// The view that the client names at its next `bind`.
    public var view: UInt64
    /// The approximate number of objects and bytes of the bootstrap.
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
    /// The ranges of keys for which the chunk is complete: an object of these ranges that the chunk doesn't name isn't
    /// in the view. A chunk without ranges only adds and removes the objects that it names.
    public var covers: [KeyRange]
    /// The position from which the bootstrap continues if the connection ends after this chunk.
    public var position: BootstrapPosition

    public init(classes: [ClassBatch], covers: [KeyRange] = [], position: BootstrapPosition) {
        self.classes = classes
        self.covers = covers
        self.position = position
    }
}

/// The progress of a bootstrap. Every node can continue it. A node first sends the changes since `cursor` of the
/// objects that the client has.
public struct BootstrapPosition: Hashable, Sendable {
    public var cursor: Cursor
    public var queryVersion: UInt64
    /// The last object that was sent. Classes are sent by rising names, and objects by rising keys.
    public var last: ObjectName

    public init(cursor: Cursor, queryVersion: UInt64, last: ObjectName) {
        self.cursor = cursor
        self.queryVersion = queryVersion
        self.last = last
    }
}

/// A range of keys of a class, in the order of `PrimaryKey`.
public struct KeyRange: Hashable, Sendable {
    public let className: SyncString
    /// The key before the range. `nil` if the range begins at the start of the class.
    public let after: PrimaryKey?
    /// The last key of the range. `nil` if the range ends at the end of the class.
    public let through: PrimaryKey?

    public init(className: SyncString, after: PrimaryKey? = nil, through: PrimaryKey? = nil) {
        self.className = className
        self.after = after
        self.through = through
    }
}

public struct BootstrapEnd: Hashable, Sendable {
    /// The cursor of `bootstrapBegin`.
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

/// The request to continue a session.
public struct Resume: Hashable, Sendable {
    public var cursor: Cursor?
    public var bootstrap: BootstrapPosition?
    /// The classes whose checksums differed. The server sends all keys of them (`BootstrapChunk.covers`).
    public var compare: [SyncString]
    /// The least version that unsent work can name, as in `bind`.
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
