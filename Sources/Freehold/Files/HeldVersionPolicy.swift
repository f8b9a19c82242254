import Foundation
import FreeholdEngine

extension Realm {
    /// The limits for versions of a file that readers hold for a long time, and the action when a version passes a
    /// limit.
    ///
    /// ```swift
    /// configuration.heldVersionPolicy = .init(maximumAge: .seconds(60), maximumBytes: 1 << 30, action: .refuseWrites) { held in
    ///     print(held)     // version 1204 is held by process 4711 …
    /// }
    /// ```
    /// While a version is held, commits can't reuse the pages that they free, and the file grows with each commit. A
    /// frozen realm that was forgotten and a live realm that isn't refreshed hold versions. A limit that is `nil` isn't
    /// checked. The policy applies to the writes of realms that were opened with it.
    ///
    /// The policy never takes a held version away. A read of a frozen object takes no lock, so it couldn't be stopped
    /// in time.
    public struct HeldVersionPolicy: Sendable {
        /// The action when a version passes a limit, in addition to the report.
        public enum Action: Sendable {
            /// Writes continue.
            case report
            /// The begin of a write throws ``Realm/Error/Code/versionHeldTooLong`` until the version is released.
            case refuseWrites
        }

        /// The longest time for which a version may be held after a newer version has replaced it. The time begins with
        /// the first write of this process that finds the version in this state.
        public var maximumAge: Duration?
        /// The largest number of bytes of the file that may wait for the release of the version before they can be
        /// reused. Ignored for realms in memory.
        public var maximumBytes: Int?
        public var action: Action
        /// A closure that is called once for each version that passes a limit. It runs on the thread that writes, after
        /// the write has begun. It must be quick and mustn't use the realm.
        public var report: (@Sendable (HeldVersion) -> Void)?

        public init(
            maximumAge: Duration? = nil,
            maximumBytes: Int? = nil,
            action: Action = .report,
            report: (@Sendable (HeldVersion) -> Void)? = nil
        ) {
            self.maximumAge = maximumAge
            self.maximumBytes = maximumBytes
            self.action = action
            self.report = report
        }
    }

    /// The oldest held version of a file that has newer versions.
    public struct HeldVersion: Sendable, CustomStringConvertible {
        /// The holders of the version, in all processes.
        public let holders: [PinnedVersion]
        public let version: UInt64
        /// The number of the newest version.
        public let newestVersion: UInt64
        /// The time for which the version is known to be held since a newer version replaced it.
        public let age: Duration
        /// The number of bytes of the file that can be reused after the release of the version, unless a version
        /// between it and the newest is held too. The number can be too small if the policy has no limit for bytes.
        public let bytes: Int

        public var description: String {
            "version \(version), \(newestVersion - version) commits behind, is held for \(age) and keeps \(bytes) bytes: "
                + holders.map(\.description).joined(separator: "; ")
        }
    }
}

/// The state of the check of held versions, shared by all realms of a file in the process.
struct HeldVersionWatch: Sendable {
    /// The instant at which a held version was first found not to be the newest.
    private var seen: [UInt64: ContinuousClock.Instant] = [:]
    /// The version that was reported last.
    private var reported: UInt64?
    /// The measured number of bytes that wait for a version, and the newest version at that time.
    private var measured: (oldest: UInt64, newest: UInt64, bytes: Int)?

    /// Returns the oldest held version if it passes a limit, and a Boolean value that indicates whether it has to be
    /// reported.
    mutating func check(
        _ policy: Realm.HeldVersionPolicy,
        _ database: Database,
        at newest: Snapshot
    ) -> (held: Realm.HeldVersion, isNew: Bool)? {
        guard let found = oldest(policy, in: database, before: newest), policy.isPassed(by: found) else { return nil }
        // Versions of killed processes don't count as held.
        if database.clearStaleReaders() > 0 {
            guard let again = oldest(policy, in: database, before: newest), policy.isPassed(by: again) else {
                return nil
            }
            return (again, isNew(again))
        }
        return (found, isNew(found))
    }

    private mutating func isNew(_ held: Realm.HeldVersion) -> Bool {
        defer { reported = held.version }
        return reported != held.version
    }

    private mutating func oldest(
        _ policy: Realm.HeldVersionPolicy,
        in database: Database,
        before newest: Snapshot
    ) -> Realm.HeldVersion? {
        let now = ContinuousClock.now
        let pins = database.readers().filter { $0.version > 0 && $0.version < newest.version }
        let known = seen
        seen = [:]
        for pin in pins { seen[pin.version] = known[pin.version] ?? now }
        guard let version = pins.map(\.version).min(), let since = seen[version] else {
            measured = nil
            return nil
        }
        return Realm.HeldVersion(
            holders: pins.filter { $0.version == version }.map { Realm.PinnedVersion($0) },
            version: version,
            newestVersion: newest.version,
            age: now - since,
            bytes: policy.maximumBytes == nil ? measured?.bytes ?? 0 : bytes(waitingFor: version, newest)
        )
    }

    /// Returns the number of bytes. It is measured again when the number of versions has grown by a sixteenth.
    private mutating func bytes(waitingFor version: UInt64, _ newest: Snapshot) -> Int {
        if let measured, measured.oldest == version,
            newest.version - measured.newest < max(1, (newest.version - version) / 16)
        {
            return measured.bytes
        }
        let bytes = newest.bytesFreed(since: version)
        measured = (version, newest.version, bytes)
        return bytes
    }
}

extension Realm.HeldVersionPolicy: CustomStringConvertible {
    public var description: String {
        var parts: [String] = []
        if let maximumAge { parts.append("maximumAge: \(maximumAge)") }
        if let maximumBytes { parts.append("maximumBytes: \(maximumBytes)") }
        parts.append("action: .\(action)")
        return "(\(parts.joined(separator: ", ")))"
    }
}

extension Realm.HeldVersionPolicy {
    fileprivate func isPassed(by held: Realm.HeldVersion) -> Bool {
        if let maximumAge, held.age > maximumAge { return true }
        if let maximumBytes, held.bytes > maximumBytes { return true }
        return false
    }
}

extension RealmFile {
    /// Checks the held versions after a write has begun.
    ///
    /// - Returns: The error if the write may not continue, or nil.
    func heldVersionError(_ configuration: Realm.Configuration, at newest: Snapshot) -> Realm.Error? {
        guard let policy = configuration.heldVersionPolicy,
            let (held, isNew) = heldVersions.withLock({ $0.check(policy, database, at: newest) })
        else { return nil }
        if isNew { policy.report?(held) }
        if policy.action == .report { return nil }
        return Realm.Error(
            .versionHeldTooLong,
            "The file's \(held). The configuration's `heldVersionPolicy` refuses writes until it is let go.",
            fileURL: configuration.fileURL
        )
    }
}
