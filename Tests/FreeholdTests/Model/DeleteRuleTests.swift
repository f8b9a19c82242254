import Foundation
import Freehold
import Testing

final class DRFolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(deleteRule: .cascade) var parts: List<DRFile>
    @Persisted(deleteRule: .cascade) var cover: DRFile?
    @Persisted(deleteRule: .cascade) var marked: MutableSet<DRFile>
    @Persisted(deleteRule: .cascade) var named: Map<String, DRFile?>
    @Persisted(deleteRule: .cascade) var any: AnyRealmValue
    @Persisted(deleteRule: .cascade) var anys: List<AnyRealmValue>
    @Persisted(deleteRule: .cascade, mapTo: "under") var inner: List<DRFolder>
    @Persisted var seen: List<DRFile>
    @Persisted var box: DRBox?
    @Persisted(originProperty: "folder", deleteRule: .deny) var leases: LinkingObjects<DRLease>
    @Persisted(originProperty: "folder", deleteRule: .cascade) var logs: LinkingObjects<DRLog>
    @Persisted(originProperty: "folders", deleteRule: .cascade) var groups: LinkingObjects<DRLog>
}

final class DRFile: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(deleteRule: .deny) var blocker: DRLog?
    @Persisted(deleteRule: .deny) var blockers: MutableSet<DRLog>
    @Persisted(originProperty: "parts") var folders: LinkingObjects<DRFolder>
}

final class DRBox: EmbeddedObject {
    @Persisted(deleteRule: .cascade) var file: DRFile?
    @Persisted var boxes: List<DRBox>
}

final class DRLease: Object {
    @Persisted var folder: DRFolder?
}

final class DRLog: Object {
    @Persisted var folder: DRFolder?
    @Persisted var folders: List<DRFolder>
}

