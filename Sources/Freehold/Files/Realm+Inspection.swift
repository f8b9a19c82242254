import FreeholdEngine

extension Realm {
    /// How large a realm's file is: see ``fileUse()``.
    public struct FileUse: Equatable, Sendable {
        /// Bytes of the file.
        public let totalBytes: Int
        /// Bytes that the newest version needs, and what the file is made of.
        public let usedBytes: Int
        /// Bytes that later commits use before the file grows, once nobody holds the versions that they belonged to.
        public var freeBytes: Int { max(0, totalBytes - usedBytes) }
    }

    /// How large the file is, and how much of it the newest version needs. Of one in memory the bytes it takes there.
    ///
    /// - Throws: `Realm.Error` where the file can't be read.
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

    /// The number of the version that the realm shows; in a write transaction that which it began on. Every commit to the
    /// file makes the next.
    public var version: UInt64 {
        core.verifyThread()
        return core.committed.version
    }

    /// What is wrong with the file, a sentence for each breach; empty for a sound one.
    ///
    /// Checked is the version that the realm shows (in a write transaction that which it began on): every value, link and
    /// inverse link, list, index and count, and that each block of the file belongs to something. Damage is reported and
    /// never traps.
    ///
    /// - Complexity: O(size of the file), in time and, for keys and links, in memory.
    public func verify() -> [String] {
        core.verifyThread()
        return core.committed.verify()
    }
}
