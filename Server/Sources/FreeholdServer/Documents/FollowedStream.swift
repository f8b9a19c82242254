import FreeholdSyncCore
import Synchronization

/// The data that all followers of one stream share: the known head, and the steps that were read last.
///
/// The node's commits, and answers of the store with a newer head, wake the followers. If neither occurs for a second, the head is read, once for
/// all followers. Each step is read once for all followers that are at its beginning. A follower that is further behind reads its steps separately.
/// Any thread may use it.
final class FollowedStream: Sendable {
    /// The time after which the head is read again if it wasn't confirmed, in milliseconds.
    static let headAge: Int64 = 1_000
    /// The maximum number of steps that are kept, and of the bytes of their objects.
    private static let most = (steps: 16, bytes: 4 << 20)

    fileprivate struct State {
        var head: Cursor?
        /// The number of changes of the head.
        var heads: UInt64 = 0
        /// The time when the head was confirmed to be the newest one.
        var heard = Int64.min
        var isAsking = false
        var isOver = false
        var last: UInt64 = 0
        var waiting: [UInt64: (until: Int64, continuation: CheckedContinuation<Void, Never>)] = [:]
        var readers: [Cursor: [UInt64: CheckedContinuation<ServerStoreAnswer, Never>]] = [:]
        /// The kept steps and their sizes, the oldest first.
        var steps: [(step: StreamStep, bytes: Int)] = []
    }

    private let name: StreamName
    private let node: ServerNode
    private let state = Mutex(State())

    fileprivate init(_ name: StreamName, _ node: ServerNode) { (self.name, self.node) = (name, node) }

    // MARK: The head

    /// Returns a Boolean value that indicates whether the known head of the stream differs from a cursor.
    func isBehind(_ cursor: Cursor) -> Bool { state.withLock { $0.head.map { $0 != cursor } ?? false } }

    /// Updates the head with one that an answer of the store contains. Answers may arrive in another order than the store sent them, so an older
    /// head changes nothing. If the store was restored to an earlier state, the next read of the head shows that.
    func note(_ head: Cursor) { finish(state.withLock { $0.note(head, at: node.now()) }) }

    /// Waits until the head differs from a cursor, until a time, or until the task is cancelled. Other reasons can end the wait, too.
    ///
    /// - Parameter cursor: The cursor, or `nil` to wait independently of the head.
    func wait(at cursor: Cursor?, until time: Int64) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    let isBehind = cursor != nil && state.head != nil && state.head != cursor
                    guard !state.isOver, !Task.isCancelled, !isBehind else { return false }
                    state.waiting[number] = (time, continuation)
                    return true
                }
                guard isWaiting else { return continuation.resume() }
                look()
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    /// Ends the waits that have reached their time, and reads the head if that is due.
    fileprivate func tick(_ now: Int64) {
        let late = state.withLock { state in
            let late = state.waiting.filter { $0.value.until <= now }
            for number in late.keys { state.waiting[number] = nil }
            return late.map(\.value.continuation)
        }
        finish(late)
        look()
    }

    /// Ends all waits, so that followers check their rights.
    fileprivate func wake() { finish(state.withLock { $0.takeWaiting() }) }

    /// Ends all present and future waits and reads.
    fileprivate func stop() {
        let (waiting, readers) = state.withLock { state in
            state.isOver = true
            defer { state.readers = [:] }
            return (state.takeWaiting(), state.readers.values.flatMap(\.values))
        }
        finish(waiting)
        for reader in readers { reader.resume(returning: .failed(.unknown)) }
    }

    private func finish(_ waiting: [CheckedContinuation<Void, Never>]) { for one in waiting { one.resume() } }

    /// Reads the head, if a follower waits and the head wasn't confirmed for a while.
    private func look() {
        let now = node.now()
        let heads = state.withLock { state -> UInt64? in
            guard !state.isOver, !state.isAsking, !state.waiting.isEmpty else { return nil }
            guard state.heard == .min || now - state.heard >= Self.headAge else { return nil }
            state.isAsking = true
            return state.heads
        }
        guard let heads else { return }
        Task {
            let head = await node.head(of: name)
            let now = node.now()
            finish(state.withLock { $0.take(head?.cursor, askedAt: heads, at: now) })
        }
    }

    // MARK: Steps

    /// Returns the store's answer with the step after a cursor. The step has one commit.
    ///
    /// - Returns: `.failed(.unknown)` also if the store doesn't answer in time, or the task is cancelled.
    func step(after cursor: Cursor) async -> ServerStoreAnswer {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enum Place { case known(StreamStep), over, first, joined }
                let place = state.withLock { state -> Place in
                    if let known = state.steps.first(where: { $0.step.from == cursor }) { return .known(known.step) }
                    guard !state.isOver, !Task.isCancelled else { return .over }
                    let isFirst = state.readers[cursor] == nil
                    state.readers[cursor, default: [:]][number] = continuation
                    return isFirst ? .first : .joined
                }
                switch place {
                case .known(let step): continuation.resume(returning: .step(step))
                case .over: continuation.resume(returning: .failed(.unknown))
                case .first: Task { await read(after: cursor) }
                case .joined: break
                }
            }
        } onCancel: {
            // The read continues for the other followers.
            let reader = state.withLock { $0.readers[cursor]?.removeValue(forKey: number) }
            reader?.resume(returning: .failed(.unknown))
        }
    }

    private func read(after cursor: Cursor) async {
        let answer = await node.read(ServerStoreRequest(name, .step(after: cursor, objects: 1)))
        let now = node.now()
        typealias Ended = ([UInt64: CheckedContinuation<ServerStoreAnswer, Never>], [CheckedContinuation<Void, Never>])
        let (readers, waiting) = state.withLock { state -> Ended in
            let readers = state.readers.removeValue(forKey: cursor) ?? [:]
            guard case .step(let step?) = answer else { return (readers, []) }
            state.keep(step, Self.most)
            return (readers, state.note(step.to, at: now))
        }
        finish(waiting)
        for reader in readers.values { reader.resume(returning: answer) }
    }

    /// The numbers of followers that wait, and of steps that are kept.
    var counts: (waiting: Int, steps: Int) { state.withLock { ($0.waiting.count, $0.steps.count) } }
}

