import Foundation
import FreeholdStudio
import Synchronization

/// The backups of a server's folder. The page lists and makes them. They have the form of the command `backup`.
///
/// The page can't choose a path: the folder is an option of the program, and the name of a backup is the time.
public final class ServerBackups: Sendable {
    /// The folder that has the backups.
    public let folder: String
    /// A Boolean value that indicates whether a backup contains the documents. With PostgreSQL, it contains only the settings and secrets.
    public let hasDocuments: Bool
    private let make: @Sendable (String) throws -> Int
    private let isMaking = Mutex(false)

    /// The maximum number of backups in an answer, of files whose sizes are read for it, and of names in the folder that are read.
    static let most = (backups: 200, files: 50_000, names: 10_000)

    /// - Parameter make: A closure that makes a backup in a new folder, and returns the number of files. It is called on a separate thread.
    public init(folder: String, hasDocuments: Bool, make: @escaping @Sendable (String) throws -> Int) {
        (self.folder, self.hasDocuments, self.make) = (folder, hasDocuments, make)
    }

    /// The backups, the newest first.
    ///
    /// - Throws: `StudioError` if the folder can't be read.
    func list() throws(StudioError) -> StudioJSON {
        let files = FileManager.default
        var names: [String] = []
        if files.fileExists(atPath: folder) {
            do { names = try files.contentsOfDirectory(atPath: folder) } catch {
                throw StudioError(.io, "The folder of the backups can't be read.")
            }
        }
        let found = names.prefix(Self.most.names).compactMap { name -> (name: String, made: Date)? in
            let path = folder + "/" + name
            // The name of a backup that isn't complete.
            guard !name.hasSuffix(".unfinished"), files.fileExists(atPath: path + "/server.json"),
                let made = try? files.attributesOfItem(atPath: path)[.modificationDate] as? Date
            else { return nil }
            return (name, made)
        }
        let sorted = found.sorted { ($0.made, $0.name) > ($1.made, $1.name) }
        var remaining = Self.most.files
        return [
            "folder": .string(folder), "documents": .bool(hasDocuments), "making": .bool(isMaking.withLock { $0 }),
            "count": .number("\(found.count)"),
            "backups": .array(
                sorted.prefix(Self.most.backups).map { backup in
                    let size = Self.size(of: folder + "/" + backup.name, most: remaining)
                    remaining -= size.files
                    return [
                        "name": .string(backup.name),
                        "at": .number("\(Int64(backup.made.timeIntervalSince1970 * 1_000))"),
                        "files": .number("\(size.files)"), "bytes": .number("\(size.bytes)"),
                        "whole": .bool(remaining > 0),
                    ]
                }
            ),
        ]
    }

    /// Returns the number of files in a folder and the sum of their sizes. It reads at most `most` files.
    private static func size(of path: String, most: Int) -> (files: Int, bytes: Int64) {
        var (count, bytes) = (0, Int64(0))
        guard let walk = FileManager.default.enumerator(atPath: path) else { return (0, 0) }
        while count < most, walk.nextObject() != nil {
            guard walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular else { continue }
            count += 1
            bytes += (walk.fileAttributes?[.size] as? NSNumber)?.int64Value ?? 0
        }
        return (count, bytes)
    }

    /// Makes a backup. A dry run only returns its name.
    ///
    /// - Throws: `StudioError` if another backup is being made, or if the command would fail.
    func make(isDry: Bool, at time: Date = Date()) async throws -> StudioJSON {
        let name = Self.name(at: time)
        let path = folder + "/" + name
        guard !isDry else { return ["name": .string(name), "path": .string(path)] }
        guard
            isMaking.withLock({ isMaking in
                defer { isMaking = true }
                return !isMaking
            })
        else { throw StudioError(.busy, "A backup is being made.") }
        defer { isMaking.withLock { $0 = false } }
        let make = make
        let result: Result<Int, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Result { try make(path) }) }
        }
        switch result {
        case .success(let files): return ["name": .string(name), "path": .string(path), "files": .number("\(files)")]
        case .failure(let error): throw StudioError(.io, "The backup failed: \(error)")
        }
    }

    /// Returns the name of a backup: the time in UTC.
    static func name(at time: Date) -> String {
        time.formatted(
            .iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: false).timeSeparator(
                .omitted
            )
        )
            + "Z"
    }
}
