/// The open write transaction of a database. It consists of the snapshot on which it began and an overlay of its changes.
///
/// Its reads include the changes. Nothing is written to the file before `commit`. The exception is a transaction larger than the memory budget: its
/// encoded blocks move early into LMDB's own transaction, which `cancel` aborts. It holds the database's writer lock until it is committed or
/// cancelled. It is cancelled when it is deallocated.
///
/// It isn't thread-safe: any thread may use it, but only one thread at a time.
public final class WriteTransaction: DataView, MutableBlockStore {
    /// A block that this transaction wrote.
    enum Sealed {
        case stored(UnsafeMutableRawBufferPointer)
        case removed
    }

    public let base: Snapshot
    /// The damage in the data that this transaction read. The commit throws it.
    private let note = DamageNote()
    let core: DatabaseCore
    @exclusivity(unchecked) var tables: [TableOverlay?] = []
    /// The overlay of each column, by the column's first segment / 8, for the hot path.
    @exclusivity(unchecked) private var columnOverlays: UnsafeMutablePointer<Unmanaged<ColumnOverlay>?>
    private var columnCapacity: Int
    @exclusivity(unchecked) var backlinkChanges: [UInt32: BacklinkChanges] = [:]
    /// The number of changes of links that a column collects before they are applied. Tests lower it.
    @exclusivity(unchecked) var linkLogLimit = BacklinkChanges.logLimit
    /// A Boolean value that indicates whether only the changed parts of a split leaf are stored. If it is false, leaves are always encoded
    /// completely. Tests compare both.
    @exclusivity(unchecked) var encodesChanges = true
    /// The columns of `backlinkChanges` with so many pending changes that they are settled before the next operation.
    @exclusivity(unchecked) var crowdedBacklinks: [UInt32: Column] = [:]
    /// The number of links gained minus the number of links lost by the current edit, for each embedded object.
    @exclusivity(unchecked) var ownership: [ObjectLink: Int] = [:]
    /// The objects that have to be deleted because of other deletions, by table id.
    @exclusivity(unchecked) var followers: [Int: Set<ObjectKey>] = [:]
    /// The links to placeholders that were read or changed, by table id.
    @exclusivity(unchecked) var hiddenLinks: [Int: HiddenLinksOverlay] = [:]
    /// A Boolean value that indicates whether the caller of an edit moves links to placeholders itself.
    var placesHiddenLinks = false
    /// The placeholders whose objects were created, and the keys of these objects, by the id of the table of placeholders.
    var comePlaceholders: [Int: [ObjectKey: ObjectKey]] = [:]
    /// The placeholders that may have no links.
    var unlinkedPlaceholders: Set<ObjectLink> = []
    /// A closure that is called when an edit has deleted embedded objects that lost their owner.
    package var didCascade: (() -> Void)?
    @exclusivity(unchecked) var sealed: [UInt64: Sealed] = [:]
    @exclusivity(unchecked) var sealedBytes = 0
    /// The number of bytes of decoded leaves. The leaves update it when they grow.
    private let decodedMeter: UnsafeMutablePointer<Int>
    private var retiredBytes = 0
    private var abandoned: [TableOverlay?] = []
    private var abandonedChanges: [BacklinkChanges] = []
    private var fetchedBytes = 0
    /// The blocks that have moved into LMDB's transaction. The value indicates whether the block was removed there.
    @exclusivity(unchecked) var spilled: [UInt64: Bool] = [:]
    /// The segments that were emptied. They contain only blocks that were written since.
    @exclusivity(unchecked) var emptied: Set<UInt32> = []
    /// The emptied segments whose blocks are still present in LMDB's transaction.
    var emptiedInFile: Set<UInt32> = []
    /// The chunks of large lists that were edited last. `olderChunk` is present only if `newerChunk` is.
    @exclusivity(unchecked) var newerChunk: OpenChunk?
    @exclusivity(unchecked) var olderChunk: OpenChunk?
    var storageWriter: StorageWriter?
    /// The number of LMDB's transactions that were committed before the end of this one, for a draft.
    var earlyCommits: UInt64 = 0
    /// Copies of moved blocks that were read again.
    private var fetched: [UInt64: UnsafeMutableRawBufferPointer] = [:]
    /// Replaced memory that a caller may still have a pointer into. It is freed at the next change.
    private var retired: [UnsafeMutableRawBufferPointer] = []
    @exclusivity(unchecked) var currentSchema: DatabaseSchema
    @exclusivity(unchecked) var root: CatalogueRoot
    var schemaChanged = false
    /// A Boolean value that indicates whether a collection of an earlier object was assigned, even with an equal content.
    var hasAssignments = false
    /// The first segments of the dropped tables and columns, which the commit clears.
    var droppedSegments: Set<UInt32> = []
    /// A closure that receives the progress of long changes of the schema: the step and the number of processed objects.
    package var schemaProgress: ((_ step: SchemaStep, _ done: Int) -> Void)?
    private(set) var isOpen = true
    /// The first failure in LMDB's transaction. The commit throws it.
    var failure: EngineError?
    /// The times of the transaction, or `nil` without listeners to writes.
    var timing: WriteTiming?
    /// A Boolean value that indicates whether the transaction holds the writer lock.
    package let holdsLock: Bool
    /// The recorder of the journal, or `nil` in files without a journal and for changes that are applied from elsewhere.
    @exclusivity(unchecked) private(set) var journal: JournalRecorder?
    /// The journal's state, if this transaction changes its cursors.
    var pendingJournal: JournalState?
    /// The cursors of the journal that were found to be behind at the commit.
    package internal(set) var journalWarnings: [DiagnosticEvent.HeldJournal] = []

