import Foundation
import FreeholdEngine

extension Realm {
    /// What is done about versions of a file that somebody holds for too long.
    ///
    /// ```swift
    /// configuration.heldVersionPolicy = .init(maximumAge: .seconds(60), maximumBytes: 1 << 30, action: .refuseWrites) { held in
    ///     print(held)     // version 1204 is held by process 4711 …
    /// }
    /// ```
    /// While a version is held, by a frozen realm that was forgotten or a live one that isn't refreshed, the space of all pages
    /// that commits free can't be used again, and the file grows with each. A limit that is nil isn't looked at; the policy holds
    /// for the writes of realms that were opened with it.
    ///
    /// Nobody's version is taken from under him: a read of a frozen object takes no lock, so that it couldn't be told in time.
    public struct HeldVersionPolicy: Sendable {
        /// What happens when a limit is passed, besides the report.
        public enum Action: Sendable {
            /// Writes go on.
            case report
            /// Beginning a write throws ``Realm/Error/Code/versionHeldTooLong`` until the version is let go.
            case refuseWrites
        }

        /// How long a version may be held after a newer one has taken its place. Counted from the first write of this process that
        /// finds it so.
        public var maximumAge: Duration?
        /// How many bytes of the file may wait for the version to be let go, to be used again. Not looked at in memory.
        public var maximumBytes: Int?
        public var action: Action
        /// Called once for each version that passes a limit: on the thread that writes, with the write begun. It must be quick, and
        /// mustn't use the realm.
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

    /// The oldest version of a file that somebody holds, though there are newer ones.
    public struct HeldVersion: Sendable, CustomStringConvertible {
        /// Who holds it, in all processes.
        public let holders: [PinnedVersion]
        public let version: UInt64
        /// The newest one.
        public let newestVersion: UInt64
        /// How long it is known to be held since a newer one took its place.
        public let age: Duration
        /// Bytes of the file that can be used again when it is let go, unless a version between is held, too. Less where nobody
        /// asked for a limit of them.
        public let bytes: Int

        public var description: String {
            "version \(version), \(newestVersion - version) commits behind, is held for \(age) and keeps \(bytes) bytes: "
                + holders.map(\.description).joined(separator: "; ")
        }
    }
}

/// Looks after the versions of a file that are held: what the realms of a process know of that together.
struct HeldVersionWatch: Sendable {
    /// When a held version was first seen to be no longer the newest.
    private var seen: [UInt64: ContinuousClock.Instant] = [:]
    /// The version that was reported.
    private var reported: UInt64?
    /// Bytes that were found to wait for a version, at which newest one.
    private var measured: (oldest: UInt64, newest: UInt64, bytes: Int)?

    /// The oldest held version, if it passes a limit, and whether that has to be reported.
    mutating func check(
        _ policy: Realm.HeldVersionPolicy,
        _ database: Database,
        at newest: Snapshot
    ) -> (held: Realm.HeldVersion, isNew: Bool)? {
        guard let found = oldest(policy, database, newest), policy.isPassed(by: found) else { return nil }
        // Those of processes that were killed hold nothing.
        if database.clearStaleReaders() > 0 {
            guard let again = oldest(policy, database, newest), policy.isPassed(by: again) else { return nil }
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
        _ database: Database,
        _ newest: Snapshot
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

    /// Measured anew when there are a sixteenth more versions.
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
    /// After a write has begun.
    /// - Returns: why it may not go on.
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
