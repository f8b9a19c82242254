import ArgumentParser
import Foundation
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore

#if PostgreSQL
    import FreeholdPostgresStore
#endif

struct MigrateStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate-store",
        abstract: "Copies all documents from files to PostgreSQL, or back, while no server runs.",
        discussion: """
            One of both is a server's folder, and the other one is the address of a database. Histories, files of devices and commits that
            aren't complete are copied as they are: clients continue at their places, and send what they haven't sent. The source isn't changed. Each stream is
            compared with its copy at the end. The command can be repeated after it was interrupted.

            Examples:
              freehold-server migrate-store /srv/freehold postgresql://freehold@db/freehold
              freehold-server migrate-store postgresql://freehold@db/freehold /srv/freehold
            """
    )

    @Argument(help: "The server's folder, or the address of a database, that has the documents.") var from: String
    @Argument(help: "The address of a database, or the server's folder, that receives them.") var to: String

    func run() async throws {
        #if PostgreSQL
            let isFromFolder = !StoreOption.isAddress(from)
            guard isFromFolder == StoreOption.isAddress(to) else {
                throw ValidationError("One of both is a server's folder, and the other one is postgresql://…")
            }
            let (folder, address) = isFromFolder ? (from, to) : (to, from)
            guard FileManager.default.fileExists(atPath: "\(folder)/\(SettingsReader.fileName)") else {
                throw ValidationError("\(folder) isn't a server's folder: it has no \(SettingsReader.fileName).")
            }
            let database = try await StoreOption.open(address, secretOf: folder)
            defer { database.close() }
            // The copies block while they wait for the database, so they run on a separate thread and not on a thread
            // of tasks.
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let mark = StoreMark(folder: folder)
                            if isFromFolder {
                                // After an interrupted copy, servers may continue to use the files.
                                try mark.remove()
                                try StoreMigration.copy(folder: folder, to: database)
                                try mark.write(address)
                            } else {
                                try StoreMigration.copy(database, toFolder: folder)
                                try mark.remove()
                            }
                        }
                    )
                }
            }
        #else
            throw StoreOption.missing
        #endif
    }
}

