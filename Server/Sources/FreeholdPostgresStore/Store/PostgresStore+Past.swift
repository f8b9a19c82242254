#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// The reading of earlier versions, from the present rows and the before-images in the log.
    ///
    /// The log reaches back to a version if it contains all commits after the version. Objects and steps of older versions can't be read.
    extension PostgresStore {
        /// The maximum number of bytes of the log that one statement returns.
        private static let logBytes = 8 << 20

        // MARK: Objects

        /// Returns the objects that existed at a version, or `nil` if the log doesn't reach back to it.
        func objects(
            _ names: [ObjectName],
            at version: StreamVersion,
            _ past: PastKey
        ) async throws -> [ObjectName: MergedObject]? {
            var found: [ObjectName: MergedObject] = [:]
            let isKept = try await readPast(names, at: version, past) { name, object in
                if let object { found[name] = object }
                return true
            }
            return isKept ? found : nil
        }

        /// Returns the objects of a class with the given keys, in their state at a version. Returns `nil` if the log doesn't reach back to it.
        func page(
            of className: SyncString,
            keys: [PrimaryKey],
            at version: StreamVersion,
            _ past: PastKey
        ) async throws -> ObjectPage? {
            let head = try await currentHead(past.stream)
            guard version >= head.logStart, version <= head.version else { return nil }
            var page = ObjectPage([], isLast: true, horizon: head.horizon)
            var bytes = 0
            let sorted = Set(keys).sorted()
            let isKept = try await readPast(sorted.map { ObjectName(className, $0) }, at: version, past) {
                name,
                object in
                guard let object else { return true }
                page.objects.append((name, object))
                bytes += object.estimatedBytes
                guard bytes >= ObjectPage.mostBytes, name.key != sorted.last else { return true }
                page.through = name.key
                return false
            }
            return isKept ? page : nil
        }

        func currentHead(_ stream: Int64) async throws -> StreamHead {
            try head(try await pool.run(.reading, .head, [.int(stream)]))
        }

        /// Reads objects in their state at a version.
        ///
        /// - Parameter body: A closure that is called for each name in order, until it returns `false`. Its object is `nil` if the object didn't
        ///   exist.
        /// - Returns: `false` if the log doesn't reach back to the version.
        private func readPast(
            _ names: [ObjectName],
            at version: StreamVersion,
            _ past: PastKey,
            _ body: (ObjectName, MergedObject?) throws -> Bool
        ) async throws -> Bool {
            struct Enough: Error {}
            var rows: [(name: ObjectName, current: Current?)] = []
            var head = StreamHead(epoch: 0)
            if names.isEmpty { return try await currentHead(past.stream).logStart <= version }
            var rest = names[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(500))
                rest = rest.dropFirst(500)
                rows = []
                try await read(piece, past.stream) { seen, name, current in
                    if seen.version >= head.version { head = seen }
                    rows.append((name, current))
                }
                guard let objects = try await living(rows, at: version, head, past) else { return false }
                for (row, object) in zip(rows, objects) {
                    guard try body(row.name, object) else { return true }
                }
            }
            return true
        }

        /// Returns the objects of rows in their state at a version, with `nil` for objects that didn't exist. Returns `nil` if the log doesn't reach
        /// back to the version.
        ///
        /// - Parameter head: The newest head at which rows were read.
        private func living(
            _ rows: [(name: ObjectName, current: Current?)],
            at version: StreamVersion,
            _ head: StreamHead,
            _ past: PastKey
        ) async throws -> [MergedObject?]? {
            guard version >= head.logStart else { return nil }
            // A row without a later change still has the state of the version. Objects that were removed at the horizon didn't exist at the version.
            let isChanged = rows.contains { $0.current.map { $0.version > version } ?? false }
            guard isChanged, version < head.version else { return rows.map { $0.current?.object.living } }
            guard let images = try await images(after: version, upTo: head.version, past) else { return nil }
            return try rows.map { name, current in
                guard let current else { return nil }
                guard current.version > version, let image = images.images[name] else { return current.object.living }
                return try image.object(horizon: images.horizon)?.living
            }
        }

        // MARK: Pages

        /// Returns the next objects of a class after a key, in their state at a version. Returns `nil` if the log doesn't reach back to it.
        func page(
            of className: SyncString,
            after key: PrimaryKey?,
            at version: StreamVersion,
            objects count: Int,
            _ past: PastKey
        ) async throws -> ObjectPage? {
            var start = key.map { StoredKey.bytes($0) } ?? []
            let count = max(count, 0)
            var (page, bytes) = (ObjectPage([], isLast: false, horizon: 0), 0)
            while true {
                let rows = min(count - page.objects.count, 1_000) + 1
                let piece = try await piece(of: className, after: start, livingAt: version, count: rows, past.stream)
                guard version >= piece.head.logStart, version <= piece.head.version,
                    let objects = try await living(piece.objects, at: version, piece.head, past)
                else { return nil }
                page.horizon = max(page.horizon, piece.head.horizon)
                for (row, object) in zip(piece.objects, objects) {
                    if page.objects.count >= count || bytes >= ObjectPage.mostBytes { return page }
                    guard let object else { continue }
                    page.objects.append((row.name, object))
                    bytes += object.estimatedBytes
                }
                guard let next = piece.next else {
                    page.isLast = true
                    return page
                }
                start = next
            }
        }

        // MARK: Steps

        func step(
            after cursor: Cursor,
            objects count: Int,
            through end: StreamVersion?,
            _ past: PastKey
        ) async throws -> StreamStep? {
            let id = Parameter.int(past.stream)
            let results = try await pool.run(
                .reading,
                [Call(.head, [id]), Call(.marks, [id, .ints([Int64(clamping: cursor.version)])])]
            )
            let head = try head(results[0])
            guard cursor.epoch == head.epoch, cursor.version >= head.logStart, cursor.version <= head.version,
                try results[1].first?.hash(1) == cursor.hash
            else { return nil }
            var step = StepBuilder(last: cursor.version)
            let last = min(head.version, max(end ?? .max, cursor.version))
            var horizon = head.horizon
            var further = 0
            reading: while step.last < last, step.order.count < count {
                guard let log = try await log(after: step.last, past.stream) else { return nil }
                horizon = max(horizon, log.head.horizon)
                // The names of the objects of the next commits. The number is limited to about the number of objects that the step will have.
                var wanted: [ObjectName] = []
                var known: Set<ObjectName> = []
                for entry in log.entries where entry.version <= last && wanted.count < min(count, 2_000) {
                    for name in entry.images.names where step.before[name] == nil && known.insert(name).inserted {
                        wanted.append(name)
                    }
                }
                var rows: [ObjectName: Current] = [:]
                try await read(wanted, past.stream) { head, name, current in
                    horizon = max(horizon, head.horizon)
                    rows[name] = current
                }
                for entry in log.entries where entry.version <= last {
                    guard step.order.count < count else { break reading }
                    if step.bytes >= StreamStep.mostBytes {
                        guard further < StreamStep.mostFurtherWeight,
                            entry.images.names.allSatisfy({ step.before[$0] != nil })
                        else { break reading }
                        let objects = entry.images.names.map { step.before[$0] ?? nil }
                        further += StreamStep.weight(ofFurther: objects, bytes: entry.images.byteCount)
                    }
                    guard entry.images.names.allSatisfy({ step.before[$0] != nil || known.contains($0) }) else { break }
                    try step.add(entry, rows, horizon: horizon)
                }
            }
            guard let after = try await afterStep(step, past), let end = try await endOfStep(step, past.stream) else {
                return nil
            }
            return StreamStep(
                cursor,
                Cursor(epoch: head.epoch, version: step.last, hash: end.hash),
                clock: end.clock,
                zip(step.order, after).map { ObjectStep($0, before: step.before[$0] ?? nil, after: $1) },
                commits: end.commits,
                horizon: max(horizon, end.head.horizon),
                head: end.head
            )
        }

        /// The parts of a step other than its objects.
        private struct EndOfStep {
            let head: StreamHead
            let hash: RunningHash
            let clock: Clock
            let commits: [StepCommit]
        }

        /// Reads the head, the mark of a step's last version, and the answers to the commits of the step, in one transaction.
        ///
        /// - Returns: `nil` if the stream doesn't have the last version.
        private func endOfStep(_ step: StepBuilder, _ stream: Int64) async throws -> EndOfStep? {
            let id = Parameter.int(stream)
            var calls = [Call(.head, [id]), Call(.marks, [id, .ints([Int64(clamping: step.last)])])]
            if !step.authors.isEmpty {
                let (idents, numbers) = (step.authors.map(\.ident), step.authors.map(\.commit))
                calls.append(Call(.answers, [id, .idents(idents), .words(numbers)]))
            }
            let results = try await pool.run(.reading, calls)
            guard let mark = results[1].first else { return nil }
            var answers: [PartName: StoredAnswer] = [:]
            for row in results.dropFirst(2).flatMap(\.rows) {
                let (ident, answer) = try row.answer()
                answers[PartName(ident, answer.answer.commit)] = answer
            }
            return EndOfStep(
                head: try head(results[0]),
                hash: try mark.hash(1),
                clock: Clock(rawValue: try mark.word(2)),
                commits: step.authors.compactMap { name in answers[name].map { StepCommit(name.ident, $0) } }
            )
        }

        /// Returns the objects of a step in their state at its end, including deleted ones. Returns `nil` if the log doesn't reach back to it any
        /// more.
        private func afterStep(_ step: StepBuilder, _ past: PastKey) async throws -> [MergedObject?]? {
            let isChanged = step.order.contains { name in step.today[name].map { $0.version > step.last } ?? false }
            guard isChanged else { return step.order.map { step.today[$0]?.object } }
            let head = try await currentHead(past.stream)
            guard let images = try await images(after: step.last, upTo: head.version, past) else { return nil }
            return try step.order.map { name in
                guard let current = step.today[name] else { return nil }
                guard current.version > step.last, let image = images.images[name] else { return current.object }
                return try image.object(horizon: images.horizon)
            }
        }

        // MARK: The log

        struct Log {
            let head: StreamHead
            var entries: [StoredGroup.Entry] = []
        }

        /// Returns the first commits after a version, or `nil` if the log doesn't reach back to it.
        func log(after version: StreamVersion, _ stream: Int64) async throws -> Log? {
            let results = try await pool.run(
                .reading,
                [
                    Call(.head, [.int(stream)]),
                    Call(.log, [.int(stream), .bound(version), .int(Self.logBytes)]),
                ]
            )
            var log = Log(head: try head(results[0]))
            guard log.head.logStart <= version else { return nil }
            for row in results[1].rows {
                for entry in try StoredGroup.entries(row.bytes(1), options.compression) where entry.version > version {
                    guard entry.version == version + UInt64(log.entries.count) + 1 else {
                        throw RowDamage("The log lacks a commit after the version \(version).")
                    }
                    log.entries.append(entry)
                }
            }
            guard !log.entries.isEmpty || log.head.version <= version else {
                throw RowDamage("The log lacks the commits after the version \(version).")
            }
            return log
        }

        /// Returns the first before-image of each object after a version, from the log up to `end` or further. Returns `nil` if the log doesn't reach
        /// back to the version.
        private func images(
            after version: StreamVersion,
            upTo end: StreamVersion,
            _ key: PastKey
        ) async throws -> PastImages.Images? {
            var images = past.images(key, after: version)
            while true {
                guard let log = try await log(after: images.end, key.stream) else { return nil }
                // The cached images may belong to another history of the stream.
                guard images.epoch == log.head.epoch else {
                    images = PastImages.Images(epoch: log.head.epoch, end: version)
                    continue
                }
                images.horizon = max(images.horizon, log.head.horizon)
                guard log.head.logStart <= version else { return nil }
                for entry in log.entries { images.add(entry) }
                guard images.end < end else { break }
                guard !log.entries.isEmpty else { return nil }
            }
            past.keep(images, key, after: version)
            return images
        }
    }

    /// The commits that a step consists of.
    private struct StepBuilder {
        /// The version of the last commit.
        var last: StreamVersion
        var order: [ObjectName] = []
        var before: [ObjectName: MergedObject?] = [:]
        var today: [ObjectName: PostgresStore.Current] = [:]
        /// The names of the commits in the order of their versions.
        var authors: [PartName] = []
        var bytes = 0

        init(last: StreamVersion) { self.last = last }

        mutating func add(
            _ entry: StoredGroup.Entry,
            _ rows: [ObjectName: PostgresStore.Current],
            horizon: StreamVersion
        ) throws {
            for (index, name) in entry.images.names.enumerated() where before[name] == nil {
                let image = try entry.object(index, horizon: horizon)
                before[name] = .some(image)
                today[name] = rows[name]
                order.append(name)
                bytes += (image?.estimatedBytes ?? 0) + (rows[name]?.object.estimatedBytes ?? 0)
            }
            last = entry.version
            authors.append(entry.author)
        }
    }

    extension MergedObject {
        /// The object, or `nil` if it is deleted.
        fileprivate var living: MergedObject? { isAlive ? self : nil }
    }
#endif
