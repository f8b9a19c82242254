import Testing

@testable import Freehold

/// The table of positions in unmanaged sets and maps, compared with a linear search in an array. Many of the hashes are
/// equal or similar. `FREEHOLD_SEED` repeats a seed.
struct PositionTableTests {
    @Test(arguments: UnmanagedCollectionTests.seeds, [1, 3, 20, 1_000_000])
    func `each element is found at its position`(_ seed: UInt64, _ hashes: Int) {
        var random = SeededRandom(seed: seed)
        func hash(_ element: Int) -> Int { element % hashes }
        for _ in 0..<20 {
            var (table, elements) = (PositionTable(), [Int]())
            func position(of element: Int) -> Int? {
                table.position(count: elements.count, hash: hash(element)) { elements[$0] == element }
            }
            for _ in 0..<200 {
                let element = Int.random(in: 0..<60, using: &random) &* 7_919
                let position = position(of: element)
                expectEqual(position, elements.firstIndex(of: element), "seed \(seed)")
                if let position {
                    let last = elements.removeLast()
                    if position < elements.count { elements[position] = last }
                    table.remove(position, count: elements.count, hash: hash(element), lastHash: hash(last))
                } else {
                    elements.append(element)
                    table.append(count: elements.count) { hash(elements[$0]) }
                }
            }
            for (i, element) in elements.enumerated() { expectEqual(position(of: element), i, "seed \(seed)") }
        }
    }
}
