internal import FreeholdEngine
internal import FreeholdSyncCore

/// The data about earlier versions that is kept in memory while bootstraps read these versions. The log contains
/// everything that is needed to compute it again.
struct PastStates {
    private var pins: [Pin] = []
    private var changes: [PastChanges] = []

    /// A version that is held. Its pages can't be reused, so that the file grows by all pages that later commits write.
    private struct Pin {
        let version: StreamVersion
        let snapshot: Snapshot
        /// The size of the file when the version was pinned, in bytes.
        let fileBytes: UInt64
        /// The time at which one of its pages was last read.
        var used: ContinuousClock.Instant
    }

    /// The limits for held versions.
    struct Bounds {
        /// The maximum number of versions.
        let count: Int
        /// The maximum time since the last read of one of a version's pages.
        let age: Duration
        /// The maximum number of bytes by which the file may grow while it holds a version.
        let growth: UInt64
    }

    /// A Boolean value that indicates whether a version is held.
    var isHolding: Bool { !pins.isEmpty }

    /// Returns the snapshot of a version, if the version is held.
    mutating func pinned(_ version: StreamVersion, at now: ContinuousClock.Instant) -> Snapshot? {
        guard let index = pins.firstIndex(where: { $0.version == version }) else { return nil }
        var pin = pins.remove(at: index)
        pin.used = now
        pins.append(pin)
        return pin.snapshot
    }

    /// Holds a version. The versions that weren't read for the longest time are released.
    mutating func pin(
        _ version: StreamVersion,
        _ snapshot: Snapshot,
        at now: ContinuousClock.Instant,
        fileBytes: UInt64,
        in bounds: Bounds
    ) {
        guard bounds.count > 0 else { return }
        pins.removeAll { $0.version == version }
        pins.append(Pin(version: version, snapshot: snapshot, fileBytes: fileBytes, used: now))
        if pins.count > bounds.count { pins.removeFirst(pins.count - bounds.count) }
    }

    /// Releases the versions that exceed the limits. A bootstrap that still reads one continues with the log.
    mutating func expire(at now: ContinuousClock.Instant, fileBytes: UInt64, in bounds: Bounds) {
        pins.removeAll { pin in
            now - pin.used > bounds.age || fileBytes > pin.fileBytes && fileBytes - pin.fileBytes > bounds.growth
        }
    }

    mutating func unpin() { pins = [] }

    /// Returns and removes the known changes after a version. Newer changes may be missing: see `PastChanges.advance`.
    mutating func changes(behind version: StreamVersion) -> PastChanges {
        if let index = changes.firstIndex(where: { $0.version == version }) { return changes.remove(at: index) }
        return PastChanges(version: version)
    }

    mutating func keep(_ known: PastChanges) {
        changes.removeAll { $0.version == known.version }
        changes.append(known)
        if changes.count > 4 { changes.removeFirst() }
    }
}

/// The objects that have changed after a version, with their first commit after it. The before-image of that commit is
/// the state at the version.
struct PastChanges {
    let version: StreamVersion
    private var end: StreamVersion
    private var epoch: UInt64 = 0
    private var classes: [SyncString: [PrimaryKey: StreamVersion]] = [:]
    private var entries: [StreamVersion: Entry] = [:]
    /// The size of the images of `entries` in bytes.
    private var entryBytes = 0

    private struct Entry {
        let images: StoredImages
        let places: [ObjectName: Int]
    }

    init(version: StreamVersion) { (self.version, end) = (version, version) }

    /// Adds the changes of new commits in the log.
    ///
    /// - Complexity: O(changes that were committed since)
    mutating func advance(_ stream: StreamView) throws {
        if epoch != stream.head.epoch {
            self = PastChanges(version: version)
            epoch = stream.head.epoch
        }
        while end < stream.head.version {
            let images = try stream.images(end + 1)
            end += 1
            for name in images.names where classes[name.className]?[name.key] == nil {
                classes[name.className, default: [:]][name.key] = end
            }
        }
    }

    /// Returns the state of an object at the version. Returns `nil` if the object hasn't changed since.
    mutating func object(_ name: ObjectName, _ stream: StreamView) throws -> MergedObject?? {
        guard let first = classes[name.className]?[name.key] else { return nil }
        if entries[first] == nil {
            if entries.count >= 64 || entryBytes >= 4 << 20 { (entries, entryBytes) = ([:], 0) }
            let images = try stream.images(first)
            let places = zip(images.names, images.names.indices)
            entries[first] = Entry(images: images, places: Dictionary(places) { first, _ in first })
            entryBytes += images.byteCount
        }
        guard let entry = entries[first], let index = entry.places[name] else {
            throw StoreDamage("The log has changed.")
        }
        return .some(try stream.image(index, of: entry.images))
    }

    /// Returns the keys of a class after a key, in rising order.
    func keys(of className: SyncString, behind key: PrimaryKey?) -> [PrimaryKey] {
        guard let found = classes[className]?.keys else { return [] }
        return found.filter { candidate in key.map { candidate > $0 } ?? true }.sorted()
    }
}
