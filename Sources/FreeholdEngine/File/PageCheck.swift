/// Checks pages as a whole before LMDB changes them: it follows what stands in them, and stops the process, or corrupts
/// its memory, where they are damaged.
struct PageCheck {
    typealias Damage = PageTree.Damage

    let trees: PageMap.Trees
    /// Pages that something refers to.
    private var used = PageSet()
    /// Whether values out of line are looked at.
    private var isThorough = false
    private(set) var problems: [String] = []
    private var checkedLeaf: CheckedLeaf?
    /// Whether all has been looked at.
    var isWhole = false

    /// Trees of more pages aren't checked as a whole before the first write: reading them could take long.
    static let pagesBeforeWriting: UInt64 = 4096

    init(_ trees: PageMap.Trees) { self.trees = trees }

    // MARK: The whole

    /// Every page, its entries' order, the lists of free pages, and that no page is used twice.
    mutating func checkAll(isThorough: Bool = true) {
        self.isThorough = isThorough
        do throws(Damage) {
            try check(trees.main, "its tree of blocks") { (_, _) throws(Damage) in }
            try checkFreePages()
        } catch {
            if problems.isEmpty { problems.append("a page can't be read") }
        }
    }

    /// Every page that leads to blocks.
    mutating func checkBlockPages() {
        do throws(Damage) { try check(trees.main, "its tree of blocks") { (_, _) throws(Damage) in } } catch {}
    }

    private mutating func check(
        _ tree: PageTree,
        _ name: String,
        _ body: (inout PageCheck, PageTree.Entry) throws(Damage) -> Void
    ) throws(Damage) {
        if tree.isEmpty { return }
        var entries: UInt64 = 0
        var pages: UInt64 = 0
        do throws(Damage) {
            guard tree.depth >= 1, tree.depth <= 32 else { throw Damage() }
            var last: UInt64?
            try visit(tree, tree.root, tree.depth - 1, &last, &entries, &pages, body)
            guard entries == tree.statedEntries, pages == tree.statedPages else { throw Damage() }
        } catch {
            problems.append("\(name) can't be read or has other pages than its root says")
            throw error
        }
    }

    private mutating func take(_ pages: Range<UInt64>) throws(Damage) {
        for page in pages where !used.insert(page) { throw Damage() }
    }

    private mutating func visit(
        _ tree: PageTree,
        _ number: UInt64,
        _ level: Int,
        _ last: inout UInt64?,
        _ entries: inout UInt64,
        _ pages: inout UInt64,
        _ body: (inout PageCheck, PageTree.Entry) throws(Damage) -> Void
    ) throws(Damage) {
        try take(number..<number + 1)
        pages += 1
        let page = try tree.page(number, level: level)
        try tree.checkRoom(page, level: level)
        for i in 0..<page.count {
            if level > 0 {
                // A separator is above all before it, and at or below all behind it.
                if i > 0 {
                    let key = try tree.key(page, i)
                    if let last, last >= key { throw Damage() }
                    let before = last
                    last = key == 0 ? nil : key - 1
                    if let before, let last, before > last { throw Damage() }
                }
                try visit(tree, try tree.child(page, i), level - 1, &last, &entries, &pages, body)
            } else {
                let entry = try tree.entry(page, i, isFollowed: isThorough)
                if let last, entry.key <= last { throw Damage() }
                last = entry.key
                entries += 1
                try take(entry.pages)
                try body(&self, entry)
            }
        }
    }

    /// Free pages: `u64 n`, then n numbers that fall; there can be room behind them.
    private mutating func checkFreePages() throws(Damage) {
        let count = trees.main.pageCount
        try check(trees.free, "its list of free pages") { (check, entry) throws(Damage) in
            let numbers = try Self.freePages(entry, below: count)
            for number in numbers where !check.used.insert(number) { throw Damage() }
        }
    }

    static func freePages(_ entry: PageTree.Entry, below count: UInt64) throws(Damage) -> [UInt64] {
        guard entry.bytes.count >= 8, entry.bytes.count % 8 == 0 else { throw Damage() }
        let n = entry.bytes.loadUnaligned(as: UInt64.self)
        guard n < UInt64(entry.bytes.count / 8) else { throw Damage() }
        var last = count
        var numbers: [UInt64] = []
        for i in 0..<Int(n) {
            let number = entry.bytes.loadUnaligned(fromByteOffset: 8 * (i + 1), as: UInt64.self)
            guard number > 1, number < last else { throw Damage() }
            last = number
            numbers.append(number)
        }
        return numbers
    }

