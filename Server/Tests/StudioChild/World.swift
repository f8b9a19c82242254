import Foundation
import Freehold

/// The classes and objects of the tests: all types and collections, links in both directions, and hostile names and texts.
enum World {
    static let hostileClass = "<img src=x onerror=alert(1)>"
    static let hostileProperty = "a\"'<b>\u{202E}"

    /// Creates the file with the objects that have values of each type.
    static func make(at file: URL, key: Data?) throws {
        var configuration = Realm.Configuration(fileURL: file, schemaVersion: 3)
        configuration.schema = schema
        configuration.encryptionKey = key
        let realm = try Realm(configuration: configuration)
        for (name, json) in try documents() {
            try realm.dynamicImportJSON(from: json, into: name)
        }
    }

    static var schema: Schema {
        Schema([
            ObjectSchema(
                "Specimen",
                properties: [
                    Property("_id", .objectId, primaryKey: true), Property("name", .string),
                    Property("code", .int, indexed: true),
                    Property("count", .int), Property("mass", .decimal128, optional: true),
                    Property("ratio", .double, optional: true),
                    Property("small", .float), Property("collected", .date, indexed: true), Property("verified", .bool),
                    Property("uuid", .UUID, optional: true), Property("photo", .data, optional: true),
                    Property("species", .object, objectClassName: "Species"),
                    Property("place", .object, objectClassName: "Place"),
                    Property("friends", .object, collection: .list, objectClassName: "Specimen"),
                    Property("notes", .string, collection: .list), Property("tags", .string, collection: .set),
                    Property("traits", .any, collection: .map), Property("anything", .any),
                ]
            ),
            ObjectSchema(
                "Species",
                properties: [
                    Property("name", .string, primaryKey: true), Property("family", .string, indexed: true),
                    Property("parent", .object, objectClassName: "Species"),
                ]
            ),
            ObjectSchema(
                "Place",
                isEmbedded: true,
                properties: [Property("type", .string), Property("coordinates", .double, collection: .list)]
            ),
            ObjectSchema(
                "Hub",
                properties: [
                    Property("name", .string, primaryKey: true),
                    Property("rows", .object, collection: .list, objectClassName: "Row"),
                ]
            ),
            ObjectSchema(
                "Row",
                properties: [
                    Property("number", .int, primaryKey: true), Property("name", .string), Property("value", .double),
                    Property("half", .bool), Property("hub", .object, objectClassName: "Hub"),
                ]
            ),
            ObjectSchema(
                hostileClass,
                properties: [Property(hostileProperty, .string), Property("<i>&amp;", .int, optional: true)]
            ),
        ])
    }

    private static func documents() throws -> [(String, Data)] {
        let species = [
            "Parus major", "Erithacus rubecula", "Sitta europaea", "<b>Turdus</b> merula", "Strix\u{202E}aluco",
        ]
        let specimens = (0..<60).map { specimen($0, species: species) }
        return [
            ("Species", try json(species.map { ["name": $0, "family": "family of \($0.prefix(3))"] })),
            ("Specimen", try json(specimens)),
            ("Hub", try json([["name": "all"], ["name": "few"]])),
            (
                hostileClass,
                try json([
                    [hostileProperty: "<script>alert(1)</script>", "<i>&amp;": 7],
                    [hostileProperty: "\u{2066}line\nbreak\u{0}"],
                ])
            ),
        ]
    }

    private static func json(_ objects: [[String: Any]]) throws -> Data {
        try JSONSerialization.data(withJSONObject: objects, options: [.sortedKeys])
    }

    static func identity(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "6561" + String(repeating: "0", count: 20 - digits.count) + digits
    }

    private static func specimen(_ number: Int, species: [String]) -> [String: Any] {
        var values: [String: Any] = [
            "_id": identity(number), "name": "Specimen \(number)", "code": Int(9_007_199_254_740_993) + number,
            "count": number % 7,
            "ratio": Double(number) / 7, "small": 0.1, "collected": "2026-11-\(number % 20 + 10)T21:40:00.169Z",
            "verified": number % 3 != 0,
            "uuid": "018f3c5e-7a1b-7c2d-8e3f-0000000000\(String(number + 16, radix: 16))",
            "species": species[number % species.count],
            "place": ["type": "Point", "coordinates": [9.17 + Double(number) / 50, 47.68 - Double(number) / 90]],
            "friends": [identity((number + 1) % 60), identity((number + 2) % 60)].filter { _ in number > 0 },
            "notes": ["first", "second \(number)"], "tags": ["ringed", "photo"],
            "traits": ["wing": 241.5, "moult": [0, 0, 3], "deep": ["a": ["b": [1, "two"]]]] as [String: Any],
        ]
        switch number % 6 {
        case 0: values["anything"] = "text"
        case 1: values["anything"] = number
        case 2: values["anything"] = ["list", 1, true] as [Any]
        case 3: values["anything"] = ["key": "value"]
        case 4: values["anything"] = ["$date": "2026-11-27T00:00:00Z"]
        default: break
        }
        if number % 4 != 3 { values["mass"] = "31.2\(number)0" }
        if number % 2 == 0 { values["photo"] = picture }
        switch number {
        case 1: values["name"] = "<script>alert(1)</script>"
        case 2: values["name"] = "right\u{202E}to left, zero\u{200B}width, new\nline, \"quotes\""
        case 3: values["name"] = String(repeating: "A long text. ", count: 20_000)
        case 4:
            let picture = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
            values["photo"] = Data(picture.utf8).base64EncodedString()
        case 5: values["collected"] = "0001-01-01T00:00:00Z"
        case 6: values["collected"] = "9999-12-31T23:59:59.999999999Z"
        case 7: values["ratio"] = "NaN"
        case 8: values["code"] = Int.min
        case 9: values["code"] = Int.max
        case 10: values["name"] = ""
        case 11: values["name"] = "https://example.org/a?b=<c>"
        default: break
        }
        return values
    }

    /// An image of 120 by 72 pixels.
    private static let picture = """
        iVBORw0KGgoAAAANSUhEUgAAAHgAAABICAMAAAAKwMFNAAAAHlBMVEUAAAB6oHhQfmAoVEJulsiEptCattiwxuDG1ujc5vDtF91DAAAA5UlE\
        QVR42u3PQQ7CMAxE0XECtPc/MQskBKiNPY5Rupi/zvgpuC0KggULLoPvixIsWHAd/FiUYMGC6+Atl32WOYBpNWmjhE3QKGJpGmUsSaPSZWiU\
        sgSN6EsjCsJmu5tx+Qd3RB4an3sRgYeWyjkI96GlGx7E+KXNNfgHBi+torOLsEVdC27vuGONGGK05mhuiPE6TrNDuPMQ3eghAnOfTuwQUJ0b\
        uR2i7tmFlhwiPD++kN4hzh6cmNiBYb9PZHevIdqiBAu+FNzP+iPc/crhzlQB96lycK+JgXt9v3BflGDBggWnewIVm3pwG2omawAAAABJRU5E\
        rkJggg==
        """
}
