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

/// An upper bound of the pages that a write transaction can take from the file's end.
struct PageDemand {
    private(set) var overflowPages = 0
    private var puts = 0
    private var removals = 0
    /// The number of removals in key order, and the number of pages that the tree had before them.
    private var swept = 0
    private var sweptPages = 0

    var isEmpty: Bool { puts == 0 && removals == 0 && swept == 0 }

    mutating func notePut(_ size: Int, pageSize: Int) {
        puts += 1
        // LMDB stores a value of about half a page or more out of line, after a page header.
        if size > pageSize / 2 - 64 { overflowPages += (16 + size + pageSize - 1) / pageSize }
    }

    mutating func noteRemoval() { removals += 1 }

    /// Records removals in key order, which copy each page of the tree at most once.
    mutating func noteSweep(_ removed: Int, pages: Int) {
        swept += removed
        sweptPages += pages
    }

    /// Returns an upper bound of the pages that the transaction has allocated and will allocate during its commit.
    ///
    /// - Out-of-line values: each put allocates its pages once.
    /// - The tree: an allocated page is either part of the tree at the end, or was freed by a removal (at most one for each level). A put touches or
    ///   creates at most two pages for each level, and one more.
    /// - The list of free pages: at most, the whole list is rewritten, with the pages that this transaction has freed.
    ///
    /// - Parameters:
    ///   - main: the present tree of blocks.
    ///   - free: the present list of free pages.
    ///   - pages: the number of the file's pages, including those that the transaction has taken.
    /// - Returns: the bound, or `nil` if the trees state more pages than the file has. These numbers are read from the file and may be damaged.
    func pageBound(_ main: MDB_stat, free: MDB_stat, of pages: UInt64) -> UInt64? {
        guard let mainPages = Self.treePages(main, of: pages), let freeTree = Self.treePages(free, of: pages),
            free.ms_overflow_pages.asUInt64 <= pages
        else { return nil }
        let depth = Int(main.ms_depth) + 1
        let whole = mainPages + removals * depth + sweptPages
        let touched = (puts + removals) * (2 * depth + 2) + sweptPages
        let freePages = freeTree + Int(free.ms_overflow_pages)
        // A block has at most eight pages, and a page of the list contains about 500 page numbers.
        let freed = (puts + removals + swept) * 8 + touched + freePages
        let list = 2 * freePages + freed / 250 + 2 * (Int(free.ms_depth) + 1) + 16
        return UInt64(overflowPages + min(whole, touched) + list)
    }

    private static let maximumDepth = 64
    /// The maximum number of a file's pages. With this limit, sums of a few such numbers don't overflow.
    private static let maximumPages: UInt64 = 1 << 47

    /// An upper bound of the pages that the transaction has taken so far.
    var takenPages: UInt64 { UInt64(overflowPages + (puts + removals + swept) * 2 * (Self.maximumDepth + 1)) }

    /// Returns the number of branch pages and leaf pages of a tree. Returns `nil` if the number is impossible.
    static func treePages(_ tree: MDB_stat, of pages: UInt64) -> Int? {
        let (branches, leaves) = (tree.ms_branch_pages.asUInt64, tree.ms_leaf_pages.asUInt64)
        guard pages <= maximumPages, branches <= pages, leaves <= pages, tree.ms_depth <= maximumDepth else {
            return nil
        }
        return Int(branches + leaves)
    }
}

/// The length of the data file around a commit.
///
/// LMDB doesn't write every page that it takes from the file's end (such as pages that the same transaction frees). A healthy file could therefore
/// end before its last page and look truncated. To prevent this, the file is extended before the root that needs the length is written. A file that
/// is too short is then known to be truncated.
struct FileExtent {
    /// The step by which the file grows, so that not every small commit changes its length. Each change also changes the journal of the file system.
    static let step: UInt64 = 1 << 20
    /// The step for files with a commit log. The file grows until the next checkpoint, and each change of its length would cost as much as several
    /// commits.
    static let loggedStep: UInt64 = 8 << 20

    private let environment: StorageEnvironment
    private let step: UInt64
    private var size: UInt64 = 0

    init(_ environment: StorageEnvironment, isLogged: Bool) {
        self.environment = environment
        step = isLogged ? Self.loggedStep : Self.step
    }

    /// The number of excess bytes that a commit may leave.
    private var tolerance: UInt64 { 2 * step }

