#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore
    internal import Synchronization

    /// Notes about files. They are collected for a short time and written by one statement. A later note about a file replaces an earlier one. Any
    /// thread may use it.
    final class FileNotes: Sendable {
        struct Note: Sendable {
            let stream: StreamName
            let ident: FileIdent
            let acknowledged: UInt64
            let leastBase: StreamVersion?
            let time: Int64
            let answer: @Sendable (ServerStoreAnswer) -> Void
        }

        private struct State {
            var waiting: [Note] = []
            /// The number of notes of each stream that wait or are being written.
            var streams: [StreamName: Int] = [:]
            var isScheduled = false
            var isFlushing = false
            var settling: [(stream: StreamName, continuation: CheckedContinuation<Void, Never>)] = []
        }

        private let state = Mutex(State())
        private let delay: Int
        /// The maximum number of notes of one statement.
        private static let most = 5_000

        /// - Parameter delay: The time for which notes are collected, in milliseconds.
        init(delay: Int) { self.delay = delay }

        /// - Parameter write: A closure that writes notes. Each of its notes is about a different file.
        func add(_ note: Note, _ write: @escaping @Sendable ([Note]) async -> ServerStoreAnswer) {
            let isFirst = state.withLock { state in
                state.waiting.append(note)
                state.streams[note.stream, default: 0] += 1
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            guard isFirst else { return }
            Task {
                if delay > 0 { try? await Task.sleep(for: .milliseconds(delay)) }
                await flush(write)
            }
        }

        /// Waits until all notes about files of a stream that were added before the call are written.
        func settle(_ stream: StreamName, _ write: @escaping @Sendable ([Note]) async -> ServerStoreAnswer) async {
            guard state.withLock({ $0.streams[stream] != nil }) else { return }
            await flush(write)
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    guard state.streams[stream] != nil else { return false }
                    state.settling.append((stream, continuation))
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        }

        /// Writes all notes, unless another task is already writing. Two simultaneous statements could be executed in the wrong order.
        private func flush(_ write: @Sendable ([Note]) async -> ServerStoreAnswer) async {
            let isFirst = state.withLock { state in
                defer { state.isFlushing = true }
                return !state.isFlushing
            }
            guard isFirst else { return }
            while true {
                let notes = state.withLock { state in
                    let notes = Array(state.waiting.prefix(Self.most))
                    state.waiting.removeFirst(notes.count)
                    if notes.isEmpty { (state.isScheduled, state.isFlushing) = (false, false) }
                    return notes
                }
                guard !notes.isEmpty else { return }
                var last: [Key: Note] = [:]
                for note in notes { last[Key(stream: note.stream, ident: note.ident)] = note }
                let answer = await write(Array(last.values))
                let settled = state.withLock { state in
                    for note in notes {
                        let rest = (state.streams[note.stream] ?? 1) - 1
                        state.streams[note.stream] = rest > 0 ? rest : nil
                    }
                    let (streams, all) = (state.streams, state.settling)
                    state.settling = all.filter { streams[$0.stream] != nil }
                    return all.filter { streams[$0.stream] == nil }
                }
                for note in notes { note.answer(answer) }
                for one in settled { one.continuation.resume() }
            }
        }

        private struct Key: Hashable {
            let stream: StreamName
            let ident: FileIdent
        }
    }

    extension PostgresStore {
        /// Writes notes. Files and streams that don't exist any more are left out.
        func write(_ notes: [FileNotes.Note]) async -> ServerStoreAnswer {
            do {
                var rows: [(stream: Int64, note: FileNotes.Note)] = []
                for note in notes {
                    if let stream = try await stream(note.stream, making: false) { rows.append((stream, note)) }
                }
                // All servers lock the rows in the same order, so that they can't deadlock.
                rows.sort { ($0.stream, $0.note.ident) < ($1.stream, $1.note.ident) }
                let parameters: [Parameter] = [
                    .ints(rows.map(\.stream)), .idents(rows.map(\.note.ident)),
                    .ints(rows.map { Int64(clamping: $0.note.acknowledged) }),
                    .optionalInts(rows.map { $0.note.leastBase.map { Int64(bitPattern: $0).binary } }),
                    .ints(rows.map(\.note.time)),
                ]
                if !rows.isEmpty { _ = try await pool.run(.writing, .noteFiles, parameters) }
                return .done
            } catch let failure as PostgresFailure {
                return .failed(failure.storeFailure(isWrite: true))
            } catch { return .failed(.damaged(SyncString("\(error)"))) }
        }
    }

    extension ServerStoreRequest.Kind {
        /// A Boolean value that indicates whether the result of the request depends on earlier notes about files.
        var readsNotes: Bool {
            switch self {
            case .bind, .trim, .trimFiles, .trimParts, .trimWriters: true
            case .read(let query): !query.files.isEmpty || !query.answers.isEmpty || !query.copies.isEmpty
            case .makeFile, .openWriter, .noteFile, .noteQueries, .noteFront, .commit, .stage, .parts, .dropParts,
                .keepPart,
                .keptParts, .step, .page, .keys, .objects:
                false
            }
        }
    }

    extension RowQuery {
        /// A Boolean value that indicates whether the query requests only the head.
        var isOfHead: Bool {
            objects.isEmpty && files.isEmpty && answers.isEmpty && clocks.isEmpty && links.isEmpty && holders.isEmpty
                && copies.isEmpty && users.isEmpty
        }
    }
#endif