    /// The origin of the commit. It must be set before the first change. The changes of an applier aren't written to the journal.
    public var origin = CommitOrigin.local {
        didSet {
            precondition(!hasOverlays, "The origin of a transaction is set before its first change.")
            journal = makeJournal()
        }
    }

    /// Creates a transaction. The caller holds the writer lock.
    convenience init(base: Snapshot) { self.init(base: base, holdsLock: true) }

    /// Creates a transaction without the lock that has failed from the beginning. It accepts changes, and its commit throws the failure.
    convenience init(base: Snapshot, failure: EngineError) {
        self.init(base: base, holdsLock: false)
        self.failure = failure
    }

    private init(base: Snapshot, holdsLock: Bool) {
        self.base = base
        self.holdsLock = holdsLock
        core = base.core
        currentSchema = base.schema
        root = base.root
        decodedMeter = .allocate(capacity: 1)
        decodedMeter.initialize(to: 0)
        columnCapacity = Int(base.root.nextSegment / ColumnSegment.count) + 1
        columnOverlays = .allocate(capacity: columnCapacity)
        columnOverlays.initialize(repeating: nil, count: columnCapacity)
        super.init(clusterSpan: base.clusterSpan)
        base.beginNoting(note)
        tables = Array(repeating: nil, count: Int(root.nextTableID))
        if root.hasJournal { journal = makeJournal() }
    }

    private func makeJournal() -> JournalRecorder? {
        guard case .local = origin, let state = base.journalState, !state.cursors.isEmpty else { return nil }
        return JournalRecorder(state, base.schema)
    }

    private var hasOverlays: Bool { tables.contains { $0 != nil } }

    deinit {
        if isOpen { cancel() }
        freeMemory()
        columnOverlays.deallocate()
        decodedMeter.deallocate()
    }

    /// Enlarges the table of overlays after new tables have received their segments.
    func growColumnOverlays() {
        let needed = Int(root.nextSegment / ColumnSegment.count) + 1
        guard needed > columnCapacity else { return }
        // Tables can be added one by one.
        let capacity = max(needed, columnCapacity + columnCapacity / 2)
        let grown = UnsafeMutablePointer<Unmanaged<ColumnOverlay>?>.allocate(capacity: capacity)
        grown.initialize(repeating: nil, count: capacity)
        grown.update(from: columnOverlays, count: columnCapacity)
        columnOverlays.deallocate()
        columnOverlays = grown
        columnCapacity = capacity
    }

