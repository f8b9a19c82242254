public import FreeholdBSON
public import FreeholdSyncCore

/// Makes commits of documents, as a client would upload them: so what is imported merges with the work of devices by the rules that hold
/// between devices.
///
/// ```swift
/// var documents = try DocumentStreamReader(file: "dogs.bson")
/// var job = DocumentImport(DocumentMapping(DocumentSchema(tables)), className: "Dog")
/// while let batch = try job.nextBatch(&documents) {
///     let stored = …                                   // batch.names, as the stream has them at a version
///     let commit = job.commit(batch, stored: stored, base: version, number: number, clock: clock, numbers: &numbers)
///     …                                                // upload it, if there is one
/// }
/// print(job.report.created, job.report.misfits)
/// ```
///
/// It knows no store and no network. In memory is one batch.
public struct DocumentImport: Sendable {
    public enum Mode: Sendable {
        /// New objects only. One that is there stays as it is, and is reported.
        case insert
        /// New objects are made. Of others the properties that the document has become as it says, where they differ.
        case upsert
        /// As `upsert`, and properties that the document lacks are emptied.
        case replace
    }

    public enum Misfits: Sendable {
        /// They are reported, and the others go on.
        case skipped
        /// The first one ends the import. Commits that were made before stay.
        case stopping
    }

    public struct Options: Sendable {
        public var mode: Mode
        public var misfits: Misfits
        /// The most objects of a batch.
        public var batchObjects: Int
        /// About how many bytes of documents a batch has.
        public var batchBytes: Int
        /// The most misfits that are kept in the report.
        public var reportedMisfits: Int

        public init(
            mode: Mode = .upsert,
            misfits: Misfits = .skipped,
            batchObjects: Int = 500,
            batchBytes: Int = 4 << 20,
            reportedMisfits: Int = 1_000
        ) {
            self.mode = mode
            self.misfits = misfits
            self.batchObjects = max(batchObjects, 1)
            self.batchBytes = batchBytes
            self.reportedMisfits = reportedMisfits
        }
    }

    /// An object as the stream has it.
    public struct Stored: Sendable {
        /// The version of its last change.
        public let version: StreamVersion
        public let contents: [SyncString: MergedContent]

        public init(version: StreamVersion, contents: [SyncString: MergedContent]) {
            self.version = version
            self.contents = contents
        }

        /// Nil for one that is deleted.
        public init?(_ object: MergedObject) {
            guard object.isAlive else { return nil }
            self.init(version: object.changed, contents: object.contents)
        }
    }

    /// Documents that become one commit. No object is among them twice.
    public struct Batch: Sendable {
        /// With the numbers of their documents in the stream, counted from 1.
        public fileprivate(set) var objects: [(document: Int, object: MappedObject)] = []

        public var names: [ObjectName] { objects.map(\.object.name) }
    }

    public struct Misfit: Error, Sendable, CustomStringConvertible {
        /// Counted from 1.
        public let document: Int
        /// Nil if it isn't known.
        public let name: ObjectName?
        /// Why, and where in the document.
        public let misfit: DocumentMisfit

        public var description: String { "Document \(document): \(misfit)" }
    }

    public struct Report: Sendable {
        public internal(set) var documents = 0
        public internal(set) var created = 0
        public internal(set) var changed = 0
        public internal(set) var unchanged = 0
        public internal(set) var misfitCount = 0
        /// The first ones.
        public internal(set) var misfits: [Misfit] = []
        /// How often fields were left out that the class hasn't, by their paths.
        public internal(set) var ignoredFields: [String: Int] = [:]
    }

    public let mapping: DocumentMapping
    public let className: String
    public let options: Options
    public private(set) var report = Report()
    private var next: (document: Int, object: MappedObject)?

    public init(_ mapping: DocumentMapping, className: String, options: Options = Options()) {
        self.mapping = mapping
        self.className = className
        self.options = options
    }

    /// Reads documents until a batch is full. Nil if there are none left.
    ///
    /// - Throws: what reading throws; ``Misfit`` if the first one ends the import, or if there is no such class.
    /// - Complexity: O(size of the documents).
    public mutating func nextBatch(_ documents: inout DocumentStreamReader) throws -> Batch? {
        var batch = Batch()
        var names: Set<ObjectName> = []
        let start = documents.offset
        while true {
            if let next {
                guard names.insert(next.object.name).inserted else { return batch }
                batch.objects.append(next)
                self.next = nil
            }
            guard batch.objects.count < options.batchObjects, documents.offset - start < options.batchBytes else {
                return batch
            }
            do {
                guard let document = try documents.next() else { return batch.objects.isEmpty ? nil : batch }
                report.documents += 1
                try take(document, documents.document)
            } catch let error as DocumentStreamError where error.canContinue {
                report.documents += 1
                let misfit = DocumentMisfit(.type, error.path, "\(error)")
                try note(Misfit(document: error.document, name: nil, misfit: misfit))
            }
        }
    }

