internal import Synchronization

extension Snapshot {
    /// Returns descriptions of the errors in this version of the file, or an empty array for a sound version.
    ///
    /// It checks the catalogue, the states and counts of tables, every leaf, string, list, link and inverse link, every index against its rows, the
    /// history, and that each block is in use. Damage is reported and never traps.
    /// - Complexity: O(size of the file).
    public func verify() -> [String] {
        let note = DamageNote()
        let check = SnapshotCheck(noting(note))
        check.run()
        // This damage was found by a read through the caches, and by no check.
        if let error = note.error, check.problems.isEmpty { return [error.message] }
        return check.problems
    }
}

/// A store that reads blocks without the snapshot's caches, which trust the file.
final class VerifyStore: BlockStore {
    private let snapshot: Snapshot
    private var copies: [UInt64: UnsafeMutableRawBufferPointer] = [:]

    init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    deinit { forget() }

    /// Frees the copies of blocks, and invalidates all pointers into them.
    func forget() {
        for copy in copies.values { copy.deallocate() }
        copies = [:]
    }

    func block(_ segment: UInt32, _ number: UInt64) -> UnsafeRawBufferPointer? {
        guard segment <= BlockAddress.maximumSegment, number <= BlockAddress.maximumNumber else { return nil }
        let address = BlockAddress(segment: segment, number: number).raw
        if let copy = copies[address] { return UnsafeRawBufferPointer(copy) }
        let place = BlockAddress(raw: address)
        guard let bytes = snapshot.storedBlock(place) else { return nil }
        let envelope = snapshot.core.envelope
        guard let count = envelope.plainSize(bytes, at: place) else { return nil }
        if envelope.opensInPlace, UInt(bitPattern: bytes.baseAddress) & 7 == 0, count >= 8 {
            return envelope.opened(bytes, at: place)
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 16), alignment: 16)
        let out = UnsafeMutableRawBufferPointer(rebasing: copy[0..<count])
        guard envelope.open(bytes, at: place, into: out) else {
            copy.deallocate()
            return nil
        }
        copies[address] = UnsafeMutableRawBufferPointer(rebasing: copy[0..<count])
        return UnsafeRawBufferPointer(rebasing: copy[0..<count])
    }

    /// Does nothing, because the checks themselves report errors.
    func damaged(_ what: @autoclosure () -> String) {}

    func numbers(in segment: UInt32) -> [UInt64] {
        var out: [UInt64] = []
        snapshot.forEachBlock(segment) { number, _ in
            out.append(number)
            return true
        }
        return out
    }
}

/// One run of `Snapshot.verify`.
final class SnapshotCheck {
    static let maximumProblems = 1000