    // MARK: Before writing

    /// The list of free pages, and the tree of blocks unless it is large.
    mutating func checkBeforeWriting() {
        if trees.main.statedPages <= Self.pagesBeforeWriting {
            isWhole = true
            checkAll(isThorough: false)
        } else {
            do throws(Damage) { try checkFreePages() } catch {}
        }
    }

    /// The leaf that the key of the last check is in, or would be, and the keys whose leaf it is.
    private struct CheckedLeaf {
        let number: UInt64
        var first: UInt64 = 0
        /// Above the last one; nil for the tree's last leaf.
        var end: UInt64?

        func holds(_ key: UInt64) -> Bool { first <= key && end.map { key < $0 } ?? true }
    }

    /// The pages that a change of a key can come by in a tree that wasn't checked as a whole: those that lead to it, and
    /// their neighbours, which LMDB may join them with.
    ///
    /// What the key has now is freed by as many pages as its first one says.
    ///
    /// - Complexity: O(log n); less for a key in the leaf of the one before.
    mutating func isSound(_ key: UInt64) -> Bool {
        let tree = trees.main
        if tree.isEmpty { return true }
        do throws(Damage) {
            let leaf: CheckedLeaf
            if let checkedLeaf, checkedLeaf.holds(key) { leaf = checkedLeaf } else { leaf = try checkWay(to: key) }
            _ = try tree.find(key, inLeaf: leaf.number)
            checkedLeaf = leaf
            return true
        } catch {
            return false
        }
    }

    private mutating func checkWay(to key: UInt64) throws(Damage) -> CheckedLeaf {
        let tree = trees.main
        try tree.checkDepth()
        var leaf = CheckedLeaf(number: tree.root)
        for level in stride(from: tree.depth - 1, through: 0, by: -1) {
            if !isWhole { try checkOnce(leaf.number, level) }
            guard level > 0 else { break }
            let page = try tree.page(leaf.number, level: level)
            let slot = try tree.slot(page, of: key)
            let first = slot > 0 ? try tree.key(page, slot) : leaf.first
            let end = slot + 1 < page.count ? try tree.key(page, slot + 1) : leaf.end
            if !isWhole {
                for i in max(slot - 1, 0)..<min(slot + 2, page.count) {
                    try checkOnce(try tree.child(page, i), level - 1)
                }
            }
            leaf = CheckedLeaf(number: try tree.child(page, slot), first: first, end: end)
        }
        return leaf
    }

    private mutating func checkOnce(_ number: UInt64, _ level: Int) throws(Damage) {
        guard used.insert(number) else { return }
        let tree = trees.main
        let page = try tree.page(number, level: level)
        try tree.checkRoom(page, level: level)
        var last: UInt64?
        for i in 0..<page.count {
            if level > 0 { _ = try tree.page(try tree.child(page, i), level: level - 1) }
            guard i > 0 || level == 0 else { continue }
            let key = try tree.key(page, i)
            if let last, key <= last { throw Damage() }
            last = key
        }
    }
}

extension PageTree {
    /// The nodes fill the page from `upper` to its end: LMDB moves them by what it takes for their sizes.
    func checkRoom(_ page: Page, level: Int) throws(Damage) {
        var total = 0
        for i in 0..<page.count { total += try size(page, i, level: level) }
        guard page.upper + total == pageSize else { throw Damage() }
    }
}

/// Numbers of pages, a bit each.
private struct PageSet {
    private var words: [UInt64] = []

    /// - Returns: false where it was there.
    mutating func insert(_ page: UInt64) -> Bool {
        let word = Int(page >> 6)
        if word >= words.count {
            words.append(contentsOf: repeatElement(0, count: max(word + 1, words.count * 2) - words.count))
        }
        let bit: UInt64 = 1 << (page & 63)
        defer { words[word] |= bit }
        return words[word] & bit == 0
    }
}
