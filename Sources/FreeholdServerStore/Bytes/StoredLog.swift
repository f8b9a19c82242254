public import FreeholdSyncCore

/// The before-images of a commit in the form of the log: first the names of the objects, then their states. They are
/// compressed like messages if the store has a compression. It is public for stores in other packages.
public struct StoredImages: Sendable {
    /// The names of the objects that the commit changed.
    public let names: [ObjectName]
    private let bytes: [UInt8]
    /// For each name, the offset of its object. `nil` if the object didn't exist.
    private let places: [Int?]

    /// Returns the stored form of the before-images of a commit.
    ///
    /// - Throws: An error if an object is nested deeper than documents can be.
    public static func bytes(_ changes: [BeforeImage], _ compression: (any MessageCompression)?) throws -> [UInt8] {
        var body: [UInt8] = []
        body.appendVarint(changes.count)
        for change in changes {
            body.append(change.name)
            body.append(UInt8(change.object == nil ? 0 : 1))
        }
        for change in changes { if let object = change.object { try body.append(object, change.name.key) } }
        guard body.count >= 1 << 10, let short = compression?.compressed(body), short.count < body.count else {
            return [0] + body
        }
        var bytes: [UInt8] = [1]
        bytes.appendVarint(body.count)
        return bytes + short
    }

    /// Reads the names in the stored form. `object(_:horizon:)` reads the objects.
    ///
    /// - Throws: `CodecError`, or an error that describes the damage.
    public init(_ stored: [UInt8], _ compression: (any MessageCompression)?) throws {
        guard let first = stored.first, first <= 1 else {
            throw StoreDamage("A commit's log is empty, or of a later form.")
        }
        var bytes = stored
        if first == 1 {
            bytes = try stored.withUnsafeBytes { stored in
                var cursor = ByteCursor(stored, 1..<stored.count)
                let count = try cursor.varint()
                // A deflated byte expands to at most 1,032 bytes.
                guard count / 1032 <= UInt64(cursor.remaining), let compression,
                    let body = compression.inflated(
                        UnsafeRawBufferPointer(rebasing: stored[try cursor.take(cursor.remaining)]),
                        count: Int(count)
                    ), body.count == Int(count)
                else { throw StoreDamage("A commit's log can't be inflated.") }
                return [0] + body
            }
        }
        var names: [ObjectName] = []
        var places: [Int?] = []
        try bytes.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, 1..<bytes.count)
            var areThere: [Bool] = []
            for _ in 0..<(try cursor.count()) {
                names.append(try cursor.name())
                areThere.append(try cursor.byte() != 0)
            }
            for isThere in areThere {
                places.append(isThere ? cursor.position : nil)
                guard isThere else { continue }
                _ = try (cursor.section(), cursor.section())
            }
        }
        (self.names, self.bytes, self.places) = (names, bytes, places)
    }

    /// The size of the images in bytes.
    public var byteCount: Int { bytes.count }

    /// Returns the state of an object before the commit. Returns `nil` if it didn't exist.
    public func object(_ index: Int, horizon: StreamVersion) throws -> MergedObject? {
        guard let place = places[index] else { return nil }
        var object = try bytes.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, place..<bytes.count)
            return try cursor.object()
        }
        // Before-images must not name slots and objects that were removed at the horizon either.
        guard horizon > 0 else { return object }
        return object.trim(horizon: horizon) ? object : nil
    }
}
