internal import CFreeholdShims
internal import Synchronization

/// The state that all snapshots of one version share: LMDB's read transaction, the decoded catalogue, and the caches.
final class SnapshotPin: @unchecked Sendable {
    // For the reason why it is Sendable, see `Snapshot`.
    let reader: StorageReader
    let envelope: BlockEnvelope
    let root: CatalogueRoot
    let schema: DatabaseSchema
    /// The number of decrypted bytes in the directories. It increases under the fill lock.
    let openedBytes = Atomic<Int>(0)
    let segmentCapacity: Int
    /// An unmanaged, retained SegmentDirectory for each segment.
    let directories: UnsafeMutablePointer<UnsafeRawPointer?>
    let tableCapacity: Int
    /// An unmanaged, retained TableCache for each table id.
    let tableCaches: UnsafeMutablePointer<UnsafeRawPointer?>

    init(_ reader: StorageReader, _ core: DatabaseCore, parent: SnapshotPin?) throws(EngineError) {
        let envelope = core.envelope
        let path = reader.environment.path
        guard reader.version <= Self.maximumVersion else { throw Damage.error("its version can't be", path: path) }
        if envelope.cipher != nil {
            _ = try FileDigest.find(reader.get(FileDigest.address), version: reader.version, envelope, path: path)
        }
        let address = BlockAddress(segment: Catalogue.segment, number: Catalogue.rootBlock)
        let found = try reader.withBlock(address, envelope) { $0.flatMap(CatalogueRoot.decode) }
        guard let root = found, root.isPlausible else { throw Damage.error("its root can't be read", path: path) }
        if let parent, parent.root.schemaRevision == root.schemaRevision {
            schema = parent.schema
        } else if let known = core.knownSchema(root.schemaRevision), known.isConsistent(with: root) {
            schema = known
        } else {
            schema = try SnapshotPin.readSchema(reader, envelope, root: root, path: path)
            core.noteSchema(schema, root.schemaRevision)
        }
        self.reader = reader
        self.envelope = envelope
        self.root = root
        segmentCapacity = Int(root.nextSegment)
        directories = .allocate(capacity: segmentCapacity)
        directories.initialize(repeating: nil, count: segmentCapacity)
        tableCapacity = Int(root.nextTableID)
        tableCaches = .allocate(capacity: tableCapacity)
        tableCaches.initialize(repeating: nil, count: tableCapacity)
    }

    deinit {
        for s in 0..<segmentCapacity {
            if let raw = directories[s] { Unmanaged<SegmentDirectory>.fromOpaque(raw).release() }
        }
        for t in 0..<tableCapacity {
            if let raw = tableCaches[t] { Unmanaged<TableCache>.fromOpaque(raw).release() }
        }
        directories.deallocate()
        tableCaches.deallocate()
    }

    /// The numbers of the history's blocks have a version in their upper bits.
    private static let maximumVersion = BlockAddress.maximumNumber >> 8

    private static func readSchema(
        _ reader: StorageReader,
        _ envelope: BlockEnvelope,
        root: CatalogueRoot,
        path: String
    ) throws(EngineError) -> DatabaseSchema {
        var bytes: [UInt8] = []
        for i in 0..<UInt64(root.schemaBlocks) {
            let address = BlockAddress(segment: Catalogue.segment, number: Catalogue.firstSchemaBlock + i)
            let isThere = try reader.withBlock(address, envelope) { block in
                if let block { bytes.append(contentsOf: block) }
                return block != nil
            }
            if !isThere { throw Damage.error("its schema can't be read", path: path) }
        }
        guard bytes.count == Int(root.schemaLength),
            let schema = bytes.withUnsafeBytes({ DatabaseSchema.decode($0) }), schema.isConsistent(with: root)
        else { throw Damage.error("its schema can't be read", path: path) }
        return schema
    }
}

/// A committed version of a database, pinned for the life of this object.
///
/// All parts of the process that read this version share it. Any thread may read it. The pages of its version aren't reused while it lives, so the
/// file grows if a snapshot is kept for long.
public final class Snapshot: DataView, @unchecked Sendable {
    // It is Sendable because all stored properties except the caches are immutable after initialisation. The caches are filled under the database's
    // fill lock and published with release. `reader` is used under that lock only.

    /// The state that the snapshots of one version share. The database has a weak reference to it. It is a separate class because an object with weak
    /// references is slower to retain, and snapshots are retained often.
    let pin: SnapshotPin

