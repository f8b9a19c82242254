import CFreeholdLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A second map of the data file, in addition to LMDB's map. LMDB follows the numbers in its pages without checking them, and doesn't reveal the
/// address of its own map. The map only takes address space, because the pages are shared.
final class PageMap: Sendable {
    nonisolated(unsafe) let start: UnsafeRawPointer
    let size: Int
    let pageSize: Int

    /// Returns `nil` if the map can't be created. In this case, LMDB's pages aren't checked.
    init?(_ descriptor: Int32, size: Int, pageSize: Int) {
        guard size > 0, let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            return nil
        }
        self.start = UnsafeRawPointer(start)
        self.size = size
        self.pageSize = pageSize
    }

    /// Removes the file's pages from this process's memory. The system loads pages again when they are read.
    func release() { madvise(UnsafeMutableRawPointer(mutating: start), size, MADV_DONTNEED) }

    deinit { munmap(UnsafeMutableRawPointer(mutating: start), size) }

    /// The two trees of LMDB in a version.
    struct Trees: Sendable {
        let free: PageTree
        let main: PageTree
    }

    /// - Returns: the trees, or `nil` if later versions have replaced the root of that version.
    func trees(ofVersion version: UInt64) -> Trees? {
        let meta = start + Int(version & 1) * pageSize + 16
        func word(_ offset: Int) -> UInt64 { meta.load(fromByteOffset: offset, as: UInt64.self) }
        func tree(_ offset: Int, _ lastPage: UInt64) -> PageTree {
            PageTree(
                map: self,
                root: word(offset + 40),
                depth: Int(meta.load(fromByteOffset: offset + 6, as: UInt16.self)),
                pageCount: lastPage &+ 1,
                stated: PageTree.Stated(
                    branchPages: word(offset + 8),
                    leafPages: word(offset + 16),
                    overflowPages: word(offset + 24),
                    entries: word(offset + 32)
                )
            )
        }
        guard word(128) == version else { return nil }
        let lastPage = word(120)
        let trees = Trees(free: tree(24, lastPage), main: tree(72, lastPage))
        return word(128) == version ? trees : nil
    }
}

/// One of LMDB's trees in a version, read without LMDB. Every number is checked before it is used.
///
/// ```
/// page:      u64 its number, u16 zero, u16 flags (1 branch, 2 leaf, 4 out of line), u16 lower, u16 upper, u16 × n: where
///            its nodes are, up to `lower`; the nodes, from `upper` on
/// node:      u16, u16, u16, u16 bytes of the key (8, of a branch's first node 0), the key
///            branch: the first three are the child's number
///            leaf: the first two are the value's size, the third is 1 where the value is a page's number
/// out of line: u64 its number, u16 zero, u16 4, u32 pages, then the value
/// ```
struct PageTree: Sendable {
    /// An error for bytes that LMDB wouldn't write.
    struct Damage: Error {}

    private let map: PageMap
    let root: UInt64
    let depth: Int
    let pageCount: UInt64
    let stated: Stated

    /// The sizes of the tree, as stated in its root. LMDB only adds to these numbers and subtracts from them.
    struct Stated: Sendable {
        let branchPages: UInt64
        let leafPages: UInt64
        /// The pages of out-of-line values.
        let overflowPages: UInt64
        let entries: UInt64

        /// The number of branch pages and leaf pages. The value is `nil` if the number is impossible.
        var treePages: UInt64? {
            let (sum, overflows) = branchPages.addingReportingOverflow(leafPages)
            return overflows ? nil : sum
        }

        /// The number of all pages of the tree. The value is `nil` if the number is impossible.
        var allPages: UInt64? {
            guard let treePages else { return nil }
            let (sum, overflows) = treePages.addingReportingOverflow(overflowPages)
            return overflows ? nil : sum
        }
    }

    init(
        map: PageMap,
        root: UInt64,
        depth: Int,
        pageCount: UInt64,
        stated: Stated
    ) {
        self.map = map
        self.root = root
        self.depth = depth
        self.pageCount = pageCount
        self.stated = stated
    }

    private static let noPage = UInt64.max
    private static let maximumDepth = 32
    private static let headerSize = 16
    private static let nodeSize = 8
    static let keySize = 8

    var pageSize: Int { map.pageSize }
    var mappedPages: UInt64 { UInt64(map.size / pageSize) }
    var isEmpty: Bool { root == Self.noPage }

    struct Page {
        let start: UnsafeRawPointer
        let upper: Int
        let count: Int
    }

    /// A value. Its bytes are in a leaf, or out of line in a range of pages.
    struct Entry {
        let key: UInt64
        let bytes: UnsafeRawBufferPointer
        let pages: Range<UInt64>
    }

    private func start(_ number: UInt64, pages: UInt64) throws(Damage) -> UnsafeRawPointer {
        guard number > 1, number < pageCount, pages >= 1, pages <= pageCount - number,
            pageCount <= mappedPages
        else { throw Damage() }
        return map.start + Int(number) * pageSize
    }

