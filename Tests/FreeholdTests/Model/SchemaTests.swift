import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

private enum A {
    class Twin: Object { @Persisted var x = 0 }
}
private enum B {
    class Twin: Object { @Persisted var x = 0 }
}

private enum Broken {
    class Base: Object {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class TwoKeys: Base {
        @Persisted(primaryKey: true) var a = 0
        @Persisted(primaryKey: true) var b = 0
    }
    class BoolKey: Base {
        @Persisted(primaryKey: true) var a = false
    }
    class RequiredLink: Base {
        @Persisted var dog: ModelDog
    }
    class OptionalElements: Base {
        @Persisted var dogs: List<ModelDog?>
    }
    class WrongOrigin: Base {
        @Persisted var x = 0
        @Persisted(originProperty: "nothing") var a: LinkingObjects<ModelPerson>
        @Persisted(originProperty: "dogs") var b: LinkingObjects<ModelPerson>
        @Persisted(originProperty: "name") var c: LinkingObjects<ModelPerson>
    }
    class Empty: Base {
        var x = 0
    }
    class AVeryLongClassNameThatGoesOnAndOnUntilItIsOverTheLimitOf57: Base {
        @Persisted var aPropertyNameThatGoesOnAndOnAndOnAndOnUntilItIsOverTheLimitOf63Bytes = 0
    }
    class SameColumn: Base {
        @Persisted var a = 0
        @Persisted var b = 0
        override class func propertiesMapping() -> [String: String] { ["a": "b"] }
    }
    class NoSuchKey: Base {
        @Persisted var a = 0
        override class func primaryKey() -> String? { "nothing" }
    }
    class NoModel {}
}

private func message(_ types: [AnyClass]) -> String {
    do {
        _ = try SchemaBuilder.build(types)
        return ""
    } catch {
        expectEqual(error.code, .invalidSchema)
        return error.message
    }
}

@Suite("Schema")
struct SchemaTests {
    @Test(
        arguments: [
            ([Broken.TwoKeys.self], "more than one primary key: a, b"),
            ([Broken.BoolKey.self], "can't be a primary key"),
            ([Broken.RequiredLink.self, ModelDog.self, ModelPerson.self], "var dog: ModelDog?"),
            ([Broken.OptionalElements.self, ModelDog.self, ModelPerson.self], "objects that aren't optional"),
            ([Broken.Empty.self], "no @Persisted property"),
            ([Broken.SameColumn.self], "which a has too"),
            ([Broken.NoSuchKey.self], "primaryKey() names \"nothing\""),
            ([Broken.NoModel.self], "isn't a model"),
            ([Object.self], "isn't a model"),
            ([A.Twin.self, B.Twin.self], "is the name of 2 classes"),
            ([ModelPerson.self], "links to ModelDog, which isn't among"),
            ([Broken.AVeryLongClassNameThatGoesOnAndOnUntilItIsOverTheLimitOf57.self], "over 57 bytes"),
            ([Broken.AVeryLongClassNameThatGoesOnAndOnUntilItIsOverTheLimitOf57.self], "over 63 bytes"),
        ] as [([AnyClass], String)]
    )
    func `a mistake in a model is named`(_ types: [AnyClass], _ text: String) {
        expect(message(types).contains(text))
    }

    @Test
    func `all mistakes are reported at once`() {
        let text = message([
            Broken.TwoKeys.self, Broken.Empty.self, Broken.WrongOrigin.self, ModelPerson.self, ModelDog.self,
        ])
        expect(text.contains("5 mistakes"))
        expect(text.contains("has the origin \"nothing\""))
        expect(text.contains("ModelPerson.dogs, which isn't a link to WrongOrigin"))
        expect(text.contains("ModelPerson.name, which isn't a link"))
    }

    @Test
    func `classes of one name are accepted if only one of them is chosen`() throws {
        try expectEqual(SchemaBuilder.build([A.Twin.self]).objectSchema.count, 1)
    }

    @Test
    func `tables are requested as declared`() throws {
        let schema = try SchemaBuilder.build([ModelDog.self, ModelPerson.self, ModelMapped.self])
        expectEqual(
            schema.tableSpecs,
            [
                TableSpec(
                    "ModelDog",
                    columns: [
                        ColumnSpec("_id", .int, indexed: false), ColumnSpec("name", .string, indexed: true),
                        ColumnSpec("age", .int), ColumnSpec("best", .link, target: "ModelDog"),
                    ],
                    primaryKey: "_id"
                ),
                TableSpec(
                    "ModelPerson",
                    columns: [
                        ColumnSpec("name", .string), ColumnSpec("luck", .int, indexed: true),
                        ColumnSpec("dog", .link, target: "ModelDog"),
                        ColumnSpec("dogs", .link, collection: .list, target: "ModelDog"),
                        ColumnSpec("nicknames", .string, collection: .list),
                    ]
                ),
                TableSpec(
                    "mapped",
                    columns: [ColumnSpec("key", .string), ColumnSpec("swift_name", .int)],
                    primaryKey: "key"
                ),
            ]
        )
    }

    @Test
    func `a schema can be searched, printed and compared`() throws {
        let schema = try SchemaBuilder.build([ModelDog.self, ModelPerson.self])
        let dog = try require(schema["ModelDog"])
        expect(dog.primaryKeyProperty?.name == "_id" && dog["owners"]?.type == .linkingObjects)
        expect(dog["name"]?.isIndexed == true && dog["best"]?.objectClassName == "ModelDog")
        expectEqual(
            dog["best"]!.description,
            """
            best {
            \ttype = object;
            \tobjectClassName = ModelDog;
            \tlinkOriginPropertyName = (null);
            \tcolumnName = best;
            \tindexed = NO;
            \tisPrimary = NO;
            \tarray = NO;
            \tset = NO;
            \tdictionary = NO;
            \toptional = YES;
            }
            """
        )
        let turned = try SchemaBuilder.build([ModelPerson.self, ModelDog.self])
        expectEqual(schema, turned)
        expect(schema.description.hasPrefix("Schema {\n\tModelDog {\n\t\t_id {\n\t\t\ttype = int;"))
        expectEqual(ModelDog().objectSchema, dog)
        expect(PropertyType.UUID.rawValue == 12 && PropertyType.linkingObjects.rawValue == 8)
    }
}
