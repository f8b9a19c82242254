/// A check of complete pages before LMDB changes them. LMDB trusts their content, and a damaged page can end the process or corrupt its memory.
struct PageCheck {
    typealias Damage = PageTree.Damage

    let trees: PageMap.Trees
    /// The pages that are referred to.
    private var used = PageSet()
    /// A Boolean value that indicates whether out-of-line values are examined.
    private var isThorough = false
    private(set) var problems: [String] = []
    private var checkedLeaf: CheckedLeaf?
    /// A Boolean value that indicates whether all pages have been examined.
    var isWhole = false

    /// The maximum number of a tree's pages for a complete check before the first write. Reading a larger tree could take long.
    static let pagesBeforeWriting: UInt64 = 4096

    init(_ trees: PageMap.Trees) { self.trees = trees }

    // MARK: Complete check

    /// Checks every page, the order of its entries, and the lists of free pages, and that no page is used twice.
    mutating func checkAll(isThorough: Bool = true) {
        self.isThorough = isThorough
        do throws(Damage) {
            try check(trees.main, "its tree of blocks") { (_, _) throws(Damage) in }
            try checkFreePages()
        } catch {
            if problems.isEmpty { problems.append("a page can't be read") }
        }
    }

    /// Checks every page that leads to blocks.
    mutating func checkBlockPages() {
        do throws(Damage) { try check(trees.main, "its tree of blocks") { (_, _) throws(Damage) in } } catch {}
    }

    private mutating func check(
        _ tree: PageTree,
        _ name: String,
        body: (inout PageCheck, PageTree.Entry) throws(Damage) -> Void
    ) throws(Damage) {
        do throws(Damage) {
            try tree.checkStated()
            if tree.isEmpty { return }
            var count = Count()
            try visit(tree, tree.root, level: tree.depth - 1, count: &count, body: body)
            guard count.entries == tree.stated.entries, count.pages == tree.stated.treePages else { throw Damage() }
            // A value that wasn't examined can have more pages than it needs.
            guard
                isThorough
                    ? count.overflowPages == tree.stated.overflowPages
                    : count.overflowPages <= tree.stated.overflowPages
            else { throw Damage() }
        } catch {
            problems.append("\(name) can't be read or has other pages than its root says")
            throw error
        }
    }

    /// The counts from a walk through a tree.
    private struct Count {
        var entries: UInt64 = 0
        var pages: UInt64 = 0
        var overflowPages: UInt64 = 0
        /// The greatest key so far.
        var last: UInt64?
    }

    private mutating func take(_ pages: Range<UInt64>) throws(Damage) {
        for page in pages where !used.insert(page) { throw Damage() }
    }

    private mutating func visit(
        _ tree: PageTree,
        _ number: UInt64,
        level: Int,
        count: inout Count,
        body: (inout PageCheck, PageTree.Entry) throws(Damage) -> Void
    ) throws(Damage) {
        try take(number..<number + 1)
        count.pages += 1
        let page = try tree.page(number, level: level)
        try tree.checkRoom(page, level: level)
        for i in 0..<page.count {
            if level > 0 {
                // A separator is greater than all keys before it, and at most equal to the keys after it.
                if i > 0 {
                    let key = try tree.key(page, i)
                    if let last = count.last, last >= key { throw Damage() }
                    let before = count.last
                    count.last = key == 0 ? nil : key - 1
                    if let before, let last = count.last, before > last { throw Damage() }
                }
                try visit(tree, try tree.child(page, i), level: level - 1, count: &count, body: body)
            } else {
                let entry = try tree.entry(page, i, isFollowed: isThorough)
                if let last = count.last, entry.key <= last { throw Damage() }
                count.last = entry.key
                count.entries += 1
                count.overflowPages += UInt64(entry.pages.count)
                try take(entry.pages)
                try body(&self, entry)
            }
        }
    }

    /// Checks the free pages: `u64 n`, followed by n numbers in descending order. Unused bytes may follow.
    private mutating func checkFreePages() throws(Damage) {
        let count = trees.main.pageCount
        // The list has few values. They are always examined, so that their pages can be counted.
        let wasThorough = isThorough
        isThorough = true
        defer { isThorough = wasThorough }
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

    /// Checks the list of free pages, and the tree of blocks unless it is large.
    mutating func checkBeforeWriting() {
        do throws(Damage) {
            // The bounds of a transaction's needs are calculated from these numbers.
            try trees.main.checkStated()
            try trees.free.checkStated()
        } catch {
            problems.append("its root says that there are more pages than it has")
            return
        }
        if trees.main.stated.treePages! <= Self.pagesBeforeWriting {
            isWhole = true
            checkAll(isThorough: false)
        } else {
            do throws(Damage) { try checkFreePages() } catch {}
        }
    }

    /// The leaf of the last checked key, and the range of keys that belong to the leaf.
    private struct CheckedLeaf {
        let number: UInt64
        var first: UInt64 = 0
        /// The exclusive end of the keys, or `nil` for the tree's last leaf.
        var end: UInt64?

        func holds(_ key: UInt64) -> Bool { first <= key && end.map { key < $0 } ?? true }
    }

    /// Returns whether a change of the key is safe in a tree that wasn't checked completely. It checks the pages that a change can touch: those that
    /// lead to the key, and their neighbours, which LMDB may merge with them.
    ///
    /// The old value's first page states how many pages the change frees.
    ///
    /// - Complexity: O(log n), or less if the key is in the leaf of the previous key.
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
    /// Throws an error if the root states more pages or entries for its tree than the file can have, or an impossible depth.
    func checkStated() throws(Damage) {
        guard let all = stated.allPages, all < pageCount, pageCount <= mappedPages,
            stated.entries / UInt64(pageSize) < pageCount
        else { throw Damage() }
        if isEmpty {
            guard all == 0, stated.entries == 0, depth == 0 else { throw Damage() }
        } else {
            guard stated.leafPages > 0, stated.entries > 0 else { throw Damage() }
            try checkDepth()
        }
    }

    /// Checks that the nodes fill the page from `upper` to its end. LMDB moves nodes by the sizes that they state.
    func checkRoom(_ page: Page, level: Int) throws(Damage) {
        var total = 0
        for i in 0..<page.count { total += try size(page, i, level: level) }
        guard page.upper + total == pageSize else { throw Damage() }
    }
}

/// A set of page numbers, as a bitmap.
private struct PageSet {
    private var words: [UInt64] = []

    /// - Returns: false if the set already contains the page.
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