    /// - Parameter level: the level of the page, which is 0 for leaves.
    func page(_ number: UInt64, level: Int) throws(Damage) -> Page {
        let start = try start(number, pages: 1)
        let flags = start.load(fromByteOffset: 10, as: UInt16.self)
        let lower = Int(start.load(fromByteOffset: 12, as: UInt16.self))
        let upper = Int(start.load(fromByteOffset: 14, as: UInt16.self))
        guard start.load(as: UInt64.self) == number, flags == (level == 0 ? 2 : 1), lower & 1 == 0,
            lower > Self.headerSize, lower <= upper, upper <= pageSize
        else { throw Damage() }
        return Page(start: start, upper: upper, count: (lower - Self.headerSize) >> 1)
    }

    private func node(_ page: Page, _ i: Int, keySize: Int = keySize) throws(Damage) -> Int {
        let at = Int(page.start.load(fromByteOffset: Self.headerSize + 2 * i, as: UInt16.self))
        guard at >= page.upper, at & 1 == 0, at + Self.nodeSize + keySize <= pageSize,
            Int(page.start.load(fromByteOffset: at + 6, as: UInt16.self)) == keySize
        else { throw Damage() }
        return at
    }

    /// Returns the offset of a branch's node. The first node doesn't need a key. It has one only if it was at another position before.
    private func branchNode(_ page: Page, _ i: Int) throws(Damage) -> Int {
        if i > 0 { return try node(page, i) }
        do throws(Damage) { return try node(page, i, keySize: 0) } catch { return try node(page, i) }
    }

    /// Returns the number of bytes that a node takes in its page.
    func size(_ page: Page, _ i: Int, level: Int) throws(Damage) -> Int {
        if level > 0 {
            let at = try branchNode(page, i)
            return Self.nodeSize + Int(page.start.load(fromByteOffset: at + 6, as: UInt16.self))
        }
        let entry = try entry(page, i, isFollowed: false)
        let size = Self.nodeSize + Self.keySize + (entry.pages.isEmpty ? entry.bytes.count : 8)
        return (size + 1) & ~1
    }

    func key(_ page: Page, _ i: Int) throws(Damage) -> UInt64 {
        let at = try node(page, i)
        return (page.start + at + Self.nodeSize).loadUnaligned(as: UInt64.self)
    }

    func child(_ page: Page, _ i: Int) throws(Damage) -> UInt64 {
        let at = page.start + (try branchNode(page, i))
        return UInt64(at.load(as: UInt16.self)) | UInt64(at.load(fromByteOffset: 2, as: UInt16.self)) << 16
            | UInt64(at.load(fromByteOffset: 4, as: UInt16.self)) << 32
    }

    /// - Parameter isFollowed: whether an out-of-line value is examined. If it is false, the result has the minimum number of pages of the value.
    func entry(_ page: Page, _ i: Int, isFollowed: Bool = true) throws(Damage) -> Entry {
        let at = try node(page, i)
        let node = page.start + at
        let size = Int(node.load(as: UInt16.self)) | Int(node.load(fromByteOffset: 2, as: UInt16.self)) << 16
        let key = (node + Self.nodeSize).loadUnaligned(as: UInt64.self)
        let value = node + Self.nodeSize + Self.keySize
        let room = pageSize - at - Self.nodeSize - Self.keySize
        switch node.load(fromByteOffset: 4, as: UInt16.self) {
        case 0:
            guard size <= room, size < DirectoryChunk.inPageLimit || pageSize != BlockLimits.pageSize else {
                throw Damage()
            }
            return Entry(key: key, bytes: UnsafeRawBufferPointer(start: value, count: size), pages: 0..<0)
        case 1:
            guard room >= 8 else { throw Damage() }
            let number = value.loadUnaligned(as: UInt64.self)
            let wanted = UInt64((Self.headerSize + size + pageSize - 1) / pageSize)
            let start = try start(number, pages: wanted)
            let bytes = UnsafeRawBufferPointer(start: start + Self.headerSize, count: size)
            guard isFollowed else { return Entry(key: key, bytes: bytes, pages: number..<number + wanted) }
            let pages = UInt64(start.load(fromByteOffset: 12, as: UInt32.self))
            guard start.load(as: UInt64.self) == number, start.load(fromByteOffset: 10, as: UInt16.self) == 4,
                pages >= wanted, pages <= pageCount - number
            else { throw Damage() }
            return Entry(key: key, bytes: bytes, pages: number..<number + pages)
        default: throw Damage()
        }
    }

