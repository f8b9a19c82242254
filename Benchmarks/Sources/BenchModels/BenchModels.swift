public import Foundation
public import Freehold

/// The models live in a module of their own, as a program's often do: what isn't inlinable costs its call.
public final class Person: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var name: String
    @Persisted public var age: Int
    @Persisted public var score: Double
    @Persisted public var active: Bool
    @Persisted public var created: Date
}

public final class IndexedPerson: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted(indexed: true) public var name: String
    @Persisted public var age: Int
    @Persisted public var score: Double
    @Persisted public var active: Bool
    @Persisted public var created: Date
}

public final class Owner: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var name: String
    @Persisted public var age: Int
    @Persisted public var score: Double
    @Persisted public var active: Bool
    @Persisted public var created: Date
    @Persisted public var dog: Dog?
    @Persisted public var numbers: List<Int>
    @Persisted public var dogs: List<Dog>
}

public final class Dog: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var age: Int
    @Persisted(originProperty: "dog") public var owners: LinkingObjects<Owner>
}

public final class Address: EmbeddedObject {
    @Persisted public var street: String
    @Persisted public var number: Int
}

/// Every kind of collection, an embedded object and a mixed value.
public final class Shelf: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var address: Address?
    @Persisted public var tags: MutableSet<String>
    @Persisted public var counts: Map<String, Int>
    @Persisted public var any: AnyRealmValue
    @Persisted public var numbers: List<Int>
}

public final class Article: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted(fullText: true) public var body: String
}

/// A place as GeoJSON has it.
public final class Place: EmbeddedObject {
    @Persisted public var type: String = "Point"
    @Persisted(geoIndexed: true) public var coordinates: List<Double>
}

public final class Shop: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var place: Place?
}

/// Eight properties, for the cost of an accessor.
public final class Wide: Object {
    @Persisted public var first: Int
    @Persisted public var second: Int
    @Persisted public var third: String
    @Persisted public var fourth: Double
    @Persisted public var fifth: Bool
    @Persisted public var sixth: Date
    @Persisted public var seventh: String
    @Persisted public var eighth: Int?
}

/// Indexes and collections, but no links.
public final class Reading: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted(indexed: true) public var name: String
    @Persisted(indexed: true) public var kind: Int
    @Persisted public var score: Double
    @Persisted public var created: Date
    @Persisted public var numbers: List<Int>
    @Persisted public var tags: MutableSet<String>
    @Persisted public var counts: Map<String, Int>

    public convenience init(_ number: Int) {
        self.init()
        id = number
        name = "reading \(number &* 7919 % 1_000_003)"
        kind = number % 100
        score = Double(number) / 2
        numbers.append(objectsIn: [number, number + 1, number + 2])
        tags.insert("a\(number % 10)")
        tags.insert("b\(number % 7)")
        counts["low"] = number
        counts["high"] = number + 1
    }
}

/// A text of some length.
public final class WideNote: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var text: String

    public convenience init(_ id: Int, _ text: String) {
        self.init()
        self.id = id
        self.text = text
    }
}

/// Collections and a mixed value of about a kilobyte each.
public final class WideShelf: Object {
    @Persisted(primaryKey: true) public var id: Int
    @Persisted public var list: List<String>
    @Persisted public var map: Map<String, String>
    @Persisted public var mixed: AnyRealmValue

    /// - Parameter item: each element of the collections, of which there are nine.
    public convenience init(_ id: Int, _ item: String) {
        self.init()
        self.id = id
        for i in 0..<9 {
            list.append(item)
            map["\(i)"] = item
        }
        mixed = .string(String(repeating: item, count: 11))
    }
}
