public import RealmSwift

/// A task of the household.
public class Chore: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) public var _id: ObjectId
    @Persisted public var title = ""
    @Persisted(indexed: true) public var room = "Kitchen"
    @Persisted public var isDone = false
    @Persisted public var minutes = 10
    @Persisted public var steps: RealmSwift.List<Step>

    public convenience init(_ title: String, room: String, minutes: Int = 10) {
        self.init()
        self.title = title
        self.room = room
        self.minutes = minutes
    }
}

/// A part of a chore.
public class Step: EmbeddedObject, ObjectKeyIdentifiable {
    @Persisted public var text = ""

    public convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

extension Chore {
    /// The classes that the app stores.
    public static var storedClasses: [ObjectBase.Type] { [Chore.self, Step.self] }

    /// A few chores for previews and tests.
    public static var samples: [Chore] {
        let dishes = Chore("Wash the dishes", room: "Kitchen", minutes: 20)
        dishes.steps.append(objectsIn: [Step("Soak the pans"), Step("Dry the glasses")])
        let plants = Chore("Water the plants", room: "Balcony", minutes: 5)
        return [dishes, plants, Chore("Clean the oven", room: "Kitchen")]
    }
}
