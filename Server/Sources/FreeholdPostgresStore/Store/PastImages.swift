#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore
    internal import Synchronization

    /// The key of a stream in caches of its earlier versions.
    struct PastKey: Hashable, Sendable {
        let name: StreamName
        let stream: Int64
    }

    /// A cache of the before-images that a bootstrap of an earlier version reads. Without it, each page would read the whole log again. Any thread
    /// may use it.
    final class PastImages: Sendable {
        /// The first before-image of each object after a version.
        struct Images: Sendable {
            let epoch: UInt64
            /// The version up to which the log was read.
            var end: StreamVersion
            var horizon: StreamVersion = 0
            private(set) var images: [ObjectName: Image] = [:]
            private(set) var bytes = 0

            init(epoch: UInt64, end: StreamVersion) { (self.epoch, self.end) = (epoch, end) }

            mutating func add(_ entry: StoredGroup.Entry) {
                guard entry.version == end + 1 else { return }
                end = entry.version
                for (index, name) in entry.images.names.enumerated() where images[name] == nil {
                    images[name] = Image(entry: entry, index: index)
                }
                bytes += entry.images.byteCount
            }
        }

        struct Image: Sendable {
            fileprivate let entry: StoredGroup.Entry
            fileprivate let index: Int

            func object(horizon: StreamVersion) throws -> MergedObject? { try entry.object(index, horizon: horizon) }
        }

        private struct Known {
            let key: PastKey
            let version: StreamVersion
            var images: Images
        }

        /// The maximum number of bytes of the log that are kept in memory.
        private static let mostBytes = 64 << 20
        private let known = Mutex<[Known]>([])

        /// Returns the cached images after a version, which may be incomplete.
        func images(_ key: PastKey, after version: StreamVersion) -> Images {
            known.withLock { known in
                known.last { $0.key == key && $0.version == version }?.images ?? Images(epoch: 0, end: version)
            }
        }

        /// Stores images in the cache. If the cache is too large, the least recently used images are removed.
        func keep(_ images: Images, _ key: PastKey, after version: StreamVersion) {
            known.withLock { known in
                known.removeAll { $0.key == key && $0.version == version }
                known.append(Known(key: key, version: version, images: images))
                var bytes = known.reduce(0) { $0 + $1.images.bytes }
                while bytes > Self.mostBytes, !known.isEmpty { bytes -= known.removeFirst().images.bytes }
            }
        }
    }
#endif
