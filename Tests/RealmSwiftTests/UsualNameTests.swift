import RealmSwift
import Testing

// What people call properties. Names that RealmSwift takes, too, aren't here: hash, description, realm, objectSchema,
// isInvalidated, isFrozen.

class NamesOfObject: Object {
    @Persisted var id: Int
    @Persisted var type = ""
    @Persisted var name: String?
    @Persisted var title: Date?
    @Persisted var subtitle: Int
    @Persisted var text = ""
    @Persisted var body: String?
    @Persisted var content: Date?
    @Persisted var summary: Int
    @Persisted var note = ""
    @Persisted var notes: String?
    @Persisted var comment: Date?
    @Persisted var label: Int
    @Persisted var caption = ""
    @Persisted var kind: String?
    @Persisted var category: Date?
    @Persisted var tag: Int
    @Persisted var tags = ""
    @Persisted var parent: String?
    @Persisted var parentProperty: Date?
    @Persisted var owner: Int
    @Persisted var owners = ""
    @Persisted var child: String?
    @Persisted var children: Date?
    @Persisted var sibling: Int
    @Persisted var root = ""
    @Persisted var node: String?
    @Persisted var nodes: Date?
    @Persisted var tree: Int
    @Persisted var branch = ""
    @Persisted var leaf: String?
    @Persisted var depth: Date?
    @Persisted var level: Int
    @Persisted var key = ""
    @Persisted var keys: String?
    @Persisted var value: Date?
    @Persisted var values: Int
    @Persisted var count = ""
    @Persisted var index: String?
    @Persisted var indexes: Date?
    @Persisted var position: Int
    @Persisted var order = ""
    @Persisted var rank: String?
    @Persisted var offset: Date?
    @Persisted var length: Int
    @Persisted var size = ""
    @Persisted var width: String?
    @Persisted var height: Date?
    @Persisted var path: Int
    @Persisted var url = ""
    @Persisted var link: String?
    @Persisted var links: Date?
    @Persisted var file: Int
    @Persisted var folder = ""
    @Persisted var version: String?
    @Persisted var revision: Date?
    @Persisted var schema: Int
    @Persisted var schemaVersion = ""
    @Persisted var state: String?
    @Persisted var status: Date?
    @Persisted var phase: Int
    @Persisted var mode = ""
    @Persisted var flag: String?
    @Persisted var flags: Date?
    @Persisted var data: Int
    @Persisted var date = ""
    @Persisted var created: String?
    @Persisted var createdAt: Date?
    @Persisted var updated: Int
    @Persisted var updatedAt = ""
    @Persisted var modified: String?
    @Persisted var deleted: Date?
    @Persisted var deletedAt: Int
    @Persisted var timestamp = ""
    @Persisted var time: String?
    @Persisted var duration: Date?
    @Persisted var expires: Int
    @Persisted var start = ""
    @Persisted var end: String?
    @Persisted var user: Date?
    @Persisted var users: Int
    @Persisted var person = ""
    @Persisted var people: String?
    @Persisted var author: Date?
    @Persisted var creator: Int
    @Persisted var sender = ""
    @Persisted var receiver: String?
    @Persisted var recipient: Date?
    @Persisted var email: Int
    @Persisted var phone = ""
    @Persisted var address: String?
    @Persisted var street: Date?
    @Persisted var city: Int
    @Persisted var country = ""
    @Persisted var code: String?
    @Persisted var number: Date?
    @Persisted var amount: Int
    @Persisted var price = ""
    @Persisted var cost: String?
    @Persisted var total: Date?
    @Persisted var balance: Int
    @Persisted var currency = ""
    @Persisted var quantity: String?
    @Persisted var unit: Date?
    @Persisted var score: Int
    @Persisted var rating = ""
    @Persisted var isActive: String?
    @Persisted var isDeleted: Date?
    @Persisted var isRead: Int
    @Persisted var isEmpty = ""
    @Persisted var isNew: String?
    @Persisted var isFavorite: Date?
    @Persisted var isManaged: Int
    @Persisted var enabled = ""
    @Persisted var visible: String?
    @Persisted var selected: Date?
    @Persisted var done: Int
    @Persisted var completed = ""
    @Persisted var first: String?
    @Persisted var last: Date?
    @Persisted var min: Int
    @Persisted var max = ""
    @Persisted var sum: String?
    @Persisted var next: Date?
    @Persisted var previous: Int
    @Persisted var source = ""
    @Persisted var target: String?
    @Persisted var origin: Date?
    @Persisted var destination: Int
    @Persisted var reference = ""
    @Persisted var references: String?
    @Persisted var message: Date?
    @Persisted var messages: Int
    @Persisted var error = ""
    @Persisted var errors: String?
    @Persisted var result: Date?
    @Persisted var results: Int
    @Persisted var query = ""
    @Persisted var filter: String?
    @Persisted var changes: Date?
    @Persisted var change: Int
    @Persisted var observers = ""
    @Persisted var token: String?
    @Persisted var object: Date?
    @Persisted var objects: Int
    @Persisted var list = ""
    @Persisted var map: String?
    @Persisted var set: Date?
    @Persisted var collection: Int
    @Persisted var element = ""
    @Persisted var elements: String?
    @Persisted var entry: Date?
    @Persisted var entries: Int
    @Persisted var item = ""
    @Persisted var items: String?
    @Persisted var property: Date?
    @Persisted var properties: Int
    @Persisted var table = ""
    @Persisted var column: String?
    @Persisted var row: Date?
    @Persisted var core: Int
    @Persisted var cluster = ""
    @Persisted var slot: String?
    @Persisted var stamp: Date?
    @Persisted var snapshot: Int
    @Persisted var identity = ""
    @Persisted var identifier: String?
    @Persisted var uuid: Date?
    @Persisted var objectId: Int
    @Persisted var primaryKey = ""
    @Persisted var self_: String?
    @Persisted var class_: Date?
    @Persisted var className_: Int
    @Persisted var metadata = ""
    @Persisted var info: String?
    @Persisted var extra: Date?
    @Persisted var options: Int
    @Persisted var settings = ""
    @Persisted var configuration: String?
    @Persisted var context: Date?
    @Persisted var storage: Int
    @Persisted var cache = ""
    @Persisted var lock: String?
    @Persisted var queue: Date?
    @Persisted var thread: Int
    @Persisted var latitude = ""
    @Persisted var longitude: String?
    @Persisted var coordinates: Date?
    @Persisted var place: Int
    @Persisted var region = ""
    @Persisted var language: String?
    @Persisted var locale: Date?
    @Persisted var image: Int
    @Persisted var icon = ""
    @Persisted var color: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamesOfEmbedded: EmbeddedObject {
    @Persisted var id: Int
    @Persisted var type = ""
    @Persisted var name: String?
    @Persisted var title: Date?
    @Persisted var subtitle: Int
    @Persisted var text = ""
    @Persisted var body: String?
    @Persisted var content: Date?
    @Persisted var summary: Int
    @Persisted var note = ""
    @Persisted var notes: String?
    @Persisted var comment: Date?
    @Persisted var label: Int
    @Persisted var caption = ""
    @Persisted var kind: String?
    @Persisted var category: Date?
    @Persisted var tag: Int
    @Persisted var tags = ""
    @Persisted var parent: String?
    @Persisted var parentProperty: Date?
    @Persisted var owner: Int
    @Persisted var owners = ""
    @Persisted var child: String?
    @Persisted var children: Date?
    @Persisted var sibling: Int
    @Persisted var root = ""
    @Persisted var node: String?
    @Persisted var nodes: Date?
    @Persisted var tree: Int
    @Persisted var branch = ""
    @Persisted var leaf: String?
    @Persisted var depth: Date?
    @Persisted var level: Int
    @Persisted var key = ""
    @Persisted var keys: String?
    @Persisted var value: Date?
    @Persisted var values: Int
    @Persisted var count = ""
    @Persisted var index: String?
    @Persisted var indexes: Date?
    @Persisted var position: Int
    @Persisted var order = ""
    @Persisted var rank: String?
    @Persisted var offset: Date?
    @Persisted var length: Int
    @Persisted var size = ""
    @Persisted var width: String?
    @Persisted var height: Date?
    @Persisted var path: Int
    @Persisted var url = ""
    @Persisted var link: String?
    @Persisted var links: Date?
    @Persisted var file: Int
    @Persisted var folder = ""
    @Persisted var version: String?
    @Persisted var revision: Date?
    @Persisted var schema: Int
    @Persisted var schemaVersion = ""
    @Persisted var state: String?
    @Persisted var status: Date?
    @Persisted var phase: Int
    @Persisted var mode = ""
    @Persisted var flag: String?
    @Persisted var flags: Date?
    @Persisted var data: Int
    @Persisted var date = ""
    @Persisted var created: String?
    @Persisted var createdAt: Date?
    @Persisted var updated: Int
    @Persisted var updatedAt = ""
    @Persisted var modified: String?
    @Persisted var deleted: Date?
    @Persisted var deletedAt: Int
    @Persisted var timestamp = ""
    @Persisted var time: String?
    @Persisted var duration: Date?
    @Persisted var expires: Int
    @Persisted var start = ""
    @Persisted var end: String?
    @Persisted var user: Date?
    @Persisted var users: Int
    @Persisted var person = ""
    @Persisted var people: String?
    @Persisted var author: Date?
    @Persisted var creator: Int
    @Persisted var sender = ""
    @Persisted var receiver: String?
    @Persisted var recipient: Date?
    @Persisted var email: Int
    @Persisted var phone = ""
    @Persisted var address: String?
    @Persisted var street: Date?
    @Persisted var city: Int
    @Persisted var country = ""
    @Persisted var code: String?
    @Persisted var number: Date?
    @Persisted var amount: Int
    @Persisted var price = ""
    @Persisted var cost: String?
    @Persisted var total: Date?
    @Persisted var balance: Int
    @Persisted var currency = ""
    @Persisted var quantity: String?
    @Persisted var unit: Date?
    @Persisted var score: Int
    @Persisted var rating = ""
    @Persisted var isActive: String?
    @Persisted var isDeleted: Date?
    @Persisted var isRead: Int
    @Persisted var isEmpty = ""
    @Persisted var isNew: String?
    @Persisted var isFavorite: Date?
    @Persisted var isManaged: Int
    @Persisted var enabled = ""
    @Persisted var visible: String?
    @Persisted var selected: Date?
    @Persisted var done: Int
    @Persisted var completed = ""
    @Persisted var first: String?
    @Persisted var last: Date?
    @Persisted var min: Int
    @Persisted var max = ""
    @Persisted var sum: String?
    @Persisted var next: Date?
    @Persisted var previous: Int
    @Persisted var source = ""
    @Persisted var target: String?
    @Persisted var origin: Date?
    @Persisted var destination: Int
    @Persisted var reference = ""
    @Persisted var references: String?
    @Persisted var message: Date?
    @Persisted var messages: Int
    @Persisted var error = ""
    @Persisted var errors: String?
    @Persisted var result: Date?
    @Persisted var results: Int
    @Persisted var query = ""
    @Persisted var filter: String?
    @Persisted var changes: Date?
    @Persisted var change: Int
    @Persisted var observers = ""
    @Persisted var token: String?
    @Persisted var object: Date?
    @Persisted var objects: Int
    @Persisted var list = ""
    @Persisted var map: String?
    @Persisted var set: Date?
    @Persisted var collection: Int
    @Persisted var element = ""
    @Persisted var elements: String?
    @Persisted var entry: Date?
    @Persisted var entries: Int
    @Persisted var item = ""
    @Persisted var items: String?
    @Persisted var property: Date?
    @Persisted var properties: Int
    @Persisted var table = ""
    @Persisted var column: String?
    @Persisted var row: Date?
    @Persisted var core: Int
    @Persisted var cluster = ""
    @Persisted var slot: String?
    @Persisted var stamp: Date?
    @Persisted var snapshot: Int
    @Persisted var identity = ""
    @Persisted var identifier: String?
    @Persisted var uuid: Date?
    @Persisted var objectId: Int
    @Persisted var primaryKey = ""
    @Persisted var self_: String?
    @Persisted var class_: Date?
    @Persisted var className_: Int
    @Persisted var metadata = ""
    @Persisted var info: String?
    @Persisted var extra: Date?
    @Persisted var options: Int
    @Persisted var settings = ""
    @Persisted var configuration: String?
    @Persisted var context: Date?
    @Persisted var storage: Int
    @Persisted var cache = ""
    @Persisted var lock: String?
    @Persisted var queue: Date?
    @Persisted var thread: Int
    @Persisted var latitude = ""
    @Persisted var longitude: String?
    @Persisted var coordinates: Date?
    @Persisted var place: Int
    @Persisted var region = ""
    @Persisted var language: String?
    @Persisted var locale: Date?
    @Persisted var image: Int
    @Persisted var icon = ""
    @Persisted var color: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class of an app: names that RealmSwift doesn't use are properties of its own, with its own types.
class NamedAttachment: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var parent: NamedMessage?
    @Persisted var parentProperty: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamedMessage: Object {
    @Persisted var attachments: List<NamedAttachment>
    @Persisted var names: NamesOfEmbedded?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Usual names of properties")
struct UsualNameTests {
    @Test
    func `models have properties of all usual names, objects and embedded objects alike`() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "UsualNameTests.names")
        configuration.objectTypes = [
            NamesOfObject.self, NamesOfEmbedded.self, NamedAttachment.self, NamedMessage.self,
        ]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let object = NamesOfObject()
            realm.add(object)
            for (i, property) in object.objectSchema.properties.enumerated() {
                object[property.name] = property.type == .int ? i : property.type == .date ? Date() : "\(i)"
            }
            expect(object.id == 0 && object.type == "1" && object.name == "2" && object.count == "37")
            let message = realm.create(NamedMessage.self, value: ["names": ["parent": "a"]])
            expectEqual(message.names?.parent, "a")
        }
    }

    @Test("an embedded object's owner is available even if its class has a property of that name")
    func owner() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "UsualNameTests.owner")
        configuration.objectTypes = [NamesOfEmbedded.self, NamedAttachment.self, NamedMessage.self]
        let realm = try Realm(configuration: configuration)
        let message = try realm.write {
            let message = realm.create(NamedMessage.self, value: ["attachments": [["name": "a"]]])
            message.attachments[0].parent = message
            return message
        }
        let attachment = message.attachments[0]
        expect(attachment.parent == message && attachment.parentProperty == 0)
        let owner = try require(EmbeddedObject.owner(of: attachment))
        expect(owner.object == message && owner.property == "attachments")
        expectEqual((attachment as EmbeddedObject).parent, message)
        expectEqual((attachment as EmbeddedObject).parentProperty, "attachments")
        expect(EmbeddedObject.owner(of: NamedAttachment()) == nil)
    }
}
