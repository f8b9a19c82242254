#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A line of `countries.jsonl`.
struct CountryRow: Decodable {
    var iso: String
    var iso3: String
    var name: String
    var capital: String?
    var continent: String
    var areaKm2: Int
    var population: Int
    var currency: String?
    var languages: [String]
    var neighbours: [String]
}

/// A line of `cities.jsonl`.
struct CityRow: Decodable {
    var id: Int
    var name: String
    var country: String
    var admin1: String?
    var latitude: Double
    var longitude: Double
    var population: Int
    var timezone: String
    var alternateNames: [String]?
}

/// Where the example's data lies.
public enum WorldData {
    /// The `Data` folder beside this package's sources.
    public static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Data").standardizedFileURL
    }
}

/// A file of one JSON object a line, decoded a line at a time.
struct JSONLines<Row: Decodable>: Sequence {
    private let lines: [Data]

    init(_ type: Row.Type, in file: URL) throws {
        lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
    }

    var count: Int { lines.count }

    func makeIterator() -> AnyIterator<Result<Row, any Error>> {
        let decoder = JSONDecoder()
        var lines = lines.makeIterator()
        return AnyIterator {
            lines.next().map { line in Result { try decoder.decode(Row.self, from: line) } }
        }
    }
}
