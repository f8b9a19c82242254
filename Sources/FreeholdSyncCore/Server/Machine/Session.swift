/// The identity of a session within a node.
struct SessionKey: Hashable, Sendable {
    let connection: ConnectionNumber
    let number: SessionNumber
}

/// The state of a session with a file of a client. It can be rebuilt from the store and the client's next `bind`.
struct Session: Sendable {
    let key: SessionKey
    let stream: StreamName
    let user: SyncString
    var bind: Bind
    var ident = FileIdent.me
    /// The secret of the file. Nil before the file is bound.
    var secret: SecretHash?
    /// The least base of unsent work, as the client reported it last.
    var leastBase: StreamVersion?
    var state = State.binding
    var held: [ObjectName: StreamVersion] = [:] { didSet { heldChanges &+= 1 } }
    /// The number of changes of `held`. Work that began with another number is repeated.
    private(set) var heldChanges = 0
    /// The numbers of the pieces of work that the caller is executing for the session.
    var works: Set<WorkNumber> = []
    /// The size of the unanswered commits that the bind names, of `held`, and of the conditions, in bytes.
    var bindBytes = 0
    var heldBytes = 0
    var queryBytes = 0
    /// The size of a large commit that is in memory, and of `outbox`, in bytes.
    var heavyBytes = 0
    var outboxBytes = 0

    /// The rights of the session's user. Nil if the user may see and write everything.
    var rights: (any SessionRights)?
    /// The translation between the client's version of the schema and the stored one. Nil if they are equal.
    var lens: (any SessionLens)?
    /// A number of the client's own schema. The numbers of views that the client receives are combined with it.
    var claim: UInt64 = 0
    /// The number of changes of `rights`.
    var rightsChanges = 0
    /// The query set that is being compiled, and the number of query sets that the session has received.
    var subscribing: Queries?
    var subscriptions = 0
    /// The queries for which the client received an error, because their conditions can't be evaluated for some object, and the version of their
    /// set.
    var failed: (version: UInt64, places: Set<QueryPlace>)?
    /// The places of the queries that the lens couldn't translate, by class.
    var skippedQueries: [SyncString: [UInt64]] = [:]
    /// The part of a view's number that identifies hidden and translated fields, for the objects that the client holds. Nil if it isn't known.
    var masks: UInt32?

    /// The queries and the view of the objects that the client holds.
    var queries: Queries?
    var view = View.empty
    /// The view that the client will hold after the running bootstrap, according to the present rights of its user. Objects outside of it must not be
    /// sent.
    var coming: View { if case .bootstrap(let bootstrap) = state { bootstrap.new } else { view } }
    /// The position up to which the node has sent the changes of the view. Nil before the first bootstrap. For a live session the value isn't up
    /// to date: use `ServerMachine.cursor(of:)`.
    var cursor: Cursor?
    /// The position that the node has sent to the client: `cursor`, or an earlier position. Between the two, nothing in the view has changed.
    var told: Cursor?
    /// A Boolean value that indicates whether the client returned with objects and is to receive the checksums once it is up to date.
    var isUnchecked = false
    /// A Boolean value that indicates whether the client has objects of an unknown view.
    var holdsUnknown = false
    /// The classes that the client may have objects of.
    var classes: Set<SyncString> = []

    /// The number of bytes that may still be sent. One message may exceed it, so that it can be negative.
    var credit: Int64 = 0
    var marks: [(number: UInt64, version: StreamVersion)] = []
    /// The objects that the client requested by name.
    var fetches = FetchQueue()
    /// A Boolean value that indicates whether a request to the store for some of them is unanswered.
    var isFetching = false
    /// A Boolean value that indicates whether the cursor or the view changed while objects were being read, so that the answer was useless. The
    /// session then keeps its cursor until the next answer. Otherwise each answer could be late on a busy stream.
    var fetchesLate = false
    /// A Boolean value that indicates whether the session waits for objects at its cursor.
    var isHeldByFetch: Bool { isFetching && fetchesLate }
    /// The version of the last answered commit of the client. The client waits until it has reached this version.
    var awaited: StreamVersion = 0

