import Foundation
import TestRealmFiles
import Testing

@testable import RealmFileReader

struct EncryptionTests {
    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.map { UInt8($0.hexDigitValue!) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test func `SHA-224 gives the results of the standard's examples`() {
        func digest(_ text: String) -> String {
            var hash = SHA224()
            hash.update(Array(text.utf8))
            return hex(hash.finished())
        }
        expectEqual(digest("abc"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")
        expectEqual(
            digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
        )
        expectEqual(digest(""), "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f")
    }

    @Test func `its message code gives the results of RFC 4231`() {
        let code = MessageCode(key: Array("Jefe".utf8)).code(of: Array("what do ya want for nothing?".utf8))
        expectEqual(hex(code), "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44")
    }

    @Test func `AES-256 in chains gives the result of the example of SP 800-38A`() {
        let key = bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
        let sealed = bytes("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")
        var plain = [UInt8](repeating: 0, count: 32)
        plain.withUnsafeMutableBytes {
            BlockDecryption(key: key).decrypt(
                sealed,
                vector: bytes("000102030405060708090a0b0c0d0e0f"),
                to: $0.baseAddress!
            )
        }
        expectEqual(hex(plain), "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    }

    @Test func `a wrong key, a missing key, and a key of another length are errors`() throws {
        let path = RealmFixture.encrypted.path
        func code(_ key: [UInt8]?) -> RealmFileError.Code? {
            do {
                _ = try RealmFile(path: path, key: key)
                return nil
            } catch { return error.code }
        }
        expectEqual(code(nil), .notARealmFile)
        expectEqual(code(Array(repeating: 1, count: 64)), .wrongKey)
        expectEqual(code(Array(repeating: 1, count: 32)), .wrongKey)
        // The half for the codes is right, that for the bytes isn't.
        var half = RealmFixture.encrypted.key!
        half[0] ^= 1
        expectEqual(code(half), .wrongKey)
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).realm")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(bytes).write(to: url)
        try body(url.path)
    }

    @Test func `a page with a wrong code is damaged, and the error has the place`() throws {
        let (original, key) = (try RealmFixture.encrypted.bytes(), RealmFixture.encrypted.key)
        var found = 0
        for page in 2..<(original.count / 4096) {
            var bytes = original
            bytes[page * 4096 + 100] ^= 1
            try withFile(bytes) { path in
                do throws(RealmFileError) {
                    let file = try RealmFile(path: path, key: key)
                    try file.readAllTyped()
                } catch {
                    expect(error.code == .damaged && error.offset == page * 4096, "\(error)")
                    found += 1
                }
            }
        }
        // The other pages are unused, and aren't read.
        expect(found > 5)
    }

    @Test func `the previous code applies to a page whose write was interrupted`() throws {
        var bytes = try RealmFixture.encrypted.bytes()
        for page in 0..<(bytes.count / 4096 - 1) {
            let entry = page * 64
            bytes.replaceSubrange((entry + 32)..<(entry + 64), with: bytes[entry..<(entry + 32)])
            bytes[entry + 10] ^= 0x40
        }
        try withFile(bytes) { path in
            let file = try RealmFile(path: path, key: RealmFixture.encrypted.key)
            let whole = try RealmFixture.encrypted.open()
            for item in whole.classes {
                let (a, b) = (try whole.objects(of: item), try file.objects(of: file.requireClass(item.name)))
                expectEqual(a.map(\.values), b.map(\.values))
            }
        }
    }

    @Test func `a plain file doesn't open with a key`() {
        #expect(throws: RealmFileError.self) {
            try RealmFile(path: RealmFixture.format24.path, key: Array(repeating: 1, count: 64))
        }
    }
}

extension RealmFile {
    /// Reading throws no other error.
    fileprivate func readAllTyped() throws(RealmFileError) {
        do { try readAll() } catch let error as RealmFileError { throw error } catch {
            throw RealmFileError(.io, "\(error)")
        }
    }
}