extension FollowedStream.State {
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [:] }
        return waiting.values.map(\.continuation)
    }

    /// - Returns: The waits that end.
    mutating func note(_ new: Cursor, at now: Int64) -> [CheckedContinuation<Void, Never>] {
        guard let known = head else { return move(to: new, at: now) }
        if known == new { heard = now }
        guard known.epoch == new.epoch, new.version > known.version else { return [] }
        return move(to: new, at: now)
    }

    /// Updates the head with the answer to a read of it.
    ///
    /// - Parameter count: The number of changes of the head before the read. If it is unchanged, the answer is the newest state, also if it is an
    ///   older head.
    mutating func take(_ new: Cursor?, askedAt count: UInt64, at now: Int64) -> [CheckedContinuation<Void, Never>] {
        isAsking = false
        heard = now
        guard let new, new != head else { return [] }
        return heads == count ? move(to: new, at: now) : note(new, at: now)
    }

    private mutating func move(to new: Cursor, at now: Int64) -> [CheckedContinuation<Void, Never>] {
        (head, heard) = (new, now)
        heads += 1
        return takeWaiting()
    }

    mutating func keep(_ step: StreamStep, _ most: (steps: Int, bytes: Int)) {
        let bytes = step.objects.reduce(64) { sum, object in
            sum + (object.before?.estimatedBytes ?? 0) + (object.after?.estimatedBytes ?? 0)
        }
        steps.append((step, bytes))
        while steps.count > most.steps || steps.reduce(0, { $0 + $1.bytes }) > most.bytes { steps.removeFirst() }
    }
}

/// The streams that are followed over HTTP. Any thread may use it.
final class FollowedStreams: Sendable {
    private let streams = Mutex<[StreamName: (stream: FollowedStream, followers: Int)]>([:])

    /// Returns the shared part of a stream, for one more follower. It is kept until all followers have left.
    func enter(_ name: StreamName, _ node: ServerNode) -> FollowedStream {
        streams.withLock { streams in
            let stream = streams[name]?.stream ?? FollowedStream(name, node)
            streams[name] = (stream, (streams[name]?.followers ?? 0) + 1)
            return stream
        }
    }

    func leave(_ name: StreamName) {
        let last = streams.withLock { streams -> FollowedStream? in
            guard let (stream, followers) = streams[name] else { return nil }
            streams[name] = followers > 1 ? (stream, followers - 1) : nil
            return followers > 1 ? nil : stream
        }
        last?.stop()
    }

    /// Updates the head of a stream with one that an answer of the store contains.
    func note(_ name: StreamName, _ head: Cursor) {
        streams.withLock { $0.isEmpty ? nil : $0[name]?.stream }?.note(head)
    }

    func tick(_ now: Int64) { for stream in all { stream.tick(now) } }

    /// Wakes all followers, so that they check their rights.
    func wake() { for stream in all { stream.wake() } }

    func stop() { for stream in all { stream.stop() } }

    private var all: [FollowedStream] { streams.withLock { $0.values.map(\.stream) } }
}
