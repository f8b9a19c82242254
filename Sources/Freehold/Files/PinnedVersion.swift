public import Foundation
import FreeholdEngine

extension Realm {
    /// A version of a realm's file that somebody holds, so that its space can't be used again.
    public struct PinnedVersion: Hashable, Sendable {
        /// The number of the version; each commit to a file makes the next.
        public let version: UInt64
        public let processIdentifier: Int32
        /// The thread of that process that took it (its `pthread_t`, which debuggers show). Others may be using it since.
        public let thread: UInt64
        /// When it was taken; nil for those of other processes.
        public let since: Date?

        /// Whether it is this process that holds it.
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
    /// Who holds which version of this realm's file, in all processes, the oldest first. This realm's own is one.
    ///
    /// A version is held by live realms (until they refresh), by frozen ones, and by everything that is still alive of
    /// these. Pages that a commit frees are used again once nobody holds a version from before it; so one held for long
    /// makes the file grow. A process that was killed holds nothing: its entries are removed first.
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
