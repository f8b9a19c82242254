import Foundation
import FreeholdCompression
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Bytes that no codec wrote. Each gives an error or a message, and never takes more memory than a small multiple of
/// its size.
struct HostileBytesTests {
    /// Bytes of memory that a byte of a message may become.
    static let growth = 200

    private static func frames(_ seed: UInt64) throws -> [[UInt8]] {
        var messages = RandomMessages(seed: seed, steps: 15)
        return try (0..<12).map { index in
            let codec = MessageCodecTests.codecs[index % 8 == 0 ? Int(seed % 2) + 1 : 0]
            return try index % 2 == 0 ? codec.encode(messages.client()) : codec.encode(messages.server())
        }
    }

    /// Reads bytes both ways.
    ///
    /// - Returns: what is wrong with the answer.
    private static func problem(of bytes: [UInt8], _ seed: UInt64) -> String? {
        let zlib = seed % 2 == 1
        let codec = MessageCodec(compression: zlib ? ZlibCompression.shared : RunLengths(), limit: 1 << 20)
        // The maximum size that a compressed byte can expand to.
        let most = zlib ? 1_032 : 255
        for isClient in [true, false] {
            do throws(CodecError) {
                var (footprint, isEqual) = (0, true)
                if isClient, let message = try codec.clientMessage(bytes) {
                    footprint = Footprint.of(message)
                    // A message that can be read can be written, and is read as the same message again.
                    isEqual = try codec.clientMessage(codec.encode(message)) == message
                } else if !isClient, let message = try codec.serverMessage(bytes) {
                    footprint = Footprint.of(message)
                    isEqual = try codec.serverMessage(codec.encode(message)) == message
                }
                let size = bytes.count * (bytes.count > 1 && bytes[1] == 1 ? most : 1)
                if footprint > growth * size + 1_024 { return "\(footprint) bytes of memory" }
                if !isEqual { return "it doesn't come back" }
            } catch {
                if error.reason.isEmpty || error.offset.map({ $0 > max(bytes.count * most, 16) }) ?? false {
                    return "\(error)"
                }
            }
        }
        return nil
    }

    @Test func `flipped bits, truncations, splices and false lengths give an error or a message`() throws {
        // 10 million executions in the soak.
        for seed in CodecSeeds.seeds("HostileBytesTests", count: 12, soak: 10_000) {
            let frames = try Self.frames(seed)
            var random = SeededRandom(seed: seed)
            for _ in 0..<1_000 {
                var bytes = frames[Int.random(in: frames.indices, using: &random)]
                for _ in 0..<Int.random(in: 1...3, using: &random) { Self.spoil(&bytes, frames, &random) }
                if let problem = Self.problem(of: bytes, seed) {
                    Issue.record("seed \(seed): \(problem): \(bytes)")
                    return
                }
            }
        }
    }

    private static func spoil(_ bytes: inout [UInt8], _ frames: [[UInt8]], _ random: inout SeededRandom) {
        let place = Int.random(in: 0..<max(bytes.count, 1), using: &random)
        guard !bytes.isEmpty else { return }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        case 3: bytes.removeSubrange(place...)
        case 4:
            bytes.insert(
                contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F].prefix(place % 10),
                at: place
            )
        case 5:
            let other = frames.randomElement(using: &random)!
            bytes.replaceSubrange(place..., with: other[Int.random(in: 0...other.count, using: &random)...])
        case 6:
            let end = min(place + Int.random(in: 0..<20, using: &random), bytes.count)
            bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
        default: bytes.remove(at: place)
        }
    }

    @Test func `random bytes give an error`() throws {
        for seed in CodecSeeds.seeds("HostileBytesTests", count: 2, soak: 200) {
            var random = SeededRandom(seed: seed)
            for _ in 0..<2_000 {
                let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { index in
                    index == 0
                        ? UInt8.random(in: 1...45, using: &random)
                        : index == 1 ? 0 : UInt8(truncatingIfNeeded: random.next() >> random.next() % 60)
                }
                if let problem = Self.problem(of: bytes, seed) { Issue.record("seed \(seed): \(problem): \(bytes)") }
            }
        }
    }

    @Test func `each proper prefix of a message is an error`() throws {
        for frame in try Self.frames(3) {
            for count in frame.indices.prefix(2_000) {
                #expect(throws: CodecError.self) { try MessageCodec().clientMessage(Array(frame[..<count])) }
                #expect(throws: CodecError.self) { try MessageCodec().serverMessage(Array(frame[..<count])) }
            }
        }
    }

    /// False counts, at places where columns could represent many values by few bytes.
    @Test func `great counts take no memory`() throws {
        let codec = MessageCodec()
        let versions = ColumnWriter()
        versions.int(UInt64(1))
        versions.int(UInt64(2))
        versions.number(UInt64(Int.max))
        let acks = try codec.shared(.ack, versions).frame(for: 1)
        #expect(throws: CodecError.self) { try codec.serverMessage(acks) }

        // A constant column of 2^60 numbers; kinds pay for values, and there is one.
        var body: [UInt8] = [ColumnParts.ints.rawValue, 11, IntColumn.Form.constant.rawValue, 2]
        body.appendVarint(1 << 60)
        body[1] = UInt8(body.count - 2)
        #expect(throws: CodecError.self) { try codec.clientMessage([MessageKind.mark.rawValue, 0, 1] + body) }
        // The same at places where a number takes at least a byte.
        body[0] = ColumnParts.numbers.rawValue
        let error = #expect(throws: CodecError.self) {
            try codec.clientMessage([MessageKind.fetch.rawValue, 0, 1] + body)
        }
        expectEqual(error?.code, .unknownKind)
    }
}

/// Returns the approximate number of bytes of memory that a message takes: its values and the arrays in them.
enum Footprint {
    static func of(_ value: Any) -> Int {
        let mirror = Mirror(reflecting: value)
        switch value {
        case let value as SyncString: return max(value.string.utf8.count - 15, 0)
        case let value as SyncValue:
            if case .list(let values) = value {
                return values.reduce(32) { $0 + MemoryLayout<SyncValue>.stride + of($1) }
            }
            if case .dictionary(let value) = value {
                return value.entries.reduce(32) { $0 + MemoryLayout<SyncDictionary.Entry>.stride + of($1.value) }
            }
            if case .data(let data) = value { return data.count }
            return mirror.children.reduce(0) { $0 + of($1.value) }
        case let value as [Any]:
            // An element of any of the types has 80 bytes at most.
            return value.reduce(32) { $0 + 80 + of($1) }
        default: return mirror.children.reduce(0) { $0 + of($1.value) }
        }
    }
}
