#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The two columns that make the rows of a table places, as GeoJSON writes points: a string that is "Point", and a list
/// of doubles, longitude first, then latitude; what follows is left out of account.
///
/// A row with any other `type`, with fewer than two coordinates, or with coordinates out of range, is no place.
public struct GeoColumns: Sendable {
    public let type: Column
    public let coordinates: Column

    /// Nil unless one is a column of strings and the other of lists of doubles, in one table.
    public init?(type: Column, coordinates: Column) {
        guard type.type == .string, type.collection == .none, coordinates.type == .double,
            coordinates.collection == .list, type.tableID == coordinates.tableID
        else { return nil }
        self.type = type
        self.coordinates = coordinates
    }

    /// The columns that are called `type` and `coordinates`.
    public init?(_ table: Table) {
        guard let type = table.column(named: "type"), let coordinates = table.column(named: "coordinates") else {
            return nil
        }
        self.init(type: type, coordinates: coordinates)
    }
}

extension DataView {
    /// The numbers that a list of coordinates begins with; nil where there aren't two, or one is null.
    func coordinates(_ column: Column, _ key: ObjectKey) -> (longitude: Double, latitude: Double)? {
        withList(column, key) { list in
            switch list {
            case .inline(let inline): return inline.coordinates
            case .large:
                guard case .double(let longitude) = value(of: list, at: 0, type: .double, isOptional: true),
                    case .double(let latitude) = value(of: list, at: 1, type: .double, isOptional: true)
                else { return nil }
                return (longitude, latitude)
            }
        }
    }
}

extension InlineList {
    /// Of doubles: the first two.
    @inline(__always)
    var coordinates: (longitude: Double, latitude: Double)? {
        guard bytes.count >= 20 else { return nil }
        let p = bytes.baseAddress!
        if p.load(as: UInt8.self) == 8 {
            return (
                p.loadUnaligned(fromByteOffset: 4, as: Double.self),
                p.loadUnaligned(fromByteOffset: 12, as: Double.self)
            )
        }
        guard count >= 2, case .double(let longitude) = value(0), case .double(let latitude) = value(1) else {
            return nil
        }
        return (longitude, latitude)
    }
}

/// Which rows of a table are places inside a shape.
final class GeoNode: PlanNode {
    private let columns: GeoColumns
    private let region: GeoRegion

    init(view: DataView, columns: GeoColumns, region: GeoRegion) {
        self.columns = columns
        self.region = region
        super.init(view: view)
    }

    override var cost: Int { 300 }

    override func fill(_ cluster: Int, _ mask: Mask, _ n: Int) {
        guard let types = view.leaf(columns.type, cluster: cluster).map({ Leaf($0) }),
            let places = view.leaf(columns.coordinates, cluster: cluster).map({ Leaf($0) })
        else {
            MaskKernels.set(mask, n, false)
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
        // Slots past a leaf's end hold no text, or no coordinates.
        let stored = min(n, types.count, places.count)
        for slot in 0..<stored {
            mask[slot] = Self.isPoint(types, slot) && holds(places.bytes(slot)) ? 1 : 0
        }
        if stored < n { MaskKernels.set(mask + stored, n - stored, false) }
    }

    @inline(__always)
    private static func isPoint(_ leaf: Leaf, _ slot: Int) -> Bool { !leaf.isNull(slot) && isPoint(leaf.bytes(slot)) }

    /// "Point"
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
