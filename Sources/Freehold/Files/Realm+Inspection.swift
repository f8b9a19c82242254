import FreeholdEngine

extension Realm {
    /// The size of a realm's file and the use of its space. See ``fileUse()``.
    public struct FileUse: Equatable, Sendable {
        /// The size of the file in bytes.
        public let totalBytes: Int
        /// The number of bytes that the newest version and the structure of the file need.
        public let usedBytes: Int
        /// The number of bytes that later commits can use before the file grows, after all versions that include them
        /// are released.
        public var freeBytes: Int { max(0, totalBytes - usedBytes) }
    }

    /// Returns the size of the file, and the part of it that the newest version needs. For a realm in memory, the sizes
    /// are those of its memory.
    ///
    /// - Throws: `Realm.Error` if the file can't be read.
    /// - Complexity: O(free pages / 500).
    public func fileUse() throws -> FileUse {
        core.verifyThread()
        do throws(EngineError) {
            let use = try core.database.fileUse()
            return FileUse(totalBytes: Int(use.total), usedBytes: Int(use.used))
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
    }

    /// The number of the version that the realm shows. In a write transaction, it is the version on which the
    /// transaction began. Each commit to the file creates the next version.
    public var version: UInt64 {
        core.verifyThread()
        return core.committed.version
    }

    /// Checks the file, and returns one sentence for each defect. The array is empty if the file is intact.
    ///
    /// The method checks the version that the realm shows, or the version on which an open write transaction began. It
    /// checks every value, link, inverse link, list, index and count, and that each block of the file is in use or
    /// free. In an encrypted file, it first authenticates each block, and checks that no block is missing or outdated.
    /// Damage is reported and never traps.
    ///
    /// - Complexity: O(size of the file) in time, and in memory for keys and links.
    public func verify() -> [String] {
        core.verifyThread()
        return core.committed.verify()
    }
}
