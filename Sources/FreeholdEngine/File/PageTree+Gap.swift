extension PageTree {
    /// The entries next to a key that isn't stored.
    struct Gap {
        let below: Entry?
        let above: Entry?

        /// The keys that can't be stored if both entries are sound.
        var keys: ClosedRange<UInt64> {
            let first = below.map { $0.key + 1 } ?? 0
            return first...max(first, above.map { $0.key - 1 } ?? .max)
        }
    }

    /// Returns the entries around a key that `find` doesn't find.
    ///
    /// A lost entry leaves a trace on the path to the key: keys that don't ascend or that are outside the range of the branches above, nodes that
    /// don't fill their page, or an entry beside the gap whose key has changed. The caller detects the last case by the checksum. The reason: if n +
    /// 1 ascending keys replaced n + 1 other keys, and the searched key was lost, one of the neighbours of its place has changed.
    ///
    /// - Throws: an error if the key is stored or a page is damaged.
    /// - Complexity: O(log n) pages, each of which is read completely.
    func gap(at key: UInt64) throws(Damage) -> Gap {
        if isEmpty { return Gap(below: nil, above: nil) }
        guard depth >= 1, depth <= 32 else { throw Damage() }
        /// The pages next to the path on both sides, of the lowest level so far.
        var left: (number: UInt64, level: Int, bounds: Bounds)?
        var right: (number: UInt64, level: Int, bounds: Bounds)?
        var bounds = Bounds(first: 0, end: nil)
        var number = root
        for level in stride(from: depth - 1, to: 0, by: -1) {
            let page = try checkedPage(number, level, bounds: bounds)
            var slot = 0
            while slot + 1 < page.count, try self.key(page, slot + 1) <= key { slot += 1 }
            if slot > 0 {
                left = (try child(page, slot - 1), level - 1, try self.bounds(page, slot - 1, bounds: bounds))
            }
            if slot + 1 < page.count {
                right = (try child(page, slot + 1), level - 1, try self.bounds(page, slot + 1, bounds: bounds))
            }
            number = try child(page, slot)
            bounds = try self.bounds(page, slot, bounds: bounds)
        }
        let page = try checkedPage(number, 0, bounds: bounds)
        var at = 0
        while at < page.count, try self.key(page, at) < key { at += 1 }
        var below: Entry?
        var above: Entry?
        if at > 0 {
            below = try entry(page, at - 1)
        } else if let left {
            below = try edge(left.number, left.level, bounds: left.bounds, isLast: true)
        }
        if at < page.count {
            above = try entry(page, at)
        } else if let right {
            above = try edge(right.number, right.level, bounds: right.bounds, isLast: false)
        }
        if let below, below.key >= key { throw Damage() }
        if let above, above.key <= key { throw Damage() }
        return Gap(below: below, above: above)
    }

    /// The range of keys that a page can have.
    private struct Bounds {
        var first: UInt64
        /// The exclusive end of the range, or `nil` if it is unlimited.
        var end: UInt64?

        func contains(_ key: UInt64) -> Bool { key >= first && end.map { key < $0 } ?? true }
    }

    /// Returns the range of a branch's child.
    private func bounds(_ page: Page, _ slot: Int, bounds: Bounds) throws(Damage) -> Bounds {
        Bounds(
            first: slot > 0 ? try key(page, slot) : bounds.first,
            end: slot + 1 < page.count ? try key(page, slot + 1) : bounds.end
        )
    }

    /// Returns a page whose nodes fill it and whose keys ascend within the bounds.
    private func checkedPage(_ number: UInt64, _ level: Int, bounds: Bounds) throws(Damage) -> Page {
        let page = try page(number, level: level)
        try checkRoom(page, level: level)
        var last: UInt64?
        for i in (level > 0 ? 1 : 0)..<page.count {
            let key = try key(page, i)
            guard bounds.contains(key), last.map({ $0 < key }) ?? true else { throw Damage() }
            last = key
        }
        return page
    }

    private func edge(_ number: UInt64, _ level: Int, bounds: Bounds, isLast: Bool) throws(Damage) -> Entry {
        var number = number
        var bounds = bounds
        for level in stride(from: level, to: 0, by: -1) {
            let page = try checkedPage(number, level, bounds: bounds)
            let slot = isLast ? page.count - 1 : 0
            number = try child(page, slot)
            bounds = try self.bounds(page, slot, bounds: bounds)
        }
        let page = try checkedPage(number, 0, bounds: bounds)
        return try entry(page, isLast ? page.count - 1 : 0)
    }
}

/// Ranges of keys at which a version has no blocks, as found by earlier searches. There is one range for each of a few segments.
struct KnownGaps {
    private static let bits = 6
    private var gaps: [ClosedRange<UInt64>?] = []

    /// Returns a place in the table. The segments of columns begin at multiples of eight, and the product spreads them.
    private static func place(_ segment: UInt32) -> Int {
        let product = UInt64(segment) &* 0x9E37_79B9_7F4A_7C15
        return Int(product >> UInt64(64 - bits))
    }

    /// - Parameter segment: the segment of the requested block.
    func contains(_ key: UInt64, of segment: UInt32) -> Bool {
        !gaps.isEmpty && gaps[Self.place(segment)]?.contains(key) == true
    }

    mutating func insert(_ gap: ClosedRange<UInt64>, of segment: UInt32) {
        if gaps.isEmpty { gaps = Array(repeating: nil, count: 1 << Self.bits) }
        gaps[Self.place(segment)] = gap
    }
}

/// A set of recently inserted keys. It contains the last ones, and some of the others.
struct RecentKeys {
    private static let bits = 6
    private var keys: [UInt64?] = []

    private static func place(_ key: UInt64) -> Int {
        Int((key &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }

    func contains(_ key: UInt64) -> Bool { !keys.isEmpty && keys[Self.place(key)] == key }

    mutating func insert(_ key: UInt64) {
        if keys.isEmpty { keys = Array(repeating: nil, count: 1 << Self.bits) }
        keys[Self.place(key)] = key
    }
}
