import Foundation
import Freehold
import Testing
import WorldModel

/// The world, loaded once for all tests of this process. The expected figures were counted from the two files with a
/// script that uses nothing of Freehold.
enum LoadedWorld {
    static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("world-\(UUID().uuidString)")
    /// Named, because the tests may be built together with others that have models of their own.
    static let models: [ObjectBase.Type] = [Country.self, City.self]
    static var configuration: Realm.Configuration {
        Realm.Configuration(fileURL: folder.appendingPathComponent("world.realm"), objectTypes: models)
    }
    static let report = Result {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: LoadedWorld.folder) }
        return try Importer().run(into: Realm(configuration: configuration))
    }

    /// A realm of the calling thread on the loaded file.
    static func realm() throws -> Realm {
        _ = try report.get()
        return try Realm(configuration: configuration)
    }
}

@Suite struct WorldModelTests {
    @Test func `the import counts what it loaded and what it could not match`() throws {
        let report = try LoadedWorld.report.get()
        #expect(report.countries == 252)
        #expect(report.cities == 34006)
        #expect(report.alternateNames == 56303)
        #expect(report.neighbours == 654)
        #expect(report.unknownNeighbours == [])
        #expect(report.citiesOfUnknownCountries == [])
        #expect(report.countriesWithoutCapital == 6)
        // 27 without cutting the space before one of them.
        #expect(report.unmatchedCapitals.count == 26)
        #expect(report.unmatchedCapitals.first == .init(iso: "AG", capital: "St. John's"))
        #expect(report.unmatchedCapitals.contains(.init(iso: "AN", capital: "Willemstad")))
        #expect(!report.unmatchedCapitals.contains { $0.iso == "CW" })
    }

    @Test func `all data is present after reopening`() throws {
        let realm = try LoadedWorld.realm()
        #expect(realm.objects(Country.self).count == 252)
        #expect(realm.objects(City.self).count == 34006)
        #expect(realm.objects(City.self).sum(of: \.population) == 3_932_182_704)
        let zürich = try #require(realm.object(ofType: City.self, forPrimaryKey: 2_657_896))
        #expect(zürich.name == "Zürich")
        #expect(zürich.country?.name == "Switzerland")
        #expect(zürich.admin1 == "ZH")
        #expect(zürich.latitude == 47.36667)
        #expect(zürich.population == 415367)
        #expect(zürich.alternateNames.count == 40)
        #expect(zürich.alternateNames.last == "Zyrihu")
        let antarctica = try #require(realm.object(ofType: Country.self, forPrimaryKey: "AQ"))
        #expect(antarctica.currency == nil)
        #expect(antarctica.capital == nil)
        #expect(realm.object(ofType: Country.self, forPrimaryKey: "XX") == nil)
    }

    @Test(arguments: [
        ("SA", ["São Paulo", "Lima", "Bogotá", "Rio de Janeiro", "Santiago"]),
        ("EU", ["Moscow", "London", "Saint Petersburg", "Berlin", "Madrid"]),
        ("OC", ["Sydney", "Melbourne", "Brisbane", "Perth", "Auckland"]),
        ("XX", []),
    ])
    func `the largest cities of a continent come in order`(continent: String, names: [String]) throws {
        let cities = Questions(try LoadedWorld.realm()).largestCities(of: continent, limit: 5)
        #expect(cities.map(\.name) == names)
    }

    @Test(arguments: [("San ", 355), ("New ", 54), ("Zü", 22), ("zü", 0)])
    func `cities are found by the beginning of their names`(prefix: String, count: Int) throws {
        #expect(Questions(try LoadedWorld.realm()).cities(beginningWith: prefix).count == count)
    }

    @Test func `two conditions are ANDed`() throws {
        #expect(Questions(try LoadedWorld.realm()).cities(northOf: 60, over: 100_000).count == 29)
    }

    @Test func `countries are ordered by the number of their neighbours`() throws {
        let countries = Questions(try LoadedWorld.realm()).countriesByNeighbours(limit: 6)
        #expect(countries.map(\.iso) == ["CN", "RU", "BR", "CD", "DE", "RS"])
        #expect(countries.map(\.neighbours.count) == [14, 14, 10, 9, 9, 9])
    }

    @Test func `the engine's sums equal those of a plain loop`() throws {
        let questions = Questions(try LoadedWorld.realm())
        let sums = questions.cityPopulations()
        #expect(sums.prefix(3).map(\.country.iso) == ["CN", "IN", "US"])
        #expect(sums.prefix(3).map(\.population) == [745_591_085, 366_222_053, 217_061_901])
        #expect(sums.first { $0.country.iso == "CH" }?.population == 3_461_664)
        #expect(questions.cityPopulationByHand(of: "CH") == 3_461_664)
    }

    @Test func `links are walked backwards`() throws {
        let realm = try LoadedWorld.realm()
        let questions = Questions(realm)
        #expect(questions.countries(withCapitalNamed: "Tokyo").map(\.iso) == ["JP"])
        #expect(questions.countries(withCapitalNamed: "Zürich").isEmpty)
        #expect(questions.neighbours(of: "FR").map(\.iso) == ["AD", "BE", "CH", "DE", "ES", "IT", "LU", "MC"])
        #expect(realm.object(ofType: Country.self, forPrimaryKey: "FR")?.cities.count == 692)
        // The largest of the three Washingtons.
        #expect(realm.object(ofType: Country.self, forPrimaryKey: "US")?.capital?.id == 4_140_963)
    }

    @Test func `an edit is stored and a refused one changes nothing`() throws {
        let original = LoadedWorld.configuration
        _ = try LoadedWorld.realm()
        let copy = LoadedWorld.folder.appendingPathComponent("edited.realm")
        try FileManager.default.copyItem(at: try #require(original.fileURL), to: copy)
        let realm = try Realm(configuration: Realm.Configuration(fileURL: copy, objectTypes: LoadedWorld.models))

        #expect(try Edits(realm).linkCapitalsByHand() == 5)
        #expect(try Edits(realm).linkCapitalsByHand() == 0)
        #expect(Questions(realm).countries(withCapitalNamed: "Reykjavík").map(\.iso) == ["IS"])

        let error = #expect(throws: Realm.Error.self) { try Edits(realm).addDuplicate(of: "FR") }
        #expect(error?.code == .duplicatePrimaryKey)
        #expect(realm.objects(Country.self).count == 252)
        #expect(realm.objects(City.self).count == 34006)
        #expect(realm.object(ofType: Country.self, forPrimaryKey: "FR")?.name == "France")
        #expect(realm.object(ofType: City.self, forPrimaryKey: -1) == nil)
    }
}
