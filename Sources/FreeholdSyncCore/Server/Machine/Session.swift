/// Names a session of a node.
struct SessionKey: Hashable, Sendable {
    let connection: ConnectionNumber
    let number: SessionNumber
}

/// A file at the other end of a connection. All of it can be made anew from the store and the client's next `bind`.
struct Session: Sendable {
    let key: SessionKey
    let stream: StreamName
    let user: SyncString
    var bind: Bind
    var ident = FileIdent.me
    /// The least base of unsent work, as the client reported it last.
    var leastBase: StreamVersion?
    var state = State.binding
    var held: [ObjectName: StreamVersion] = [:] { didSet { heldChanges &+= 1 } }
    /// The number of changes of `held`, so that work which began with another one is done anew.
    private(set) var heldChanges = 0
    /// The work that was handed out for the session.
    var works: Set<WorkNumber> = []
    /// The bytes of the unanswered commits that the bind names, of `held`, and of the conditions.
    var bindBytes = 0
    var heldBytes = 0
    var queryBytes = 0
    /// The bytes of a large commit that is in memory, and of `outbox`.
    var heavyBytes = 0
    var outboxBytes = 0

    /// What its user may see and write. Nil: everything.
    var rights: (any SessionRights)?
    /// How its app sees what is stored. Nil: as it is.
    var lens: (any SessionLens)?
    /// What the client's own schema does to the numbers of views.
    var claim: UInt64 = 0
    /// The number of changes of `rights`.
    var rightsChanges = 0
    /// The query set that is being understood, and the number of query sets before it.
    var subscribing: Queries?
    var subscriptions = 0
    /// The queries of a version that were reported to the client, since they have no answer about some object.
    var failed: (version: UInt64, places: Set<QueryPlace>)?
    /// The places of those queries that the lens didn't understand.
    var skippedQueries: [SyncString: [UInt64]] = [:]
    /// What of the objects that the client holds it wasn't shown, as its view's number says. Nil if nobody knows.
    var masks: UInt32?

    /// The view that the client holds, or gets at the bootstrap's end.
    var queries: Queries?
    var view = View.empty
    /// What the client is to hold in the end, by the rights that its user has now: nothing else may be sent to it.
    var coming: View { if case .bootstrap(let bootstrap) = state { bootstrap.new } else { view } }
    /// Up to where the node has sent what concerns the view. Nil before the first bootstrap. Of a live session it says nothing: see
    /// `ServerMachine.cursor(of:)`.
    var cursor: Cursor?
    /// What the client calls its cursor: the same, or one since which nothing in its view changed.
    var told: Cursor?
    /// The client came back with what it has: it is told the sums once it has everything.
    var isUnchecked = false
    /// The client has objects, and nobody knows which.
    var holdsUnknown = false
    /// The classes that the client may have objects of.
    var classes: Set<SyncString> = []

    /// Bytes that may still be sent; below 0 by one message at most.
    var credit: Int64 = 0
    var marks: [(number: UInt64, version: StreamVersion)] = []
    /// The objects that the client asked for by name.
    var fetches = FetchQueue()
    /// A Boolean value that indicates whether the store was asked for some of them.
    var isFetching = false
    /// A Boolean value that indicates whether the session moved on while the store was asked, so that the answer was useless. Then the session
    /// stays where it is for the next one: on a stream that is always busy each answer would come too late.
    var fetchesLate = false
    /// A Boolean value that indicates whether the session waits for objects at its cursor.
    var isHeldByFetch: Bool { isFetching && fetchesLate }
    /// The version of the last own commit that was answered: the client waits for it.
    var awaited: StreamVersion = 0

    /// Up to this own commit all was answered to the client, or taken in hand.
    var acknowledged: UInt64 = 0
    var received: UInt64 = 0
    /// The running hash up to `received`.
    var receivedHash = RunningHash.empty
    /// The running hashes of commits that were taken in hand and aren't answered, by their numbers.
    var sent: [UInt64: RunningHash] = [:]
    /// The next part of the commit behind `received`.
    var nextPart: UInt32 = 0
    /// Uploads that wait for the store to keep or give parts.
    var inbox: ArraySlice<UploadedCommit> = []
    var isStoring = false
    /// The horizon that the client knows of, and the lists that came with commits from before it.
    var horizon: StreamVersion = 0
    var oldLists: [UInt64: [OldList]] = [:]

    /// Bytes of uploads that aren't answered.
    var uploadDebt: UInt64 = 0
    /// The bytes of parts of the commit behind `received`, in the form of earlier clients.
    var stagedBytes: UInt64 = 0

    // MARK: Messages in parts

    /// What the client keeps of a message that it was sent in parts.
    var partial: PartialMessage?
    /// A Boolean value that indicates whether the client took the chunks of a bootstrap so fast that they needn't be sent in parts.
    var isFast = false
    /// The bytes that the client was done with since it bound, and the bytes and the time at which it was asked for them.
    var grantedBytes: UInt64 = 0
    var pace: (bytes: UInt64, time: Int64)?
    /// What is on its way down in parts, and what waits behind that.
    var outbox: [Outgoing] = []
    /// What the store kept of a commit in parts when the session was bound, and what comes of one.
    var staged: PartialMessage?
    var incoming: IncomingParts?
    /// Bytes of parts whose credit is to be given back.
    var unreleased: UInt64 = 0
    /// Commits that came in parts and aren't merged yet, and the credit that is given back then.
    var parted: [UInt64: UInt64] = [:]
    /// A whole commit of which parts are in the store. The inbox has a place for it.
    var stored: IncomingParts?
    /// A large commit that is in memory. What comes behind it waits until it is merged.
    var heavy: UInt64?
    var isMerging = false

