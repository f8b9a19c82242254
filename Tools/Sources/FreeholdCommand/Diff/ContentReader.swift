import Foundation
import Freehold

/// A reader of the compared content of a class's objects. It is like ``ObjectReader``, except that all objects have a
/// content, independent of their links.
///
/// A link to an object with a primary key is that key. A link to another object is the content of that object, up to a
/// depth and a number of objects. A link back to an object on the path is the number of steps. Equal objects therefore
/// have equal contents, and differences further away are found when that object itself is compared.
final class ContentReader {
    private static let deepest = 8
    private static let mostObjects = 1000

    /// The read properties of a class, which are determined once.
    private struct Part {
        let object: ObjectSchema
        /// The properties that are written directly.
        let plain: [String]
        /// The properties that lead to objects without a primary key.
        let links: [Property]
        let names: [String]
    }

    private let realm: Realm
    private let schema: Schema
    private let top: Part
    private var parts: [String: Part] = [:]
    /// The objects on the path to the one that is being read.
    private var way: [DynamicObject] = []
    private var visited = 0

    init(_ object: ObjectSchema, _ names: [String], in realm: Realm) {
        self.realm = realm
        schema = realm.storedSchema
        top = Self.part(object, names, in: schema)
    }

    private static func part(_ object: ObjectSchema, _ names: [String], in schema: Schema) -> Part {
        let links = names.compactMap { object[$0] }.filter { property in
            guard property.type == .object, let target = property.objectClassName.flatMap({ schema[$0] }) else {
                return false
            }
            var seen: Set<String> = []
            return leadsFurther(target, in: schema, seen: &seen)
        }
        let others = Set(links.map(\.name))
        return Part(object: object, plain: names.filter { !others.contains($0) }, links: links, names: names)
    }

    /// Returns a Boolean value that indicates whether a link to the class may lead to an object without a primary key,
    /// directly or through embedded objects.
    private static func leadsFurther(_ object: ObjectSchema, in schema: Schema, seen: inout Set<String>) -> Bool {
        if object.primaryKeyProperty != nil { return false }
        if !object.isEmbedded { return true }
        guard seen.insert(object.className).inserted else { return false }
        for property in object.properties where property.type == .object {
            if let target = property.objectClassName.flatMap({ schema[$0] }),
                leadsFurther(target, in: schema, seen: &seen)
            {
                return true
            }
        }
        return false
    }

    /// Returns the values in the order of the names.
    func cells(of object: DynamicObject) throws -> [RowText.Cell] {
        way = []
        visited = 0
        return try cells(object, top)
    }

    private func cells(_ object: DynamicObject, _ part: Part) throws -> [RowText.Cell] {
        visited += 1
        way.append(object)
        defer { way.removeLast() }
        var found: [String: RowText.Cell] = [:]
        if !part.plain.isEmpty {
            let plain = try ObjectReader(part.object, part.plain).cells(of: object)
            if part.links.isEmpty { return plain }
            found = Dictionary(uniqueKeysWithValues: zip(part.plain, plain))
        }
        for property in part.links { found[property.name] = try cell(object, property) }
        return part.names.map { found[$0] ?? .null }
    }

    private func cell(_ object: DynamicObject, _ property: Property) throws -> RowText.Cell {
        switch property.collection {
        case .none:
            guard let target = object[property.name] as? DynamicObject else { return .null }
            return .json(try text(target))
        case .list:
            let texts = try object.dynamicList(property.name).map { try text($0) }
            return .json("[\(texts.joined(separator: ","))]")
        case .set:
            // The stored order of the elements is irrelevant.
            let texts = try object.dynamicMutableSet(property.name).map { try text($0) }.sorted()
            return .json("[\(texts.joined(separator: ","))]")
        case .map:
            var members: [(String, String)] = []
            for entry in object.dynamicMap(property.name) {
                members.append((entry.key, try entry.value.map { try text($0) } ?? "null"))
            }
            return .json(JSONNode.object(members.sorted { $0.0 < $1.0 }))
        }
    }

    private func text(_ object: DynamicObject) throws -> String {
        if let i = way.lastIndex(where: { $0.isSameObject(as: object) }) { return "\"↑\(way.count - i)\"" }
        if way.count > Self.deepest || visited > Self.mostObjects { return "\"…\"" }
        let part = part(of: object.objectSchema)
        let cells = try cells(object, part)
        return JSONNode.object(zip(part.names, cells).map { ($0, $1.json) })
    }

    private func part(of object: ObjectSchema) -> Part {
        if let known = parts[object.className] { return known }
        let part = Self.part(object, object.properties.map(\.name), in: schema)
        parts[object.className] = part
        return part
    }
}
