import FreeholdEngine
import Foundation

/// The text of objects and collections: links up to a depth of 5, 100 elements, and 24 bytes of data.
enum ObjectDescription {
    static let maximumDepth = 5
    static let maximumElements = 100
    static let maximumBytes = 24

    static func describe(_ object: ObjectBase) -> String { text(of: object, depth: maximumDepth) }

    static func describe<C: RealmCollection>(collection: C) -> String { text(of: collection, depth: maximumDepth) }

    static func describe<Key, Value>(map: Map<Key, Value>) -> String { map.text(depth: maximumDepth) }

    private static func text(of object: ObjectBase, depth: Int) -> String {
        if object.isInvalidated { return "[invalid object]" }
        let info = object._info
        if depth == 0 { return "<Maximum depth exceeded>" }
        var lines = ""
        for property in info.properties {
            let value = property.access.any(of: object, at: property)
            lines += "\t\(property.name) = \(indented(text(of: value, depth: depth - 1)));\n"
        }
        return "\(info.className) {\n\(lines)}"
    }

    static func text(of value: Any?, depth: Int) -> String {
        switch value {
        case nil: "(null)"
        case let object as ObjectBase: text(of: object, depth: depth)
        case let data as Data: text(of: data)
        case let collection as any RealmCollection: text(of: collection, depth: depth)
        case let map as any DescribedMap: map.text(depth: depth)
        case let value?: "\(value)"
        }
    }

    private static func text<C: RealmCollection>(of collection: C, depth: Int) -> String {
        var type = "\(C.self)"
        if let dot = type.lastIndex(of: "."), !type.contains("<") { type = String(type[type.index(after: dot)...]) }
        if depth == 0 { return "\(type) (...)" }
        let count = collection.count
        let contents = collection.partialContents
        var lines: [String] = []
        for i in 0..<Swift.min(count, maximumElements) {
            let element = contents.map { C.Element.plainElement($0[i]) } ?? C.Element._rlmAny(collection[i])
            lines.append("\t[\(i)] \(indented(text(of: element, depth: depth - 1)))")
        }
        var body = lines.joined(separator: ",\n")
        if count > maximumElements { body += "\n\t... \(count - maximumElements) elements skipped." }
        return body.isEmpty ? "\(type) ()" : "\(type) (\n\(body)\n)"
    }

    private static func text(of data: Data) -> String {
        let bytes = data.prefix(maximumBytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return "<\(bytes)\(data.count > maximumBytes ? "…" : "")> (\(data.count) bytes)"
    }

    static func indented(_ text: String) -> String { text.replacingOccurrences(of: "\n", with: "\n\t") }
}

/// A map of any type.
protocol DescribedMap {
    func text(depth: Int) -> String
}

extension Map: DescribedMap {
    func text(depth: Int) -> String {
        if depth == 0 { return "\(typeName) (...)" }
        let count = count
        var lines: [String] = []
        for (key, value) in zip(keys, plainValues).prefix(ObjectDescription.maximumElements) {
            let text = ObjectDescription.text(of: value, depth: depth - 1)
            lines.append("\t[\(key)] \(ObjectDescription.indented(text))")
        }
        var body = lines.joined(separator: ",\n")
        if count > lines.count { body += "\n\t... \(count - lines.count) elements skipped." }
        return body.isEmpty ? "\(typeName) ()" : "\(typeName) (\n\(body)\n)"
    }
}
