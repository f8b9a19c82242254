import Foundation
import Synchronization
import Testing

@testable import Freehold

private let evaluated = Atomic(0)

private func counted<T>(_ value: T) -> T {
    evaluated.add(1, ordering: .relaxed)
    return value
}

/// Each property has its default value in another way, or none, and is assigned before `super.init()`.
class InitNote: Object {
    @Persisted(primaryKey: true) var id = ObjectId.generate()
    @Persisted var text: String
    @Persisted var count = 5
    @Persisted(indexed: true) var tag = ""
    @Persisted(mapTo: "stored") var mapped = "x"
    @Persisted var rating: Double?
    @Persisted var words: List<String>
    @Persisted var given = List<Int>()
    @Persisted var next: InitNote?
    @Persisted var mood = InitMood.good
    @Persisted var any: AnyRealmValue
    var plain = 1

    init(text: String, count: Int) {
        self.text = text
        self.count = count
        tag = text.uppercased()
        mapped = "m" + text
        rating = 2.5
        words = List<String>()
        mood = .bad
        any = .string(text)
        plain = 2
        super.init()
        words.append(text)
    }

    override init() {
        text = "none"
        super.init()
        count += 1
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum InitMood: String, PersistableEnum { case good, bad }

class InitPart: EmbeddedObject {
    @Persisted var name = "part"
    @Persisted var size: Int

    init(_ name: String) {
        self.name = name
        size = name.count
        super.init()
    }

    required override init() { super.init() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class with only stored properties, whose default values are expensive or have side effects.
class InitCounted: Object {
    @Persisted var a = counted(1)
    @Persisted var b = counted("two hundred and twenty-two")
    @Persisted var c = counted(UUID())
    @Persisted var d = counted(List<Int>())
    @Persisted var e = counted(Data([1, 2, 3]))
    @Persisted var f: InitColor
    @Persisted var g = counted(InitColor(rawValue: "green")!)
    @Persisted var h: InitURL?
    @Persisted var i = AnyRealmValue.string("a string that is longer than fifteen bytes")
    @Persisted(originProperty: "part") var owners: LinkingObjects<InitOwner>

    override init() {
        super.init()
        _ = counted(0)
        a = 7
    }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class InitOwner: Object {
    @Persisted var part: InitCounted?
    @Persisted var embedded: InitPart?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A type that looks like an enum: its placeholder contains a reference.
struct InitColor: PersistableEnum {
    let rawValue: String
    init?(rawValue: String) {
        guard Self.names.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
    private static let names = ["a red that has a rather long name", "green"]
    static var allCases: [InitColor] { names.map { InitColor(rawValue: $0)! } }
}

struct InitURL: FailableCustomPersistable {
    typealias PersistedType = String
    let text: String
    init?(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

private func make<T: Object>() -> T { T() }
private func makeEmbedded<T: EmbeddedObject>(_ type: T.Type) -> T { type.init() }

@Suite("Initialisers of models", .serialized)
struct InitializerTests {
    @Test
    func `designated initialisers assign stored properties before super.init()`() throws {
        let note = InitNote(text: "ab", count: 3)
        expect(note.text == "ab" && note.count == 3 && note.tag == "AB" && note.mapped == "mab" && note.rating == 2.5)
        expect(Array(note.words) == ["ab"] && note.mood == .bad && note.any == .string("ab") && note.plain == 2)
        let empty = InitNote()
        expect(empty.text == "none" && empty.count == 6 && empty.mapped == "x" && empty.id != note.id)
        let part = InitPart("four")
        expect(part.name == "four" && part.size == 4 && InitPart().name == "part")

        var configuration = newConfiguration()
        configuration.objectTypes = [InitNote.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.add(note)
            realm.create(InitNote.self, value: ["text": "c"])
        }
        let schema = note.objectSchema
        expect(schema["mapped"]?.columnName == "stored" && schema["tag"]?.isIndexed == true)
        expectEqual(schema.primaryKeyProperty?.name, "id")
        expectEqual(realm.objects(InitNote.self).map(\.text), ["ab", "c"])
        expect(realm.objects(InitNote.self).map(\.count) == [3, 6] && realm.objects(InitNote.self)[0].plain == 1)
    }

    @Test
    func `a generic function and a metatype create objects, with the class's own init()`() {
        let note: InitNote = make()
        expect(note.text == "none" && note.count == 6)
        expectEqual(makeEmbedded(InitPart.self).name, "part")
        let types: [Object.Type] = [InitNote.self, InitCounted.self]
        expectEqual(types.map { $0.init() }.map { type(of: $0).className() }, ["InitNote", "InitCounted"])
        let base: ObjectBase.Type = InitPart.self
        expectEqual((base.init() as? InitPart)?.size, 0)
    }

    @Test
    func `stored objects are read without evaluating default values or running initialisers`() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [InitCounted.self, InitOwner.self, InitPart.self]
        let realm = try Realm(configuration: configuration)
        let unmanaged = InitCounted()
        expect(unmanaged.a == 7 && unmanaged.g.rawValue == "green" && unmanaged.f == InitColor.allCases[0])
        let owner = try realm.write {
            for i in 0..<20 {
                let object = InitCounted()
                object.a = i
                object.h = InitURL(persistedValue: "h\(i)")
                realm.add(object)
            }
            return realm.create(InitOwner.self, value: ["part": realm.objects(InitCounted.self)[3]])
        }
        let before = evaluated.load(ordering: .relaxed)
        var kept: [InitCounted] = []
        for (i, object) in realm.objects(InitCounted.self).enumerated() {
            expect(object.a == i && object.b.count == 26 && object.d.isEmpty && object.e == Data([1, 2, 3]))
            expect(object.f == InitColor.allCases[0] && object.g.rawValue == "green" && object.h?.text == "h\(i)")
            kept.append(object)
        }
        expect(owner.part?.a == 3 && owner.part?.owners.first == owner)
        expectEqual(realm.objects(InitCounted.self)[5].i, unmanaged.i)
        expect(Set(kept.map(\.c)).count == 20 && realm.objects(InitCounted.self).where { $0.a > 17 }.count == 2)
        expectEqual(evaluated.load(ordering: .relaxed), before)
        // A deleted or released accessor frees only its own content.
        kept = []
        for object in realm.objects(InitCounted.self).freeze() { expectEqual(object.b.count, 26) }
        expectEqual(evaluated.load(ordering: .relaxed), before)
    }
}
