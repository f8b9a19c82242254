import Foundation
import TestScript

@testable import FreeholdEngine

/// The bytes of a file, as LMDB's pages.
struct TreeImage {
    static let pageSize = 4096
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(_ path: String) throws { bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    func word(_ at: Int) -> UInt64 { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) } }

    func half(_ at: Int) -> Int {
        Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt16.self) })
    }

    /// Returns the offset of LMDB's root in a page.
    static func root(_ page: Int) -> Int { page * pageSize + 16 }

    func version(_ page: Int) -> UInt64 { word(Self.root(page) + 128) }

    mutating func set(_ value: UInt64, at offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 8, with: $0) }
    }

    /// The page of the newest root.
    var newest: Int { version(0) > version(1) ? 0 : 1 }

    func range(_ page: Int) -> Range<Int> { page * Self.pageSize..<(page + 1) * Self.pageSize }

    /// The pages that are in this image and in another, and differ. Those of the roots aren't among them.
    func differing(from other: TreeImage) -> [Int] {
        (2..<min(bytes.count, other.bytes.count) / Self.pageSize).filter { bytes[range($0)] != other.bytes[range($0)] }
    }

    /// Puts the page of another image in this one's place.
    mutating func take(_ page: Int, from other: TreeImage) {
        bytes.replaceSubrange(range(page), with: other.bytes[range(page)])
    }

    /// The places of all bytes of keys in the pages of the tree of blocks.
    var keyBytes: [Int] {
        var out: [Int] = []
        func visit(_ page: Int) {
            let start = page * Self.pageSize
            let isBranch = half(start + 10) & 1 != 0
            for i in 0..<(half(start + 12) - 16) / 2 {
                let node = start + half(start + 16 + 2 * i)
                if !isBranch || i > 0 { out += node + 8..<node + 16 }
                if isBranch { visit(half(node) | half(node + 2) << 16 | half(node + 4) << 32) }
            }
        }
        let root = word(Self.root(newest) + 72 + 40)
        if root != .max { visit(Int(root)) }
        return out
    }

    /// Removes the marks of recent blocks, like a Freehold that doesn't write them.
    mutating func forgetRecentBlocks() {
        for page in 0..<2 {
            let start = page * Self.pageSize + RecentBlocks.offset
            bytes.replaceSubrange(
                start..<start + RecentBlocks.capacity,
                with: repeatElement(0, count: RecentBlocks.capacity)
            )
        }
    }
}

/// The result of reading a whole file.
enum ReadResult: Equatable {
    case values(UInt64)
    /// The error was thrown, or noted.
    case refused(EngineError.Code)

    /// - Parameter formatVersion: That of the file, so that it isn't upgraded.
    init(_ path: String, _ key: EncryptionKey?, formatVersion: UInt32 = Catalogue.formatVersion) {
        var options = DamageSample.options()
        options.encryptionKey = key
        options.formatVersion = formatVersion
        do {
            let snapshot = try Database.open(at: path, options: options).snapshot()
            self = .values(try snapshot.reading { try Contents.digest($0) })
        } catch {
            self = .refused((error as? EngineError)?.code ?? .io)
        }
    }

    /// Reads an image, which is written to a file of its own.
    init(
        _ image: TreeImage,
        in folder: TemporaryFolder,
        key: EncryptionKey?,
        formatVersion: UInt32 = Catalogue.formatVersion
    ) throws {
        let path = folder.file("image.realm")
        try Data(image.bytes).write(to: URL(fileURLWithPath: path))
        self.init(path, key, formatVersion: formatVersion)
        for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) }
    }
}