    /// The number of the client's last commit that was answered. `received` is the number of the last one that was taken from `inbox`.
    var acknowledged: UInt64 = 0
    var received: UInt64 = 0
    /// The running hash up to `received`.
    var receivedHash = RunningHash.empty
    /// The running hashes of commits that were taken from `inbox` and aren't answered, by number.
    var sent: [UInt64: RunningHash] = [:]
    /// The index of the next part of the commit after `received`.
    var nextPart: UInt32 = 0
    /// The uploaded commits that wait, for example until the store has written or read parts of a commit.
    var inbox: ArraySlice<UploadedCommit> = []
    var isStoring = false
    /// The horizon that the client knows, and the lists that the client sent with commits that are older than the horizon.
    var horizon: StreamVersion = 0
    var oldLists: [UInt64: [OldList]] = [:]
    /// The bytes that a front end stores together with commits in parts.
    var fronts: [UInt64: FrontBytes] = [:]

    /// The size of the uploads whose credit wasn't returned to the client yet, in bytes.
    var uploadDebt: UInt64 = 0
    /// The size of the received parts of the commit after `received`, in bytes. Only earlier clients send commits in this form.
    var stagedBytes: UInt64 = 0

    // MARK: Messages in parts

    /// The beginning of a message that the client received in parts and keeps.
    var partial: PartialMessage?
    /// A Boolean value that indicates whether the client received the chunks of a bootstrap so fast that they needn't be sent in parts.
    var isFast = false
    /// The bytes of credit that the client has given since it was bound. `pace` holds this number and the time at the beginning of a bootstrap.
    var grantedBytes: UInt64 = 0
    var pace: (bytes: UInt64, time: Int64)?
    /// The messages that are being sent in parts, and the messages that wait for them.
    var outbox: [Outgoing] = []
    /// The beginning of a commit in parts that the store had when the session was bound, and the commit whose parts are being received.
    var staged: PartialMessage?
    var incoming: IncomingParts?
    /// The size of the parts whose credit wasn't returned to the client yet, in bytes.
    var unreleased: UInt64 = 0
    /// The credit that is returned to the client after a merge, for each commit that was received in parts and isn't merged yet.
    var parted: [UInt64: UInt64] = [:]
    /// A complete commit of which parts are in the store. `inbox` has a place for it.
    var stored: IncomingParts?
    /// The number of a large commit that is in memory. The commits after it wait until it is merged.
    var heavy: UInt64?
    var isMerging = false

    /// Returns the running hash of an unanswered commit that the client sent, or named when it was bound. Returns `nil` if the client did
    /// neither.
    func hash(of number: UInt64) -> RunningHash? {
        if let hash = sent[number] { return hash }
        if let upload = inbox.first(where: { $0.commit.number == number }) { return upload.hash }
        guard number > bind.journal.acknowledged else { return nil }
        let index = number - bind.journal.acknowledged - 1
        return index < UInt64(bind.journal.pending.count) ? bind.journal.pending[Int(index)] : nil
    }

    /// Returns the places of the queries of a version for which the client has received an error.
    func knownFailures(of version: UInt64) -> Set<QueryPlace> { failed?.version == version ? failed?.places ?? [] : [] }

    /// Replaces the versions that the client holds of objects with pending work.
    mutating func hold(_ held: [ObjectName: StreamVersion]) {
        self.held = held
        heldBytes = held.keys.reduce(0) { $0 + $1.estimatedBytes }
    }

    /// Updates the versions that the client holds of objects with pending work, after batches were sent.
    mutating func noteSent(_ batches: [ClassBatch]) {
        guard !held.isEmpty else { return }
        for batch in batches {
            for update in batch.objects {
                let name = ObjectName(batch.className, update.key)
                if held[name] != nil { held[name] = update.content.version }
            }
        }
    }

    /// The next upload that can be processed, and the number of the last one that was. Nil if an upload waits for the store or for a merge.
    var nextUpload: (next: UploadedCommit, received: UInt64)? {
        isStoring || isMerging ? nil : inbox.first.map { ($0, received) }
    }

    /// Counts bytes of credit that the client has given.
    mutating func noteGrant(_ bytes: UInt64, _ now: Int64) {
        grantedBytes = grantedBytes.addingOrMax(bytes)
        guard !isFast, let pace, grantedBytes - pace.bytes >= 1 << 20 else { return }
        // At least a MiB in a second.
        isFast = (grantedBytes - pace.bytes) / 1_049 >= UInt64(clamping: max(now - pace.time, 0))
    }

