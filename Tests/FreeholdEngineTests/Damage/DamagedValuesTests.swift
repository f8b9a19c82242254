import Foundation
import FreeholdEngine
import Testing
import TestScript

/// Files with checksums, with every kind of damage by disks and transfers, and read by a child process.
///
/// A read returns the content of the newest version, or that of an older one if its pages were put back. Otherwise it
/// reports damage. Values of no version can only be read from a mixture of versions.
struct `Values of damaged files` {
    private static let page = 4096

    /// The cases of each size of clusters. Each kind of damage has an equal share.
    private static var seeds: Range<UInt64> {
        let first = UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? 1
        return first..<first + UInt64(TestBudget.cases(Kind.allCases.count, soak: 2500))
    }

    /// A file after each of its last commits, with its content.
    private struct Sample {
        var images: [[UInt8]] = []
        var digests: [UInt64] = []
    }

    private func sample(_ folder: ChildFolder, clusterSpan: Int) throws -> Sample {
        let path = folder.file("sample.realm")
        try DamageSample.make(path, clusterSpan: clusterSpan, people: 45)
        var sample = Sample()
        func note(_ database: Database) throws {
            sample.digests.append(try Contents.digest(try database.snapshot()))
            sample.images.append([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
        }
        let options = DamageSample.options(clusterSpan: clusterSpan)
        let database = try Database.open(at: path, options: options)
        try note(database)
        for part in 0..<12 {
            let transaction = try database.beginWrite()
            let person = try require(transaction.schema.table(named: "Person"))
            for key in transaction.keys(person) where key.raw % 5 == Int64(part % 5) {
                try transaction.set(person.column(named: "name")!, key, to: .string("later \(part)"))
                try transaction.set(person.column(named: "ratio")!, key, to: .double(Double(part) + 0.5))
                try transaction.listAppend(person.column(named: "words")!, key, values: [.string("later \(part)")])
            }
            _ = try transaction.commit()
            try note(database)
        }
        let size = try require(sample.images.last).count
        // All of one length, so that pages have the same places.
        for i in sample.images.indices where sample.images[i].count < size {
            sample.images[i] += [UInt8](repeating: 0, count: size - sample.images[i].count)
        }
        return sample
    }

    private enum Kind: Int, CaseIterable {
        case bit, bits, byte, word, bytes, zeroed, doubled, swapped, spliced, splicedPages, truncated
    }

    /// The pages in use.
    private func pages(_ image: [UInt8]) -> [Int] {
        (0..<image.count / Self.page).filter { page in
            image[page * Self.page..<(page + 1) * Self.page].contains { $0 != 0 }
        }
    }

    private func damaged(_ sample: Sample, _ pages: [Int], seed: UInt64) -> (image: [UInt8], kind: Kind, what: String) {
        var random = SeededRandom(seed: seed)
        func below(_ n: Int) -> Int { Int.random(in: 0..<n, using: &random) }
        func page() -> Int { pages[below(pages.count)] }
        func range(_ page: Int) -> Range<Int> { page * Self.page..<(page + 1) * Self.page }
        // Returns an offset for damage: as often in the headers of pages and nodes as at all other places.
        func place() -> Int { page() * Self.page + (below(3) == 0 ? below(64) : below(Self.page)) }
        var image = sample.images.last!
        let kind = Kind.allCases[Int(seed % UInt64(Kind.allCases.count))]
        switch kind {
        case .bit, .bits:
            var places: [Int] = []
            for _ in 0..<(kind == .bit ? 1 : 8) {
                places.append(place())
                image[places.last!] ^= 1 << UInt8(below(8))
            }
            return (image, kind, "bits at \(places)")
        case .byte:
            let place = place()
            image[place] = UInt8(below(256))
            return (image, kind, "byte \(place)")
        case .word:
            let place = place() & ~7
            let size = 1 << (1 + below(3))
            let changes: [UInt8] = [0, 0xFF, image[place] &+ 1, image[place] &- 1]
            let value = changes[below(changes.count)]
            image[place] = value
            if value == 0 || value == 0xFF { for i in 0..<size { image[place + i] = value } }
            return (image, kind, "\(size) bytes at \(place) to \(value)")
        case .bytes:
            let length = 1 + below(600)
            let (from, to) = (place(), place())
            let source = Array(image[from..<min(from + length, image.count)])
            let end = min(to + source.count, image.count)
            image.replaceSubrange(to..<end, with: source.prefix(end - to))
            return (image, kind, "\(length) bytes from \(from) to \(to)")
        case .zeroed:
            let page = page()
            image.replaceSubrange(range(page), with: [UInt8](repeating: 0, count: Self.page))
            return (image, kind, "page \(page)")
        case .doubled:
            let (from, to) = (page(), page())
            image.replaceSubrange(range(to), with: Array(image[range(from)]))
            return (image, kind, "page \(from) over page \(to)")
        case .swapped:
            let (one, other) = (page(), page())
            let bytes = Array(image[range(one)])
            image.replaceSubrange(range(one), with: Array(image[range(other)]))
            image.replaceSubrange(range(other), with: bytes)
            return (image, kind, "pages \(one) and \(other)")
        case .spliced, .splicedPages:
            let old = below(sample.images.count - 1)
            // One that was another then.
            let others = pages.filter { sample.images[old][range($0)] != image[range($0)] }
            let first = others[below(others.count)]
            let count = kind == .spliced ? 1 : 1 + below(16)
            let end = min((first + count) * Self.page, image.count)
            image.replaceSubrange(first * Self.page..<end, with: sample.images[old][first * Self.page..<end])
            return (image, kind, "\(count) pages from \(first) of image \(old)")
        case .truncated:
            let length = below(2) == 0 ? page() * Self.page : below(image.count)
            return (Array(image.prefix(length)), kind, "to \(length) bytes")
        }
    }

    @Test(arguments: [3, 40, 1000]) func `values of a damaged file are right, or of an older version, or refused`(
        clusterSpan: Int
    ) throws {
        let folder = try ChildFolder()
        let sample = try sample(folder, clusterSpan: clusterSpan)
        let pages = pages(try require(sample.images.last))
        let file = folder.file("damaged.realm")
        var results: [String: Int] = [:]
        var cases = 0
        var child: ChildProcess?
        func start() throws -> ChildProcess {
            try ChildProcess(["contents", folder.path], environment: ["SWIFT_BACKTRACE": "enable=no"])
        }
        for seed in Self.seeds {
            let (image, kind, what) = damaged(sample, pages, seed: seed)
            for suffix in ["", "-lock", ".writer"] { unlink(file + suffix) }
            try Data(image).write(to: URL(fileURLWithPath: file))
            let reader = try child ?? start()
            child = reader
            reader.send(file)
            var lines: [String] = []
            while lines.last?.hasPrefix("verified") != true, let line = reader.readLine() {
                lines.append(line)
                if line.hasPrefix("error"), lines.count(where: { $0.hasPrefix("error") }) == 2 { break }
            }
            let place = "span \(clusterSpan), seed \(seed), \(kind), \(what)"
            let result: String
            if let values = lines.first?.split(separator: " "), values.first == "values" {
                let digest = UInt64(values[1])
                let isVerified = lines.last == "verified 0"
                if digest == sample.digests.last {
                    result = isVerified ? "right" : "right, though verify finds something"
                } else if let digest, sample.digests.contains(digest) {
                    result = "old"
                } else {
                    result = "mixed, found by verify"
                    expect(kind == .spliced || kind == .splicedPages, "\(place): wrong values, \(lines)")
                    expect(!isVerified, "\(place): stale blocks that verify doesn't find")
                }
            } else if lines.first?.hasPrefix("error") == true {
                result = lines.first!
            } else {
                let isSaid = lines.contains { $0.contains("invalidDatabase: The file is damaged") }
                expect(isSaid, "\(place): ended by \(reader.wait()): \(lines.joined(separator: " | ").prefix(500))")
                result = "said"
                child = nil
            }
            results["\(kind): \(result)", default: 0] += 1
            cases += 1
        }
        print("span \(clusterSpan), seeds \(Self.seeds), \(pages.count) pages:")
        for (result, count) in results.sorted(by: { $0.key < $1.key }) { print("  \(result): \(count)") }
        expect(TestBudget.isSpent("DamagedValuesTests", cases: cases, of: Self.seeds.count))
    }
}
