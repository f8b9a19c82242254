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

/// Bounds the pages that a write transaction can take from the file's end.
struct PageDemand {
    private(set) var overflowPages = 0
    private var puts = 0
    private var removals = 0
    /// Of removals in the order of keys, and the pages that the tree had before.
    private var swept = 0
    private var sweptPages = 0

    var isEmpty: Bool { puts == 0 && removals == 0 && swept == 0 }

    mutating func notePut(_ size: Int, pageSize: Int) {
        puts += 1
        // From about half a page on LMDB stores a value out of line, behind a page header.
        if size > pageSize / 2 - 64 { overflowPages += (16 + size + pageSize - 1) / pageSize }
    }

    mutating func noteRemoval() { removals += 1 }

    /// Many removals in the order of keys, which copy no page of the tree twice.
    mutating func noteSweep(_ removed: Int, pages: Int) {
        swept += removed
        sweptPages += pages
    }

    /// At least the pages that the transaction has allocated, or will while it commits.
    ///
    /// - Out-of-line values: each put allocates its pages, once.
    /// - The tree: an allocated page either lives in the tree at the end, or was freed by a removal (at most one a
    ///   level); and no put touches or makes more than two a level and one.
    /// - The list of free pages: it is rewritten at most whole, with what this transaction has freed added.
    ///
    /// - Parameters:
    ///   - main: the tree of blocks as it is now.
    ///   - free: the list of free pages as it is now.
    ///   - pages: the file's pages, and those that the transaction has taken.
    /// - Returns: `nil` if the trees say that they have more pages than there are. The numbers come from the file.
    func pageBound(_ main: MDB_stat, free: MDB_stat, of pages: UInt64) -> UInt64? {
        guard let mainPages = Self.treePages(main, of: pages), let freeTree = Self.treePages(free, of: pages),
            free.ms_overflow_pages.asUInt64 <= pages
        else { return nil }
        let depth = Int(main.ms_depth) + 1
        let whole = mainPages + removals * depth + sweptPages
        let touched = (puts + removals) * (2 * depth + 2) + sweptPages
        let freePages = freeTree + Int(free.ms_overflow_pages)
        // Blocks have at most eight pages, and a page of the list holds about 500 page numbers.
        let freed = (puts + removals + swept) * 8 + touched + freePages
        let list = 2 * freePages + freed / 250 + 2 * (Int(free.ms_depth) + 1) + 16
        return UInt64(overflowPages + min(whole, touched) + list)
    }

    private static let maximumDepth = 64
    /// No file has more: then no sum of some such numbers is out of range.
    private static let maximumPages: UInt64 = 1 << 47

    /// More pages than the transaction can have taken so far.
    var takenPages: UInt64 { UInt64(overflowPages + (puts + removals + swept) * 2 * (Self.maximumDepth + 1)) }

    /// Returns the branches and leaves of a tree. Returns `nil` if there can't be so many.
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
/// LMDB doesn't write every page that it takes from the file's end (pages freed in the same transaction), so a
/// healthy file could end before its last page and look truncated. Therefore the file is made long enough before
/// the root that needs it is written: one that is too short really is truncated.
struct FileExtent {
    /// Small commits shall not each change the file's length: the journal of the file system would have to follow.
    static let step: UInt64 = 1 << 20
    /// Beside a commit log, where the file grows until the next checkpoint, and each change of its length would cost as much as
    /// some commits.
    static let loggedStep: UInt64 = 8 << 20

    private let environment: StorageEnvironment
    private let step: UInt64
    private var size: UInt64 = 0

    init(_ environment: StorageEnvironment, isLogged: Bool) {
        self.environment = environment
        step = isLogged ? Self.loggedStep : Self.step
    }

    /// What a commit may leave too much.
    private var tolerance: UInt64 { 2 * step }

    /// Makes room for `pages` more. Holes: it costs no space.
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

    /// Gives back what a commit hasn't used, if it is much.
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
    /// Returns the bytes up to a page, that page, and some behind it. Returns `nil` if no file has so many.
    ///
    /// - Parameter last: the number of the page, from the file.
    func bytes(ofPages pages: UInt64, behind last: some FixedWidthInteger) -> UInt64? {
        let (count, overflows) = last.asUInt64.addingReportingOverflow(1)
        let (sum, sumOverflows) = count.addingReportingOverflow(pages)
        let (bytes, bytesOverflow) = sum.multipliedReportingOverflow(by: UInt64(pageSize))
        return overflows || sumOverflows || bytesOverflow ? nil : bytes
    }

    /// Cuts the file behind its last page where it is longer than a commit without a log would leave it.
    func trimMuch() {
        guard let exact = bytes(ofPages: 0, behind: environmentInfo().me_last_pgno), fileSize > exact else { return }
        if fileSize - exact > 2 * FileExtent.step { trim() }
    }

    /// Cuts the file behind its last page. Under LMDB's own write lock, so that no one can be using what is cut.
    func trim() {
        var transaction: OpaquePointer?
        guard mdb_txn_begin(handle, nil, 0, &transaction) == 0 else { return }
        if let exact = bytes(ofPages: 0, behind: environmentInfo().me_last_pgno), fileSize > exact {
            _ = ftruncate(descriptor, off_t(exact))
        }
        mdb_txn_abort(transaction)
    }

    /// What a failed write means, and whether writing can go on.
    ///
    /// LMDB 0.9.24 leaves an environment usable after everything but a failed write of the root; then it refuses
    /// every new transaction. It reports a partial write as EIO, which is what a full disk gives first; whether it
    /// was one is found by asking for the space. Any other EIO ends writing: what the disk holds isn't known.
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

    /// ENOSPC or its like if the device has no room for so many pages, or `nil` if it has.
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
