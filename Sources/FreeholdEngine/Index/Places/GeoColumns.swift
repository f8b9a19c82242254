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
    /// Returns the numbers that a list of coordinates begins with, or `nil` if there aren't two, or one is null.
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
