public import FreeholdSyncCore

/// The before-images of a commit in the form of the log: first the names of the objects, then their states. They are
/// compressed like messages if the store has a compression. It is public for stores in other packages.
///
/// Commits are stored in groups. If several commits of a group change an object with a long list, only the first image of
/// the object is whole. Each later one is the difference to the image of the commit before it.
public struct StoredImages: Sendable {
    /// The names of the objects that the commit changed.
    public let names: [ObjectName]
    private let bytes: [UInt8]
    private let places: [Place]
    /// A version at or before the oldest commit whose images are needed to compute these images. `nil` if all of these images are whole.
    public let root: StreamVersion?

    /// The maximum number of versions between a difference and the image to which it is the difference.
    static let mostVersions: StreamVersion = 256

    /// The place of an object's state.
    private enum Place {
        /// The object didn't exist.
        case nowhere
        case whole(Int)
        case difference(Int, to: Base)
    }

    /// The image from which another one is computed with a difference.
    private struct Base {
        let version: StreamVersion
        let index: Int
    }

    /// The first bytes of the forms.
    private enum Form {
        static let plain: UInt8 = 0
        static let compressed: UInt8 = 1
        /// The root follows, then one of the other forms.
        static let dependent: UInt8 = 2
    }

    /// The byte after a name, which determines the form of the image.
    private enum Kind {
        static let nowhere: UInt8 = 0
        static let whole: UInt8 = 1
        static let difference: UInt8 = 2
    }

    // MARK: Writing

    /// Writes the before-images of the commits of one group, in their order.
    public struct Writer {
        private let compression: (any MessageCompression)?
        private var known: [ObjectName: Known] = [:]

        /// The last image of an object.
        private struct Known {
            let base: Base
            let object: MergedObject
            /// The version of the whole image.
            let root: StreamVersion
            /// The number of differences since the whole image.
            let depth: Int
        }

        /// The maximum number of differences between whole images. Reading an image reads all of them.
        private static let mostDifferences = 128

        /// The minimum number of elements of a long list.
        private let longList: Int

        public init(_ compression: (any MessageCompression)?, longList: Int = MergedObject.longList) {
            (self.compression, self.longList) = (compression, longList)
        }

        /// Returns the stored form of a commit's before-images.
        ///
        /// - Throws: An error if an object is nested deeper than documents can be.
        public mutating func bytes(_ entry: LogEntry) throws -> [UInt8] {
            var (body, states) = ([UInt8](), [UInt8]())
            var root: StreamVersion?
            body.appendVarint(entry.changes.count)
            for (index, change) in entry.changes.enumerated() {
                body.append(change.name)
                guard let object = change.object else {
                    body.append(Kind.nowhere)
                    continue
                }
                let base = Base(version: entry.version, index: index)
                guard object.hasList(ofAtLeast: longList) else {
                    body.append(Kind.whole)
                    try states.append(object, change.name.key)
                    continue
                }
                let last = known[change.name].flatMap { last in
                    let isNear = entry.version - last.base.version <= StoredImages.mostVersions
                    return isNear && last.depth < Self.mostDifferences ? last : nil
                }
                if let last,
                    let difference = object.stored(change.name.key, after: last.object, lists: longList)
                {
                    body.append(Kind.difference)
                    body.appendVarint(last.base.version)
                    body.appendVarint(last.base.index)
                    states.append(section: try difference.rest.doc.storedBytes())
                    states.append(section: difference.rest.meta)
                    states.append(section: difference.lists)
                    root = min(root ?? .max, last.root)
                    known[change.name] = Known(base: base, object: object, root: last.root, depth: last.depth + 1)
                } else {
                    body.append(Kind.whole)
                    try states.append(object, change.name.key)
                    known[change.name] = Known(base: base, object: object, root: entry.version, depth: 0)
                }
            }
            return StoredImages.bytes(body + states, root, compression)
        }
    }

    private static func bytes(
        _ body: [UInt8],
        _ root: StreamVersion?,
        _ compression: (any MessageCompression)?
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        if let root {
            bytes.append(Form.dependent)
            bytes.appendVarint(root)
        }
        guard body.count >= 1 << 10, let short = compression?.compressed(body), short.count < body.count else {
            bytes.append(Form.plain)
            return bytes + body
        }
        bytes.append(Form.compressed)
        bytes.appendVarint(body.count)
        return bytes + short
    }

    /// Returns the stored form with whole images.
    ///
    /// - Parameter earlier: Returns the images of an earlier commit of the group.
    public func wholeBytes(
        _ compression: (any MessageCompression)?,
        earlier: (StreamVersion) throws -> StoredImages
    ) throws -> [UInt8] {
        var (body, states) = ([UInt8](), [UInt8]())
        body.appendVarint(names.count)
        for (index, name) in names.enumerated() {
            body.append(name)
            guard let object = try object(index, horizon: 0, earlier: earlier) else {
                body.append(Kind.nowhere)
                continue
            }
            body.append(Kind.whole)
            try states.append(object, name.key)
        }
        return Self.bytes(body + states, nil, compression)
    }

