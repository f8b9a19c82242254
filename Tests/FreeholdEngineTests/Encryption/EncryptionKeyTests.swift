import Testing

@testable import FreeholdEngine

struct EncryptionKeyTests {
    @Test(arguments: [0, 1, 32, 63, 65, 128]) func `a key has 64 bytes`(count: Int) {
        expect(EncryptionKey(bytes(7, count)) == nil)
        expect(EncryptionKey(bytes(7, 64)) != nil)
    }

    @Test func `keys are equal if every byte is equal`() throws {
        let key = try require(EncryptionKey(bytes(7, 64)))
        expectEqual(EncryptionKey(bytes(7, 64)), key)
        for i in 0..<64 {
            var changed = bytes(7, 64)
            changed[i] ^= 0x10
            expect(EncryptionKey(changed) != key)
        }
    }

    @Test func `a printed key shows none of its bytes`() throws {
        let key = try require(
            EncryptionKey(Array("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef".utf8))
        )
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            expect(!text.contains("0123") && !text.contains("48, 49"))
        }
    }

    /// The same in every version: files depend on it. Made with another library of ciphers.
    @Test func `a sealed block of the stored sample opens`() throws {
        let key = try require(EncryptionKey((0..<64).map { UInt8($0) }))
        let cipher = FileCipher(key, fileID: bytes(9, 16))
        let address = BlockAddress(segment: 24, number: 3)
        let stored: [UInt8] = [
            0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab,
            0x05, 0x00, 0x00, 0x00, 0x89, 0x49, 0x23, 0xfb, 0x53, 0xf4, 0xb2, 0x6b,
            0xb5, 0xfb, 0xa0, 0xc3, 0xd1, 0x32, 0x31, 0x5d, 0x32, 0xcc, 0xe9, 0xe1,
            0x29, 0x5a, 0x09, 0xfb, 0xce, 0x1c, 0xae, 0x59, 0x90, 0x1d, 0xaa, 0xcf,
            0xdb, 0x46,
        ]
        expectEqual(stored.withUnsafeBytes { cipher.bytes($0, at: address) }, Array("sealed in format 4".utf8))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 100, 4096, BlockLimits.maximumSize])
    func `a sealed block opens only with its key and at its address`(size: Int) throws {
        let key = try require(EncryptionKey(bytes(1, 64)))
        let other = try require(EncryptionKey(bytes(2, 64)))
        let cipher = FileCipher(key, fileID: bytes(9, 16))
        let sealer = BlockSealer(cipher)
        let plain = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let address = BlockAddress(segment: 5, number: 77)
        let stored = plain.withUnsafeBytes { Array(sealer.seal($0, at: address)) }
        let again = plain.withUnsafeBytes { Array(sealer.seal($0, at: address)) }
        expectEqual(stored.count, size + SealedBlock.overhead)
        expect(stored != again)
        func open(_ cipher: FileCipher, _ bytes: [UInt8], _ address: BlockAddress) -> [UInt8]? {
            bytes.withUnsafeBytes { cipher.bytes($0, at: address) }
        }
        expectEqual(open(cipher, stored, address), plain)
        expectEqual(open(cipher, again, address), plain)
        expect(open(cipher, stored, BlockAddress(segment: 5, number: 78)) == nil)
        expect(open(cipher, stored, BlockAddress(segment: 6, number: 77)) == nil)
        expect(open(FileCipher(other, fileID: bytes(9, 16)), stored, address) == nil)
        expect(open(FileCipher(key, fileID: bytes(8, 16)), stored, address) == nil)
        expect(open(cipher, Array(stored.dropLast()), address) == nil)
        expect(open(cipher, stored + [0], address) == nil)
        expect(open(cipher, Array(stored.prefix(31)), address) == nil)
        for i in Set([0, 4, 11, 12, 15, 16, stored.count - 17, stored.count - 16, stored.count - 1]) {
            var damaged = stored
            damaged[i] ^= 1
            expect(open(cipher, damaged, address) == nil, "byte \(i)")
        }
    }

    @Test func `the digest shows which blocks were sealed and not replaced`() throws {
        let cipher = FileCipher(try require(EncryptionKey(bytes(1, 64))), fileID: bytes(9, 16))
        let sealer = BlockSealer(cipher)
        let (a, b) = (BlockAddress(segment: 24, number: 1), BlockAddress(segment: 24, number: 2))
        func stamp(_ address: BlockAddress) -> SIMD4<UInt64>? {
            bytes(3, 20).withUnsafeBytes {
                BlockEnvelope.sealed(cipher).stamp(sealer.seal($0, at: address), at: address)
            }
        }
        var digest = FileDigest()
        let (first, second, third) = (stamp(a), stamp(b), stamp(a))
        expect(first != third)
        digest.add(first)
        let one = digest
        digest.add(second)
        digest.subtract(first)
        digest.add(third)
        expectEqual(digest.count, 2)
        digest.subtract(third)
        digest.subtract(second)
        digest.subtract(nil)
        expectEqual(digest, FileDigest())
        expect(one != FileDigest())
        expectEqual(FileDigest(one.encoded()), one)
        expect(FileDigest(Array(one.encoded().dropLast())) == nil)
    }
}