    let snapshot: Snapshot
    let store: VerifyStore
    let schema: DatabaseSchema
    let span: Int
    private(set) var problems: [String] = []
    private var isFull = false
    /// The blocks that are in use.
    private var claimed: Set<UInt64> = []
    var tables: [Int: TableCheck] = [:]
    /// The origins by target, by a link column's first segment.
    var links: [UInt32: [Int64: [Int64]]] = [:]
    /// The values of columns in compound indexes, by column id and object, for the table that is being checked.
    var compoundValues: [Int: [Int64: Value]] = [:]

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        store = VerifyStore(snapshot)
        schema = snapshot.schema
        span = snapshot.clusterSpan
    }

    func report(_ problem: String) {
        guard problems.count < Self.maximumProblems else {
            if !isFull { problems.append("There is more.") }
            isFull = true
            return
        }
        problems.append(problem)
    }

    /// Returns a block that is in use. Reports an error if the block is missing or is in use twice.
    func claim(_ segment: UInt32, _ number: UInt64, subject: @autoclosure () -> String) -> UnsafeRawBufferPointer? {
        guard let bytes = store.block(segment, number) else {
            report("\(subject()): its block \(number) in segment \(segment) is missing.")
            return nil
        }
        claim(segment, number, bytes: bytes, subject: subject())
        return bytes
    }

    func claimIfStored(_ segment: UInt32, _ number: UInt64, subject: @autoclosure () -> String)
        -> UnsafeRawBufferPointer?
    {
        guard let bytes = store.block(segment, number) else { return nil }
        claim(segment, number, bytes: bytes, subject: subject())
        return bytes
    }

    private func claim(
        _ segment: UInt32,
        _ number: UInt64,
        bytes: UnsafeRawBufferPointer,
        subject: @autoclosure () -> String
    ) {
        if !claimed.insert(BlockAddress(segment: segment, number: number).raw).inserted {
            report("\(subject()): something else uses block \(number) in segment \(segment), too.")
        }
        if bytes.count > BlockLimits.maximumSize {
            report("\(subject()): block \(number) in segment \(segment) has \(bytes.count) bytes.")
        }
    }

    func run() {
        if let trees = snapshot.pin.reader.trees {
            var pages = PageCheck(trees)
            pages.checkAll()
            for problem in pages.problems { report("The file's pages: \(problem).") }
        }
        let before = problems.count
        checkEnvelopes()
        // The following checks also read blocks through the snapshot's caches, which don't accept damaged blocks.
        guard problems.count == before else { return }
        checkCatalogue()
        for table in schema.storedTables { tables[table.id] = checkTable(table) }
        for table in schema.storedTables {
            for column in table.storedColumns { checkColumn(column, table, check: tables[table.id]!) }
            for compound in table.compounds { checkCompound(compound, table, check: tables[table.id]!) }
            compoundValues = [:]
            store.forget()
        }
        for table in schema.storedTables {
            for column in table.storedColumns where column.type == .link { checkBacklinks(column) }
            checkBacklinks(table.mixedInverse)
            if table.isEmbedded { checkOwners(table) }
            store.forget()
        }
        if problems.count == before { checkPlaceholders() }
        checkHistory()
        checkJournal()
        checkReachability()
    }

    // MARK: Catalogue

    private func checkCatalogue() {
        do throws(EngineError) {
            let bytes = claimIfStored(Catalogue.segment, Catalogue.headerBlock, subject: "The header")
            let header = try DatabaseHeader.decode(bytes, path: snapshot.core.path)
            if header.clusterSpan != span { report("The header's cluster span is \(header.clusterSpan), not \(span).") }
            if bytes?.count != header.encoded().count { report("The header has a wrong length.") }
        } catch {
            report("The header is damaged: \(error.message)")
        }
        let root = snapshot.root
        if let bytes = claim(Catalogue.segment, Catalogue.rootBlock, subject: "The root") {
            if Array(bytes) != root.encoded() { report("The root is damaged.") }
        }
        var length = 0
        for i in 0..<UInt64(root.schemaBlocks) {
            length += claim(Catalogue.segment, Catalogue.firstSchemaBlock + i, subject: "The schema")?.count ?? 0
        }
        if length != Int(root.schemaLength) { report("The schema has \(length) bytes, not \(root.schemaLength).") }
        if schema.encoded().count != Int(root.schemaLength) { report("The schema has bytes to spare.") }
        var segments: Set<UInt32> = []
        func check(_ segment: UInt32, _ subject: String) {
            if segment % ColumnSegment.count != 0 || segment < Catalogue.firstFreeSegment || segment >= root.nextSegment
                || !segments.insert(segment).inserted
            {
                report("\(subject) can't have segment \(segment).")
            }
        }
        for table in schema.storedTables {
            check(table.firstSegment, "Table '\(table.name)'")
            if table.id >= Int(root.nextTableID) { report("Table '\(table.name)' has an id to come, \(table.id).") }
            if !table.hasColumnsOnceEach {
                report("Table '\(table.name)' has two columns of a name.")
            }
            if Set(table.storedColumns.map(\.id)).count != table.storedColumns.count {
                report("Table '\(table.name)' has two columns of an id.")
            }
            if table.storedColumns.count(where: \.isPrimaryKey) > 1 {
                report("Table '\(table.name)' has two primary keys.")
            }
            for compound in table.compounds {
                check(compound.firstSegment, "Compound index '\(table.name)' (\(compound))")
            }
            for column in table.storedColumns {
                check(column.firstSegment, "Column '\(table.name).\(column.name)'")
                if column.id >= table.nextColumnID {
                    report("Column '\(table.name).\(column.name)' has an id to come.")
                }
                if (column.type == .link) != (column.targetTableID != nil)
                    || column.targetTableID.map({ schema.table(id: $0) == nil }) == true
                {
                    report("Column '\(table.name).\(column.name)' has no existing target.")
                }
            }
        }
    }

    // MARK: History and unused blocks

    private func checkHistory() {
        var records: [UInt64: [UInt8]] = [:]
        for number in store.numbers(in: Catalogue.historySegment) where number != FileDigest.address.number {
            let (version, part) = (number >> 8, number & 0xFF)
            guard let bytes = claim(Catalogue.historySegment, number, subject: "The history") else { continue }
            if version > snapshot.version {
                report("The history has a record of version \(version), which doesn't exist yet.")
            }
            if part == 0 {
                records[version] = Array(bytes)
            } else {
                records[version, default: []] += bytes
            }
        }
        for (version, bytes) in records.sorted(by: { $0.key < $1.key }) where bytes != [0] {
            let record = bytes.withUnsafeBytes { ChangeRecord.decode($0, version: version) }
            if record?.encoded() != bytes { report("The history's record of version \(version) is damaged.") }
        }
        store.forget()
    }

    private func checkReachability() {
        var from = BlockAddress(raw: 0)
        do throws(EngineError) {
            while true {
                let run = try snapshot.run(from: from)
                guard let last = run.last?.address else { return }
                for (address, _) in run where !claimed.contains(address.raw) && address != FileDigest.address {
                    let owner = schema.name(of: address.segment) ?? "of nobody"
                    report("Nothing refers to block \(address.number) in segment \(address.segment) (\(owner)).")
                }
                guard last.raw < .max else { return }
                from = BlockAddress(raw: last.raw + 1)
            }
        } catch {
            report(error.message)
        }
    }
}

/// The bounds of the numbers of a column's blocks.
struct BlockBounds {
    let segment: UInt32
    let next: UInt64
    let subject: String
}

/// One object's value of a column, as the checks of that value and the reports need it.
struct CheckedCell {
    /// The blocks that the value may use.
    let blobs: BlockBounds
    /// The key of the object.
    let key: Int64

    /// The name of the value in reports.
    var subject: String { "\(blobs.subject) of O\(key)" }
}

/// The type of the elements of a collection.
struct ElementType {
    let type: ColumnType
    let isOptional: Bool

    init(_ type: ColumnType, isOptional: Bool) {
        self.type = type
        self.isOptional = isOptional
    }

    /// The type of the elements of the column's collections.
    init(_ column: Column) { self.init(column.type, isOptional: column.isOptional) }
}
