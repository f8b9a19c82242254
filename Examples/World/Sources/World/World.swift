import Foundation
import Freehold
import WorldModel

/// `World [--fresh] [FOLDER]`: a database of the world's countries and cities. The first run makes it, later ones open it.
@main
struct World {
    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        let fresh = arguments.contains("--fresh")
        arguments.removeAll { $0 == "--fresh" }
        guard arguments.count <= 1, !(arguments.first ?? "").hasPrefix("-") else {
            print("usage: World [--fresh] [FOLDER]")
            exit(2)
        }
        let folder = URL(fileURLWithPath: arguments.first ?? FileManager.default.currentDirectoryPath)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("world.realm")
        if fresh { try removeDatabase(file) }
        let isNew = !FileManager.default.fileExists(atPath: file.path)

        #if DEBUG
            print("Built for debugging, which is slower: `make demo-release` shows the times of an optimised build.\n")
        #endif
        try openAndAsk(file, isNew: isNew)
        let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        print("Closed. \(file.lastPathComponent) has \(grouped(bytes / 1024)) KiB.")
    }

    /// The realm lives as long as this call, so that the file is closed when it returns.
    static func openAndAsk(_ file: URL, isNew: Bool) throws {
        let (realm, seconds) = try timed { try Realm(configuration: Realm.Configuration(fileURL: file)) }
        let (count, counting) = timed { realm.objects(City.self).count }
        print(
            isNew
                ? "Created \(file.lastPathComponent) in \(milliseconds(seconds))."
                : "Opened \(file.lastPathComponent) in \(milliseconds(seconds)); "
                    + "\(grouped(count)) cities counted in \(milliseconds(counting))."
        )
        if count == 0 { try load(into: realm) }
        ask(Questions(realm))
        try edit(realm)
    }

    static func load(into realm: Realm) throws {
        print("\nLoading the world")
        let bar = ProgressBar()
        let (report, seconds) = try timed {
            try Importer().run(into: realm) { bar.show($0.stage, done: $0.done, of: $0.total) }
        }
        print(
            "  \(grouped(report.countries)) countries, \(grouped(report.cities)) cities with "
                + "\(grouped(report.alternateNames)) other names and \(grouped(report.neighbours)) borders "
                + "in \(milliseconds(seconds)), reading JSON included"
        )
        let examples = report.unmatchedCapitals.prefix(4).map { "\($0.capital) (\($0.iso))" }.joined(separator: ", ")
        print("  could not be matched: \(report.unmatchedCapitals.count) capitals, by name, such as \(examples);")
        print(
            "    \(report.unknownNeighbours.count) neighbours, \(report.citiesOfUnknownCountries.count) countries of cities;"
                + " \(report.countriesWithoutCapital) countries have no capital"
        )
    }

    static func ask(_ questions: Questions) {
        print("\nQuestions")
        answer("The largest cities of South America") {
            questions.largestCities(of: "SA", limit: 5).map { "\($0.name) \(grouped($0.population))" }
        }
        answer("Cities whose name begins with “New ”") {
            let cities = questions.cities(beginningWith: "New ")
            return cities.prefix(5).map(\.name) + ["… \(cities.count) in all"]
        }
        answer("Cities of 100,000 beyond 60° north, the northernmost first") {
            let cities = questions.cities(northOf: 60, over: 100_000)
            return cities.prefix(5).map { "\($0.name) (\($0.country?.name ?? "–"))" } + ["… \(cities.count) in all"]
        }
        answer("Countries with the most neighbours") {
            questions.countriesByNeighbours(limit: 5).map { "\($0.name) \($0.neighbours.count)" }
        }
        answer("Countries with the most people in cities") {
            questions.cityPopulations().prefix(5).map { "\($0.country.name) \(grouped($0.population))" }
        }
        answer("… of Switzerland, checked with a plain loop over all cities") {
            let engine = questions.cityPopulations().first { $0.country.iso == "CH" }?.population ?? 0
            let loop = questions.cityPopulationByHand(of: "CH")
            return ["\(grouped(engine)), by hand \(grouped(loop)): \(engine == loop ? "equal" : "DIFFERENT")"]
        }
        answer("“Tokyo” is the capital of (backwards along Country.capital)") {
            questions.countries(withCapitalNamed: "Tokyo").map(\.name)
        }
        answer("Who calls France a neighbour (backwards along Country.neighbours)") {
            questions.neighbours(of: "FR").map(\.name)
        }
    }

    static func edit(_ realm: Realm) throws {
        print("\nEdits")
        let (linked, seconds) = try timed { try Edits(realm).linkCapitalsByHand() }
        print(
            linked == 0
                ? "  the capitals with accents are linked already"
                : "  \(linked) capitals with accents linked by hand in \(milliseconds(seconds)), durable"
        )
        let names = Questions(realm).countries(withCapitalNamed: "Reykjavík").map(\.name)
        print("  “Reykjavík” is now the capital of: \(names.joined(separator: ", "))")

        let before = (realm.objects(Country.self).count, realm.objects(City.self).count)
        do {
            try Edits(realm).addDuplicate(of: "FR")
            print("  a second country FR was stored: that is a bug")
        } catch {
            print("  a second country FR is refused: \(error)")
        }
        let after = (realm.objects(Country.self).count, realm.objects(City.self).count)
        print(
            "  \(before.0) countries and \(grouped(before.1)) cities before, \(after.0) and \(grouped(after.1)) after\n"
        )
    }

    /// Prints a question, its answer and how long it took.
    static func answer(_ question: String, _ body: () -> [String]) {
        let (lines, seconds) = timed(body)
        print("  \(question)  [\(milliseconds(seconds))]")
        print("    \(lines.joined(separator: " · "))")
    }

    static func removeDatabase(_ file: URL) throws {
        let folder = file.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix(file.lastPathComponent) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}