    private mutating func take(_ document: BSONDocument, _ number: Int) throws {
        let object: MappedObject
        do { object = try mapping.object(document, of: className) } catch {
            let misfit = Misfit(document: number, name: nil, misfit: error)
            // The class isn't there: no document will fit.
            if error.code == .unknownClass, error.path.isEmpty { throw misfit }
            return try note(misfit)
        }
        for path in object.ignored where report.ignoredFields[path] != nil || report.ignoredFields.count < 1_000 {
            report.ignoredFields[path, default: 0] += 1
        }
        next = (number, object)
    }

    private mutating func note(_ misfit: Misfit) throws {
        report.misfitCount += 1
        if report.misfits.count < options.reportedMisfits { report.misfits.append(misfit) }
        if case .stopping = options.misfits { throw misfit }
    }

    /// The commit that a batch becomes. Nil if nothing of it is new.
    ///
    /// - Parameters:
    ///   - stored: those of the batch's objects that the stream has.
    ///   - base: the version at which they were read.
    ///   - number: of the commit, among those of the file that uploads it.
    ///   - clock: of the commit.
    ///   - numbers: of the file that uploads it.
    /// - Throws: ``Misfit`` if the first one ends the import. Nothing of the batch should be uploaded then.
    /// - Complexity: O(size of the objects), and of lists see ``ListHunk``.
    public mutating func commit(
        _ batch: Batch,
        stored: [ObjectName: Stored],
        base: StreamVersion,
        number: UInt64,
        clock: Clock,
        schemaVersion: UInt64 = 0,
        numbers: inout OwnNumbers
    ) throws(Misfit) -> Commit? {
        var changes: [Change] = []
        var seen: [ObjectName: StreamVersion] = [:]
        for (document, object) in batch.objects {
            let old = stored[object.name]
            var draft = ObjectChanges(mapping.schema, object.name, numbers)
            do {
                try make(object, old, &draft)
            } catch {
                let misfit = Misfit(document: document, name: object.name, misfit: error)
                do { try note(misfit) } catch { throw misfit }
                continue
            }
            numbers = draft.numbers
            if draft.changes.isEmpty {
                report.unchanged += 1
            } else if let old {
                report.changed += 1
                seen[object.name] = old.version
            } else {
                report.created += 1
            }
            changes += draft.changes
        }
        guard !changes.isEmpty else { return nil }
        return Commit(
            number: number,
            clock: clock,
            base: base,
            seen: seen,
            schemaVersion: schemaVersion,
            changes: changes
        )
    }

    /// The commit that a few documents become, which are at hand already.
    ///
    /// - Throws: ``Misfit``, as reading a batch and making its commit do. Two documents of one key are the later one's.
    public mutating func commit(
        of documents: [BSONDocument],
        stored: [ObjectName: Stored],
        numbers: inout OwnNumbers
    ) throws -> Commit? {
        var batch = Batch()
        var places: [ObjectName: Int] = [:]
        for (index, document) in documents.enumerated() {
            report.documents += 1
            try take(document, index + 1)
            guard let object = next else { continue }
            if let place = places[object.object.name] {
                batch.objects[place] = object
            } else {
                places[object.object.name] = batch.objects.count
                batch.objects.append(object)
            }
            next = nil
        }
        return try commit(batch, stored: stored, base: 0, number: 1, clock: .zero, numbers: &numbers)
    }

    private func make(_ object: MappedObject, _ old: Stored?, _ draft: inout ObjectChanges) throws(DocumentMisfit) {
        let (found, _) = try mapping.schema.topLevel(object.name.className)
        var fields = object.fields
        if old == nil || options.mode == .replace {
            fields.merge(try mapping.missing(fields, of: found, [])) { first, _ in first }
        }
        guard let old else { return draft.create(fields) }
        guard options.mode != .insert else {
            throw DocumentMisfit(.exists, ["_id"], "There is such an object already.")
        }
        try draft.update([], of: found, from: old.contents, to: fields, isWhole: options.mode == .replace)
    }
}