#if PostgreSQL
    /// Functions that copy all streams of a server. They block the calling thread.
    enum StoreMigration {
        static func copy(folder: String, to database: PostgresStore) throws {
            guard FileManager.default.fileExists(atPath: folder + "/sync") else {
                throw ValidationError("\(folder) has no documents: there is no folder 'sync' in it.")
            }
            let files = try FileServerStore(ofServer: folder, epoch: 1)
            let names = try files.streams().sorted { ($0.app, $0.text) < ($1.app, $1.text) }
            try checkKeys(files, names)
            let target = PostgresCopy(store: database)
            for name in names {
                let source = try outline(of: name, in: files)
                if let known = try target.outline(of: name) {
                    if known == source, try checksum(of: name, in: files) == checksum(of: name, in: target) {
                        report(name, source, "is there already")
                        continue
                    }
                    guard try isEarlier(known, than: source, files) else {
                        throw CommandFailure(
                            "The database has other work in the stream \(name.text) of \(name.app.string). It isn't overwritten."
                        )
                    }
                    try target.remove(name)
                }
                let sums = try target.copy(source, from: files)
                try check(name, source, sums, source: files, target: target)
            }
            print(
                "\(names.count) streams are in the database. Set 'store' in \(folder)/\(SettingsReader.fileName), or use --store."
            )
            print("Documents in \(folder)/sync aren't used any more. Remove them when you don't need them as a backup.")
        }

        static func copy(_ database: PostgresStore, toFolder folder: String) throws {
            let (final, temporary) = (folder + "/sync", folder + "/sync.copy")
            guard !FileManager.default.fileExists(atPath: final) else {
                throw ValidationError("\(final) exists. Move it away first: it isn't overwritten.")
            }
            // The folder is left from a copy that was interrupted.
            if FileManager.default.fileExists(atPath: temporary) {
                try FileManager.default.removeItem(atPath: temporary)
            }
            let source = PostgresCopy(store: database)
            let names = try source.streams().sorted { ($0.app, $0.text) < ($1.app, $1.text) }
            do {
                let files = try FileServerStore(ofServer: folder, epoch: 1, named: "sync.copy")
                for name in names {
                    let outline = try outline(of: name, in: source)
                    var sums = StreamChecksum()
                    try files.write(outline) { add in
                        try source.forEachRecord(of: name) { records in
                            for record in records { try sums.add(record) }
                            try add(records)
                        }
                    }
                    try check(name, outline, sums, source: source, target: files)
                }
            }
            try FileManager.default.moveItem(atPath: temporary, toPath: final)
            print(
                "\(names.count) streams are in \(final). Remove 'store' from \(folder)/\(SettingsReader.fileName), and start the server without --store."
            )
        }

        // MARK: Checks

        /// Checks all keys before data is written, and reports keys that a database can't store.
        private static func checkKeys(_ files: FileServerStore, _ names: [StreamName]) throws {
            var count = 0
            for name in names {
                for key in try files.longKeys(of: name) {
                    count += 1
                    if count <= 20 {
                        Failure.note(
                            "\(name.app.string) \(name.text): a key of \(key.className.string) has \(key.bytes) bytes"
                        )
                    }
                }
            }
            guard count == 0 else {
                throw CommandFailure(
                    "\(count) keys have more than \(PrimaryKey.mostBytes) bytes. Delete their objects first: a database can't have them."
                )
            }
        }

        private static func outline(of name: StreamName, in source: some StreamCopySource) throws -> StreamOutline {
            guard let outline = try source.outline(of: name) else {
                throw CommandFailure("The stream \(name.text) of \(name.app.string) can't be read.")
            }
            return outline
        }

        private static func checksum(of name: StreamName, in source: some StreamCopySource) throws -> StreamChecksum {
            var sums = StreamChecksum()
            try source.forEachRecord(of: name) { records in for record in records { try sums.add(record) } }
            return sums
        }

        /// Returns whether a stream of the database is an earlier state of the stream in the files.
        private static func isEarlier(_ known: StreamOutline, than source: StreamOutline, _ files: FileServerStore)
            throws -> Bool
        {
            guard known.head.epoch == source.head.epoch, known.head.version <= source.head.version,
                known.lastIdent <= source.lastIdent
            else { return false }
            return try files.hash(of: source.name, at: known.head.version) == known.head.hash
        }

        /// Compares the copy of a stream with its source.
        ///
        /// - Parameter sums: The checksum of the records that were written.
        private static func check(
            _ name: StreamName,
            _ outline: StreamOutline,
            _ sums: StreamChecksum,
            source: some StreamCopySource,
            target: some StreamCopySource
        ) throws {
            let place = "the stream \(name.text) of \(name.app.string)"
            guard try source.outline(of: name) == outline else {
                throw CommandFailure(
                    "A server has written to \(place) meanwhile. Stop all servers, and repeat the command."
                )
            }
            guard try target.outline(of: name) == outline else {
                throw CommandFailure("The copy of \(place) has another head.")
            }
            let differences = sums.differences(to: try checksum(of: name, in: target))
            guard differences.isEmpty else {
                throw CommandFailure("The copy of \(place) differs: \(differences.joined(separator: "; "))")
            }
            report(name, outline, "\(sums)")
        }

        private static func report(_ name: StreamName, _ outline: StreamOutline, _ text: String) {
            print("\(name.app.string)\t\(name.text)\tversion=\(outline.head.version)\t\(text)")
        }
    }

    /// The streams of a database as a source and a target of copies. Its methods block.
    private struct PostgresCopy: StreamCopySource {
        let store: PostgresStore

        func streams() throws -> [StreamName] { try Waiting.wait { [store] in try await store.streams() } }

        func outline(of name: StreamName) throws -> StreamOutline? {
            try Waiting.wait { [store] in try await store.outline(of: name) }
        }

        func forEachRecord(of name: StreamName, _ body: ([StreamRecord]) throws -> Void) throws {
            let queue = RecordQueue()
            Task { [store] in
                do {
                    try await store.forEachRecord(of: name) { try queue.add($0) }
                    queue.end(nil)
                } catch { queue.end(error) }
            }
            defer { queue.stop() }
            while let records = try queue.next() { try body(records) }
        }

        func remove(_ name: StreamName) throws { try Waiting.wait { [store] in try await store.remove(name) } }

        /// Copies a stream.
        ///
        /// - Returns: The checksum of the records that were read.
        func copy(_ outline: StreamOutline, from source: some StreamCopySource) throws -> StreamChecksum {
            var sums = StreamChecksum()
            var copy = try Waiting.wait { [store] in try await store.beginCopy(outline) }
            try source.forEachRecord(of: outline.name) { records in
                for record in records { try sums.add(record) }
                let before = copy
                copy = try Waiting.wait { [store] in
                    var next = before
                    try await store.add(records, to: &next)
                    return next
                }
            }
            let last = copy
            try Waiting.wait { [store] in try await store.finish(last) }
            return sums
        }
    }

    /// A bounded queue that passes records from one thread to another.
    private final class RecordQueue: @unchecked Sendable {
        private let condition = NSCondition()
        private var waiting: [[StreamRecord]] = []
        private var result: Result<Void, any Error>?
        private var isStopped = false

        private struct Stopped: Error {}

        /// Adds records. It blocks until the other thread has taken most of the earlier records.
        func add(_ records: [StreamRecord]) throws {
            condition.lock()
            defer { condition.unlock() }
            while waiting.count >= 2, !isStopped { condition.wait() }
            guard !isStopped else { throw Stopped() }
            waiting.append(records)
            condition.broadcast()
        }

        func end(_ error: (any Error)?) {
            condition.lock()
            defer { condition.unlock() }
            result = error.map { .failure($0) } ?? .success(())
            condition.broadcast()
        }

        /// Returns the next records, or `nil` if there are no more.
        func next() throws -> [StreamRecord]? {
            condition.lock()
            defer { condition.unlock() }
            while waiting.isEmpty, result == nil { condition.wait() }
            if !waiting.isEmpty {
                defer { condition.broadcast() }
                return waiting.removeFirst()
            }
            try result?.get()
            return nil
        }

        func stop() {
            condition.lock()
            defer { condition.unlock() }
            isStopped = true
            condition.broadcast()
        }
    }
#endif
