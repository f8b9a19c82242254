public import Freehold

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an import did, and what in its input it couldn't use.
public struct ImportReport: Sendable {
    /// A capital whose name is that of no city in the country.
    public struct UnmatchedCapital: Sendable, Equatable {
        public let iso: String
        public let capital: String

        public init(iso: String, capital: String) {
            self.iso = iso
            self.capital = capital
        }
    }

    public var countries = 0
    public var cities = 0
    public var alternateNames = 0
    public var neighbours = 0
    public var unmatchedCapitals: [UnmatchedCapital] = []
    public var countriesWithoutCapital = 0
    /// Neighbours that no country's code names, as "country → neighbour".
    public var unknownNeighbours: [String] = []
    /// Numbers of the cities whose country isn't in the data.
    public var citiesOfUnknownCountries: [Int] = []
}

/// Loads the two files of the world into a realm.
public struct Importer {
    /// How far an import is: `done` of `total` objects of `stage`.
    public struct Progress: Sendable {
        public let stage: String
        public let done: Int
        public let total: Int
    }

    let folder: URL
    /// Cities a transaction.
    let batch: Int

    public init(folder: URL = WorldData.folder, batch: Int = 2000) {
        self.folder = folder
        self.batch = batch
    }

    /// Loads countries, then cities, then the links between countries that need both.
    public func run(into realm: Realm, progress: (Progress) -> Void = { _ in }) throws -> ImportReport {
        var report = ImportReport()
        let rows = try JSONLines(CountryRow.self, in: folder.appendingPathComponent("countries.jsonl")).map {
            try $0.get()
        }
        let countries = try addCountries(rows, to: realm, &report)
        progress(Progress(stage: "countries", done: rows.count, total: rows.count))
        try addCities(to: realm, countries: countries, &report, progress)
        try linkCountries(rows, in: realm, countries: countries, &report)
        progress(Progress(stage: "links", done: rows.count, total: rows.count))
        return report
    }

    private func addCountries(_ rows: [CountryRow], to realm: Realm, _ report: inout ImportReport) throws
        -> [String: Country]
    {
        var countries: [String: Country] = [:]
        try realm.write {
            for row in rows {
                let country = Country()
                country.iso = row.iso
                country.iso3 = row.iso3
                country.name = row.name
                country.continent = row.continent
                country.areaKm2 = row.areaKm2
                country.population = row.population
                country.currency = row.currency
                country.languages.append(objectsIn: row.languages)
                realm.add(country)
                countries[row.iso] = country
            }
        }
        report.countries = rows.count
        return countries
    }

    private func addCities(
        to realm: Realm,
        countries: [String: Country],
        _ report: inout ImportReport,
        _ progress: (Progress) -> Void
    ) throws {
        let rows = try JSONLines(CityRow.self, in: folder.appendingPathComponent("cities.jsonl"))
        let total = rows.count
        let iterator = rows.makeIterator()
        var finished = false
        while !finished {
            try realm.write {
                for _ in 0..<batch {
                    guard let row = try iterator.next()?.get() else {
                        finished = true
                        break
                    }
                    realm.add(city(row, countries, &report))
                    report.cities += 1
                }
            }
            progress(Progress(stage: "cities", done: report.cities, total: total))
        }
    }

    private func city(_ row: CityRow, _ countries: [String: Country], _ report: inout ImportReport) -> City {
        let city = City()
        city.id = row.id
        city.name = row.name
        city.admin1 = row.admin1
        city.latitude = row.latitude
        city.longitude = row.longitude
        city.population = row.population
        city.timezone = row.timezone
        if let names = row.alternateNames {
            city.alternateNames.append(objectsIn: names)
            report.alternateNames += names.count
        }
        city.country = countries[row.country]
        if city.country == nil { report.citiesOfUnknownCountries.append(row.id) }
        return city
    }

    private func linkCountries(
        _ rows: [CountryRow],
        in realm: Realm,
        countries: [String: Country],
        _ report: inout ImportReport
    ) throws {
        try realm.write {
            for row in rows {
                guard let country = countries[row.iso] else { continue }
                for iso in row.neighbours {
                    if let neighbour = countries[iso] {
                        country.neighbours.append(neighbour)
                        report.neighbours += 1
                    } else {
                        report.unknownNeighbours.append("\(row.iso) → \(iso)")
                    }
                }
                guard let capital = row.capital else {
                    report.countriesWithoutCapital += 1
                    continue
                }
                // One name of the data begins with a space. If several cities have the name, the largest one is the
                // capital: the United States have three Washingtons here.
                let name = String(capital.drop(while: \.isWhitespace))
                let candidates = realm.objects(City.self).where { $0.name == name && $0.country == country }
                country.capital = candidates.sorted(by: \.population, ascending: false).first
                if country.capital == nil {
                    report.unmatchedCapitals.append(.init(iso: row.iso, capital: name))
                }
            }
        }
    }
}