    /// Clears the table of overlays after the schema was replaced.
    func forgetColumnOverlays() { columnOverlays.update(repeating: nil, count: columnCapacity) }

    public override var schema: DatabaseSchema { currentSchema }
    public override var userVersion: UInt64 { root.userVersion }
    package var path: String { core.path }

    /// Discards all changes and allows the next writer to begin. It does nothing after a commit or cancel.
    public func cancel() {
        guard isOpen else { return }
        isOpen = false
        abortStorage()
        finish()
        timing?.tell(.rolledBack, core)
    }

    /// Aborts LMDB's transaction if it was opened early.
    func abortStorage() {
        guard let storageWriter else { return }
        onWriter { storageWriter.abort() }
        self.storageWriter = nil
    }

    /// Runs a closure that can't fail on the writer thread.
    private func onWriter<R>(_ body: () -> R) -> R {
        do throws(EngineError) {
            return try core.storage.writer.sync { () throws(EngineError) in body() }
        } catch {
            fatalError("\(error)")
        }
    }

    func close() {
        isOpen = false
        finish()
    }

    private func finish() {
        dropChunks()
        columnOverlays.update(repeating: nil, count: columnCapacity)
        tables = []
        backlinkChanges = [:]
        crowdedBacklinks = [:]
        base.endNoting()
        if timing != nil { timing!.waiting = core.writerLock.waitingCount }
        if holdsLock { core.writerLock.release() }
    }

    func freeMemory() {
        for case .stored(let bytes) in sealed.values { bytes.deallocate() }
        sealed = [:]
        for bytes in fetched.values { bytes.deallocate() }
        fetched = [:]
        for bytes in retired { bytes.deallocate() }
        retired = []
    }

    // MARK: Damage

    override func damaged(_ what: @autoclosure () -> String) { base.damaged(what()) }

    /// A Boolean value that indicates whether this transaction has read damaged data. Its state is then incomplete, and it can't be committed.
    var isDamaged: Bool { note.error != nil }

    /// - Throws: the damage in the data that this transaction has read.
    func checkDamage() throws(EngineError) {
        try note.check()
        if let failure { throw failure }
    }

    // MARK: Blocks