@Suite("Delete rules")
struct DeleteRuleTests {
    static let types: [ObjectBase.Type] = [DRFolder.self, DRFile.self, DRBox.self, DRLease.self, DRLog.self]

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
        )
    }

    private func file(_ id: Int) -> DRFile { DRFile(value: ["id": id]) }
    private func folder(_ id: Int) -> DRFolder { DRFolder(value: ["id": id]) }
    private func ids(_ realm: Realm) -> [Int] { realm.objects(DRFile.self).sorted(by: \.id).map(\.id) }

    /// Puts files 1 and 2 at the named place.
    static let places: [(String, @Sendable (DRFolder, DRFile, DRFile) -> Void)] = [
        ("list", { $0.parts.append(objectsIn: [$1, $2]) }),
        (
            "link",
            { folder, one, two in
                folder.cover = one
                folder.parts.append(two)
            }
        ),
        ("set", { $0.marked.insert(objectsIn: [$1, $2]) }),
        (
            "map",
            { folder, one, two in
                folder.named["a"] = one
                folder.named["b"] = two
                folder.named["c"] = .some(nil)
            }
        ),
        (
            "mixed",
            { folder, one, two in
                let inner = List<AnyRealmValue>()
                inner.append(.object(two))
                let outer = List<AnyRealmValue>()
                outer.append(objectsIn: [.object(one), .int(3), .list(inner)])
                folder.any = .list(outer)
            }
        ),
        ("list of mixed", { $0.anys.append(objectsIn: [.object($1), .none, .object($2)]) }),
        (
            "embedded",
            { folder, one, two in
                let (box, inner) = (DRBox(), DRBox())
                box.file = one
                inner.file = two
                box.boxes.append(inner)
                folder.box = box
            }
        ),
    ]

    @Test(arguments: places.indices)
    func `the target of an owning link is deleted with its origin`(_ place: Int) throws {
        let realm = try realm()
        let all = [folder(1), folder(2)]
        let files = [file(1), file(2), file(3)]
        try realm.write {
            realm.add(all)
            realm.add(files)
            Self.places[place].1(all[0], files[0], files[1])
            // Others that link to them don't save them.
            all[1].parts.append(objectsIn: files)
            all[1].seen.append(objectsIn: files)
        }
        try realm.write {
            realm.delete(all[0])
            expectEqual(files.map(\.isInvalidated), [true, true, false])
            expectEqual(all[1].parts.map(\.id), [3])
        }
        expectEqual(ids(realm), [3])
        expectEqual(all[1].seen.map(\.id), [3])
        expectEqual(realm.objects(DRFolder.self).map(\.id), [2])
    }

    @Test
    func `removing a link deletes nothing, and neither does a link without a rule`() throws {
        let realm = try realm()
        let folder = folder(1)
        try realm.write {
            realm.add(folder)
            folder.parts.append(objectsIn: [file(1), file(2)])
            folder.cover = folder.parts[0]
            folder.seen.append(file(3))
            folder.parts.remove(at: 0)
            folder.cover = nil
            realm.delete(folder)
        }
        expectEqual(ids(realm), [1, 3])
    }

    @Test
    func `objects that own each other in a cycle are deleted together, and so are deep chains`() throws {
        let realm = try realm()
        try realm.write {
            let all = (0..<2000).map(folder)
            for (one, next) in zip(all, all.dropFirst()) { one.inner.append(next) }
            all[1999].inner.append(all[0])
            for folder in all { folder.parts.append(file(folder.id)) }
            realm.add(all)
            realm.add(file(5000))
        }
        try realm.write { realm.delete(realm.object(ofType: DRFolder.self, forPrimaryKey: 1000)!) }
        expect(realm.objects(DRFolder.self).isEmpty)
        expectEqual(ids(realm), [5000])
    }

    @Test(arguments: [false, true])
    func `objects with a link to a deleted one are deleted if their linking objects require it`(_ many: Bool) throws {
        let realm = try realm()
        try realm.write {
            let folders = (0..<(many ? 60 : 2)).map(folder)
            realm.add(folders)
            for folder in folders {
                realm.add(DRLog(value: ["folder": folder]))
                realm.add(DRLog(value: ["folders": [folder, folder]]))
            }
            realm.add(DRLog())
        }
        try realm.write {
            realm.delete(realm.objects(DRFolder.self).where { $0.id < (many ? 30 : 1) })
        }
        expectEqual(realm.objects(DRFolder.self).count, (many ? 30 : 1))
        expectEqual(realm.objects(DRLog.self).count, (many ? 61 : 3))
        try realm.write { realm.deleteAll() }
        expect(realm.objects(DRLog.self).isEmpty)
    }

    private func expectDenied(_ realm: Realm, _ property: String, _ body: () -> Void) throws {
        let before = (realm.objects(DRFolder.self).count, ids(realm))
        let error = try #require(throws: Realm.Error.self) {
            try realm.write {
                body()
                expectEqual(realm.pendingError?.code, .deletionDenied)
                // No object was deleted, and the rest of the write is rolled back, too.
                expect((realm.objects(DRFolder.self).count, ids(realm)) == before)
                realm.add(DRLog())
            }
        }
        expectEqual(error.code, .deletionDenied)
        expectEqual(error.property, property)
        expect(error.message.contains(property))
        expect((realm.objects(DRFolder.self).count, ids(realm)) == before)
    }

    @Test
    func `a link can deny the deletion of its target, alone or along with another object`() throws {
        let realm = try realm()
        let (one, two, log) = (file(1), file(2), DRLog())
        let folder = folder(1)
        try realm.write {
            realm.add(folder)
            folder.parts.append(objectsIn: [two, one])
            one.blocker = log
        }
        let logs = realm.objects(DRLog.self).count
        try expectDenied(realm, "blocker") { realm.delete(one) }
        try expectDenied(realm, "blocker") { realm.delete(folder) }
        try expectDenied(realm, "blocker") { realm.delete(realm.objects(DRFile.self)) }
        try expectDenied(realm, "blocker") { realm.delete([one, two]) }
        expectEqual(realm.objects(DRLog.self).count, logs)
        try realm.write {
            one.blocker = nil
            one.blockers.insert(log)
        }
        try expectDenied(realm, "blockers") { realm.delete(folder) }
        try realm.write {
            // The object may be deleted together with its targets.
            realm.delete([one, log] as [Object])
            expect(realm.pendingError == nil)
            realm.delete(folder)
        }
        expectEqual(ids(realm), [])
    }

    @Test
    func `linking objects can deny the deletion of an object`() throws {
        let realm = try realm()
        let (outer, inner, lease) = (folder(1), folder(2), DRLease())
        try realm.write {
            realm.add([outer, inner])
            outer.inner.append(inner)
            lease.folder = inner
            realm.add(lease)
        }
        try expectDenied(realm, "folder") { realm.delete(outer) }
        try realm.write {
            realm.delete(lease)
            realm.delete(outer)
        }
        expect(realm.objects(DRFolder.self).isEmpty)
    }

    @Test
    func `an embedded object that is replaced deletes the targets of its owning links`() throws {
        let realm = try realm()
        let folder = folder(1)
        try realm.write {
            realm.add(folder)
            folder.box = DRBox(value: ["file": file(1)])
        }
        try realm.write { folder.box = DRBox(value: ["file": file(2)]) }
        expectEqual(ids(realm), [2])
        try realm.write { folder.box = nil }
        expectEqual(ids(realm), [])
    }

    @Test
    func `a rollback restores the deleted objects`() throws {
        let realm = try realm()
        let folder = folder(1)
        try realm.write {
            realm.add(folder)
            folder.parts.append(objectsIn: (1...30).map(file))
        }
        realm.beginWrite()
        realm.delete(folder)
        expect(ids(realm).isEmpty)
        realm.cancelWrite()
        expectEqual(ids(realm), Array(1...30))
        expectEqual(folder.parts.count, 30)
    }

    @Test
    func `the file keeps the rules, also for programs without the classes, until a class changes them`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).realm")
        defer { _ = try? Realm.deleteFiles(for: Realm.Configuration(fileURL: url)) }
        var stored: Schema?
        try autoreleasing {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: Self.types))
            stored = realm.storedSchema
            try realm.write {
                for i in 1...3 {
                    let folder = realm.create(DRFolder.self, value: ["id": i, "parts": [["id": i]]])
                    realm.add(DRLog(value: ["folder": folder]))
                }
            }
        }
        try autoreleasing {
            var dynamic = Realm.Configuration(fileURL: url)
            dynamic.schema = stored
            let realm = try Realm(configuration: dynamic)
            expectEqual(realm.schema["DRFolder"]?["parts"]?.deleteRule, .cascade)
            expectEqual(realm.schema["DRFile"]?["blocker"]?.deleteRule, .deny)
            expectEqual(realm.schema["DRFolder"]?["seen"]?.deleteRule, .nullify)
            try realm.write { realm.delete(realm.dynamicObjects("DRFolder")[0]) }
            expectEqual(realm.dynamicObjects("DRFile").count, 2)
            expectEqual(realm.dynamicObjects("DRLog").count, 2)
        }
        // Other rules, no migration.
        try autoreleasing {
            var schema = try Schema(classes: Self.types)
            for c in schema.objectSchema.indices {
                for p in schema.objectSchema[c].allProperties.indices {
                    schema.objectSchema[c].allProperties[p].deleteRule = .nullify
                }
            }
            var plain = Realm.Configuration(fileURL: url)
            plain.schema = schema
            let realm = try Realm(configuration: plain)
            try realm.write { realm.delete(realm.objects(DRFolder.self)[0]) }
            expectEqual(ids(realm).count, 2)
            expectEqual(realm.objects(DRLog.self).count, 2)
        }
        try autoreleasing {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: Self.types))
            try realm.write { realm.delete(realm.objects(DRFolder.self)[0]) }
            expectEqual(ids(realm).count, 1)
            expectEqual(realm.objects(DRLog.self).count, 1)
        }
    }

    private func autoreleasing(_ body: () throws -> Void) throws { try body() }

    @Test
    func `invalid rules are mistakes of the schema`() throws {
        func problem(_ object: String, _ property: Property, _ part: String) throws {
            var schema = try Schema(classes: Self.types)
            let i = try require(schema.objectSchema.firstIndex { $0.className == object })
            schema.objectSchema[i].properties.append(property)
            var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
            configuration.schema = schema
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
            expectEqual(error?.code, .invalidSchema)
            expectEqual(error?.message.contains(part), true, "\(error?.message ?? "")")
        }
        try problem("DRLog", Property("n", .int, deleteRule: .cascade), "isn't a link")
        try problem("DRLog", Property("b", .object, objectClassName: "DRBox", deleteRule: .cascade), "embedded")
        try problem("DRBox", Property("l", .object, objectClassName: "DRLog", deleteRule: .deny), "embedded")
        try problem(
            "DRFolder",
            Property("more", .linkingObjects, objectClassName: "DRLog", originProperty: "folder", deleteRule: .deny),
            "logs"
        )
        try problem(
            "DRFile",
            Property("anys", .linkingObjects, objectClassName: "DRFolder", originProperty: "any", deleteRule: .deny),
            "mixed"
        )
    }
}
