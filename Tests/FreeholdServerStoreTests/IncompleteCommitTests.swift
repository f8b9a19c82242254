import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Commits in parts, in the store in memory and in the one in files, which must keep the same parts.
struct IncompleteCommitTests {
    private static let stream = StreamName(app: "parts")

    private struct Stores {
        var twin: TwinStore

        init() throws { twin = try TwinStore() }

        mutating func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            twin.perform(ServerStoreRequest(stream, kind))
        }

        mutating func file(_ user: SyncString) throws -> FileIdent {
            let secret = SecretHash(FileSecret(high: 1, low: 2))
            guard case .file(let row) = perform(.makeFile(user: user, secret: secret, parents: [], clock: .zero)) else {
                throw CodecError(.inconsistent, "There is no file.")
            }
            return row.ident
        }

        mutating func keep(_ ident: FileIdent, _ part: MessagePart, time: Int64 = 1) -> Bool {
            if case .done = perform(.keepPart(ident, part, time: time)) { true } else { false }
        }

        mutating func staged(_ ident: FileIdent) -> PartialMessage? {
            guard case .bind(let answer) = perform(.bind(FileQuery(ident: ident, acknowledged: 0))) else { return nil }
            return answer.staged
        }

        mutating func bytes(_ ident: FileIdent) -> [UInt8]? {
            if case .keptParts(let bytes) = perform(.keptParts(ident)) { bytes } else { nil }
        }
    }

    private func message(_ number: UInt64, _ count: UInt64, _ hash: UInt64 = 5) -> PartedMessage {
        PartedMessage(number: number, hash: RunningHash(high: hash, low: 6), count: count)
    }

    @Test func `parts are kept in order, and replaced by those of another commit`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let ident = try stores.file("ann")
        let large = message(1, 5 << 20)
        // More than a piece of a list.
        let bytes = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        expect(stores.keep(ident, MessagePart(message: large, offset: 0, bytes: Array(bytes[..<100]))))
        expect(stores.keep(ident, MessagePart(message: large, offset: 100, bytes: Array(bytes[100...]))))
        expectEqual(stores.staged(ident), PartialMessage(message: large, received: UInt64(bytes.count)))
        expect(stores.bytes(ident) == bytes)
        stores.twin.reopen()
        expect(stores.bytes(ident) == bytes)
        // A part that doesn't follow the previous one is refused, and changes nothing.
        expect(!stores.keep(ident, MessagePart(message: large, offset: 7, bytes: [1])))
        expect(!stores.keep(ident, MessagePart(message: message(1, 5 << 20, 9), offset: 3 << 20, bytes: [1])))
        expect(!stores.keep(FileIdent(rawValue: 77), MessagePart(message: large, offset: 0, bytes: [1])))
        expect(stores.bytes(ident) == bytes)
        let other = message(1, 10, 8)
        expect(stores.keep(ident, MessagePart(message: other, offset: 0, bytes: [1, 2])))
        expectEqual(stores.staged(ident), PartialMessage(message: other, received: 2))
        expectEqual(stores.bytes(ident), [1, 2])
        expectEqual(stores.twin.problems, [])
    }

    @Test func `incomplete commits end after a time`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let (old, new) = (try stores.file("ann"), try stores.file("ann"))
        expect(stores.keep(old, MessagePart(message: message(1, 10), offset: 0, bytes: [1]), time: 1_000))
        expect(stores.keep(new, MessagePart(message: message(1, 10), offset: 0, bytes: [1]), time: 1_000))
        expect(stores.keep(new, MessagePart(message: message(1, 10), offset: 1, bytes: [2]), time: 3_000))
        let commit = Commit(number: 1, clock: .zero, base: 0, changes: [])
        let part = UploadedCommit(commit: commit, hash: .empty, part: .init(index: 0, isLast: false))
        _ = stores.perform(.stage(old, part))
        _ = stores.perform(.stage(new, part))
        _ = stores.perform(.noteFile(old, acknowledged: 0, leastBase: nil, time: 1_500))
        _ = stores.perform(.noteFile(new, acknowledged: 0, leastBase: nil, time: 2_500))
        _ = stores.perform(.trimParts(before: 2_000))
        expectEqual(stores.staged(old), nil)
        expectEqual(stores.bytes(old), nil)
        expectEqual(stores.bytes(new), [1, 2])
        if case .parts(let parts) = stores.perform(.parts(PartName(old, 1))) { expect(parts.isEmpty) }
        if case .parts(let parts) = stores.perform(.parts(PartName(new, 1))) { expectEqual(parts.count, 1) }
        _ = stores.perform(.dropParts(PartName(new, 1)))
        if case .parts(let parts) = stores.perform(.parts(PartName(new, 1))) { expect(parts.isEmpty) }
        expectEqual(stores.bytes(new), [1, 2])
        expectEqual(stores.twin.problems, [])
    }

    @Test func `a user's incomplete commits are bounded, and the oldest gives way`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let other = try stores.file("bob")
        expect(stores.keep(other, MessagePart(message: message(1, StagedParts.bytes), offset: 0, bytes: [1])))
        let files = try (0..<4).map { _ in try stores.file("ann") }
        for (index, ident) in files.enumerated() {
            let part = MessagePart(message: message(1, StagedParts.bytes / 3), offset: 0, bytes: [1])
            expect(stores.keep(ident, part, time: Int64(index)))
        }
        expectEqual(files.map { stores.staged($0) != nil }, [false, true, true, true])
        for ident in try (0..<StagedParts.files).map({ _ in try stores.file("ann") }) {
            expect(stores.keep(ident, MessagePart(message: message(1, 10), offset: 0, bytes: [1]), time: 50))
        }
        expectEqual(files.map { stores.staged($0) != nil }, [false, false, false, false])
        expect(stores.staged(other) != nil)
        expectEqual(stores.twin.problems, [])
    }
}
