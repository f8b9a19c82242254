/// The two columns that store a place in the form of GeoJSON points: a string, which is "Point", and a list of doubles with the longitude, the
/// latitude and further elements that are ignored.
///
/// A row isn't a place if it has another `type`, fewer than two coordinates, or coordinates out of range.
public struct GeoColumns: Sendable {
    public let type: Column
    public let coordinates: Column

    /// Returns `nil` unless one column contains strings and the other one lists of doubles, in the same table.
    public init?(type: Column, coordinates: Column) {
        guard type.type == .string, type.collection == .none, coordinates.type == .double,
            coordinates.collection == .list, type.tableID == coordinates.tableID
        else { return nil }
        self.type = type
        self.coordinates = coordinates
    }

    /// Returns the columns with the names `type` and `coordinates`.
    public init?(_ table: Table) {
        guard let type = table.column(named: "type"), let coordinates = table.column(named: "coordinates") else {
            return nil
        }
        self.init(type: type, coordinates: coordinates)
    }
}

extension DataView {
    /// Returns the first two numbers of a list of coordinates, or `nil` if there are fewer or one of them is null.
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
    /// The first two elements of a list of doubles.
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