    // MARK: Reading

    /// Reads the names in the stored form. `object(_:horizon:earlier:)` reads the objects.
    ///
    /// - Throws: `CodecError`, or an error that describes the damage.
    public init(_ stored: [UInt8], _ compression: (any MessageCompression)?) throws {
        var (bytes, start) = (stored, 0)
        root = try stored.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes)
            guard bytes.first == Form.dependent else { return nil }
            _ = try cursor.byte()
            let root = try cursor.varint()
            start = cursor.position
            return root
        }
        guard start < stored.count, stored[start] <= Form.compressed else {
            throw StoreDamage("A commit's log is empty, or of a later form.")
        }
        if stored[start] == Form.compressed {
            bytes = try stored.withUnsafeBytes { stored in
                var cursor = ByteCursor(stored, start + 1..<stored.count)
                let count = try cursor.varint()
                // A deflated byte expands to at most 1,032 bytes.
                guard count / 1032 <= UInt64(cursor.remaining), let compression,
                    let body = compression.inflated(
                        UnsafeRawBufferPointer(rebasing: stored[try cursor.take(cursor.remaining)]),
                        count: Int(count)
                    ), body.count == Int(count)
                else { throw StoreDamage("A commit's log can't be inflated.") }
                return [Form.plain] + body
            }
            start = 0
        }
        var names: [ObjectName] = []
        var places: [Place] = []
        try bytes.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, start + 1..<bytes.count)
            var bases: [(kind: UInt8, base: Base)] = []
            for _ in 0..<(try cursor.count()) {
                names.append(try cursor.name())
                let kind = try cursor.byte()
                guard kind <= Kind.difference else { throw StoreDamage("A before-image is of a later form.") }
                var base = Base(version: 0, index: 0)
                if kind == Kind.difference {
                    base = Base(version: try cursor.varint(), index: Int(clamping: try cursor.varint()))
                }
                bases.append((kind, base))
            }
            for (kind, base) in bases {
                let place = cursor.position
                switch kind {
                case Kind.nowhere: places.append(.nowhere)
                case Kind.whole:
                    _ = try (cursor.section(), cursor.section())
                    places.append(.whole(place))
                default:
                    _ = try (cursor.section(), cursor.section(), cursor.section())
                    places.append(.difference(place, to: base))
                }
            }
        }
        (self.names, self.bytes, self.places) = (names, bytes, places)
    }

    /// Returns the root of a stored form, without reading the rest of it.
    static func root(_ stored: [UInt8]) throws -> StreamVersion? {
        guard stored.first == Form.dependent else { return nil }
        return try stored.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, 1..<bytes.count)
            return try cursor.varint()
        }
    }

    /// Returns whether one of the images is the difference to an image of a commit up to a version.
    func needs(upTo version: StreamVersion) -> Bool {
        places.contains { if case .difference(_, let base) = $0 { base.version <= version } else { false } }
    }

    /// The size of the images in bytes.
    public var byteCount: Int { bytes.count }

    /// Returns the state of an object before the commit. Returns `nil` if it didn't exist.
    ///
    /// - Parameter earlier: Returns the images of an earlier commit of the group.
    public func object(
        _ index: Int,
        horizon: StreamVersion,
        earlier: (StreamVersion) throws -> StoredImages
    ) throws -> MergedObject? {
        guard var object = try state(index, earlier) else { return nil }
        // Before-images must also not name slots and objects that were removed at the horizon.
        guard horizon > 0 else { return object }
        return object.trim(horizon: horizon) ? object : nil
    }

    private func state(_ index: Int, _ earlier: (StreamVersion) throws -> StoredImages) throws -> MergedObject? {
        var differences: [StoredDifference] = []
        var (images, index, version) = (self, index, StreamVersion.max)
        while case .difference(let place, let base) = images.places[index] {
            differences.append(try images.difference(at: place))
            guard base.version < version else { throw StoreDamage("A before-image is the difference to a later one.") }
            version = base.version
            let name = images.names[index]
            images = try earlier(version)
            guard base.index < images.names.count, images.names[base.index] == name else {
                throw StoreDamage("A before-image is the difference to another object.")
            }
            index = base.index
        }
        guard case .whole(let place) = images.places[index] else {
            guard differences.isEmpty else { throw StoreDamage("A before-image is the difference to nothing.") }
            return nil
        }
        let object = try images.bytes.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, place..<bytes.count)
            return try cursor.object()
        }
        if differences.isEmpty { return object }
        var patched = PatchedObject(object)
        for difference in differences.reversed() { try patched.apply(difference) }
        return try patched.finished()
    }

    private func difference(at place: Int) throws -> StoredDifference {
        try bytes.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, place..<bytes.count)
            let rest = try cursor.storedObject()
            return StoredDifference(rest: rest, lists: Array(bytes[try cursor.section()]))
        }
    }
}
