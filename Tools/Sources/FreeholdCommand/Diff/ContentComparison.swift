import Foundation
import Freehold

/// A comparison of the objects of a class without a primary key, by their contents and the number of equal objects.
///
/// Contents are identified by hashes of 128 bits. The number of hashes in memory is limited. For more objects, each of
/// several passes over both files compares a part of the contents.
struct ContentComparison {
    /// The approximate number of objects of a pass.
    static let objectsOfPass = 1_000_000

    private let first: Realm
    private let second: Realm
    private let a: ObjectSchema
    private let b: ObjectSchema
    private let readerA: ContentReader
    private let readerB: ContentReader
    private let names: [String]
    private let output: DifferenceOutput
    private let objectsOfPass: Int

    private struct Hash: Hashable {
        let high: Int
        let low: Int
    }

    init(
        _ first: Realm,
        of a: ObjectSchema,
        and second: Realm,
        of b: ObjectSchema,
        names: [String],
        output: DifferenceOutput,
        objectsOfPass: Int = Self.objectsOfPass
    ) {
        (self.first, self.second) = (first, second)
        (self.a, self.b) = (a, b)
        self.names = names
        self.output = output
        self.objectsOfPass = objectsOfPass
        readerA = ContentReader(a, names, in: first)
        readerB = ContentReader(b, names, in: second)
    }

    func run() throws {
        let (inFirst, inSecond) = (first.dynamicObjects(a.className), second.dynamicObjects(b.className))
        let passes = max(1, (max(inFirst.count, inSecond.count) + objectsOfPass - 1) / objectsOfPass)
        for pass in 0..<passes {
            var counts: [Hash: Int] = [:]
            for object in inFirst {
                let hash = try hash(object, readerA)
                if passes == 1 || isOf(pass, among: passes, hash: hash) { counts[hash, default: 0] += 1 }
            }
            /// The contents of the second file that are missing or less frequent in the first. They are reported after
            /// those of the first.
            var extra: [Hash: Int] = [:]
            for object in inSecond {
                let hash = try hash(object, readerB)
                guard passes == 1 || isOf(pass, among: passes, hash: hash) else { continue }
                if let count = counts[hash], count > 0 {
                    counts[hash] = count == 1 ? nil : count - 1
                } else {
                    extra[hash, default: 0] += 1
                }
            }
            try tell(&counts, in: inFirst, kind: .delete, reader: readerA, shown: ObjectReader(a, names))
            try tell(&extra, in: inSecond, kind: .insert, reader: readerB, shown: ObjectReader(b, names))
        }
    }

    private func isOf(_ pass: Int, among passes: Int, hash: Hash) -> Bool {
        Int(UInt(bitPattern: hash.high) % UInt(passes)) == pass
    }

    private func tell(
        _ counts: inout [Hash: Int],
        in objects: Results<DynamicObject>,
        kind: ObjectChange.Kind,
        reader: ContentReader,
        shown: ObjectReader
    ) throws {
        if counts.isEmpty { return }
        for object in objects {
            let cells = try reader.cells(of: object)
            let hash = hash(cells)
            guard let count = counts[hash] else { continue }
            counts[hash] = count == 1 ? nil : count - 1
            try output.add(try ObjectChange(kind, shown, object: object, cells: cells))
            if counts.isEmpty { return }
        }
    }

    private func hash(_ object: DynamicObject, _ reader: ContentReader) throws -> Hash {
        hash(try reader.cells(of: object))
    }

    private func hash(_ cells: [RowText.Cell]) -> Hash {
        var (high, low) = (Hasher(), Hasher())
        high.combine(0)
        low.combine(1)
        for cell in cells {
            let text = cell.json
            high.combine(text)
            low.combine(text)
        }
        return Hash(high: high.finalize(), low: low.finalize())
    }
}
