import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// The list of free pages is LMDB's own. If it is damaged, only the reported sizes can be wrong.
struct `Damaged lists of free pages` {
    private let folder = TemporaryFolder()
    private static let pageSize = 4096

    /// A file with free pages, and its expected content.
    private func fill(_ path: String) throws -> State {
        try Script(seed: 1).commit(1...30, to: try Database.open(at: path))
    }

    /// Gives the leaf page of the newest version's list, and where its nodes begin.
    private func damage(_ path: String, _ change: (inout [UInt8], _ page: Int, _ nodes: [Int]) -> Void) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = [UInt8](try Data(contentsOf: url))
        func word(_ at: Int) -> Int {
            Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) })
        }
        func half(_ at: Int) -> Int {
            Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt16.self) })
        }
        let meta = [0, Self.pageSize].max { word($0 + 16 + 128) < word($1 + 16 + 128) }!
        let page = word(meta + 16 + 64) * Self.pageSize
        try require(half(page + 10) == 2, "one leaf")
        let nodes = (0..<(half(page + 12) - 16) / 2).map { page + half(page + 16 + 2 * $0) }
        try require(!nodes.isEmpty)
        change(&bytes, page, nodes)
        try Data(bytes).write(to: url)
    }

    @Test(arguments: [UInt64.max, UInt64(Int64.max), 1 << 40, 500])
    func `an impossible number of pages is limited`(count: UInt64) throws {
        let path = folder.file()
        let state = try fill(path)
        try damage(path) { bytes, _, nodes in
            for node in nodes {
                var at = node + 16
                let isLong = bytes[node + 4] & 1 != 0
                if isLong {
                    let page = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
                    at = Int(page) * Self.pageSize + 16
                }
                withUnsafeBytes(of: count) { bytes.replaceSubrange(at..<at + 8, with: $0) }
            }
        }
        let use = try require(try Database.compact(at: path))
        expect(use.before.used <= use.before.total && use.after.used == use.after.total)
        let snapshot = try Database.open(at: path).snapshot()
        expect(State(snapshot) == state && snapshot.verify() == [])
    }

    @Test func `an entry that is too short for a number counts as empty`() throws {
        let path = folder.file()
        let state = try fill(path)
        try damage(path) { bytes, _, nodes in for node in nodes { bytes[node..<node + 4] = [4, 0, 0, 0] } }
        expect(try Database.compact(at: path) != nil)
        expectEqual(State(try Database.open(at: path).snapshot()), state)
    }

    @Test func `an invalid page number is an error`() throws {
        let path = folder.file()
        _ = try fill(path)
        try damage(path) { bytes, page, _ in bytes[page + 10] = 0 }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        expectEqual(code { () throws(EngineError) in _ = try Database.compact(at: path) }, .invalidDatabase)
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    }
}
