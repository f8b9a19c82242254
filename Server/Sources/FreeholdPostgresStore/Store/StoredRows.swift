#if PostgreSQL
    internal import FreeholdBSON
    internal import FreeholdEngine
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// The error of a row whose content isn't valid.
    struct RowDamage: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The error of an object or a key that is too large for a row.
    struct RowLimit: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Keys as byte strings whose order is the order of the keys: the kind, then the integer with its sign bit inverted, the text, or the 12 or 16
    /// bytes of an id.
    enum StoredKey {
        /// The maximum number of bytes of the text of a key.
        static let mostBytes = 1 << 10

        static func bytes(_ key: PrimaryKey) -> [UInt8] {
            switch key {
            case .null: [0]
            case .int(let value):
                [1] + withUnsafeBytes(of: (UInt64(bitPattern: value) ^ 1 << 63).bigEndian) { Array($0) }
            case .string(let value): [2] + Array(value.string.utf8)
            case .objectId(let value): [3] + value.withUnsafeBytes { Array($0) }
            case .uuid(let value): [4] + withUnsafeBytes(of: value.uuid) { Array($0) }
            }
        }

        /// - Throws: `RowLimit` if the key is too long to be stored.
        static func checked(_ name: ObjectName) throws -> [UInt8] {
            let bytes = bytes(name.key)
            guard bytes.count <= mostBytes + 1, name.className.string.utf8.count <= mostBytes else {
                throw RowLimit("The key of an object has more than \(mostBytes) bytes.")
            }
            return bytes
        }

        static func key(_ bytes: [UInt8]) throws -> PrimaryKey {
            let rest = bytes.dropFirst()
            switch (bytes.first, rest.count) {
            case (0, 0): return .null
            case (1, 8): return .int(Int64(bitPattern: rest.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } ^ 1 << 63))
            case (2, _):
                guard let text = String(validating: rest, as: UTF8.self) else { throw RowDamage("A key isn't UTF-8.") }
                return .string(SyncString(text))
            case (3, ObjectId.byteCount): return .objectId(rest.withUnsafeBytes { ObjectId(bytes: $0) })
            case (4, 16): return .uuid(UUID(uuid: rest.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
            default: throw RowDamage("A key has an unknown form.")
            }
        }
    }

    /// Objects as the columns `doc` and `meta`. `doc` is the document, which any program can read. `meta` is the other data that a merge needs.
    enum StoredDocument {
        /// The first byte of `meta`.
        private static let form: UInt8 = 1
        private static let limits = BSONLimits(depth: BSONLimits.maximumDepth, size: .max)

        /// - Throws: `RowLimit` if the document is nested too deep.
        static func columns(
            _ object: MergedObject,
            _ key: PrimaryKey
        ) throws -> (doc: [UInt8], meta: [UInt8], document: BSONDocument) {
            let stored = object.stored(key)
            do { return (try stored.doc.bytes(limits: limits), [form] + stored.meta, stored.doc) } catch {
                throw RowLimit("\(error)")
            }
        }

        static func object(doc: [UInt8], meta: [UInt8]) throws -> MergedObject {
            guard meta.first == form else { throw RowDamage("An object is stored in a form of a later version.") }
            return try MergedObject(StoredObject(doc: try document(doc), meta: Array(meta.dropFirst())))
        }

        static func document(_ bytes: [UInt8]) throws -> BSONDocument {
            try bytes.withUnsafeBytes { try BSONDocument($0, limits: limits) }
        }
    }

    /// The hashes of secrets.
    enum StoredSecret {
        static func bytes(_ secret: SecretHash) -> [UInt8] {
            secret.words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        }

        static func secret(_ bytes: [UInt8]) throws -> SecretHash {
            guard bytes.count == 32 else { throw RowDamage("A file's secret isn't 32 bytes.") }
            return SecretHash(
                words: stride(from: 0, to: 32, by: 4).map { start in
                    bytes[start..<start + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
                }
            )
        }
    }

    /// A group of commits in a row of the log.
    enum StoredGroup {
        private static let form: UInt8 = 1

        struct Entry: Sendable {
            let version: StreamVersion
            let author: PartName
            let images: StoredImages
            /// The images of the group by version, if some images are differences to others.
            fileprivate(set) var group: [StreamVersion: StoredImages] = [:]

            /// Returns the state of an object before the commit. Returns `nil` if it didn't exist.
            func object(_ index: Int, horizon: StreamVersion) throws -> MergedObject? {
                try images.object(index, horizon: horizon, earlier: earlier)
            }

            func earlier(_ version: StreamVersion) throws -> StoredImages {
                guard let images = group[version] else {
                    throw RowDamage("A row of the log lacks the commit \(version).")
                }
                return images
            }
        }

        /// The bytes of a group before its first commit.
        static var beginning: [UInt8] { [form] }

        static func append(_ version: StreamVersion, _ author: PartName, _ images: [UInt8], to bytes: inout [UInt8]) {
            for number in [version, UInt64(author.ident.rawValue), author.commit, UInt64(images.count)] {
                withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
            }
            bytes.append(contentsOf: images)
        }

        static func bytes(_ entries: [LogEntry], _ writer: StoredImages.Writer) throws -> [UInt8] {
            var (bytes, writer) = (beginning, writer)
            for entry in entries {
                let images: [UInt8]
                do { images = try writer.bytes(entry) } catch { throw RowLimit("\(error)") }
                append(entry.version, entry.author, images, to: &bytes)
            }
            return bytes
        }

        static func entries(_ bytes: [UInt8], _ compression: (any MessageCompression)?) throws -> [Entry] {
            var entries = try forEachEntry(bytes) { version, author, images in
                Entry(version: version, author: author, images: try StoredImages(images, compression))
            }
            guard entries.contains(where: { $0.images.root != nil }) else { return entries }
            let group = Dictionary(entries.map { ($0.version, $0.images) }) { $1 }
            for index in entries.indices { entries[index].group = group }
            return entries
        }

        /// Calls a closure for each commit with the stored bytes of its before-images, and returns the results.
        static func forEachEntry<Result>(
            _ bytes: [UInt8],
            _ body: (StreamVersion, PartName, _ images: [UInt8]) throws -> Result
        ) throws -> [Result] {
            guard bytes.first == form else { throw RowDamage("A row of the log has the form of a later version.") }
            var rest = bytes.dropFirst()
            func number() throws -> UInt64 {
                guard rest.count >= 8 else { throw RowDamage("A row of the log ends too early.") }
                defer { rest = rest.dropFirst(8) }
                return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            var entries: [Result] = []
            while !rest.isEmpty {
                let (version, ident, commit, count) = (try number(), try number(), try number(), try number())
                guard let ident = UInt32(exactly: ident), count <= UInt64(rest.count) else {
                    throw RowDamage("A row of the log ends too early.")
                }
                let images = Array(rest.prefix(Int(count)))
                rest = rest.dropFirst(Int(count))
                entries.append(try body(version, PartName(FileIdent(rawValue: ident), commit), images))
            }
            return entries
        }
    }

    extension QueryResult.Row {
        /// The columns of `Statement.head`.
        ///
        /// - Parameter first: The index of the first of these columns.
        func head(from first: Int = 0) throws -> StreamHead {
            var head = StreamHead(epoch: try word(first))
            (head.version, head.hash) = (try word(first + 1), try hash(first + 2))
            (head.clock, head.now) = (Clock(rawValue: try word(first + 3)), try int(first + 4))
            (head.horizon, head.logStart) = (try word(first + 5), try word(first + 6))
            guard head.logStart <= head.version, head.horizon <= head.version else {
                throw RowDamage("The stream's head contradicts itself.")
            }
            return head
        }

        /// The row of `Statement.files`.
        func file() throws -> FileRow {
            var file = FileRow(
                try ident(0),
                user: try text(1),
                secret: try StoredSecret.secret(try bytes(2)),
                parents: try optionalBytes(3).map { try StoredParents.parents($0) } ?? []
            )
            (file.last, file.hash, file.clock) = (try word(4), try hash(5), Clock(rawValue: try word(6)))
            (file.leastBase, file.time) = (try optionalWord(7), try int(8))
            file.subscribed = try optionalBytes(9).flatMap { try StoredMessage.queries($0) }
            file.pending = try optionalBytes(10).flatMap { try StoredMessage.queries($0) }
            file.classes = Set(try texts(11))
            file.front = try optionalBytes(12) ?? []
            return file
        }

        /// The row of the statements of answers.
        func answer() throws -> (ident: FileIdent, answer: StoredAnswer) {
            let (number, version, clock, hash) = (try word(1), try word(2), Clock(rawValue: try word(3)), try hash(4))
            let refusals = try optionalBytes(5).map { try StoredMessage.answer($0).answer.refusals } ?? []
            let answer = MergeAnswer(stored: number, version: version, clock: clock, refusals: refusals)
            return (try ident(0), StoredAnswer(answer, hash: hash))
        }
    }
#endif
