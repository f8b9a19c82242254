import Foundation
import FreeholdEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file without a name for data that an import doesn't keep in memory: blocks of keys. It is created with the first
/// block, and deleted at the end of the process. Its data is read through a map, so that the system can reclaim the
/// pages.
///
/// `check` throws errors. Before that, a failed file behaves like an empty one.
final class ScratchFile {
    private let folder: URL
    private var descriptor: Int32 = -1
    /// The number of written bytes.
    private(set) var size = 0
    private var map: UnsafeMutableRawPointer?
    private var mappedSize = 0
    private var failure: EngineError?

    init(in folder: URL = FileManager.default.temporaryDirectory) { self.folder = folder }

    deinit {
        unmap()
        if descriptor >= 0 { close(descriptor) }
    }

    func check() throws(EngineError) { if let failure { throw failure } }

    /// Appends bytes.
    ///
    /// - Returns: The position of the bytes.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let place = size
        open()
        guard failure == nil else { return place }
        var done = 0
        while done < bytes.count {
            let n = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(place + done))
            if n < 0, errno == EINTR { continue }
            guard n > 0 else {
                fail("can't be written")
                return place
            }
            done += n
        }
        size += bytes.count
        return place
    }

    /// Returns the values at a position, or nil after a failure. They are valid until the next read after an `append`.
    ///
    /// - Precondition: This number of values was written at the position, which is a multiple of eight.
    func values<T: BitwiseCopyable>(at place: Int, _ count: Int, as type: T.Type) -> UnsafeBufferPointer<T>? {
        let end = place + count * MemoryLayout<T>.stride
        if end > mappedSize { remap() }
        guard let map, end <= mappedSize else { return nil }
        return UnsafeBufferPointer(start: (map + place).assumingMemoryBound(to: type), count: count)
    }

    private func remap() {
        unmap()
        guard failure == nil, size > 0 else { return }
        guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            return fail("can't be mapped")
        }
        // Positions are read in random order.
        madvise(start, size, MADV_RANDOM)
        (map, mappedSize) = (start, size)
    }

    private func unmap() {
        if let map { munmap(map, mappedSize) }
        (map, mappedSize) = (nil, 0)
    }

    private func open() {
        guard descriptor < 0, failure == nil else { return }
        var name = Array(folder.appendingPathComponent(".freehold-import-XXXXXX").path.utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { return fail("can't be made") }
        unlink(&name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private func fail(_ what: String) {
        guard failure == nil else { return }
        let reason = String(cString: strerror(errno))
        let isFull = errno == ENOSPC || errno == EDQUOT
        failure = EngineError(
            isFull ? .outOfDiskSpace : .io,
            "A file for the import's keys \(what): \(reason).",
            path: folder.path
        )
    }
}
