public import Freehold

/// Questions to the world, each answered by the database.
public struct Questions {
    let realm: Realm

    public init(_ realm: Realm) { self.realm = realm }

    /// The largest cities of a continent, the largest first: a query across a link, sorted.
    public func largestCities(of continent: String, limit: Int) -> [City] {
        let cities = realm.objects(City.self).where { $0.country.continent == continent }
        return Array(cities.sorted(by: \.population, ascending: false).prefix(limit))
    }

    /// Cities whose name begins with a text, in order of their names.
    public func cities(beginningWith prefix: String) -> Results<City> {
        realm.objects(City.self).where { $0.name.starts(with: prefix) }.sorted(by: \.name)
    }

    /// Large cities in the far north: two conditions.
    public func cities(northOf latitude: Double, over population: Int) -> Results<City> {
        realm.objects(City.self)
            .where { $0.latitude > latitude && $0.population > population }
            .sorted(by: \.latitude, ascending: false)
    }

    /// The countries with the most neighbours.
    public func countriesByNeighbours(limit: Int) -> [Country] {
        let countries = realm.objects(Country.self).map { (country: $0, neighbours: $0.neighbours.count) }
        let ordered = countries.sorted {
            ($1.neighbours, $0.country.iso) < ($0.neighbours, $1.country.iso)
        }
        return ordered.prefix(limit).map(\.country)
    }

    /// The sum of the population of each country's cities, the largest first. It walks the link `City.country`
    /// backwards and lets the engine sum.
    public func cityPopulations() -> [(country: Country, population: Int)] {
        realm.objects(Country.self)
            .map { (country: $0, population: $0.cities.sum(of: \.population)) }
            .sorted { ($1.population, $0.country.iso) < ($0.population, $1.country.iso) }
    }

    /// The same for one country with a plain loop over all cities.
    public func cityPopulationByHand(of iso: String) -> Int {
        var sum = 0
        for city in realm.objects(City.self) where city.country?.iso == iso {
            sum += city.population
        }
        return sum
    }

    /// The countries whose capital has this name: a query by the index, then a link walked backwards.
    public func countries(withCapitalNamed name: String) -> [Country] {
        realm.objects(City.self).where { $0.name == name }.flatMap { Array($0.capitalOf) }
    }

    /// The countries that name this one as their neighbour.
    public func neighbours(of iso: String) -> [Country] {
        guard let country = realm.object(ofType: Country.self, forPrimaryKey: iso) else { return [] }
        return country.neighbourOf.sorted { $0.iso < $1.iso }
    }
}

/// Changes to the world.
public struct Edits {
    let realm: Realm

    public init(_ realm: Realm) { self.realm = realm }

    /// Capitals that the country data spells without the accents of the city data.
    public static let spellings = [
        "IS": "Reykjavík", "BR": "Brasília", "CO": "Bogotá", "CM": "Yaoundé", "PY": "Asunción",
    ]

    /// Links the capitals of `spellings` by hand. Returns how many weren't linked before.
    public func linkCapitalsByHand() throws -> Int {
        try realm.write {
            var linked = 0
            for (iso, name) in Self.spellings {
                guard let country = realm.object(ofType: Country.self, forPrimaryKey: iso), country.capital == nil
                else { continue }
                country.capital = country.cities.where { $0.name == name }.first
                if country.capital != nil { linked += 1 }
            }
            return linked
        }
    }

    /// Adds a new city, and then a country whose primary key is taken. The transaction throws, and neither is stored.
    public func addDuplicate(of iso: String) throws {
        try realm.write {
            let city = City()
            city.id = -1
            city.name = "Nowhere"
            realm.add(city)
            let country = Country()
            country.iso = iso
            country.name = "Another"
            realm.add(country)
        }
    }
}
