import Foundation
import Synchronization

/// The files that the page can open: those of the command line, and the last twenty.
///
/// Any thread may use it. The list is stored in one file that only its owner can read, together with the state that the page remembers for each file.
final class StudioFiles: Sendable {
    private struct State {
        var entries: [StudioEntry] = []
        var given: Set<String> = []
        /// The remembered state of the page, by path.
        var remembered: [String: StudioJSON] = [:]
    }

    private static let mostRecent = 20
    private let state = Mutex(State())
    private let storePath: String?

    init(_ options: StudioOptions) {
        storePath = options.statePath
        let (recent, remembered) = options.statePath.map(Self.load) ?? ([], [:])
        state.withLock { state in
            state.remembered = remembered
            for path in options.files.map(Self.absolute) where !state.given.contains(path) {
                state.given.insert(path)
                state.entries.append(
                    StudioEntry(
                        number: "f\(state.entries.count + 1)",
                        path: path,
                        opened: recent.first { $0.0 == path }?.1
                    )
                )
            }
            for (path, opened) in recent where !state.given.contains(path) {
                state.entries.append(StudioEntry(number: "f\(state.entries.count + 1)", path: path, opened: opened))
            }
        }
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The files of the command line.
    var given: [StudioEntry] { state.withLock { state in state.entries.filter { state.given.contains($0.path) } } }

    /// The files that were opened before, the last one first.
    var recent: [StudioEntry] {
        state.withLock { state in
            state.entries.filter { $0.opened != nil }.sorted { $0.opened! > $1.opened! }.prefix(Self.mostRecent).map {
                $0
            }
        }
    }

    func entry(_ number: String) throws(StudioError) -> StudioEntry {
        guard let entry = state.withLock({ $0.entries.first { $0.number == number } }) else {
            throw StudioError(.notFound, "There is no file '\(number)'.")
        }
        return entry
    }

    func opened(_ entry: StudioEntry) {
        state.withLock { state in
            guard let i = state.entries.firstIndex(where: { $0.number == entry.number }) else { return }
            state.entries[i].opened = Int64(Date().timeIntervalSince1970 * 1_000)
        }
        store()
    }

    func forget(_ entry: StudioEntry) {
        state.withLock { state in
            state.entries.removeAll { $0.number == entry.number && !state.given.contains($0.path) }
            for i in state.entries.indices where state.entries[i].number == entry.number {
                state.entries[i].opened = nil
            }
            state.remembered[entry.path] = nil
        }
        store()
    }

    // MARK: State of the page

    func remembered(_ entry: StudioEntry) -> StudioJSON { state.withLock { $0.remembered[entry.path] } ?? [:] }

    func remember(_ json: StudioJSON, for entry: StudioEntry) {
        state.withLock { $0.remembered[entry.path] = json }
        store()
    }

    // MARK: The stored list

    private static func load(_ path: String) -> ([(String, Int64)], [String: StudioJSON]) {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 8 << 20,
            let json = try? StudioJSON(parsing: Array(data))
        else { return ([], [:]) }
        var recent: [(String, Int64)] = []
        var remembered: [String: StudioJSON] = [:]
        for file in json["files"]?.elements ?? [] {
            guard let path = file["path"]?.text else { continue }
            if let opened = file["opened"]?.int { recent.append((path, Int64(opened))) }
            if let state = file["state"] { remembered[path] = state }
        }
        return (recent, remembered)
    }

    /// Writes the list. A failure is ignored, because the list isn't needed.
    private func store() {
        guard let storePath else { return }
        let (entries, remembered) = state.withLock { ($0.entries, $0.remembered) }
        let kept = entries.filter { $0.opened != nil }.sorted { $0.opened! > $1.opened! }.prefix(Self.mostRecent)
        let files = kept.map { entry in
            StudioJSON.members([
                "path": .string(entry.path), "opened": entry.opened.map { .int($0) }, "state": remembered[entry.path],
            ])
        }
        PrivateFile.replace(storePath, by: StudioJSON.object([.init("files", .array(files))]).bytes)
    }
}

/// Functions for files that only their owner can read.
public enum PrivateFile {
    /// Replaces a file, whose folder is created if it is missing.
    ///
    /// - Returns: A Boolean value that indicates whether the file was written.
    @discardableResult
    public static func replace(_ path: String, by bytes: [UInt8]) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let draft = "\(path).\(UInt64.random(in: .min ... .max))"
        guard create(draft, bytes) else { return false }
        guard rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    /// Returns the size of a file in bytes, or 0 if it doesn't exist.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Creates a file. Returns `false` if it exists already or can't be written.
    public static func create(_ path: String, _ bytes: [UInt8]) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var at = 0
        while at < bytes.count {
            let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + at, bytes.count - at) }
            guard written > 0 else {
                unlink(path)
                return false
            }
            at += written
        }
        return true
    }
}
