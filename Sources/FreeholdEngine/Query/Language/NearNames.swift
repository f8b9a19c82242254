/// Suggestions for a misspelt name.
package enum NearNames {
    /// Returns at most three similar names, the nearest first.
    /// - Complexity: O(sum of the products of lengths). Names of more than 100 scalars return at once.
    package static func of(_ name: String, _ all: [String]) -> [String] {
        let wanted = Array(name.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= 100 else { return [] }
        let limit = max(1, (wanted.count + 1) / 3)
        var found: [(name: String, distance: Int)] = []
        for candidate in all {
            let letters = Array(candidate.lowercased().unicodeScalars)
            guard abs(letters.count - wanted.count) <= limit else { continue }
            let distance = distance(from: wanted, to: letters)
            if distance <= limit { found.append((candidate, distance)) }
        }
        found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return found.prefix(3).map(\.name)
    }

    /// Returns the number of letters that must be inserted, removed, replaced or exchanged with a neighbour.
    private static func distance(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