    override func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        closeChunks(segment, number)
        guard number <= BlockAddress.maximumNumber else { return nil }
        let address = BlockAddress(segment: segment, number: number).raw
        if let found = sealed[address] {
            if case .stored(let bytes) = found { return UnsafeRawBufferPointer(bytes) }
            return nil
        }
        if !spilled.isEmpty, let removed = spilled[address] {
            return removed ? nil : fetch(address)
        }
        if !emptied.isEmpty, emptied.contains(segment) { return nil }
        return base.block(segment, number)
    }

    private func fetch(_ address: UInt64) -> UnsafeRawBufferPointer? {
        if let found = fetched[address] { return UnsafeRawBufferPointer(found) }
        guard let writer = storageWriter else { return nil }
        let copy: UnsafeMutableRawBufferPointer? = onWriter {
            let place = BlockAddress(raw: address)
            guard let stored = writer.get(place) else { return nil }
            let size = core.envelope.plainSize(stored, at: place) ?? 0
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
            let bytes = UnsafeMutableRawBufferPointer(rebasing: copy[0..<size])
            guard core.envelope.open(stored, at: place, into: bytes) else {
                copy.deallocate()
                note.take(
                    core.envelope.damage(place, of: schema.name(of: place, clusterSpan: clusterSpan), path: core.path)
                )
                return nil
            }
            return bytes
        }
        fetched[address] = copy
        fetchedBytes += (copy?.count ?? 0) + 64
        return copy.map { UnsafeRawBufferPointer($0) }
    }

    func putBlock(_ segment: UInt32, _ number: UInt64, bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyMemory(from: bytes)
        putBlock(segment, number, owned: copy)
    }

    /// Stores a block and takes ownership of the memory.
    func putBlock(_ segment: UInt32, _ number: UInt64, owned bytes: UnsafeMutableRawBufferPointer) {
        closeChunks(segment, number)
        precondition(bytes.count <= BlockLimits.maximumSize, "a block over eight pages")
        let address = BlockAddress(segment: segment, number: number).raw
        if case .stored(let old)? = sealed.updateValue(.stored(bytes), forKey: address) { retire(old) }
        if let old = fetched.removeValue(forKey: address) { retired.append(old) }
        sealedBytes += bytes.count + 64
    }

    func removeBlock(_ segment: UInt32, _ number: UInt64) {
        closeChunks(segment, number)
        guard number <= BlockAddress.maximumNumber else { return }
        let address = BlockAddress(segment: segment, number: number).raw
        if case .stored(let old)? = sealed.updateValue(.removed, forKey: address) { retire(old) }
        if let old = fetched.removeValue(forKey: address) { retired.append(old) }
    }

    /// Removes all blocks of some segments. The blocks in the file are removed when the transaction's blocks are written the next time.
    func removeBlocks(in segments: Set<UInt32>) {
        closeChunks()
        for (address, entry) in sealed where segments.contains(BlockAddress(raw: address).segment) {
            if case .stored(let bytes) = entry { retire(bytes) }
            sealed[address] = nil
        }
        for address in spilled.keys where segments.contains(BlockAddress(raw: address).segment) {
            spilled[address] = nil
            if let old = fetched.removeValue(forKey: address) { retired.append(old) }
        }
        emptied.formUnion(segments)
        emptiedInFile.formUnion(segments)
    }

    /// Removes the overlay of a column from the transaction's tables.
    func forget(_ columns: ColumnOverlay, isBacklink: Bool) {
        for buffer in columns.buffers.values {
            decodedMeter.pointee -= buffer.footprint
            buffer.meter = nil
        }
        if !isBacklink { columnOverlays[Int(columns.column.firstSegment / ColumnSegment.count)] = nil }
    }

    /// Keeps the old bytes, because the caller of the current operation may have a pointer to them.
    private func retire(_ bytes: UnsafeMutableRawBufferPointer) {
        sealedBytes -= bytes.count + 64
        retiredBytes += bytes.count + 64
        retired.append(bytes)
    }

    /// Frees replaced blocks. It is called between operations, when callers hold no pointers into these blocks.
    func collectRetired() {
        for bytes in retired { bytes.deallocate() }
        retired.removeAll(keepingCapacity: true)
        retiredBytes = 0
    }

    /// The approximate number of bytes that this transaction holds, except for pending changes of indexes and links.
    package var memoryInUse: Int { decodedMeter.pointee + sealedBytes + retiredBytes + fetchedBytes }

    /// The maximum number of new objects whose index entries are pending. Each of them takes about 32 bytes for an index.
    var pendingLimit: Int64 { Int64(max(core.memoryBudget / 32, 1000)) }

    /// Enforces the memory budget. It is called before an operation, when callers hold no pointers into blocks or decoded leaves.
    @inline(__always)
    func spillIfOverBudget() {
        if decodedMeter.pointee + sealedBytes + retiredBytes + fetchedBytes > core.memoryBudget { shrinkToBudget() }
        if !crowdedBacklinks.isEmpty { settleCrowdedBacklinks() }
    }

    @inline(never)
    private func shrinkToBudget() {
        if retiredBytes > core.memoryBudget / 8 { collectRetired() }
        if fetchedBytes > core.memoryBudget / 4 {
            for bytes in fetched.values { bytes.deallocate() }
            fetched = [:]
            fetchedBytes = 0
        }
        if decodedMeter.pointee + sealedBytes > core.memoryBudget {
            sealEverything()
            if sealedBytes > core.memoryBudget / 2 { spill() }
        }
    }

    func allocateBlock(_ segment: UInt32) -> UInt64 { allocateBlocks(segment, 1) }

    func allocateBlocks(_ segment: UInt32, _ n: Int) -> UInt64 {
        let (overlay, id, kind): (TableOverlay, Int, ColumnSegment)
        switch currentSchema.owner(of: segment) {
        case .column(let table, let column, let segment)?:
            (overlay, id, kind) = (self.overlay(table), column.id, segment)
        case .table(let table, offset: 5)?:
            (overlay, id, kind) = (self.overlay(table), Table.mixedInverseID, .backlinkBlobs)
        default: fatalError("a block of a segment without numbers of its own")
        }
        var state = overlay.state.columns[id] ?? .init()
        let number: UInt64
        switch kind {
        case .blobs:
            number = state.nextBlob
            state.nextBlob += UInt64(n)
        case .index:
            number = state.nextIndex
            state.nextIndex += UInt64(n)
        case .backlinkBlobs:
            number = state.nextBacklinkBlob
            state.nextBacklinkBlob += UInt64(n)
        default: fatalError("a block of a segment without numbers of its own")
        }
        overlay.state.columns[id] = state
        return number
    }

    // MARK: Tables

    func overlay(_ table: Table) -> TableOverlay {
        if let found = tables[table.id] { return found }
        let cache = base.tableCache(table)
        let made = TableOverlay(table: table, state: cache.state, counts: cache.counts)
        made.hasPlaceholders = currentSchema.placeholders(of: table.id).map { count($0) > 0 } ?? false
        tables[table.id] = made
        return made
    }

    override func tableState(_ table: Table) -> TableState {
        tables[table.id]?.state ?? base.tableCache(table).state
    }

    override func positions(_ table: Table) -> TableCache {
        guard let overlay = tables[table.id] else { return base.tableCache(table) }
        if let cache = overlay.cache { return cache }
        let cache = TableCache(state: overlay.state, counts: overlay.counts)
        overlay.cache = cache
        return cache
    }

    override func clusterCount(_ table: Table) -> Int {
        tables[table.id]?.counts.count ?? base.clusterCount(table)
    }

    override func liveCount(_ table: Table, cluster: Int) -> Int {
        guard let overlay = tables[table.id] else { return base.liveCount(table, cluster: cluster) }
        return cluster < overlay.counts.count ? Int(overlay.counts[cluster] & ~TableCache.presenceFlag) : 0
    }

    override func presence(_ table: Table, cluster: Int) -> UnsafePointer<UInt64>? {
        guard let overlay = tables[table.id] else { return base.presence(table, cluster: cluster) }
        if let bits = overlay.presence[cluster] { return UnsafePointer(bits) }
        guard cluster < overlay.counts.count, overlay.counts[cluster] & TableCache.presenceFlag != 0 else { return nil }
        if let bits = block(table.firstSegment + 1, UInt64(cluster))?.baseAddress {
            return bits.assumingMemoryBound(to: UInt64.self)
        }
        damaged("table '\(table.name)' doesn't say which objects cluster \(cluster) has")
        return nil
    }

    public override func contains(_ table: Table, _ key: ObjectKey) -> Bool {
        guard table.id < tables.count, let overlay = tables[table.id] else { return base.contains(table, key) }
        guard key.raw >= 0 else { return false }
        let (cluster, slot) = locate(key)
        guard cluster < overlay.counts.count else { return false }
        let entry = overlay.counts[cluster]
        guard entry & TableCache.presenceFlag != 0 else { return slot < Int(entry) }
        return presence(table, cluster: cluster).map { PresenceBits.test($0, slot) } ?? false
    }

    // MARK: Leaves

    override func unretainedBuffer(_ column: Column, cluster: Int) -> Unmanaged<LeafBuffer>? {
        columnOverlays[Int(column.firstSegment / ColumnSegment.count)]?
            ._withUnsafeGuaranteedRef { $0.unretained(cluster) }
    }

    /// Returns an integer of a leaf that this transaction has decoded, or `nil` for null and for other leaves.
    @inline(__always)
    package func decodedInt(_ column: Column, cluster: Int, slot: Int) -> Int64? {
        columnOverlays[Int(column.firstSegment / ColumnSegment.count)]?
            ._withUnsafeGuaranteedRef { $0.unretained(cluster) }?
            ._withUnsafeGuaranteedRef { $0.isNull(slot) ? nil : $0.int(slot) }
    }

    override func backlinkBuffer(_ column: Column, cluster: Int) -> LeafBuffer? {
        guard let target = column.targetTableID else { return nil }
        return tables[target]?.backlinks[column.firstSegment]?.cached(cluster)
    }

    override func leaf(_ column: Column, cluster: Int) -> UnsafeRawPointer? {
        if let columns = tables[column.tableID]?.columns[column.index], let buffer = columns.cached(cluster) {
            encode(buffer, columns, cluster: cluster)
        }
        return block(column.segment(.leaf), UInt64(cluster))?.baseAddress
    }

    override func settleBacklinks(_ column: Column) { settlePendingBacklinks(column) }

    override func settleIndex(_ column: Column) {
        if let overlay = tables[column.tableID] { settleIndexes(overlay) }
    }

    override func pendingPrimaryKey(_ value: Value, _ table: Table) -> ObjectKey?? { pendingInIndex(value, table) }

    override func leafPart(_ column: Column, cluster: Int, part: Int) -> UnsafeRawPointer? {
        block(column.segment(.parts), UInt64(cluster) << 6 | UInt64(part))?.baseAddress
    }

    func columnOverlay(_ column: Column) -> ColumnOverlay { unmanagedOverlay(column).takeUnretainedValue() }

    /// Returns the column's overlay, which the table's overlay retains.
    @inline(__always)
    func unmanagedOverlay(_ column: Column) -> Unmanaged<ColumnOverlay> {
        columnOverlays[Int(column.firstSegment / ColumnSegment.count)] ?? openOverlay(column)
    }

    @inline(never)
    private func openOverlay(_ column: Column) -> Unmanaged<ColumnOverlay> {
        let table = overlay(currentSchema.table(of: column))
        let made =
            table.columns[column.index]
            ?? ColumnOverlay(
                column: column,
                isBacklink: false,
                clusterSpan: clusterSpan,
                firstNewKey: table.firstNewKey
            )
        made.ownsTargets = currentSchema.ownsTargets(column)
        made.hasHiddenLinks = !column.isHidden && hasHiddenLinks(column.tableID)
        table.columns[column.index] = made
        let unmanaged = Unmanaged.passUnretained(made)
        columnOverlays[Int(column.firstSegment / ColumnSegment.count)] = unmanaged
        return unmanaged
    }

    /// Returns the column's overlay and the decoded leaf of a cluster, for a change.
    @inline(__always)
    func openLeaf(_ column: Column, _ cluster: Int) -> (Unmanaged<ColumnOverlay>, Unmanaged<LeafBuffer>) {
        let columns = unmanagedOverlay(column)
        if let found = columns._withUnsafeGuaranteedRef({ $0.unretained(cluster) }) { return (columns, found) }
        return (columns, openUnretained(columns, cluster))
    }

    @inline(never)
    private func openUnretained(_ columns: Unmanaged<ColumnOverlay>, _ cluster: Int) -> Unmanaged<LeafBuffer> {
        Unmanaged.passUnretained(openBuffer(columns.takeUnretainedValue(), cluster, isBacklink: false))
    }

    func backlinkOverlay(_ column: Column) -> ColumnOverlay {
        let target = overlay(currentSchema.table(id: column.targetTableID!)!)
        if let found = target.backlinks[column.firstSegment] { return found }
        let made = ColumnOverlay(
            column: column,
            isBacklink: true,
            clusterSpan: clusterSpan,
            firstNewKey: target.firstNewKey
        )
        target.backlinks[column.firstSegment] = made
        return made
    }

    /// Returns the decoded leaf, for a change.
    @inline(__always)
    func writable(_ columns: ColumnOverlay, _ cluster: Int, isBacklink: Bool = false) -> LeafBuffer {
        if let found = columns.cached(cluster) { return found }
        return openBuffer(columns, cluster, isBacklink: isBacklink)
    }

    @inline(never)
    private func openBuffer(_ columns: ColumnOverlay, _ cluster: Int, isBacklink: Bool) -> LeafBuffer {
        spillIfOverBudget()
        let column = columns.column
        let buffer = LeafBuffer(
            type: isBacklink ? .int : column.type,
            isList: isBacklink || column.collection != .none,
            isOptional: column.isOptional,
            capacity: clusterSpan
        )
        if let stored = block(columns.leafSegment, UInt64(cluster)) {
            buffer.load(Leaf(stored.baseAddress!), parts: storedParts(of: columns, cluster: cluster))
            buffer.isDirty = false
        }
        decodedMeter.pointee += buffer.footprint
        buffer.meter = decodedMeter
        columns.insert(buffer, cluster)
        return buffer
    }

    func seal(_ columns: ColumnOverlay, _ cluster: Int) {
        guard let buffer = columns.buffers[cluster] else { return }
        encode(buffer, columns, cluster: cluster)
        decodedMeter.pointee -= buffer.footprint
        buffer.meter = nil
        columns.drop(cluster)
    }

    /// Encodes all decoded leaves. If the memory budget is exceeded, the blocks then move into LMDB's transaction.
    func sealEverything() {
        closeChunks()
        for table in tables {
            guard let table else { continue }
            for columns in table.columns {
                guard let columns else { continue }
                for cluster in columns.buffers.keys { seal(columns, cluster) }
            }
            for columns in table.backlinks.values {
                for cluster in columns.buffers.keys { seal(columns, cluster) }
            }
        }
        decodedMeter.pointee = 0
        if sealedBytes > core.memoryBudget { spill() }
    }

    /// A Boolean value that indicates whether the transaction has exceeded its memory budget. The data in LMDB's transaction then grows with each
    /// further object.
    package var isLarge: Bool { !spilled.isEmpty }

    /// Moves the encoded blocks into LMDB's transaction, and begins that transaction if necessary.
    func spill() {
        guard failure == nil else { return }
        do throws(EngineError) {
            try writeSealed()
        } catch {
            failure = error
            fallBack()
            return
        }
        for (address, entry) in sealed {
            if case .stored(let bytes) = entry {
                spilled[address] = false
                bytes.deallocate()
            } else {
                spilled[address] = true
            }
        }
        sealed = [:]
        sealedBytes = 0
        collectRetired()
    }

    /// Restores the initial state. After a failure, the blocks that had moved into LMDB's transaction are lost. From then on the transaction shows
    /// the state on which it began. Calls continue to work until its end, which throws the error.
    private func fallBack() {
        storageWriter = nil
        dropChunks()
        // An operation may be using them.
        abandoned = tables
        abandonedChanges = Array(backlinkChanges.values)
        for i in tables.indices {
            guard let old = tables[i] else { continue }
            let cache = base.tableCache(old.table)
            tables[i] = TableOverlay(table: old.table, state: cache.state, counts: cache.counts)
        }
        columnOverlays.update(repeating: nil, count: columnCapacity)
        backlinkChanges = [:]
        crowdedBacklinks = [:]
        for case .stored(let bytes) in sealed.values { retire(bytes) }
        sealed = [:]
        spilled = [:]
        emptied = []
        emptiedInFile = []
        sealedBytes = 0
        decodedMeter.pointee = 0
    }

    func writeSealed() throws(EngineError) {
        closeChunks()
        try note.check()
        let addresses = sealed.keys.sorted()
        try core.storage.writer.sync { () throws(EngineError) in
            try writeBlocks(addresses)
            if core.isDraft, let writer = storageWriter, writer.bytesStored > core.memoryBudget {
                try commitEarly(writer)
            }
        }
    }

    /// Writes blocks. It is called on the writer thread.
    func writeBlocks(_ addresses: [UInt64]) throws(EngineError) {
        let writer: StorageWriter
        if let open = storageWriter {
            writer = open
        } else {
            writer = try beginStorage()
            storageWriter = writer
        }
        if !emptiedInFile.isEmpty {
            try writer.removeAll(in: emptiedInFile)
            emptiedInFile = []
        }
        for address in addresses {
            switch sealed[address]! {
            case .stored(let bytes): try writer.put(BlockAddress(raw: address), UnsafeRawBufferPointer(bytes))
            case .removed: try writer.remove(BlockAddress(raw: address))
            }
        }
    }
}