    var isLive: Bool { if case .live = state { true } else { false } }

    /// A Boolean value that indicates whether a step that doesn't concern the view needs no action for the session.
    var isQuiet: Bool {
        isLive && marks.isEmpty && awaited <= told?.version ?? 0
    }

    enum State: Sendable {
        /// The store's answer about the file is missing.
        case binding
        /// The session waits for the client's queries. Nothing is sent.
        case idle
        /// The client is up to date. Its cursor is the stream's head.
        case live
        /// The client lacks changes, and the next step is to be requested from the store.
        case behind
        /// The next step was requested.
        case catchingUp
        case bootstrap(Bootstrap)
    }
}

/// The progress of sending the state of a view to a client. It is the state at the client's cursor, or at the head if the client had no cursor.
struct Bootstrap: Sendable {
    let cursor: Cursor
    let clock: Clock
    /// The view that the client holds at the cursor. Nil if it isn't known. Chunks then cover ranges of keys.
    let old: View?
    let new: View
    let queries: Queries
    /// The classes, in the order in which they are sent. The class at `index` is being sent.
    var classes: [SyncString]
    var index = 0
    /// The last key of the class that was compared with the view. Its object may be hidden.
    var last: PrimaryKey?
    /// The last key of the class that was sent. The next chunk begins after it.
    var sent: PrimaryKey?
    /// The updates for the next chunk so far.
    var waiting: [WaitingUpdate] = []
    var waitingBytes: UInt64 = 0
    /// The last object of the chunks that the client has already received. Objects up to it aren't sent, but they count for the checksums.
    var skips: ObjectName?
    var sums: [ClassChecksum] = []
    var isAsked = false
    /// A number that is assigned when the first page is requested.
    var number: UInt64 = 0
    /// A Boolean value that indicates whether the bootstrap compares classes and keeps the view.
    var isComparison = false
    /// The keys of the requested page. Nil if the page is one of all objects of the class.
    var askedKeys: [PrimaryKey]?
    /// A Boolean value that indicates whether `askedKeys` ends with the last key of the class.
    var areKeysLast = true
    /// A version up to which the client's objects are trusted. If an object's version isn't newer, only its presence is sent.
    var trusted: StreamVersion = 0
    /// A Boolean value that indicates whether the client received its objects with the same hidden and translated fields. It is used if `old` is
    /// unknown.
    var isShown = true
    /// A Boolean value that indicates whether the client may have objects that the chunks don't name.
    var coversRanges: Bool { old == nil }

    /// The keys after `last` of the objects that have to be compared with the view. Nil if all objects of the class have to be compared.
    var keys: ArraySlice<PrimaryKey>? {
        let className = classes[index]
        guard var keys = new.keys(of: className) else { return nil }
        if let old {
            guard let others = old.keys(of: className) else { return nil }
            if !others.isEmpty { keys = Set(keys).union(others).sorted() }
        }
        guard let last else { return keys[...] }
        return keys[(keys.firstIndex { $0 > last } ?? keys.endIndex)...]
    }

    init(cursor: Cursor, clock: Clock, old: View?, new: View, queries: Queries) {
        (self.cursor, self.clock, self.old, self.new, self.queries) = (cursor, clock, old, new, queries)
        classes = Set(new.classes + (old?.classes ?? [])).sorted()
        sums = new.classes.map { ClassChecksum(className: $0) }
    }
}

/// An update for the next chunk of a bootstrap.
///
/// The shown objects determine the length of a chunk. A page of the store may contain any number of hidden objects. Updates therefore wait until
/// they fill a chunk. If chunks ended with pages, their lengths would reveal the number of hidden objects.
struct WaitingUpdate: Sendable {
    let name: ObjectName
    let update: ObjectUpdate
    /// The data from which a difference was made. The difference depends on the version that the client held at that time.
    let origin: Origin?

    struct Origin: Sendable {
        let object: MergedObject
        /// A Boolean value that indicates whether the old view shows the object.
        let was: Bool
        let held: StreamVersion?
        let horizon: StreamVersion
    }
}

extension ObjectUpdate.Content {
    /// The version that the receiver holds after the update. Nil if the object was erased.
    fileprivate var version: StreamVersion? {
        switch self {
        case .whole(let version, _, _), .difference(let version, _, _), .present(let version): version
        case .erased: nil
        }
    }
}
