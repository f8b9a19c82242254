/// The last entries of a sequence, up to a number. Each entry has a number that increases by one.
struct Ring<Entry: Sendable>: Sendable {
    private let most: Int
    private var entries: [Entry] = []
    /// The index of the oldest entry, once the ring is full.
    private var start = 0
    /// The number of the next entry. Numbers begin at 1.
    private(set) var next: UInt64 = 1

    /// - Parameter most: The number of entries that are kept, at least 1.
    init(most: Int) {
        precondition(most > 0, "A ring has room for an entry.")
        self.most = most
    }

    var count: Int { entries.count }
    /// The number of the oldest entry.
    var first: UInt64 { next - UInt64(entries.count) }

    /// Adds an entry, in place of the oldest one if the ring is full.
    ///
    /// - Complexity: O(1)
    mutating func append(_ entry: Entry) {
        next += 1
        guard entries.count == most else { return entries.append(entry) }
        entries[start] = entry
        start = (start + 1) % most
    }

    /// Returns the entry of a number. Returns `nil` for an entry that isn't kept.
    subscript(number: UInt64) -> Entry? {
        guard number >= first, number < next else { return nil }
        return entries[(start + Int(number - first)) % entries.count]
    }

    /// Returns entries that fulfil a condition, the newest first.
    ///
    /// - Parameters:
    ///   - before: The number before which the entries are, or `nil` for the newest ones.
    ///   - limit: The maximum number of entries.
    /// - Complexity: O(entries that are examined)
    func newest(
        before: UInt64?,
        limit: Int,
        where isWanted: (Entry) -> Bool = { _ in true }
    ) -> [(number: UInt64, entry: Entry)] {
        var (found, number) = ([(number: UInt64, entry: Entry)](), min(before ?? next, next))
        while number > first, found.count < limit {
            number -= 1
            guard let entry = self[number], isWanted(entry) else { continue }
            found.append((number, entry))
        }
        return found
    }
}
