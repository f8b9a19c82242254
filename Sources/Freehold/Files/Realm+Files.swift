import Foundation
import FreeholdEngine

extension Realm {
    /// Whether the configuration's file exists. False for one in memory.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard let fileURL = configuration.fileURL else { return false }
        return FileManager.default.fileExists(atPath: fileURL.path)
    }

    /// Deletes the configuration's file and those beside it, but for `….writer`, at which other processes may be waiting.
    ///
    /// - Returns: whether there was a file.
    /// - Throws: ``Error/Code/alreadyOpen`` while a realm, or anything else of the file, is alive in this process or
    ///   another; ``Error/Code/filePermissionDenied``; what is wrong with the configuration.
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        guard case .path = try configuration.source(), let fileURL = configuration.fileURL else { return false }
        do throws(EngineError) {
            return try Database.deleteFiles(at: fileURL.path)
        } catch {
            throw Realm.Error(error, fileURL: fileURL)
        }
    }

    /// What a compaction came to, in bytes.
    public struct Compaction: Equatable, Sendable {
        public let sizeBefore: Int
        public let sizeAfter: Int
    }

    /// Rewrites the configuration's file without its free space, while nobody has it open.
    ///
    /// Others, in this process or another, who open the file meanwhile wait. The new file takes the old one's place when
    /// it is complete, so the device needs room for both; whatever fails, and a power cut, leaves the old one.
    ///
    /// A file that is always open needn't be compacted to stop growing: free space is used again. To compact it
    /// nevertheless, ``backup(to:)`` it and open the backup instead.
    ///
    /// - Throws: ``Error/Code/alreadyOpen`` while somebody has the file open; ``Error/Code/fileNotFound``,
    ///   ``Error/Code/invalidDatabase``, ``Error/Code/outOfDiskSpace``, ``Error/Code/filePermissionDenied``.
    /// - Complexity: O(size of the data); the memory that it takes is constant.
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
        Log.write(.detail, .storage, "Compacted \(fileURL.path) from \(out.sizeBefore) to \(out.sizeAfter) bytes.")
        return out
    }
}

extension Realm.Configuration {
    /// Before the file is opened: the seed, and compaction.
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
            // What is wrong with the file, the opening reports; what else keeps it from being compacted is no reason not
            // to open it.
            _ = try? Database.compact(at: fileURL.path, key: try key()) { use in
                isWanted(Int(use.total), Int(use.used))
            }
        }
    }

    /// A synced file is compacted without the app's action if it is large and consists mostly of free pages, unless that would take long.
    private func compactsBySize(_ fileURL: URL) -> ((Int, Int) -> Bool)? {
        let least = 32 << 20
        guard service != nil, !readOnly,
            let size = (try? FileManager.default.attributesOfItem(atPath: fileURL.path))?[.size] as? Int,
            size >= least
        else { return nil }
        return { total, used in total >= least && used < total / 3 && used <= 256 << 20 }
    }
}
