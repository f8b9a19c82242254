import Foundation
import FreeholdEngine

extension Realm {
    /// Returns a Boolean value that indicates whether the configuration's file exists. The value is `false` for a realm
    /// in memory.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard let fileURL = configuration.fileURL else { return false }
        return FileManager.default.fileExists(atPath: fileURL.path)
    }

    /// Deletes the configuration's file and the files that belong to it, except `….writer`, on which other processes
    /// may be waiting.
    ///
    /// - Returns: A Boolean value that indicates whether the file existed.
    /// - Throws: ``Error/Code/alreadyOpen`` while this process or another one has a realm or another reference to the
    ///   file open; ``Error/Code/filePermissionDenied``; an error for an invalid configuration.
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        guard case .path = try configuration.source(), let fileURL = configuration.fileURL else { return false }
        do throws(EngineError) {
            return try Database.deleteFiles(at: fileURL.path)
        } catch {
            throw Realm.Error(error, fileURL: fileURL)
        }
    }

    /// The result of a compaction, in bytes.
    public struct Compaction: Equatable, Sendable {
        public let sizeBefore: Int
        public let sizeAfter: Int
    }

    /// Rewrites the configuration's file without its free space, if no process has it open.
    ///
    /// A thread or process that opens the file during the compaction waits for its end. The new file replaces the old
    /// one when it is complete, so the device needs space for both. After an error or a power failure, the old file is
    /// still present.
    ///
    /// A file that is always open needs no compaction to stop growing, because free space is reused. To compact such a
    /// file, write a ``backup(to:)`` and open the backup instead.
    ///
    /// - Throws: ``Error/Code/alreadyOpen`` while a thread or process has the file open; ``Error/Code/fileNotFound``,
    ///   ``Error/Code/invalidDatabase``, ``Error/Code/outOfDiskSpace``, ``Error/Code/filePermissionDenied``.
    /// - Complexity: O(size of the data) in time, and constant in memory.
    @discardableResult
    public static func compact(for configuration: Configuration) throws -> Compaction {
        guard case .path = try configuration.source(), let fileURL = configuration.fileURL else {
            throw Realm.Error(.invalidInput, "An in-memory realm can't be compacted. It goes with its last user.")
        }
        if configuration.readOnly {
            throw Realm.Error(.invalidInput, "A read-only file can't be compacted. Clear `readOnly`.", fileURL: fileURL)
        }
        let key = try configuration.key()
        let sizes: FileCompaction?
        do throws(EngineError) {
            sizes = try Database.compact(at: fileURL.path, key: key) { _ in true }
        } catch {
            throw Realm.Error(error, fileURL: fileURL)
        }
        let out = Compaction(sizeBefore: Int(sizes?.before.total ?? 0), sizeAfter: Int(sizes?.after.total ?? 0))
        Log.write(
            .detail,
            .storage,
            message: "Compacted \(fileURL.path) from \(out.sizeBefore) to \(out.sizeAfter) bytes."
        )
        return out
    }
}

extension Realm.Configuration {
    /// Copies the seed file and compacts the file, before the file is opened.
    func prepareFile() throws(Realm.Error) {
        guard let fileURL, seedFilePath != nil || shouldCompactOnLaunch != nil || service != nil else { return }
        if let seedFilePath, !Realm.fileExists(for: self) {
            do {
                try makeDefaultDirectory()
                _ = try Database.seed(fileURL.path, from: try seedFilePath.databasePath(), key: try key())
            } catch let error as EngineError {
                throw Realm.Error(error, fileURL: seedFilePath)
            } catch let error as Realm.Error {
                throw error
            } catch {
                throw Realm.Error(.fileAccess, "\(error)", fileURL: fileURL, cause: error)
            }
        }
        if let isWanted = shouldCompactOnLaunch ?? compactsBySize(fileURL), !Database.isOpen(at: fileURL.path) {
            // If the file is invalid, opening it reports the error. Any other failure of the compaction doesn't prevent
            // the file from being opened.
            _ = try? Database.compact(at: fileURL.path, key: try key()) { use in
                isWanted(Int(use.total), Int(use.used))
            }
        }
    }

    /// Returns a closure that decides whether a synced file is compacted if the app hasn't set `shouldCompactOnLaunch`.
    /// The file is compacted if it is large and consists mostly of free pages, unless it has so much data that the
    /// compaction would take long.
    private func compactsBySize(_ fileURL: URL) -> ((Int, Int) -> Bool)? {
        let least = 32 << 20
        guard service != nil, !readOnly,
            let size = (try? FileManager.default.attributesOfItem(atPath: fileURL.path))?[.size] as? Int,
            size >= least
        else { return nil }
        return { total, used in total >= least && used < total / 3 && used <= 256 << 20 }
    }
}
