import Foundation
import Freehold
import Testing

class JSCountry: Object {
    @Persisted(primaryKey: true) var iso: String
    @Persisted var name = ""
    @Persisted var capital: String?
    @Persisted var population: Int
    @Persisted var languages: List<String>
    @Persisted var neighbours: List<JSCountry>
    @Persisted(originProperty: "country") var cities: LinkingObjects<JSCity>
}

class JSCity: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var country: JSCountry?
    @Persisted var latitude: Double
    @Persisted var longitude: Double
    @Persisted var population: Int
    @Persisted var alternateNames: List<String>
}

/// Lines of the world's data (GeoNames, CC BY 4.0): links are keys, in any order.
@Suite("JSON: the world")
struct JSONWorldTests {
    private let countries = """
        {"iso":"AD","iso3":"AND","name":"Andorra","capital":"Andorra la Vella","continent":"EU","population":77006,"languages":["ca"],"neighbours":["ES","FR"]}
        {"iso":"ES","iso3":"ESP","name":"Spain","capital":"Madrid","continent":"EU","population":46723749,"languages":["es-ES","ca","gl","eu","oc"],"neighbours":["AD","PT","GI","FR","MA"]}
        {"iso":"AQ","iso3":"ATA","name":"Antarctica","capital":null,"continent":"AN","population":0,"languages":[],"neighbours":[]}
        """
    private let cities = """
        {"id":3041563,"name":"Andorra la Vella","country":"AD","admin1":"07","latitude":42.50779,"longitude":1.52109,"population":20430,"timezone":"Europe/Andorra"}
        {"id":3117735,"name":"Madrid","country":"ES","admin1":"29","latitude":40.4165,"longitude":-3.70256,"population":3255944,"timezone":"Europe/Madrid","alternateNames":["Madryt","Мадрид","マドリード","马德里"]}
        {"id":32723,"name":"Īstgāh-e Rāh Āhan-e Garmsār","country":"IR","admin1":"25","latitude":35.23455,"longitude":52.30942,"population":49491,"timezone":"Asia/Tehran"}
        """

    @Test("cities and countries are imported with their links in any order, and exported unchanged")
    func world() throws {
        func newRealm() throws -> Realm {
            try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString,
                    objectTypes: [JSCountry.self, JSCity.self]
                )
            )
        }
        for citiesFirst in [false, true] {
            let realm = try newRealm()
            if citiesFirst { try expectEqual(realm.importJSON(from: Data(cities.utf8), into: JSCity.self), 3) }
            try expectEqual(realm.importJSON(from: Data(countries.utf8), into: JSCountry.self), 3)
            if !citiesFirst { try expectEqual(realm.importJSON(from: Data(cities.utf8), into: JSCity.self), 3) }

            let spain = try require(realm.object(ofType: JSCountry.self, forPrimaryKey: "ES"))
            expect(spain.neighbours.map(\.iso) == ["AD", "PT", "GI", "FR", "MA"] && spain.population == 46_723_749)
            expect(spain.neighbours[0].name == "Andorra" && spain.neighbours[1].name == "")
            expectEqual(spain.cities.map(\.name), ["Madrid"])
            expect(spain.cities[0].alternateNames.last == "马德里" && spain.cities[0].latitude == 40.4165)
            expectEqual(realm.object(ofType: JSCity.self, forPrimaryKey: 32723)?.country?.iso, "IR")
            expect(realm.object(ofType: JSCountry.self, forPrimaryKey: "AQ")?.capital == nil)
            // Countries that are only referred to are created, too: PT, GI, FR, MA, IR.
            expectEqual(realm.objects(JSCountry.self).count, 8)

            let copy = try newRealm()
            let options = JSONExportOptions(format: .lines)
            try copy.importJSON(from: realm.jsonData(of: JSCity.self, options: options), into: JSCity.self)
            try copy.importJSON(from: realm.jsonData(of: JSCountry.self, options: options), into: JSCountry.self)
            func sorted(_ realm: Realm) throws -> [Data] {
                [
                    try realm.objects(JSCity.self).sorted(by: \.id).jsonData(options: options),
                    try realm.objects(JSCountry.self).sorted(by: \.iso).jsonData(options: options),
                ]
            }
            try expectEqual(sorted(copy), sorted(realm))
        }
    }
}
