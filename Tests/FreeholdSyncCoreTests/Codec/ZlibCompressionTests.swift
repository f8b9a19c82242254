import FreeholdCompression
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Compression by zlib, with honest and with hostile input.
struct ZlibCompressionTests {
    private static func bytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        // Inputs from one repeated value, which takes almost no space, to noise, which doesn't get shorter.
        let values = UInt64([1, 3, 20, 256].randomElement(using: &random)!)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() % values) }
    }

    private static func inflated(_ bytes: [UInt8], count: Int) -> [UInt8]? {
        bytes.withUnsafeBytes { ZlibCompression.shared.inflated($0, count: count) }
    }

    @Test func `bytes are restored, at each level`() {
        for seed in CodecSeeds.seeds("ZlibCompressionTests", count: 100, soak: 5_000) {
            var random = SeededRandom(seed: seed)
            let count = Int.random(in: 0..<1 << Int.random(in: 1..<17, using: &random), using: &random)
            let (bytes, zlib) = (Self.bytes(count, &random), ZlibCompression(level: Int(seed % 12)))
            guard let short = zlib.compressed(bytes) else { continue }
            expect(short.count < bytes.count, "seed \(seed)")
            expectEqual(Self.inflated(short, count: count), bytes, "seed \(seed)")
        }
    }

    @Test func `bytes that don't get shorter give nil`() {
        var random = SeededRandom(seed: 1)
        for bytes in [[], [7], [1, 2, 3], (0..<5_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }] {
            expect(ZlibCompression.shared.compressed(bytes) == nil)
        }
        expect(ZlibCompression.shared.compressed(Array(repeating: 7, count: 1_000)) != nil)
    }

    @Test func `a wrong length, a part, and additional bytes give nil`() throws {
        let bytes = (0..<3_000).map { UInt8($0 % 50) }
        let short = try require(ZlibCompression.shared.compressed(bytes))
        for count in [0, 1, 2_999] { expect(Self.inflated(short, count: count) == nil) }
        for count in short.indices { expect(Self.inflated(Array(short[..<count]), count: 3_000) == nil) }
        expect(Self.inflated(short + [0], count: 3_000) == nil)
        expect(Self.inflated(short + short, count: 6_000) == nil)
        expect(Self.inflated([], count: 10) == nil)
        expect(Self.inflated(short, count: -1) == nil)
        // There may be room for more bytes. The caller compares the length.
        expectEqual(Self.inflated(short, count: 4_000), bytes)
    }

    /// 1032 is the most that a byte can become, which the codec counts on.
    @Test func `a decompression bomb stops at the permitted length`() throws {
        let bomb = try require(ZlibCompression(level: 9).compressed([UInt8](repeating: 0, count: 64 << 20)))
        expect(bomb.count > (64 << 20) / 1_032)
        for count in [0, 1_000, 1 << 20] { expect(Self.inflated(bomb, count: count) == nil) }
    }

    @Test func `flipped bits give nil or other bytes, and nothing else`() throws {
        for seed in CodecSeeds.seeds("ZlibCompressionTests", count: 20, soak: 2_000) {
            var random = SeededRandom(seed: seed)
            let bytes = Self.bytes(2_000, &random)
            guard let short = ZlibCompression.shared.compressed(bytes) else { continue }
            for _ in 0..<200 {
                var spoilt = short
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    spoilt[Int.random(in: spoilt.indices, using: &random)] = UInt8(truncatingIfNeeded: random.next())
                }
                if let result = Self.inflated(spoilt, count: 2_000) { expect(result == bytes || spoilt != short) }
            }
            let noise = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            expect(Self.inflated([0x78, 0x9C] + noise, count: 1 << 20)?.count ?? 0 <= 1 << 20)
        }
    }

    @Test func `many threads share one instance`() async {
        await withTaskGroup(of: Bool.self) { group in
            for seed in 0..<16 as Range<UInt64> {
                group.addTask {
                    var random = SeededRandom(seed: seed)
                    return (0..<TestBudget.cases(16, soak: 50)).allSatisfy { _ in
                        let bytes = Self.bytes(Int.random(in: 1_000..<20_000, using: &random), &random)
                        guard let short = ZlibCompression.shared.compressed(bytes) else { return true }
                        return Self.inflated(short, count: bytes.count) == bytes
                    }
                }
            }
            for await isRight in group { expect(isRight) }
        }
    }

    // MARK: In messages

    private static func upload(_ count: Int) -> ClientMessage {
        let text = SyncString(String(repeating: "long ", count: count))
        let change = Change.set(Place(ObjectName("Thing", 1), "text"), .string(text), .real)
        let commit = Commit(number: 1, clock: Clock(milliseconds: 5), base: 0, changes: [change])
        return .upload(1, Upload(commits: [UploadedCommit(commit: commit, hash: .empty)]))
    }

    @Test func `messages of a KiB and more are compressed, and their size is that of the body`() throws {
        let (zlib, plain) = (MessageCodec(compression: ZlibCompression.shared), MessageCodec())
        for (count, isCompressed) in [(1, false), (150, false), (250, true), (50_000, true)] {
            let message = Self.upload(count)
            let (frame, long) = (try zlib.encode(message), try plain.encode(message))
            expectEqual((frame[1] == 1), isCompressed)
            expectEqual((frame.count < long.count), isCompressed)
            let read = try require(try zlib.sizedClientMessage(frame))
            expectEqual(read.message, message)
            // Without kind, flags and session.
            expectEqual(read.bytes, long.count - 3)
            if isCompressed {
                let error = #expect(throws: CodecError.self) { try plain.clientMessage(frame) }
                expectEqual(error?.code, .unsupported)
            }
        }
    }

    @Test func `a message is compressed once for all sessions, and the plain one is the same message`() throws {
        let batch = ClassBatch(
            className: "Thing",
            objects: (0..<200).map { ObjectUpdate(.int($0), .whole(version: 1, born: 1, [])) }
        )
        let cursor = Cursor(epoch: 1, version: 1, hash: .empty)
        let message = ServerMessage.changes(9, Changes(from: cursor, to: cursor, clock: .zero, classes: [batch]))
        let plain = try MessageCodec().shared(message)
        let short = plain.compressed(by: ZlibCompression.shared, threshold: 0)
        expect(short.isCompressed && !plain.isCompressed && short.byteCount < plain.byteCount)
        // A compressed message isn't compressed again.
        expectEqual(short.compressed(by: ZlibCompression.shared, threshold: 0), short)
        let codec = MessageCodec(compression: ZlibCompression.shared)
        for session in [1, 70_000] as [SessionNumber] {
            let read = try codec.serverMessage(short.frame(for: session))
            try expectEqual(read, codec.serverMessage(plain.frame(for: session)))
            expectEqual(read?.session, session)
        }
    }

    /// The frame is written by another implementation of zlib: the bytes of `Golden/ping`, stored without compression.
    @Test func `a frame of another implementation is read`() throws {
        let body = Array(try MessageCodec().encode(.ping(Ping(deviceTime: 7)))[3...])
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in body {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let count = UInt8(body.count)
        var frame: [UInt8] = [MessageKind.ping.rawValue, 1, 0, count, 0x78, 0x01, 1, count, 0, ~count, 0xFF]
        frame += body + [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
        let codec = MessageCodec(compression: ZlibCompression.shared)
        try expectEqual(codec.clientMessage(frame), .ping(Ping(deviceTime: 7)))
        frame[frame.count - 1] ^= 1
        let error = #expect(throws: CodecError.self) { try codec.clientMessage(frame) }
        expectEqual(error?.code, .compression)
    }
}
