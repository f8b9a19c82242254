public import Freehold

/// A country or territory.
public final class Country: Object {
    /// ISO 3166 code of two letters.
    @Persisted(primaryKey: true) public var iso: String
    @Persisted public var iso3: String
    @Persisted public var name: String
    /// Nil if the country has no capital, or if its name matches no city of the data.
    @Persisted public var capital: City?
    /// Two letters: AF, AN, AS, EU, NA, OC, SA.
    @Persisted public var continent: String
    /// Square kilometres.
    @Persisted public var areaKm2: Int
    @Persisted public var population: Int
    @Persisted public var currency: String?
    /// Language tags, the most spoken first.
    @Persisted public var languages: List<String>
    @Persisted public var neighbours: List<Country>

    @Persisted(originProperty: "country") public var cities: LinkingObjects<City>
    @Persisted(originProperty: "neighbours") public var neighbourOf: LinkingObjects<Country>
}

/// A city of 15,000 people or more.
public final class City: Object {
    /// GeoNames number.
    @Persisted(primaryKey: true) public var id: Int
    @Persisted(indexed: true) public var name: String
    @Persisted public var country: Country?
    /// First-level division of the country, as GeoNames codes it.
    @Persisted public var admin1: String?
    /// Degrees.
    @Persisted public var latitude: Double
    @Persisted public var longitude: Double
    @Persisted public var population: Int
    @Persisted public var timezone: String
    /// Names in other languages and scripts, for the cities of 250,000 people or more.
    @Persisted public var alternateNames: List<String>

    @Persisted(originProperty: "capital") public var capitalOf: LinkingObjects<Country>
}
