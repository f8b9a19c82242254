import Foundation
import FreeholdEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file without a name that holds what an import doesn't keep in memory: blocks of runs of keys. It is made when the first block
/// comes, and goes with the process.
///
/// What fails is thrown by `check`; until then blocks are as if they held nothing.
final class ScratchFile {
    /// Runs of a block.
    let blockRuns: Int
    private var blockBytes: Int { blockRuns * MemoryLayout<KeyMap.Run>.stride }
    /// Blocks that are kept after they were read, each in the place that its number gives it: 24 MiB.
    private static let keptBlocks = 8192

    private let folder: URL
    private var descriptor: Int32 = -1
    /// Bytes written.
    private(set) var size = 0
    private var failure: EngineError?
    private var kept: [(place: Int, runs: [KeyMap.Run])] = []

    init(in folder: URL = FileManager.default.temporaryDirectory, blockRuns: Int = 128) {
        self.folder = folder
        self.blockRuns = blockRuns
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func check() throws(EngineError) { if let failure { throw failure } }

    /// - Returns: its place.
    func append(_ runs: ArraySlice<KeyMap.Run>) -> Int {
        let place = size
        open()
        guard failure == nil else { return place }
        runs.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let n = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(place + done))
                if n < 0, errno == EINTR { continue }
                guard n > 0 else { return fail("can't be written") }
                done += n
            }
        }
        size += blockBytes
        return place
    }

    func block(at place: Int) -> [KeyMap.Run] {
        if kept.isEmpty { kept = Array(repeating: (-1, []), count: Self.keptBlocks) }
        let slot = place / blockBytes % Self.keptBlocks
        if kept[slot].place == place { return kept[slot].runs }
        guard failure == nil else { return [] }
        let (blockRuns, blockBytes) = (blockRuns, blockBytes)
        let runs = [KeyMap.Run](unsafeUninitializedCapacity: blockRuns) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var done = 0
            while done < blockBytes {
                let n = pread(descriptor, bytes.baseAddress! + done, blockBytes - done, off_t(place + done))
                if n < 0, errno == EINTR { continue }
                guard n > 0 else { return fail("can't be read") }
                done += n
            }
            count = blockRuns
        }
        kept[slot] = (place, runs)
        return runs
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