    public let version: UInt64
    let core: DatabaseCore
    /// The lease that keeps the environment open.
    let lease: EnvironmentLease
    let root: CatalogueRoot
    private let reader: StorageReader
    private let envelope: BlockEnvelope
    private let storedSchema: DatabaseSchema
    private let segmentCapacity: Int
    private let directories: UnsafeMutablePointer<UnsafeRawPointer?>
    private let tableCapacity: Int
    private let tableCaches: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The note that receives damage if a caller can throw an error.
    private let note = Mutex<DamageNote?>(nil)

    /// - Parameter schema: the schema of the pin, or a copy of it.
    init(_ pin: SnapshotPin, core: DatabaseCore, lease: EnvironmentLease, schema: DatabaseSchema? = nil) {
        self.pin = pin
        self.core = core
        self.lease = lease
        reader = pin.reader
        envelope = pin.envelope
        version = pin.reader.version
        root = pin.root
        storedSchema = schema ?? pin.schema
        segmentCapacity = pin.segmentCapacity
        directories = pin.directories
        tableCapacity = pin.tableCapacity
        tableCaches = pin.tableCaches
        super.init(clusterSpan: core.clusterSpan)
    }

    /// - Parameters:
    ///   - parent: the previous version, or `nil` for empty caches. Its caches are taken over, except for the blocks in `changes`, which the commit
    ///     in between wrote, by segment.
    ///   - emptied: the segments whose caches aren't taken over.
    convenience init(
        core: DatabaseCore,
        lease: EnvironmentLease,
        reader: StorageReader,
        parent: Snapshot?,
        changes: [UInt32: [UInt64]],
        emptied: Set<UInt32> = []
    ) throws(EngineError) {
        self.init(try SnapshotPin(reader, core, parent: parent?.pin), core: core, lease: lease)
        if let parent { inherit(parent, changes, emptied: emptied) }
    }

    private func inherit(_ parent: Snapshot, _ changes: [UInt32: [UInt64]], emptied: Set<UInt32>) {
        core.fillLock.withLock { _ in
            let sameSchema = parent.root.schemaRevision == root.schemaRevision
            guard sameSchema else { return }
            for table in storedSchema.storedTables where table.id < parent.tableCapacity {
                let touched = changes[table.firstSegment] != nil || changes[table.firstSegment + 2] != nil
                if !touched, let raw = parent.tableCaches[table.id] {
                    tableCaches[table.id] = UnsafeRawPointer(
                        Unmanaged<TableCache>.fromOpaque(raw).retain().toOpaque()
                    )
                }
            }
            // The decrypted blocks of an encrypted file are released with the versions that hold them.
            if core.isFull(parent.pin) { return }
            pin.openedBytes.store(parent.pin.openedBytes.load(ordering: .relaxed), ordering: .relaxed)
            for s in 0..<min(segmentCapacity, parent.segmentCapacity) {
                guard let raw = parent.directories[s] else { continue }
                let old = Unmanaged<SegmentDirectory>.fromOpaque(raw)
                let segment = UInt32(s)
                if !emptied.isEmpty, emptied.contains(segment) { continue }
                if let changed = changes[segment] {
                    let next = old.takeUnretainedValue().successor(
                        blockCount: blockCount(of: segment),
                        changed: changed
                    )
                    directories[s] = UnsafeRawPointer(Unmanaged.passRetained(next).toOpaque())
                } else {
                    directories[s] = UnsafeRawPointer(old.retain().toOpaque())
                }
            }
        }
    }

    /// Returns the same version with the same caches, whose tables and columns are those of a copy of its schema. Only the thread that uses the copy
    /// uses the result.
    package func reading(by schema: DatabaseSchema) -> Snapshot {
        if schema === storedSchema || schema.origin !== storedSchema.origin { return self }
        return Snapshot(pin, core: core, lease: lease, schema: schema)
    }

    /// Returns whether both snapshots show the same version through the same caches.
    public func sharesCaches(with other: Snapshot) -> Bool { pin === other.pin }

    /// Returns the block in its stored form in LMDB's map. It remains there as long as this snapshot lives.
    func storedBlock(_ address: BlockAddress) -> UnsafeRawBufferPointer? { storedBlock(address, remembersGaps: false) }

