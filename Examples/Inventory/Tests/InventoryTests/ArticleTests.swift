import Foundation
import Testing

/// The code of the article on servers that is a part of this example. Other packages of the repository don't compile it,
/// because it needs Hummingbird.
@Suite struct ArticleTests {
    /// The root of the repository: this file is in `Examples/Inventory/Tests/InventoryTests`.
    private static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `the article has lines of the example, in their order`() throws {
        let article = try Self.lines("Sources/Freehold/Freehold.docc/Servers.md")
        var count = 0
        for (index, line) in article.enumerated() where line.hasSuffix("has it, and ArticleTests compares it -->") {
            count += 1
            let path = String(line.dropFirst("<!-- swift: skip ".count).prefix { $0 != " " })
            let code = article[(index + 2)...].prefix { $0 != "```" }.filter { !$0.isEmpty }
            var rest = try Self.lines(path)[...]
            for line in code {
                let place = try #require(rest.firstIndex(of: line), "\(path) doesn't have the line: \(line)")
                rest = rest[(place + 1)...]
            }
        }
        #expect(count == 6)
    }
}
