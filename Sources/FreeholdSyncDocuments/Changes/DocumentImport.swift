public import FreeholdBSON
public import FreeholdSyncCore

/// An import of documents as commits, in the form in which a client would upload them. Imported documents therefore
/// merge with the work of devices by the usual rules.
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
/// It uses no store and no network. One batch at a time is in memory.
public struct DocumentImport: Sendable {
    public enum Mode: Sendable {
        /// Only new objects are imported. Existing objects aren't changed, and are reported.
        case insert
        /// New objects are created. For existing objects, the properties in the document are changed if they differ.
        case upsert
        /// Like `upsert`, and properties that are missing in the document are emptied.
        case replace
    }

    public enum Misfits: Sendable {
        /// Unfitting documents are reported and skipped.
        case skipped
        /// The first unfitting document ends the import. Earlier commits are kept.
        case stopping
    }

    public struct Options: Sendable {
        public var mode: Mode
        public var misfits: Misfits
        /// The maximum number of objects of a batch.
        public var batchObjects: Int
        /// The approximate maximum size of a batch's documents, in bytes.
        public var batchBytes: Int
        /// The maximum number of misfits in the report.
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

    /// An object in the state of the stream.
    public struct Stored: Sendable {
        /// The version of the object's last change.
        public let version: StreamVersion
        public let contents: [SyncString: MergedContent]

        public init(version: StreamVersion, contents: [SyncString: MergedContent]) {
            self.version = version
            self.contents = contents
        }

        /// Returns `nil` for a deleted object.
        public init?(_ object: MergedObject) {
            guard object.isAlive else { return nil }
            self.init(version: object.changed, contents: object.contents)
        }
    }

    /// The documents of one commit. No object occurs twice.
    public struct Batch: Sendable {
        /// The objects, with the numbers of their documents in the input, starting at 1, and the lines at which they begin.
        public fileprivate(set) var objects: [(document: Int, line: Int?, object: MappedObject)] = []

        public var names: [ObjectName] { objects.map(\.object.name) }
    }

    public struct Misfit: Error, Sendable, CustomStringConvertible {
        /// The number of the document, starting at 1.
        public let document: Int
        /// The line, counted from 1, at which the document begins, or at which it can't be read. Nil for documents without lines.
        public let line: Int?
        /// The name of the object, or `nil` if it is unknown.
        public let name: ObjectName?
        /// The reason, with the place in the document.
        public let misfit: DocumentMisfit

        public var description: String { "Document \(document)\(line.map { ", line \($0)" } ?? ""): \(misfit)" }
    }

    public struct Report: Sendable {
        public internal(set) var documents = 0
        public internal(set) var created = 0
        public internal(set) var changed = 0
        public internal(set) var unchanged = 0
        public internal(set) var misfitCount = 0
        /// The first misfits.
        public internal(set) var misfits: [Misfit] = []
        /// The number of times that a field which the class doesn't have was left out, by the path of the field.
        public internal(set) var ignoredFields: [String: Int] = [:]
    }

    public let mapping: DocumentMapping
    public let className: String
    public let options: Options
    public private(set) var report = Report()
    private var next: (document: Int, line: Int?, object: MappedObject)?

    public init(_ mapping: DocumentMapping, className: String, options: Options = Options()) {
        self.mapping = mapping
        self.className = className
        self.options = options
    }

    /// Reads documents until a batch is full. Returns `nil` if there are no more documents.
    ///
    /// - Throws: The errors of reading, and ``Misfit`` if the first misfit ends the import or if the class doesn't
    ///   exist.
    /// - Complexity: O(size of the documents)
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
                try take(document, documents.document, line: documents.firstLine)
            } catch let error as DocumentStreamError where error.canContinue {
                report.documents += 1
                let misfit = DocumentMisfit(.type, error.path, "\(error)")
                try note(Misfit(document: error.document, line: error.line, name: nil, misfit: misfit))
            }
        }
    }

    private mutating func take(_ document: BSONDocument, _ number: Int, line: Int? = nil) throws {
        let object: MappedObject
        do { object = try mapping.object(document, of: className) } catch {
            let misfit = Misfit(document: number, line: line, name: nil, misfit: error)
            // The class doesn't exist, so no document can fit.
            if error.code == .unknownClass, error.path.isEmpty { throw misfit }
            return try note(misfit)
        }
        for path in object.ignored where report.ignoredFields[path] != nil || report.ignoredFields.count < 1_000 {
            report.ignoredFields[path, default: 0] += 1
        }
        next = (number, line, object)
    }

    private mutating func note(_ misfit: Misfit) throws {
        report.misfitCount += 1
        if report.misfits.count < options.reportedMisfits { report.misfits.append(misfit) }
        if case .stopping = options.misfits { throw misfit }
    }

    /// Returns the commit for a batch, or `nil` if the batch changes nothing.
    ///
    /// - Parameters:
    ///   - stored: The objects of the batch that exist in the stream.
    ///   - base: The version at which these objects were read.
    ///   - number: The number of the commit in the file that uploads it.
    ///   - clock: The clock of the commit.
    ///   - numbers: The numbers of the file that uploads the commit.
    /// - Throws: ``Misfit`` if the first misfit ends the import. Then no part of the batch should be uploaded.
    /// - Complexity: O(size of the objects). See ``ListHunk`` for lists.
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
        for (document, line, object) in batch.objects {
            let old = stored[object.name]
            var draft = ObjectChanges(mapping.schema, object.name, numbers)
            do {
                try make(object, old, &draft)
            } catch {
                let misfit = Misfit(document: document, line: line, name: object.name, misfit: error)
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

    /// Returns the commit for a few documents in memory.
    ///
    /// - Throws: ``Misfit``, like `nextBatch(_:)` and the commit of a batch. If two documents have the same key, the
    ///   later one is used.
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
        guard let old else {
            try mapping.checkNew(object.name)
            return draft.create(fields)
        }
        guard options.mode != .insert else {
            throw DocumentMisfit(.exists, ["_id"], "There is such an object already.")
        }
        try draft.update([], of: found, from: old.contents, to: fields, isWhole: options.mode == .replace)
    }
}
