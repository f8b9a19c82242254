import Foundation
import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import ServerTestRandom
import Testing

@testable import FreeholdServer

@Suite("A small document that is replaced as a whole")
struct SlotFileTests {
    @Test
    func `what was written last is read, after any number of writes`() throws {
        let folder = try SinkFolder()
        for round in 0..<5 {
            let file = try SlotFile(folder.path + "/slot")
            #expect(file.document == (round == 0 ? [:] : ["n": .int64(Int64(round * 3))]))
            for step in 1...3 { try file.write(["n": .int64(Int64(round * 3 + step))]) }
        }
    }

    @Test
    func `a write that is torn anywhere leaves the document before it`() throws {
        for share in stride(from: 0, through: 100, by: 5) {
            let folder = try SinkFolder()
            for count in 0..<4 {
                do {
                    let file = try SlotFile(folder.path + "/slot")
                    try file.write(["n": .int64(Int64(count)), "text": .string(String(repeating: "x", count: 200))])
                }
                let disk = FaultyDisk(.init(death: 0, share: share))
                do {
                    let file = try SlotFile(folder.path + "/slot", calls: disk.calls)
                    #expect(throws: IngestFailure.self) { try file.write(["n": -1, "text": "torn"]) }
                }
                let again = try SlotFile(folder.path + "/slot")
                let number = try #require(again.document["n"]?.int64Value)
                #expect(number == Int64(count) || (share == 100 && number == -1))
            }
        }
    }

    @Test
    func `one process has it at a time; larger documents are refused; other bytes are none`() throws {
        let folder = try SinkFolder()
        let file = try SlotFile(folder.path + "/slot")
        try file.write(["a": 1])
        let error = #expect(throws: IngestFailure.self) { try SlotFile(folder.path + "/slot") }
        #expect(error?.reason.contains("another process") == true)
        #expect(throws: IngestFailure.self) { try file.write(["a": .string(String(repeating: "x", count: 70_000))]) }
        #expect(file.document == ["a": 1])
        #expect(throws: IngestFailure.self) { try SlotFile(folder.path + "/no/such/folder") }
        var random = SeededRandom(test: "other bytes")
        for _ in 0..<20 {
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try Data(bytes).write(to: URL(filePath: folder.path + "/other"))
            #expect(try SlotFile(folder.path + "/other").document == [:])
        }
    }

    @Test
    func `few checkpoints are kept, each further back than the one before, and the first`() throws {
        var record = IngestRecord()
        for version in 1...10_000 as ClosedRange<UInt64> {
            record.add(
                .init(
                    position: .init(row: Int64(version), other: -1),
                    cursor: .init(epoch: 1, version: version, hash: .empty)
                )
            )
        }
        let versions = record.checkpoints.map(\.cursor.version)
        #expect(versions.last == 10_000 && versions.first == 1 && versions.count < 25)
        #expect(versions.dropLast().last == 9_999)
        #expect(IngestRecord(record.document) == record)
        record.batch = .init(
            end: .init(row: 5, other: 6),
            cursor: .init(epoch: .max, version: 3, hash: .empty),
            key: "k",
            firstAttempt: 9
        )
        record.notes = ["file": 3]
        #expect(IngestRecord(record.document) == record)
    }
}
