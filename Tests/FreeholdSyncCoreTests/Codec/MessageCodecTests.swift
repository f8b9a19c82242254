import Foundation
import FreeholdCompression
import TestRandom
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A compression for tests: runs of equal bytes. It has the same guarantees as zlib's.
struct RunLengths: MessageCompression {
    var kind: CompressionKind { .zlib }

    func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var out: [UInt8] = []
        for byte in bytes {
            if out.count >= 2, out[out.count - 1] == byte, out[out.count - 2] < 255 {
                out[out.count - 2] += 1
            } else {
                out += [1, byte]
            }
        }
        return out.count < bytes.count ? out : nil
    }

    func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        guard bytes.count % 2 == 0 else { return nil }
        var out: [UInt8] = []
        for index in stride(from: 0, to: bytes.count, by: 2) {
            guard out.count + Int(bytes[index]) <= count + 1 else { return nil }
            out += Array(repeating: bytes[index + 1], count: Int(bytes[index]))
        }
        return out
    }
}

/// The seeds that random tests of the codec share. `FREEHOLD_SEED` repeats one.
enum CodecSeeds {
    static func seeds(_ test: String, count: Int, soak: Int) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FREEHOLD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = TestBudget.cases(count, soak: soak)
        let first = TestSeed.random(in: 0..<1 << 40)
        print("\(test): FREEHOLD_SEED=\(first) and the \(count - 1) after it")
        return Array(first..<first + UInt64(count))
    }
}

struct MessageCodecTests {
    static let codecs = [
        MessageCodec(), MessageCodec(compression: RunLengths(), threshold: 0),
        MessageCodec(compression: ZlibCompression.shared, threshold: 0),
    ]

    @Test(arguments: [0, 1, 2]) func `every message is decoded as encoded, and equal messages have equal bytes`(
        codec: Int
    )
        throws
    {
        let codec = Self.codecs[codec]
        let seeds = CodecSeeds.seeds("MessageCodecTests", count: 6, soak: 2_000)
        var cases = 0
        for seed in seeds {
            cases += 1
            var messages = RandomMessages(seed: seed)
            for _ in 0..<40 {
                let (client, server) = (messages.client(), messages.server())
                let (clientBytes, serverBytes) = (try codec.encode(client), try codec.encode(server))
                guard try codec.clientMessage(clientBytes) == client, try codec.encode(client) == clientBytes else {
                    Issue.record("seed \(seed): \(client)")
                    return
                }
                guard try codec.serverMessage(serverBytes) == server, try codec.encode(server) == serverBytes else {
                    Issue.record("seed \(seed): \(server)")
                    return
                }
            }
        }
        expect(TestBudget.isSpent("MessageCodecTests", cases: cases, of: seeds.count))
    }

    @Test func `a message that is encoded once is the same for each session except for the number`() throws {
        var messages = RandomMessages(seed: 5)
        let batches = messages.batches()
        let cursor = messages.cursor()
        let changes = { Changes(from: cursor, to: cursor, clock: .zero, classes: batches) }
        let shared = try MessageCodec().shared(.changes(1, changes()))
        for session in [1, 200, 1_073_741_824] as [SessionNumber] {
            try expectEqual(MessageCodec().encode(.changes(session, changes())), shared.frame(for: session))
        }
    }