    /// - Parameter remembersGaps: whether a missing block is marked as missing, in this version and in later versions until it is written.
    private func storedBlock(_ address: BlockAddress, remembersGaps: Bool) -> UnsafeRawBufferPointer? {
        // The closure returns the address instead of the pointer, because it may not return pointers.
        var failure: EngineError?
        let found = core.fillLock.withLock { _ -> (start: UInt, count: Int)? in
            do throws(EngineError) {
                if let block = try reader.find(address, envelope) {
                    return (start: UInt(bitPattern: block.baseAddress), count: block.count)
                }
                if remembersGaps {
                    let directory = directoryLocked(address.segment)
                    if directory.covers(address.number) { directory.markAbsent(address.number) }
                }
                return nil
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { damaged(failure) }
        return found.map { UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: $0.start), count: $0.count) }
    }

    /// Returns whether a block of this version and one of another version are the same, for an encrypted file in which each version has decrypted its
    /// own copy.
    func hasSameSeal(as other: Snapshot, segment: UInt32, otherSegment: UInt32, number: UInt64) -> Bool {
        guard envelope.cipher != nil, segment == otherSegment else { return false }
        let address = BlockAddress(segment: segment, number: number)
        guard let mine = storedBlock(address), let its = other.storedBlock(address) else { return false }
        return BlockIdentity(mine) == BlockIdentity(its)
    }

    /// Calls `body` with every block of a segment in its stored form, in ascending order of numbers.
    func forEachBlock(_ segment: UInt32, _ body: (UInt64, UnsafeRawBufferPointer) -> Bool) {
        var failure: EngineError?
        core.fillLock.withLock { _ in
            do throws(EngineError) { try reader.forEach(segment: segment, body) } catch { failure = error }
        }
        if let failure { damaged(failure) }
    }

    /// Returns the size of the pages that commits from a version on have freed, in bytes. They can be reused when no earlier version is in use. It is
    /// 0 in memory, and if the list of free pages is damaged.
    /// - Complexity: O(commits since the version).
    public func bytesFreed(since version: UInt64) -> Int {
        core.fillLock.withLock { _ in
            do throws(EngineError) { return try reader.bytesFreed(since: version) } catch { return 0 }
        }
    }

    public override var schema: DatabaseSchema { storedSchema }
    public override var userVersion: UInt64 { root.userVersion }

    // MARK: Damage

    /// Returns the same version with the same caches. Damage is reported to `note` and doesn't end the process.
    func noting(_ note: DamageNote) -> Snapshot {
        let made = Snapshot(pin, core: core, lease: lease, schema: storedSchema)
        made.beginNoting(note)
        return made
    }

    func beginNoting(_ note: DamageNote) { self.note.withLock { $0 = note } }
    func endNoting() { note.withLock { $0 = nil } }

    override func damaged(_ what: @autoclosure () -> String) { damaged(Damage.error(what(), path: core.path)) }

    private func damaged(_ error: EngineError) {
        guard let note = note.withLock({ $0 }) else { Damage.stop(error) }
        note.take(error)
    }

    private func damaged(_ address: BlockAddress) {
        damaged(
            "\(address.described(storedSchema.name(of: address, clusterSpan: clusterSpan))) can't be what is stored there"
        )
    }

    // MARK: Blocks

