import FreeholdEngine
import ModelWriter
import Testing

/// Compiles the models with the installed compilers.
struct CompilerTests {
    @Test(.needs(.javac)) func `Java compiles`() throws {
        try withFolder { try Compilers.checkJava(GeneratedModels(Kennel.classes, in: .java), in: $0) }
    }

    @Test(.needs(.tsc)) func `TypeScript compiles`() throws {
        try withFolder { try Compilers.checkTypeScript(GeneratedModels(Kennel.classes, in: .typescript), in: $0) }
    }

    @Test(.needs(.node)) func `JavaScript is read`() throws {
        try withFolder { try Compilers.checkJavaScript(GeneratedModels(Kennel.classes, in: .javascript), in: $0) }
    }

    @Test(.needs(.cpp)) func `C++ compiles`() throws {
        try withFolder { try Compilers.checkCpp(GeneratedModels(Kennel.classes, in: .cpp), in: $0) }
    }

    @Test(.needs(.clang)) func `Objective-C compiles`() throws {
        try withFolder { try Compilers.checkObjectiveC(GeneratedModels(Kennel.classes, in: .objc), in: $0) }
    }

    // MARK: Random classes, with names that languages don't like

    private func random(
        _ name: String,
        _ language: ModelLanguage,
        count: Int = 60,
        _ check: (GeneratedModels, String) throws -> Void
    ) throws {
        for naming in ModelOptions.Naming.allCases {
            var random = RandomModels(SeededRandom(test: "\(name), \(naming)"), count: count)
            let models = try GeneratedModels(random.classes(), in: language, options: ModelOptions(naming: naming))
            try withFolder { try check(models, $0) }
        }
    }

    @Test(.needs(.javac)) func `random classes compile in Java`() throws {
        try random("random Java", .java, Compilers.checkJava)
    }

    @Test(.needs(.tsc)) func `random classes compile in TypeScript`() throws {
        try random("random TypeScript", .typescript, Compilers.checkTypeScript)
    }

    @Test(.needs(.node)) func `random classes are read in JavaScript`() throws {
        try random("random JavaScript", .javascript, Compilers.checkJavaScript)
    }

    @Test(.needs(.cpp)) func `random classes compile in C++`() throws {
        try random("random C++", .cpp, Compilers.checkCpp)
    }

    @Test(.needs(.clang)) func `random classes compile in Objective-C`() throws {
        try random("random Objective-C", .objc, Compilers.checkObjectiveC)
    }

    @Test(.needs(.swiftc), .enabled(if: Compilers.modulesFolder != nil, "SwiftPM's modules aren't beside the tests"))
    func `random classes compile in Swift`() throws {
        try random("random Swift", .swift, count: 40, Compilers.checkSwift)
    }

    // MARK: Every word as a class, with links to itself of every kind, and as a property

    private static let words: [ModelClass] = {
        var names: [String] = []
        for name in OddNames.words + [
            "some", "each", "borrowing", "consuming", "sending", "isolated", "repeat", "inout",
        ]
        where !names.contains(name) { names.append(name) }
        let all = ModelClass(TableSpec("AllWords", columns: names.map { ColumnSpec($0, .string) }))
        return names.map { name in
            let columns = [
                ColumnSpec("one", .link, target: name), ColumnSpec("list", .link, collection: .list, target: name),
                ColumnSpec("links", .link, collection: .set, target: name),
                ColumnSpec("byKey", .link, collection: .dictionary, target: name),
            ]
            return ModelClass(TableSpec(name, columns: columns), inverses: [ModelInverse("ones", of: name, "one")])
        } + [all]
    }()

    @Test(.needs(.swiftc), .enabled(if: Compilers.modulesFolder != nil, "SwiftPM's modules aren't beside the tests"))
    func `words of languages compile in Swift`() throws {
        try withFolder { try Compilers.checkSwift(GeneratedModels(Self.words, in: .swift), in: $0) }
    }

    @Test(.needs(.javac)) func `words of languages compile in Java`() throws {
        try withFolder { try Compilers.checkJava(GeneratedModels(Self.words, in: .java), in: $0) }
    }

    @Test(.needs(.tsc)) func `words of languages compile in TypeScript`() throws {
        try withFolder { try Compilers.checkTypeScript(GeneratedModels(Self.words, in: .typescript), in: $0) }
    }

    @Test(.needs(.cpp)) func `words of languages compile in C++`() throws {
        try withFolder { try Compilers.checkCpp(GeneratedModels(Self.words, in: .cpp), in: $0) }
    }

    @Test(.needs(.clang)) func `words of languages compile in Objective-C`() throws {
        try withFolder { try Compilers.checkObjectiveC(GeneratedModels(Self.words, in: .objc), in: $0) }
    }

    @Test(arguments: ModelLanguage.allCases)
    func `random classes are written in every language, the same each time`(language: ModelLanguage) throws {
        for count in [1, 7, 60] {
            var random = RandomModels(SeededRandom(test: "random \(language)"), count: count)
            let classes = random.classes()
            for naming in ModelOptions.Naming.allCases {
                let options = ModelOptions(
                    naming: naming,
                    isPublic: true,
                    fileName: "All",
                    package: "org.example.class"
                )
                let models = try GeneratedModels(classes, in: language, options: options)
                try expectEqual(models, GeneratedModels(classes, in: language, options: options))
                expectEqual(Set(models.files.map(\.name)).count, models.files.count)
                // Each class and each property is written, or reported as missing.
                expect(models.files.allSatisfy { !$0.text.utf8.contains(0) })
            }
        }
    }
}