    @Test func `unknown parts are skipped, and critical ones are refused by name`() throws {
        let codec = MessageCodec()
        let message = ClientMessage.ping(Ping(deviceTime: 7))
        let root = ColumnWriter()
        let kind = try root.message(message)
        root[Role(rawValue: 60)].text("something of tomorrow")
        try expectEqual(codec.clientMessage(codec.shared(kind, root).frame(for: nil)), message)
        root.critical(70, "time travel").int(Int64(1))
        let error = #expect(throws: CodecError.self) {
            try codec.clientMessage(codec.shared(kind, root).frame(for: nil))
        }
        expectEqual(error?.code, .unsupported)
        expectEqual(error?.reason.contains("'time travel'"), true)
    }

    @Test func `a kind that may be ignored is nil, and another one is refused`() throws {
        expect(try MessageCodec().serverMessage([200, 0, 0]) == nil)
        #expect(throws: CodecError(.unknownKind, "99 isn't a kind of message", offset: 0)) {
            try MessageCodec().serverMessage([99, 0, 0])
        }
        #expect(throws: CodecError.self) {
            try MessageCodec().serverMessage([MessageKind.ping.rawValue, 0, 0, 2, 2, 0, 2])
        }
    }

    @Test func `values that are nested too deeply are refused when written and when read`() throws {
        func message(_ depth: Int) -> ClientMessage {
            var value = SyncValue.int(1)
            for level in 0..<depth {
                value = level % 2 == 0 ? .list([value]) : .dictionary(SyncDictionary([("k", value)]))
            }
            let change = Change.set(Place(thing, "mixed"), value, .real)
            let commit = Commit(number: 1, clock: .zero, base: 0, changes: [change])
            return .upload(1, Upload(commits: [UploadedCommit(commit: commit, hash: .empty)]))
        }
        let codec = MessageCodec()
        let deepest = message(MessageCodec.greatestDepth)
        try expectEqual(codec.clientMessage(codec.encode(deepest)), deepest)
        let error = #expect(throws: CodecError.self) { try codec.encode(message(MessageCodec.greatestDepth + 1)) }
        expectEqual(error?.code, .tooDeep)

        // Groups in groups, which no message has.
        var frame: [UInt8] = [MessageKind.ping.rawValue, 0, 0]
        for _ in 0..<100_000 { frame += [ColumnParts.roles.rawValue, 1, 1] }
        let deep = #expect(throws: CodecError.self) { try codec.clientMessage(frame) }
        expectEqual(deep?.code, .tooDeep)
    }

    @Test func `the inflated size is checked before anything is inflated`() throws {
        struct Trap: MessageCompression {
            var kind: CompressionKind { .zlib }
            func compressed(_ bytes: [UInt8]) -> [UInt8]? { nil }
            func inflated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8]? { fatalError("inflated") }
        }
        let codec = MessageCodec(compression: Trap(), limit: 1 << 20)
        for (count, code) in [(1 << 21, CodecError.Code.tooLarge), (1 << 19, .compression)] {
            var frame: [UInt8] = [MessageKind.ping.rawValue, 1, 0]
            frame.appendVarint(count)
            frame += [1, 2, 3]
            let error = #expect(throws: CodecError.self) { try codec.clientMessage(frame) }
            expectEqual(error?.code, code)
        }
        let plain = MessageCodec()
        #expect(throws: CodecError.self) { try plain.clientMessage([MessageKind.ping.rawValue, 1, 0, 1, 1]) }
        #expect(throws: CodecError.self) { try MessageCodec(limit: 3).encode(.ping(Ping(deviceTime: 1 << 60))) }
    }

    @Test func `a message that can't be encoded is an error`() {
        let embedded = SyncValue.embedded(EmbeddedValue(number: 1, fields: []))
        let contents: [ConfirmedContent] = [
            .value(embedded), .set([embedded]), .set([.list([])]), .dictionary([ConfirmedEntry("a", .set([]))]),
            .list([ElementRun(isFalling: true, [])]), .list([ElementRun([.list([])])]),
        ]
        let cursor = Cursor(epoch: 1, version: 1, hash: .empty)
        for content in contents {
            let object = ObjectUpdate(1, .whole(version: 1, born: 1, [ConfirmedField("f", content)]))
            let batch = ClassBatch(className: "Todo", objects: [object])
            let error = #expect(throws: CodecError.self) {
                try MessageCodec().encode(
                    .changes(1, Changes(from: cursor, to: cursor, clock: .zero, classes: [batch]))
                )
            }
            expectEqual(error?.code, .invalidValue)
        }
    }

    @Test func `tokens and secrets aren't printed`() {
        let hello = ClientMessage.hello(Hello(deviceTime: 1, token: AccessToken("open sesame")))
        let identity = FileIdentity(
            ident: FileIdent(rawValue: 1),
            secret: FileSecret(high: 0xABCD_EF12, low: 77_123_456)
        )
        var dumped = ""
        dump(hello, to: &dumped)
        dump(identity, to: &dumped)
        let text = "\(hello) \(identity) \(String(reflecting: identity)) \(dumped)"
        expect(!text.contains("sesame") && !text.contains("\(0xABCD_EF12)") && !text.contains("77123456"))
    }

    @Test func `sums don't depend on the order, and a removal undoes an addition`() {
        var messages = RandomMessages(seed: 11)
        let keys = (0..<50).map { _ in messages.key() }
        var (a, b) = (ClassChecksum(className: "Todo"), ClassChecksum(className: "Todo"))
        for (version, key) in keys.enumerated() { a.add(key, version: UInt64(version)) }
        for (version, key) in keys.enumerated().reversed() { b.add(key, version: UInt64(version)) }
        expectEqual(a, b)
        a.remove(keys[3], version: 3)
        expect(a.sum != b.sum)
        a.add(keys[3], version: 4)
        expect(a.sum != b.sum && a.count == b.count)
        for (version, key) in keys.enumerated() where version != 3 { a.remove(key, version: UInt64(version)) }
        a.remove(keys[3], version: 4)
        expectEqual(a, ClassChecksum(className: "Todo"))
    }

    @Test func `a running hash distinguishes order, content, borders and salt`() {
        let (x, y): ([UInt8], [UInt8]) = ([1, 2, 3], Array(0..<40))
        let start = RunningHash.empty
        let hashes = [
            start, start.appending([]), start.appending([0]), start.appending(x).appending(y),
            start.appending(y).appending(x), start.appending(x + y), start.appending(x, salt: 1),
            start.appending(x).appending([]), start.appending([0, 0]),
        ]
        expectEqual(Set(hashes).count, hashes.count)
        expectEqual(start.appending(y), start.appending(y))
    }
}
