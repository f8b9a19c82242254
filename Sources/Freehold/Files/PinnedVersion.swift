public import Foundation
import FreeholdEngine

extension Realm {
    /// A version of a realm's file that a reader holds, so that its space can't be reused.
    public struct PinnedVersion: Hashable, Sendable {
        /// The number of the version. Each commit to the file increases it by one.
        public let version: UInt64
        public let processIdentifier: Int32
        /// The thread of that process that took the version, as the `pthread_t` that debuggers show. Other threads may
        /// have used it since.
        public let thread: UInt64
        /// The date at which the version was taken, or `nil` for versions of other processes.
        public let since: Date?

        /// A Boolean value that indicates whether this process holds the version.
        public var isInThisProcess: Bool { processIdentifier == ProcessInfo.processInfo.processIdentifier }
    }
}

extension Realm.PinnedVersion {
    init(_ reader: ReaderInfo) {
        self.init(
            version: reader.version,
            processIdentifier: reader.processIdentifier,
            thread: reader.thread,
            since: reader.since.map { Date($0) }
        )
    }
}

extension Realm.PinnedVersion: CustomStringConvertible {
    public var description: String {
        let time = since.map { ", since \($0)" } ?? ""
        return "version \(version): process \(processIdentifier), thread 0x\(String(thread, radix: 16))\(time)"
    }
}

extension Realm {
    /// The held versions of this realm's file in all processes, the oldest first. The version of this realm is one of
    /// them.
    ///
    /// Live realms hold a version until they refresh. Frozen realms, and all live values that belong to them, hold a
    /// version too. Pages that a commit frees are reused after all older versions are released, so a version that is
    /// held for long makes the file grow. The property first removes the entries of processes that were killed.
    ///
    /// - Complexity: O(``Configuration/maximumReaders``).
    public var pinnedVersions: [PinnedVersion] {
        core.verifyThread()
        _ = core.database.clearStaleReaders()
        return core.database.readers()
            .map { PinnedVersion($0) }
            .sorted { ($0.version, $0.processIdentifier, $0.thread) < ($1.version, $1.processIdentifier, $1.thread) }
    }
}

extension Realm.Configuration {
    func versionLimitError(_ database: Database) -> Realm.Error? {
        guard let limit = maximumNumberOfActiveVersions, limit > 0 else { return nil }
        guard database.activeVersionCount > limit else { return nil }
        _ = database.clearStaleReaders()
        let count = database.activeVersionCount
        guard count > limit else { return nil }
        return Realm.Error(
            .tooManyVersions,
            "There are \(count) versions of the file between the oldest that is held and the newest, and "
                + "`maximumNumberOfActiveVersions` is \(limit). Let go of old realms and frozen objects: `pinnedVersions` "
                + "says whose they are.",
            fileURL: fileURL
        )
    }
}
