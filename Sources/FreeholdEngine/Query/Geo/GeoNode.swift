/// A node for the rows of a table that are places inside a shape.
final class GeoNode: PlanNode {
    private let columns: GeoColumns
    private let region: GeoRegion

    init(view: DataView, columns: GeoColumns, region: GeoRegion) {
        self.columns = columns
        self.region = region
        super.init(view: view)
    }

    override var cost: Int { 300 }

    override func fill(_ cluster: Int, _ mask: Mask, count n: Int) {
        guard let types = view.leaf(columns.type, cluster: cluster).map({ Leaf($0) }),
            let places = view.leaf(columns.coordinates, cluster: cluster).map({ Leaf($0) })
        else {
            MaskKernels.set(mask, count: n, to: false)
            return
        }
        let first = Int64(cluster * view.clusterSpan)
        if types.isSplit || types.hasReferences || places.isSplit || places.hasReferences {
            let presence = view.presence(view.schema.table(of: columns.type), cluster: cluster)
            for slot in 0..<n {
                let isLive = presence.map { LeafEncoder.bit($0, slot) } ?? true
                mask[slot] = isLive && test(ObjectKey(first + Int64(slot))) ? 1 : 0
            }
            return
        }
        // Slots after the end of a leaf have no type or no coordinates, so they aren't places.
        let stored = min(n, types.count, places.count)
        for slot in 0..<stored {
            mask[slot] = Self.isPoint(types, slot) && holds(places.bytes(slot)) ? 1 : 0
        }
        if stored < n { MaskKernels.set(mask + stored, count: n - stored, to: false) }
    }

    @inline(__always)
    private static func isPoint(_ leaf: Leaf, _ slot: Int) -> Bool { !leaf.isNull(slot) && isPoint(leaf.bytes(slot)) }

    /// Returns whether the bytes are "Point".
    @inline(__always)
    private static func isPoint(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count == 5 && bytes.loadUnaligned(as: UInt32.self).littleEndian == 0x6E69_6F50 && bytes[4] == 0x74
    }

    @inline(__always)
    private func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let (longitude, latitude) = InlineList(bytes, type: .double).coordinates else { return false }
        return region.contains(latitude: latitude, longitude: longitude)
    }

    override func test(_ key: ObjectKey) -> Bool {
        guard let (longitude, latitude) = view.coordinates(columns.coordinates, key),
            region.contains(latitude: latitude, longitude: longitude)
        else { return false }
        return view.withBytes(columns.type, key) { $0.map(Self.isPoint) ?? false }
    }
}
