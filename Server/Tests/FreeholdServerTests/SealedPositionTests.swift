import Foundation
import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments
import ServerTestRandom
import Testing

@testable import FreeholdServer

/// The positions of pages, which mustn't show where hidden objects are.
struct SealedPositionTests {
    private let positions = SealedPositions(secret: "a secret of the tests")
    private let context = SealedPositions.Context(
        "documents",
        StreamAccess(
            stream: StreamName(app: "test"),
            user: "ann",
            rights: nil,
            tables: [],
            lens: nil,
            schemaVersion: 0,
            matcher: QueryMatcher(),
            schema: nil,
            objectSteps: 1_000
        )
    )

    private func seal(_ key: PrimaryKey, shown: PrimaryKey? = nil, start: PrimaryKey? = nil) throws -> String {
        try positions.seal(behind: key, shown: shown, start: start, context)
    }

    @Test func `positions have one length, whatever the text of a hidden key is`() throws {
        let texts = [
            "", "a", String(repeating: "x", count: 96), String(repeating: "\u{1}", count: 96),
            String(repeating: "\"\\", count: 400), String(repeating: "ä", count: 5_000),
            String(repeating: "😀", count: 24),
            "b\0c",
        ]
        let keys: [PrimaryKey] = [.null, .int(1), .int(.min), .uuid(UUID())] + texts.map { .string(SyncString($0)) }
        for shown in [nil, .int(-5), .string("")] as [PrimaryKey?] {
            #expect(Set(try keys.map { try seal($0, shown: shown).utf8.count }).count == 1)
        }
        // The keys that the client has decide the length.
        let shown = PrimaryKey.string(SyncString(String(repeating: "m", count: 300)))
        let behind = ["n", String(repeating: "m", count: 300) + "\u{1}", String(repeating: "n", count: 3_000)]
        let lengths = try behind.map { try seal(.string(SyncString($0)), shown: shown).utf8.count }
        #expect(Set(lengths + [try seal(shown, shown: shown).utf8.count]).count == 1)
    }

    @Test func `a position is behind what the client has, and not behind the key`() throws {
        let letters = ["a", "b", "\u{1}", "ä", "😀", "\""]
        var random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            func text(_ most: Int) -> String {
                let start = String(repeating: letters[random.below(2)], count: random.below(most))
                return start + (0..<random.below(5)).map { _ in letters[random.below(letters.count)] }.joined()
            }
            let keys = [text(120), text(120), text(400)].map { PrimaryKey.string(SyncString($0)) }.sorted()
            let shown = random.chance(50) ? keys[1] : nil
            let start = random.chance(70) ? keys[0] : nil
            let found = try #require(positions.key(try seal(keys[2], shown: shown, start: start), context))
            #expect(found <= keys[2])
            let least = max(shown ?? .null, start ?? .null)
            #expect(found > least || keys[2] == least)
            if keys[2] == shown { #expect(found == keys[2]) }
        }
    }

    @Test func `positions of earlier versions are read`() throws {
        let text = Array(#"{"k": "a key"}"#.utf8)
        let bytes = [UInt8(text.count), 0, 0, 0, 0, 0, 0, 0] + text + [0, 0, 0]
        #expect(positions.key(try positions.seal(bytes, context), context) == .string("a key"))
        #expect(positions.key("~abc", context) == nil)
    }
}