    /// The running hash of a commit that isn't answered, as the client sent it or named it when it was bound. Nil if the client did neither.
    func hash(of number: UInt64) -> RunningHash? {
        if let hash = sent[number] { return hash }
        if let upload = inbox.first(where: { $0.commit.number == number }) { return upload.hash }
        guard number > bind.journal.acknowledged else { return nil }
        let index = number - bind.journal.acknowledged - 1
        return index < UInt64(bind.journal.pending.count) ? bind.journal.pending[Int(index)] : nil
    }

    /// The places of the queries of a version whose failures the client knows.
    func knownFailures(of version: UInt64) -> Set<QueryPlace> { failed?.version == version ? failed?.places ?? [] : [] }

    /// Replaces what the client holds of objects with pending work.
    mutating func hold(_ held: [ObjectName: StreamVersion]) {
        self.held = held
        heldBytes = held.keys.reduce(0) { $0 + $1.estimatedBytes }
    }

    /// What the client holds of objects with pending work is what it was sent last.
    mutating func noteSent(_ batches: [ClassBatch]) {
        guard !held.isEmpty else { return }
        for batch in batches {
            for update in batch.objects {
                let name = ObjectName(batch.className, update.key)
                if held[name] != nil { held[name] = update.content.version }
            }
        }
    }

    /// The next upload that can be taken in hand, and the last one that was.
    var nextUpload: (next: UploadedCommit, received: UInt64)? {
        isStoring || isMerging ? nil : inbox.first.map { ($0, received) }
    }

    /// The client is done with so many bytes.
    mutating func noteGrant(_ bytes: UInt64, _ now: Int64) {
        grantedBytes = grantedBytes.addingOrMax(bytes)
        guard !isFast, let pace, grantedBytes - pace.bytes >= 1 << 20 else { return }
        // A MiB a second.
        isFast = (grantedBytes - pace.bytes) / 1_049 >= UInt64(clamping: max(now - pace.time, 0))
    }

    var isLive: Bool { if case .live = state { true } else { false } }

    /// Whether nothing has to be done for it at a step that isn't about its view.
    var isQuiet: Bool {
        isLive && marks.isEmpty && awaited <= told?.version ?? 0
    }

    enum State: Sendable {
        /// The store is asked about the file.
        case binding
        /// Nothing goes down until queries come.
        case idle
        /// It has what the node has: its cursor is the stream's head.
        case live
        /// The store is to be asked for what it lacks.
        case behind
        /// The store was asked.
        case catchingUp
        case bootstrap(Bootstrap)
    }
}

/// How far the state of a view went to a client. It is the state at the client's cursor, or at the head if it had none.
struct Bootstrap: Sendable {
    let cursor: Cursor
    let clock: Clock
    /// What the client holds at the cursor; nil if nobody knows what it holds: then chunks cover ranges of keys.
    let old: View?
    let new: View
    let queries: Queries
    /// Of the classes that lie behind it, and of this one's keys behind the last one.
    var classes: [SyncString]
    var index = 0
    /// The last key of the class that was looked at, of an object that is shown or hidden.
    var last: PrimaryKey?
    /// The last key of the class that the client knows: the next chunk begins behind it.
    var sent: PrimaryKey?
    /// What the next chunk contains, so far.
    var waiting: [WaitingUpdate] = []
    var waitingBytes: UInt64 = 0
    /// The client has the chunks up to here: they only count for the sums.
    var skips: ObjectName?
    var sums: [ClassChecksum] = []
    var isAsked = false
    /// Given when the first page is asked for.
    var number: UInt64 = 0
    /// Compares classes; the view stays as it is.
    var isComparison = false
    /// The keys of the page that was asked for. Nil if it is one of all objects.
    var askedKeys: [PrimaryKey]?
    /// A Boolean value that indicates whether no keys follow them.
    var areKeysLast = true
    /// What a resync takes for granted: the client has what it holds as of this version.
    var trusted: StreamVersion = 0
    /// Whether the client was shown the same of what it holds. Of an old view that is known, the view says so.
    var isShown = true
    /// Whether the client may have objects that the chunks don't name.
    var coversRanges: Bool { old == nil }

    /// The keys of all objects of the class whose membership has to be looked at, behind the last one. Nil for all objects.
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

/// An update for a bootstrap's next chunk.
///
/// A chunk is as long as its shown objects make it, and a page of the store has any number of hidden objects. So updates wait until they fill a
/// chunk: if chunks ended with pages, they would count the hidden objects.
struct WaitingUpdate: Sendable {
    let name: ObjectName
    let update: ObjectUpdate
    /// What a difference was made of. It depends on the version that the client held then.
    let origin: Origin?

    struct Origin: Sendable {
        let object: MergedObject
        /// Whether the old view shows the object.
        let was: Bool
        let held: StreamVersion?
        let horizon: StreamVersion
    }
}

extension ObjectUpdate.Content {
    /// The version that the receiver holds then; nil if it has nothing.
    fileprivate var version: StreamVersion? {
        switch self {
        case .whole(let version, _, _), .difference(let version, _, _), .present(let version): version
        case .erased: nil
        }
    }
}
