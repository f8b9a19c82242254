internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// The newest changesets of a client and its greatest known progress, by which the front end recognizes copies of the client's file.
///
/// A client sends all changesets again whose acknowledgement it hasn't received, with their old bytes, and its progress never falls. A copy
/// of its file has other changesets of the same versions, lacks some, or has an earlier progress.
struct UploadReceipts: Hashable, Sendable {
    struct Receipt: Hashable, Sendable {
        var version: UInt64
        var hash: UInt64
    }

    /// The number of changesets that are kept. Older ones can't be checked.
    static let most = 64

    /// The greatest progress of downloads that the client has reported.
    private(set) var confirmed: DownloadCursor
    /// The changesets whose acknowledgement the client hasn't reported, by rising versions.
    private(set) var receipts: [Receipt]
    /// The version up to which changesets were removed because there were too many.
    private(set) var forgotten: UInt64

    init(
        confirmed: DownloadCursor = DownloadCursor(server: 0, client: 0),
        receipts: [Receipt] = [],
        forgotten: UInt64 = 0
    ) {
        (self.confirmed, self.receipts, self.forgotten) = (confirmed, receipts, forgotten)
    }

    /// Returns the receipt of an entry.
    static func receipt(of entry: UploadEntry) -> Receipt {
        let hash = RunningHash.empty.appending(entry.changeset, salt: entry.clientVersion)
        return Receipt(version: entry.clientVersion, hash: hash.low)
    }

    /// Adds a changeset.
    mutating func add(_ entry: UploadEntry) {
        receipts.append(Self.receipt(of: entry))
        guard receipts.count > Self.most else { return }
        forgotten = receipts.removeFirst().version
    }

    /// Returns whether a progress may be that of the client.
    func permits(_ progress: DownloadCursor) -> Bool {
        progress.client >= confirmed.client && progress.server >= confirmed.server
    }

    /// Records the progress that the client has reported.
    mutating func confirm(_ progress: DownloadCursor) {
        confirmed.client = max(confirmed.client, progress.client)
        confirmed.server = max(confirmed.server, progress.server)
        if receipts.first.map({ $0.version <= confirmed.client }) == true {
            receipts.removeAll { $0.version <= confirmed.client }
        }
    }

    func checkInvariants() {
        assert(receipts.count <= Self.most, "Too many receipts are kept.")
        assert(
            zip(receipts, receipts.dropFirst()).allSatisfy { $0.version < $1.version },
            "The versions of the receipts don't rise."
        )
    }
}

/// The changesets that a returning client has to send again before all others.
struct ExpectedUploads: Hashable, Sendable {
    /// The changesets that are part of the client's own state.
    private var receipts: ArraySlice<UploadReceipts.Receipt>
    /// The version up to which changesets aren't known any more.
    private var unknown: UInt64
    /// The version up to which a download on its way to the client acknowledges changesets.
    private var acknowledged: UInt64 = 0
    /// The version of the last changeset that became a commit.
    private let last: UInt64
    /// The running hash of the commits that the client has sent again or that it doesn't have to, and that of all commits.
    private(set) var hash: RunningHash
    private let lastHash: RunningHash

    /// Creates the expectation of a returning client.
    ///
    /// - Parameters:
    ///   - receipts: The client's newest changesets.
    ///   - client: The version up to which the client has received acknowledgements.
    ///   - last: The version of the last changeset that became a commit.
    ///   - hash: The running hash of the commits that are part of the client's own state.
    ///   - lastHash: The running hash of all commits.
    init(
        _ receipts: UploadReceipts,
        after client: UInt64,
        last: UInt64,
        hash: RunningHash,
        lastHash: RunningHash
    ) {
        self.receipts = receipts.receipts.drop { $0.version <= client }
        unknown = receipts.forgotten
        (self.last, self.hash, self.lastHash) = (last, hash, lastHash)
    }

    /// Compares an uploaded entry of the client with the next expected changeset.
    ///
    /// - Returns: `false` if the client isn't the one that sent the changesets.
    mutating func take(_ entry: UploadEntry) -> Bool {
        receipts = receipts.drop { $0.version < entry.clientVersion && $0.version <= acknowledged }
        guard let next = receipts.first else { return true }
        if entry.clientVersion <= unknown, entry.clientVersion < next.version { return true }
        guard UploadReceipts.receipt(of: entry) == next else { return false }
        receipts.removeFirst()
        unknown = 0
        return true
    }

    /// Records that a download acknowledges changesets. After the client has received it, it doesn't send these changesets again.
    mutating func acknowledge(upTo version: UInt64) { acknowledged = max(acknowledged, version) }

    /// Adds an uploaded entry to the hash. The entry becomes a part of the client's own state again.
    mutating func takeCommit(_ entry: UploadEntry) {
        hash = hash.appending(entry.changeset, salt: entry.clientVersion)
    }

    /// Returns whether a client may have sent everything up to a version, if its own state contains the changesets up to another one.
    func permits(progress: UInt64, applied: UInt64) -> Bool {
        if let next = receipts.first(where: { $0.version > acknowledged }), progress >= next.version { return false }
        return applied < last ? progress < last : hash == lastHash
    }

    /// Returns whether the client has sent everything again, if its own state contains the changesets up to a version.
    func isDone(applied: UInt64) -> Bool {
        (receipts.last?.version ?? 0) <= acknowledged && applied >= last
    }
}