    /// Extends the file by `pages` pages. The extension is a hole, which doesn't occupy disk space.
    mutating func cover(_ pages: UInt64) throws(EngineError) {
        if let code = environment.options.faults?.error(at: .extend), code != 0 {
            throw environment.error(code, "The file can't grow.")
        }
        size = environment.fileSize
        guard let needed = environment.bytes(ofPages: pages, behind: environment.environmentInfo().me_last_pgno),
            needed <= UInt64(off_t.max) - step
        else { throw Damage.error("its root says that there are more pages than it has", path: environment.path) }
        guard size < needed else { return }
        for target in [needed + step, needed] {
            if ftruncate(environment.descriptor, off_t(target)) == 0 {
                size = target
                return
            }
        }
        throw environment.error(errno, "The file can't grow.")
    }

    /// Truncates the file if a commit has left many bytes unused.
    func settle(pages: UInt64) {
        let exact = pages * UInt64(environment.pageSize)
        assert(size >= exact, "A commit took more pages than were bounded.")
        if size < exact {
            _ = ftruncate(environment.descriptor, off_t(exact))
        } else if size > exact + tolerance {
            environment.trim()
        }
    }
}

extension StorageEnvironment {
    /// Returns the number of bytes up to and including a page, and of some pages after it. Returns `nil` if the number exceeds the possible size of
    /// a file.
    ///
    /// - Parameter last: the number of the page, which is read from the file.
    func bytes(ofPages pages: UInt64, behind last: some FixedWidthInteger) -> UInt64? {
        let (count, overflows) = last.asUInt64.addingReportingOverflow(1)
        let (sum, sumOverflows) = count.addingReportingOverflow(pages)
        let (bytes, bytesOverflow) = sum.multipliedReportingOverflow(by: UInt64(pageSize))
        return overflows || sumOverflows || bytesOverflow ? nil : bytes
    }

    /// Truncates the file after its last page if it is longer than a commit without a log would leave it.
    func trimMuch() {
        guard let exact = bytes(ofPages: 0, behind: environmentInfo().me_last_pgno), fileSize > exact else { return }
        if fileSize - exact > 2 * FileExtent.step { trim() }
    }

    /// Truncates the file after its last page. It holds LMDB's own write lock, so that the removed part isn't in use.
    func trim() {
        var transaction: OpaquePointer?
        guard mdb_txn_begin(handle, nil, 0, &transaction) == 0 else { return }
        if let exact = bytes(ofPages: 0, behind: environmentInfo().me_last_pgno), fileSize > exact {
            _ = ftruncate(descriptor, off_t(exact))
        }
        mdb_txn_abort(transaction)
    }

    /// Returns the error for a failed write, and determines whether further writes are possible.
    ///
    /// LMDB 0.9.24 leaves an environment usable after all failures except a failed write of the root. After that, it refuses every new transaction.
    /// LMDB reports a partial write as EIO, which is also the first result of a full disk. The function tests for a full disk by allocating the
    /// space. Any other EIO ends all writing, because it is unknown what the disk contains.
    func diagnose(_ code: Int32, _ message: String, pages: Int) -> EngineError {
        let result = error(code, message)
        var transaction: OpaquePointer?
        let state = options.faults?.error(at: .root) ?? 0
        let isFatal =
            state == MDB_PANIC || code == MDB_PANIC || mdb_txn_begin(handle, nil, 0, &transaction) == MDB_PANIC
        defer { if transaction != nil { mdb_txn_abort(transaction) } }
        if isFatal {
            return markedFailed(result, isFatal: true)
        }
        guard code == EIO else { return result }
        if transaction != nil, let full = spaceError(pages: pages) {
            return error(full, message)
        }
        return markedFailed(result, isFatal: false)
    }

    private func markedFailed(_ reason: EngineError, isFatal: Bool) -> EngineError {
        markFailed(reason, isFatal: isFatal)
        return EngineError(
            .environmentFailed,
            "\(reason.message) Nothing more is written: close the file in this process and reopen it.",
            path: path,
            underlying: reason.underlying
        )
    }

    /// Returns ENOSPC or a similar error if the device doesn't have space for the pages, or `nil` if it has.
    private func spaceError(pages: Int) -> Int32? {
        #if canImport(Glibc) || canImport(Musl)
            let size = fileSize
            let code = posix_fallocate(descriptor, off_t(size), off_t(max(1, pages) * pageSize))
            _ = ftruncate(descriptor, off_t(size))
            if code == 0 { return nil }
            if EngineError.isDiskFull(code) { return code }
        #endif
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) < UInt64(max(1, pages) * pageSize) ? ENOSPC : nil
    }
}