    override func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        if let found = cachedBlock(segment, number) { return found }
        return fillBlock(segment, number)
    }

    @inline(__always)
    private func cachedBlock(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        guard Int(segment) < segmentCapacity, let raw = fh_load_acquire(directories + Int(segment)) else { return nil }
        return Unmanaged<SegmentDirectory>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.cached(number) }
    }

    @inline(never)
    private func fillBlock(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        guard Int(segment) < segmentCapacity, number <= BlockAddress.maximumNumber else { return nil }
        let address = BlockAddress(segment: segment, number: number)
        // Every scan requests the leaves of a column whose values are all the default, and these leaves aren't stored.
        let isLeaf = segment >= Catalogue.firstFreeSegment && ColumnSegment.isLeaf(segment)
        if isLeaf, let raw = fh_load_acquire(directories + Int(segment)),
            Unmanaged<SegmentDirectory>.fromOpaque(raw)._withUnsafeGuaranteedRef({ $0.isAbsent(number) })
        {
            return nil
        }
        // The bytes are read and decrypted outside the lock, so that threads don't wait for each other.
        guard let stored = storedBlock(address, remembersGaps: isLeaf) else { return nil }
        guard let size = envelope.plainSize(stored, at: address) else { return unopened(address) }
        if envelope.opensInPlace, size >= DirectoryChunk.inPageLimit {
            guard let opened = envelope.opened(stored, at: address) else { return unopened(address) }
            let isSound = core.fillLock.withLock { _ in
                guard let directory = placeLocked(address, opened) else { return false }
                _ = directory.fill(number, opened)
                return true
            }
            return isSound ? cachedBlock(segment, number) : unsound(address)
        }
        // A block that may be inside a page is copied, because it isn't aligned there.
        let copy = BlockCopies.make(size)
        guard envelope.open(stored, at: address, into: copy) else {
            BlockCopies.release(UnsafeRawPointer(copy.baseAddress!))
            return unopened(address)
        }
        let isSound = core.fillLock.withLock { _ in
            guard let directory = placeLocked(address, UnsafeRawBufferPointer(copy)) else { return false }
            if directory.adopt(number, copy), !envelope.opensInPlace { pin.openedBytes.add(size, ordering: .relaxed) }
            return true
        }
        if isSound { return cachedBlock(segment, number) }
        BlockCopies.release(UnsafeRawPointer(copy.baseAddress!))
        return unsound(address)
    }

    /// Returns the directory to which a block belongs, or `nil` if the block isn't sound. A damaged file can combine blocks of different versions,
    /// each of which is valid alone. The caller holds the fill lock.
    private func placeLocked(_ address: BlockAddress, _ bytes: UnsafeRawBufferPointer) -> SegmentDirectory? {
        guard isSoundLocked(address.segment, address.number, bytes: bytes) else { return nil }
        let directory = directoryLocked(address.segment)
        return directory.covers(address.number) ? directory : nil
    }

    /// Reads can't throw errors, and invented or forged values must not be returned.
    private func unopened(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        damaged(envelope.damage(address, of: storedSchema.name(of: address, clusterSpan: clusterSpan), path: core.path))
        return nil
    }

    private func unsound(_ address: BlockAddress) -> UnsafeRawBufferPointer? {
        damaged(address)
        return nil
    }

    /// Returns the directory of a segment, and creates it if necessary. The caller holds the fill lock.
    private func directoryLocked(_ segment: UInt32) -> SegmentDirectory {
        if let raw = directories[Int(segment)] {
            return Unmanaged<SegmentDirectory>.fromOpaque(raw).takeUnretainedValue()
        }
        let made = SegmentDirectory(blockCount: blockCount(of: segment), holdsCopiesOnly: !envelope.opensInPlace)
        fh_store_release(directories + Int(segment), UnsafeRawPointer(Unmanaged.passRetained(made).toOpaque()))
        return made
    }

    /// Returns the highest number of a block that the segment can have in this version, plus one. The caller holds the fill lock.
    private func blockCount(of segment: UInt32) -> Int {
        guard let owner = storedSchema.owner(of: segment) else { return 1 }
        switch owner {
        case .table(let table, let offset):
            let clusters = tableCacheLocked(table).counts.count
            switch offset {
            case 1, 3: return clusters
            case 4: return clusters << 6
            case 5:
                return placesLocked(
                    segment,
                    (tableCacheLocked(table).state.columns[Table.mixedInverseID] ?? .init()).nextBacklinkBlob
                )
            default: return 1 + clusters / TableCache.clustersPerBlock
            }
        case .column(let table, let column, let kind):
            let state = tableCacheLocked(table).state.columns[column.id] ?? .init()
            switch kind {
            case .leaf: return tableCacheLocked(table).counts.count
            case .parts: return tableCacheLocked(table).counts.count << 6
            case .blobs: return placesLocked(segment, state.nextBlob)
            case .index: return placesLocked(segment, state.nextIndex)
            case .backlinkLeaf, .backlinkParts:
                guard let target = column.targetTableID.flatMap(storedSchema.table(id:)) else { return 1 }
                let clusters = tableCacheLocked(target).counts.count
                return kind == .backlinkLeaf ? clusters : clusters << 6
            case .backlinkBlobs: return placesLocked(segment, state.nextBacklinkBlob)
            }
        }
    }

    // MARK: Tables

    func tableCache(_ table: Table) -> TableCache {
        if table.id < tableCapacity, let raw = fh_load_acquire(tableCaches + table.id) {
            return Unmanaged<TableCache>.fromOpaque(raw).takeUnretainedValue()
        }
        var isSound = true
        let found = core.fillLock.withLock { _ in
            let found = tableCacheLocked(table)
            isSound = found.isSound
            return found
        }
        if !isSound { damaged("the state or the counts of table '\(table.name)' can't be read") }
        return found
    }

    /// Returns the decoded state of a table. The caller holds the fill lock. A table that isn't part of this version is empty, and so is a damaged
    /// table.
    func tableCacheLocked(_ table: Table) -> TableCache {
        guard table.id < tableCapacity else { return TableCache(state: TableState(), counts: []) }
        if let raw = tableCaches[table.id] { return Unmanaged<TableCache>.fromOpaque(raw).takeUnretainedValue() }
        guard let (state, counts) = readTable(table) else {
            return TableCache(state: TableState(), counts: [], isSound: false)
        }
        let cache = TableCache(state: state, counts: counts)
        fh_store_release(tableCaches + table.id, UnsafeRawPointer(Unmanaged.passRetained(cache).toOpaque()))
        return cache
    }

    @inline(__always)
    private func withTableCache<R>(_ table: Table, _ body: (TableCache) -> R) -> R {
        if table.id < tableCapacity, let raw = fh_load_acquire(tableCaches + table.id) {
            return Unmanaged<TableCache>.fromOpaque(raw)._withUnsafeGuaranteedRef(body)
        }
        return body(tableCache(table))
    }

    override func withPositions<R>(_ table: Table, _ body: (TableCache) -> R) -> R { withTableCache(table, body) }
    public override func count(_ table: Table) -> Int { withTableCache(table) { $0.count } }
    override func nextKey(_ table: Table) -> Int64 { withTableCache(table) { $0.state.nextKey } }

    override func columnState(_ column: Column) -> TableState.ColumnState {
        if column.tableID < tableCapacity, let raw = fh_load_acquire(tableCaches + column.tableID) {
            return Unmanaged<TableCache>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.columnState(column.id) }
        }
        return tableCache(storedSchema.table(of: column)).columnState(column.id)
    }

    override func clusterCount(_ table: Table) -> Int { withTableCache(table) { $0.clusterCount } }

    override func liveCount(_ table: Table, cluster: Int) -> Int {
        withTableCache(table) {
            cluster < $0.clusterCount ? Int($0.countsPointer[cluster] & ~TableCache.presenceFlag) : 0
        }
    }

    override func presence(_ table: Table, cluster: Int) -> UnsafePointer<UInt64>? {
        let isStored = withTableCache(table) {
            cluster < $0.clusterCount && $0.countsPointer[cluster] & TableCache.presenceFlag != 0
        }
        guard isStored else { return nil }
        if let bits = block(table.firstSegment + 1, UInt64(cluster))?.baseAddress {
            return bits.assumingMemoryBound(to: UInt64.self)
        }
        damaged("table '\(table.name)' doesn't say which objects cluster \(cluster) has")
        return nil
    }

    public override func contains(_ table: Table, _ key: ObjectKey) -> Bool {
        guard key.raw >= 0 else { return false }
        let (cluster, slot) = locate(key)
        let entry = withTableCache(table) { cluster < $0.clusterCount ? $0.countsPointer[cluster] : 0 }
        guard entry & TableCache.presenceFlag != 0 else { return slot < Int(entry) }
        guard let bits = block(table.firstSegment + 1, UInt64(cluster))?.baseAddress else { return false }
        return PresenceBits.test(bits.assumingMemoryBound(to: UInt64.self), slot)
    }

    override func tableState(_ table: Table) -> TableState { tableCache(table).state }
    override func positions(_ table: Table) -> TableCache { tableCache(table) }

    override func leaf(_ column: Column, cluster: Int) -> UnsafeRawPointer? {
        block(column.segment(.leaf), UInt64(cluster))?.baseAddress
    }

    override func leafPart(_ column: Column, cluster: Int, part: Int) -> UnsafeRawPointer? {
        block(column.segment(.parts), UInt64(cluster) << 6 | UInt64(part))?.baseAddress
    }

    /// Returns the chunks for accessors, in the layout of `LeafChunk`. If a pointer at either level is null, the accessor has to use the view.
    public override func leafChunks(_ column: Column) -> UnsafePointer<UnsafeRawPointer?>? {
        let segment = column.segment(.leaf)
        guard Int(segment) < segmentCapacity else { return nil }
        if let raw = fh_load_acquire(directories + Int(segment)) {
            return UnsafePointer(Unmanaged<SegmentDirectory>.fromOpaque(raw)._withUnsafeGuaranteedRef { $0.chunks })
        }
        return core.fillLock.withLock { _ in UnsafePointer(directoryLocked(segment).chunks) }
    }
}
