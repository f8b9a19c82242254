import Foundation
import Testing

@testable import Freehold

private class PrivateModel: Object {
    @Persisted var x = 0
}

private struct Holder {
    fileprivate class InStruct: Object {
        @Persisted var x = 0
    }
}

@Suite("Discovery")
struct DiscoveryTests {
    @Test
    func `models of the test bundle are found: public, private, nested, derived, of a generic base`() {
        class Local: Object {
            @Persisted var x = 0
        }
        // Other test targets of the program have models, too.
        let classes = Discovery.modelClasses().filter { String(reflecting: $0).hasPrefix("FreeholdTests.") }
        let names = classes.map { ClassInfo.of($0).className }
        for name in [
            "Everything", "ModelDog", "ModelDerived", "ModelOfGeneric", "Nested", "Deeper", "HiddenModel",
            "PrivateModel", "InStruct", "Local",
        ] {
            expectEqual(names.filter { $0 == name }.count, 1, "\(name)")
        }
        expect(!names.contains("ModelGeneric"))
        expect(!names.contains("Object"))
    }

    @Test
    func `a class's name is the declared one`() {
        expectEqual(ModelDog.className(), "ModelDog")
        expectEqual(Outer.Nested.Deeper.className(), "Deeper")
        expectEqual(PrivateModel.className(), "PrivateModel")
        expectEqual(ClassInfo.of(ModelMapped.self).tableName, "mapped")
    }

    @Test
    func `properties have the order of their declaration, superclasses' first`() {
        expectEqual(ClassInfo.of(ModelDerived.self).properties.map(\.name), ["base1", "base2", "own"])
        expectEqual(ClassInfo.of(ModelOfGeneric.self).properties.map(\.name), ["value", "more"])
        expectEqual(
            ClassInfo.of(ModelPerson.self).properties.map(\.name),
            ["name", "luck", "dog", "dogs", "nicknames"]
        )
    }

    @Test
    func `types, optionality, targets and options are those of the declaration`() {
        let info = ClassInfo.of(Everything.self)
        expectEqual(info.properties.count, 29)
        func shape(_ name: String) -> _PropertyShape { info.properties[info.index(named: name)!].shape }
        expect(shape("int8").type == .int && !shape("int8").isOptional)
        expect(shape("optDate").type == .date && shape("optDate").isOptional)
        expect(shape("link").target == ModelDog.self && shape("link").isOptional)
        expect(shape("links").collection == .list && shape("links").target == ModelDog.self)
        expect(shape("optStrings").collection == .list && shape("optStrings").isOptional)
        let dog = ClassInfo.of(ModelDog.self)
        expectEqual(dog.primaryKeyIndex, 0)
        expect(dog.properties[1].isIndexed && !dog.properties[2].isIndexed)
        expect(dog.properties[4].origin == "dogs" && dog.properties[4].isComputed)
        let legacy = ClassInfo.of(ModelLegacyKey.self)
        expect(legacy.primaryKeyIndex == 0 && legacy.properties[1].isIndexed)
    }

    @Test
    func `initialisers are skipped only if all stored properties are @Persisted`() {
        expect(ClassInfo.of(ModelDog.self).canReuseAccessors)
        expect(!ClassInfo.of(ModelPerson.self).canReuseAccessors)
        let maker = ClassInfo.of(ModelMaker.self).makeAccessor() as! ModelMaker
        expectEqual(ClassInfo.of(ModelMaker.self).canReuseAccessors, (maker.other == nil))
        _ = ClassInfo.of(ModelDog.self).makeAccessor()
        expect(ModelDog().name == "Rex" && ModelMaker().other?.name == "Rex")
    }
}

@Suite("Key path names")
struct KeyPathNameTests {
    @Test
    func `a property's key path has its name`() {
        expectEqual(_name(for: \ModelDog.name), "name")
        expectEqual(_name(for: \ModelDog.best), "best")
        expectEqual(_name(for: \ModelPerson.dogs), "dogs")
        expectEqual(_name(for: \ModelDog.owners), "owners")
        expectEqual(_name(for: \Everything.optDecimal), "optDecimal")
        expectEqual(_name(for: \Everything.float), "float")
        expectEqual(_name(for: \Everything.uuid), "uuid")
        expectEqual(_name(for: \Everything.data), "data")
    }

    @Test
    func `links can be chained`() {
        expectEqual(_name(for: \ModelPerson.dog?.name), "dog.name")
        expectEqual(_name(for: \ModelPerson.dog!.best?.best?.age), "dog.best.best.age")
        expectEqual(_name(for: \ModelDerived.base1), "base1")
    }

    @Test
    func `names are the same on any thread, at the first time and later`() async {
        let all = await withTaskGroup(of: Bool.self, returning: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { _ in
                        _name(for: \ModelPerson.luck) == "luck" && _name(for: \ModelPerson.dog?.age) == "dog.age"
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        expect(all)
    }
}