    /// Returns the last child whose range of keys begins at or below the key.
    func slot(_ page: Page, of key: UInt64) throws(Damage) -> Int {
        var low = 1
        var high = page.count
        while low < high {
            let middle = (low + high) >> 1
            if try self.key(page, middle) <= key { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    private func lowerBound(_ page: Page, _ key: UInt64) throws(Damage) -> Int {
        var low = 0
        var high = page.count
        while low < high {
            let middle = (low + high) >> 1
            if try self.key(page, middle) < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func checkDepth() throws(Damage) {
        guard depth >= 1, depth <= Self.maximumDepth else { throw Damage() }
    }

    /// Returns the entry of a key, or `nil` if the key is missing.
    /// - Complexity: O(log n)
    func find(_ key: UInt64) throws(Damage) -> Entry? {
        if isEmpty { return nil }
        try checkDepth()
        var number = root
        var level = depth - 1
        while level > 0 {
            let page = try page(number, level: level)
            number = try child(page, slot(page, of: key))
            level -= 1
        }
        return try find(key, inLeaf: number)
    }

    /// A leaf of the tree, and the range of keys that belong to it.
    struct LeafPlace: Sendable {
        let number: UInt64
        let first: UInt64
        /// The exclusive end of the keys, or `nil` for the tree's last leaf.
        let end: UInt64?

        var keys: ClosedRange<UInt64> { first...max(first, end.map { max($0, 1) - 1 } ?? .max) }
    }

    /// Returns the leaf to which a key belongs, whether or not the key is stored. Returns `nil` if the tree is empty.
    /// - Complexity: O(log n)
    func leaf(of key: UInt64) throws(Damage) -> LeafPlace? {
        if isEmpty { return nil }
        try checkDepth()
        var number = root
        var first: UInt64 = 0
        var end: UInt64?
        for level in stride(from: depth - 1, to: 0, by: -1) {
            let page = try page(number, level: level)
            let slot = try slot(page, of: key)
            if slot > 0 { first = try self.key(page, slot) }
            if slot + 1 < page.count { end = try self.key(page, slot + 1) }
            number = try child(page, slot)
        }
        return LeafPlace(number: number, first: first, end: end)
    }

    /// - Parameter number: the leaf to which the key belongs.
    func find(_ key: UInt64, inLeaf number: UInt64) throws(Damage) -> Entry? {
        let page = try page(number, level: 0)
        let at = try lowerBound(page, key)
        guard at < page.count else { return nil }
        let entry = try entry(page, at)
        return entry.key == key ? entry : nil
    }

    /// Returns the greatest key that is less than a key.
    /// - Complexity: O(log n)
    func last(below key: UInt64) throws(Damage) -> UInt64? {
        if isEmpty || key == 0 { return nil }
        try checkDepth()
        return try last(below: key, root, depth - 1)
    }

    private func last(below key: UInt64, _ number: UInt64, _ level: Int) throws(Damage) -> UInt64? {
        let page = try page(number, level: level)
        guard level > 0 else {
            let at = try lowerBound(page, key)
            return at > 0 ? try self.key(page, at - 1) : nil
        }
        let slot = try slot(page, of: key - 1)
        if let found = try last(below: key, child(page, slot), level - 1) { return found }
        // The first entry of a leaf may have been removed since the leaf was split from the one before. In this case, all keys in the leaf are
        // greater.
        if slot == 0 { return nil }
        guard let found = try last(below: key, child(page, slot - 1), level - 1) else { throw Damage() }
        return found
    }

    /// Calls `body` with the chosen entries from a key on, in ascending order of keys, until `body` returns false.
    func forEach(
        from key: UInt64 = 0,
        _ choice: (UInt64) -> KeyChoice = { _ in .take },
        _ body: (Entry) -> Bool
    ) throws(Damage) {
        if isEmpty { return }
        try checkDepth()
        var last: UInt64?
        _ = try walk(root, depth - 1, key: key, last: &last, choice: choice, body: body)
    }

    private func walk(
        _ number: UInt64,
        _ level: Int,
        key: UInt64,
        last: inout UInt64?,
        choice: (UInt64) -> KeyChoice,
        body: (Entry) -> Bool
    ) throws(Damage) -> Bool {
        let page = try page(number, level: level)
        guard level > 0 else {
            for i in try lowerBound(page, key)..<page.count {
                let found = try self.key(page, i)
                // If the keys didn't ascend, a caller that continues after the last key could loop forever.
                if let last, found <= last { throw Damage() }
                last = found
                switch choice(found) {
                case .end: return false
                case .pass: continue
                case .take: if try !body(entry(page, i)) { return false }
                }
            }
            return true
        }
        for i in try slot(page, of: key)..<page.count {
            if try !walk(child(page, i), level - 1, key: key, last: &last, choice: choice, body: body) { return false }
        }
        return true
    }
}

extension PageTree {
    /// Returns the number of the page that contains the bytes of an entry, or `nil` if they aren't in the map.
    func pageNumber(of bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard let start = bytes.baseAddress else { return nil }
        let offset = start - map.start
        return offset >= 0 && offset < map.size ? UInt64(offset / map.pageSize) : nil
    }
}
