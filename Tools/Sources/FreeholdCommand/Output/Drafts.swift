import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Incomplete files. A signal that ends the command (Ctrl-C, SIGTERM, a closed terminal) deletes them.
final class Drafts: Sendable {
    enum Kind {
        /// One file.
        case file
        /// The files whose names begin with the path, which only this process creates.
        case own
        /// The files with such names that this process has open. Other processes may use the same folder.
        case open
    }

    private struct State {
        var next = 0
        var drafts: [Int: (path: String, kind: Kind)] = [:]
    }

    private static let state = Mutex(State())
    private let number: Int

    private init(_ number: Int) { self.number = number }

    /// - Parameter kind: The kind of the path.
    static func begin(_ path: String, _ kind: Kind = .file) -> Drafts {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent().resolvingSymlinksInPath().path
        let path = folder + "/" + url.lastPathComponent
        return state.withLock { state in
            state.next += 1
            state.drafts[state.next] = (path, kind)
            return Drafts(state.next)
        }
    }

    /// Records that the file is complete or deleted.
    func end() { _ = Self.state.withLock { $0.drafts.removeValue(forKey: number) } }

    /// Deletes all incomplete files, then calls the closure, before which no other draft begins.
    ///
    /// The other threads continue meanwhile. The method waits up to a fifth of a second for files that have begun but
    /// don't exist yet.
    static func removeAll(then body: () -> Void) {
        state.withLock { state in
            removeAll(state)
            body()
        }
    }

    private static func removeAll(_ state: State) {
        if state.drafts.isEmpty { return }
        var removals = 0
        var looksSince = 0
        for _ in 0..<40 {
            let count = state.drafts.values.reduce(0) { $0 + remove($1.path, $1.kind) }
            removals += count
            looksSince = count > 0 ? 0 : looksSince + 1
            if removals > 0, looksSince == 2 { return }
            usleep(5000)
        }
    }

    /// - Returns: The number of files.
    private static func remove(_ path: String, _ kind: Kind) -> Int {
        let files =
            switch kind {
            case .file: [path]
            case .own: files(in: path)
            case .open: openFiles.filter { $0.hasPrefix(path) }
            }
        return files.reduce(0) { count, file in
            count + ["", "-lock", ".writer"].count { unlink(file + $0) == 0 }
        }
    }

    private static func files(in prefix: String) -> [String] {
        let url = URL(fileURLWithPath: prefix)
        let folder = url.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(url.lastPathComponent) }.map { "\(folder)/\($0)" }
    }

    private static var openFiles: [String] {
        #if os(Linux)
            let folder = "/proc/self/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        #else
            return (0..<getdtablesize()).compactMap { descriptor in
                var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
                guard fcntl(descriptor, F_GETPATH, &path) == 0 else { return nil }
                return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        #endif
    }
}
