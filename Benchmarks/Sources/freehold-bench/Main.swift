import BenchMachine
import Foundation

/// `freehold-bench [--objects N] [--repeats R] [--quick] [--only TEXT] [--layer NAME] [--folder FOLDER] [--output FILE]
/// [--figures FILE]`, or `freehold-bench compare BEFORE… --to AFTER… [--limit PERCENT]` with files of figures.
@main
struct Main {
    struct Options {
        var objects = 1_000_000
        var repeats = 5
        var isQuick = false
        /// Only workloads whose names contain it.
        var only: String?
        /// Only this layer, for a profile.
        var layer: String?
        var folder = FileManager.default.currentDirectoryPath + "/.build-bench-data"
        var output: String?
        /// Where every figure goes as JSON.
        var figures: String?
        /// This process is a child that measures the peak memory of that layer.
        var peakMemory: String?
        /// This process is a child that commits to that file.
        var commits: String?

        init(_ arguments: [String]) {
            var rest = arguments.dropFirst()[...]
            func value() -> String {
                guard let value = rest.popFirst() else { Options.usage() }
                return value
            }
            func number() -> Int {
                guard let number = Int(value()), number > 0 else { Options.usage() }
                return number
            }
            while let argument = rest.popFirst() {
                switch argument {
                case "--objects": objects = number()
                case "--repeats": repeats = number()
                case "--quick":
                    isQuick = true
                    objects = 100_000
                case "--only": only = value()
                case "--layer": layer = value()
                case "--folder": folder = value()
                case "--output": output = value()
                case "--figures": figures = value()
                case "--peak-memory": peakMemory = value()
                case "--commits": commits = value()
                default: Options.usage()
                }
            }
        }

        static func usage() -> Never {
            print(
                """
                usage: freehold-bench [--objects N] [--repeats R] [--quick] [--only TEXT] [--layer NAME] [--folder FOLDER]
                                      [--output FILE] [--figures FILE]
                       freehold-bench compare BEFORE... --to AFTER... [--limit PERCENT]
                """
            )
            exit(2)
        }
    }

    /// Ends with status 1 if a row is slower by more than the limit.
    private static func compare(_ arguments: ArraySlice<String>) throws -> Never {
        var (rest, before, after, limit) = (arguments, [String](), [String](), 10.0)
        var isAfter = false
        while let argument = rest.popFirst() {
            switch argument {
            case "--to": isAfter = true
            case "--limit":
                guard let value = rest.popFirst().flatMap(Double.init), value > 0 else { Options.usage() }
                limit = value
            case _ where argument.hasPrefix("--"): Options.usage()
            default: if isAfter { after.append(argument) } else { before.append(argument) }
            }
        }
        guard !before.isEmpty, !after.isEmpty else { Options.usage() }
        func runs(_ paths: [String]) throws -> [[MeasuredFigure]] {
            try paths.map {
                try JSONDecoder().decode([MeasuredFigure].self, from: Data(contentsOf: URL(fileURLWithPath: $0)))
            }
        }
        let comparison = try Comparison(before: runs(before), after: runs(after), limit: limit / 100)
        print(comparison.markdown)
        exit(comparison.slower.isEmpty ? 0 : 1)
    }

    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "compare" { try compare(CommandLine.arguments.dropFirst(2)) }
        let options = Options(CommandLine.arguments)
        if let path = options.commits { return try Notifications.child(path, options.objects) }
        try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
        if let name = options.peakMemory {
            let data = Dataset(count: 1)
            guard let subject = makeSubjects(data, options.folder).first(where: { $0.layer.fileName == name }) else {
                return
            }
            PeakMemory.child(subject, count: options.objects)
            return
        }
        defer { try? FileManager.default.removeItem(atPath: options.folder) }

        let started = ContinuousClock.now
        progress("\(grouped(options.objects)) objects, \(options.repeats) repetitions, files in \(options.folder)")
        let data = Dataset(count: options.objects)
        let subjects = makeSubjects(data, options.folder).filter {
            $0.layer.fileName == options.layer ?? $0.layer.fileName
        }
        let harness = Harness(subjects, repeats: options.repeats)
        var report = Report(objects: options.objects, repeats: options.repeats, subjects: subjects)

        let chosen = Workloads.all(data).filter { workload in
            options.only.map { workload.name.localizedCaseInsensitiveContains($0) } ?? true
        }
        if ![
            "threads", "opens", "files", "migrations", "placeholders", "deletions", "held", "wide", Notifications.name,
        ]
        .contains(
            options.only?.prefix { $0 != " " }.description
        ) {
            prepareFiles(harness, data, partial: options.only != nil)
        }
        for workload in chosen {
            harness.run(workload)
            if workload.name == Workloads.Name.bulkInsert {
                for subject in subjects {
                    report.sizes[subject.layer, default: .init()].inserted = harness.size(.people, subject)
                }
            }
            if workload.name.hasPrefix("delete half") {
                for subject in subjects {
                    report.sizes[subject.layer, default: .init()].halved = harness.size(.scratch, subject)
                }
            }
        }
        for subject in subjects { harness.close(subject) }
        report.workloads = chosen
        report.results = harness

