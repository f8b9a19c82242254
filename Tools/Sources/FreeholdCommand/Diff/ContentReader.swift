import Foundation
import Freehold

/// Reads what is compared of a class's objects: like ``ObjectReader``, but that any object has a content, whatever its
/// links lead to.
///
/// A link to an object with a primary key is that key. One to another object is what that contains, down to a depth and a
/// number of objects; one that leads back to an object on the way is how many steps it leads back. Equal objects have equal
/// contents so, and what differs further away differs where that object itself is compared.
final class ContentReader {
    private static let deepest = 8
    private static let mostObjects = 1000

    /// What is read of a class, which is looked up once.
    private struct Part {
        let object: ObjectSchema
        /// Properties that are written as they are.
        let plain: [String]
        /// Those that lead to objects without a primary key.
        let links: [Property]
        let names: [String]
    }

    private let realm: Realm
    private let schema: Schema
    private let top: Part
    private var parts: [String: Part] = [:]
    /// The objects on the way to the one that is being read.
    private var way: [DynamicObject] = []
    private var visited = 0

    init(_ object: ObjectSchema, _ names: [String], _ realm: Realm) {
        self.realm = realm
        schema = realm.storedSchema
        top = Self.part(object, names, schema)
    }

    private static func part(_ object: ObjectSchema, _ names: [String], _ schema: Schema) -> Part {
        let links = names.compactMap { object[$0] }.filter { property in
            guard property.type == .object, let target = property.objectClassName.flatMap({ schema[$0] }) else {
                return false
            }
            var seen: Set<String> = []
            return leadsFurther(target, schema, &seen)
        }
        let others = Set(links.map(\.name))
        return Part(object: object, plain: names.filter { !others.contains($0) }, links: links, names: names)
    }

    /// Whether a link to the class may lead to an object without a primary key, or on to one from what it owns.
    private static func leadsFurther(_ object: ObjectSchema, _ schema: Schema, _ seen: inout Set<String>) -> Bool {
        if object.primaryKeyProperty != nil { return false }
        if !object.isEmbedded { return true }
        guard seen.insert(object.className).inserted else { return false }
        for property in object.properties where property.type == .object {
            if let target = property.objectClassName.flatMap({ schema[$0] }), leadsFurther(target, schema, &seen) {
                return true
            }
        }
        return false
    }

    /// In the order of the names.
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
            // In whatever order they are stored.
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
        let part = Self.part(object, object.properties.map(\.name), schema)
        parts[object.className] = part
        return part
    }
}
