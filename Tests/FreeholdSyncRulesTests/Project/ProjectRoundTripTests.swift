import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AppServicesProject {
    /// The project in its written form: in the newest layout, and without parts that aren't written.
    fileprivate var written: AppServicesProject {
        var project = self
        project.unsupported = []
        if layout.rawValue < ProjectLayout.v20210101.rawValue { project.layout = .v20230101 }
        return project
    }
}

@Suite("Projects are written, and read back as equal ones")
struct ProjectRoundTripTests {
    @Test(arguments: 0..<4)
    func `projects that were read are written unchanged`(_ number: Int) throws {
        var texts = number == 0 ? ProjectFixtures.shop : ProjectFixtures.old("config.json", 2020_0603)
        if number == 2 {
            texts = ProjectFixtures.shop
            texts["root_config.json"] = nil
            texts["realm_config.json"] =
                #"{"app_id": "s-1", "config_version": 20210101, "name": "s", "location": "US-VA"}"#
        }
        if number == 3 { texts = ["stitch.json": #"{"name": "bare"}"#] }
        let project = try ProjectFixtures.project(texts)
        let again = try AppServicesProject(files: project.files())
        expectEqualProjects(again, project.written)
        try withFolder { folder in
            let target = folder + "/out"
            try project.write(target)
            expectEqualProjects(try AppServicesProject.read(target), project.written)
            // No other file is left next to it.
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["out"])
        }
    }

    @Test
    func `random projects are read and written unchanged`() throws {
        var projects = RandomProjects(random: SeededRandom(test: "random projects"))
        for _ in TestBudget.range("ProjectRoundTripTests", usual: 100, soak: 15_000) {
            let project = try projects.project()
            let again = try AppServicesProject(files: project.files())
            expectEqualProjects(again, project)
            expectEqualProjects(try AppServicesProject(files: again.files()), project)
        }
    }

    private func expectEqualProjects(
        _ a: AppServicesProject,
        _ b: AppServicesProject,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (a, b) = (a.written, b.written)
        expectEqual(a.schemas, b.schemas, sourceLocation: sourceLocation)
        expectEqual(a.rules, b.rules, sourceLocation: sourceLocation)
        expectEqual(a.collections, b.collections, sourceLocation: sourceLocation)
        expectEqual(a.sync, b.sync, sourceLocation: sourceLocation)
        expectEqual(a.dataSources, b.dataSources, sourceLocation: sourceLocation)
        expectEqual(a.providers, b.providers, sourceLocation: sourceLocation)
        expectEqual(a.values, b.values, sourceLocation: sourceLocation)
        expectEqual(a, b, sourceLocation: sourceLocation)
    }

    @Test
    func `classes that weren't imported become a project that names their collections`() throws {
        let tables = [
            TableSpec(
                "Note",
                columns: [
                    ColumnSpec("_id", .objectId), ColumnSpec("text", .string),
                    ColumnSpec("next", .link, optional: true, target: "Note"),
                ],
                primaryKey: "_id"
            )
        ]
        var project = AppServicesProject(
            "notes",
            schemas: try SchemaDocument.documents(of: tables),
            rules: RuleSet(defaultRoles: [Role("all", read: true, write: true, insert: .always, delete: .always)])
        )
        project.sync?.database = "notes"
        let files = try project.files()
        expectEqual(
            files.keys.sorted(),
            [
                "data_sources/mongodb-atlas/config.json", "data_sources/mongodb-atlas/default_rule.json",
                "data_sources/mongodb-atlas/notes/Note/relationships.json",
                "data_sources/mongodb-atlas/notes/Note/schema.json", "root_config.json", "sync/config.json",
            ]
        )
        let again = try AppServicesProject(files: files)
        try expectEqual(again.tables(), tables.map(\.synced))
        expectEqual(again.rules, project.rules)
        expect(again.unsupported.isEmpty)
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0", String(repeating: "x", count: 300)])
    func `names that aren't possible for files are refused`(_ name: String) throws {
        var project = try ProjectFixtures.project(ProjectFixtures.shop)
        project.values.append(ProjectValue(name.isEmpty ? "a/" : name + (name.hasPrefix(".") ? "/" : ""), .plain(1)))
        #expect(throws: ProjectError.self) { try project.files() }
        project.values.removeLast()
        project.collections["Order"]?.database = name
        #expect(throws: ProjectError.self) { try project.files() }
        try withFolder { folder in
            #expect(throws: ProjectError.self) { try project.write(folder + "/out") }
            try expect(FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test
    func `two classes in one collection are refused`() throws {
        var project = try ProjectFixtures.project(ProjectFixtures.shop)
        project.collections["Thing"] = project.collections["Order"]
        #expect(throws: ProjectError.self) { try project.files() }
    }

    @Test
    func `existing files are kept`() throws {
        let project = try ProjectFixtures.project(ProjectFixtures.shop)
        try withFolder { folder in
            try write(["kept.txt": "x"], to: folder)
            #expect(throws: ProjectError.self) { try project.write(folder) }
            #expect(throws: ProjectError.self) { try project.write(folder + "/kept.txt") }
            #expect(throws: ProjectError.self) { try project.write(folder + "/no/such/parent") }
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["kept.txt"])
            try FileManager.default.createDirectory(atPath: folder + "/empty", withIntermediateDirectories: true)
            try project.write(folder + "/empty/")
            try expectEqual(AppServicesProject.read(folder + "/empty").name, "shop")
        }
    }
}