        if options.only.map({ $0 == "files" }) ?? true {
            report.files = FileFigures(data, folder: options.folder, repeats: options.repeats)
        }
        if options.only.map({ $0 == "migrations" }) ?? true {
            report.migrations = MigrationFigures(
                count: min(options.objects, 200_000),
                folder: options.folder,
                repeats: options.repeats
            )
        }
        if options.only.map({ $0 == "placeholders" }) ?? true {
            report.placeholders = PlaceholderFigures(
                count: min(options.objects, 100_000),
                folder: options.folder,
                repeats: options.repeats
            )
        }
        if options.only.map({ $0.hasPrefix("threads") }) ?? true {
            report.threads = ThreadFigures(
                count: options.objects,
                folder: options.folder,
                repeats: options.repeats,
                time: options.isQuick ? 0.2 : 0.5,
                only: options.only.flatMap { $0.hasPrefix("threads ") ? String($0.dropFirst(8)) : nil }
            )
        }
        if options.only.map({ $0 == "opens" }) ?? true {
            report.opens = OpenFigures(count: options.objects, folder: options.folder, repeats: options.repeats)
        }
        if options.only.map({ $0.hasPrefix("deletions") }) ?? true {
            report.deletions = DeletionFigures(
                count: options.objects,
                folder: options.folder,
                repeats: options.repeats,
                only: options.only.flatMap { $0.hasPrefix("deletions ") ? String($0.dropFirst(10)) : nil }
            )
        }
        if options.only.map({ $0 == "held" }) ?? true {
            report.held = HeldVersionFigures(
                count: min(options.objects, 100_000),
                folder: options.folder,
                commits: 2000
            )
        }
        if options.only.map({ $0 == "wide" }) ?? true {
            report.wide = WideValueFigures(
                count: min(options.objects, 100_000),
                folder: options.folder,
                commits: 1000
            )
        }
        if options.only == nil {
            for subject in subjects {
                report.memory[subject.layer] = PeakMemory.measure(
                    subject.layer,
                    folder: options.folder,
                    count: options.objects
                )
            }
            for size in [10_000, 100_000] where size < options.objects {
                report.growth.append((size, measureGrowth(size, options)))
            }
            report.growth.append((options.objects, harness))
        }
        if options.only == nil || options.only == Notifications.name, options.layer == nil {
            report.notifications = Notifications.measure(
                folder: options.folder,
                objects: options.objects,
                repeats: options.repeats
            )
        }
        report.seconds = Int((ContinuousClock.now - started) / .seconds(1))
        let text = report.markdown
        print(text)
        if let figures = options.figures {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            try encoder.encode(report.measurements).write(to: URL(fileURLWithPath: figures))
        }
        if let output = options.output {
            try text.write(toFile: output, atomically: false, encoding: .utf8)
            progress("Written to \(output)")
        }
    }

    static func makeSubjects(_ data: Dataset, _ folder: String) -> [any Subject] {
        [
            LMDBSubject(data, folder: folder), SQLiteSubject(data, folder: folder),
            EngineSubject(data, folder: folder), ObjectSubject(data, folder: folder),
        ]
    }

    /// Files that workloads start from without making them.
    static func prepareFiles(_ harness: Harness, _ data: Dataset, partial: Bool) {
        for subject in harness.subjects {
            harness.create(.kennel, subject)
            subject.insertKennel()
            guard partial else { continue }
            for kind in [FileKind.people, .indexed] {
                harness.create(kind, subject)
                subject.insert(data.allIDs[...], perTransaction: .max / 2)
            }
            if subject.layer == .sqlite || subject.layer == .objects {
                harness.create(.shelves, subject)
                _ = subject.shelves(.addWithEmbedded)
                harness.create(.large, subject)
                _ = subject.shelves(.fillLargeList)
                for (kind, work) in [(FileKind.articles, QueryWork.addArticles), (.shops, .addShops)] {
                    harness.create(kind, subject)
                    _ = subject.ask(work)
                }
                for kind in [FileKind.sets, .maps, .mixed] { harness.copy(.shelves, to: kind, subject) }
                harness.copy(.large, to: .largeChanged, subject)
            }
            harness.copy(.kennel, to: .linked, subject)
            subject.setDogs()
            harness.copy(.kennel, to: .lists, subject)
            subject.appendDogs()
        }
    }

    static func measureGrowth(_ size: Int, _ options: Options) -> Harness {
        let data = Dataset(count: size)
        let harness = Harness(makeSubjects(data, options.folder), repeats: options.repeats)
        progress("Growth: \(grouped(size)) objects")
        for workload in Workloads.growing(data) { harness.run(workload) }
        for subject in harness.subjects { harness.close(subject) }
        return harness
    }
}
