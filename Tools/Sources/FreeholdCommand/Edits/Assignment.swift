import Foundation
import Freehold

/// An assignment `property=value`, or `home.city=value` for an embedded object.
struct Assignment {
    /// The properties from the object to the value. All but the last contain an embedded object.
    let path: [Property]
    let text: String

    /// - Throws: `Failure` if the text isn't an assignment, or the property can't be assigned.
    init(_ text: String, to object: ObjectSchema, in schema: Schema, allowsKey: Bool) throws {
        guard let (name, value) = Self.parts(text) else {
            throw Failure(.usage, "'\(text)' isn't an assignment: property=value")
        }
        self.text = value
        var path: [Property] = []
        var current = object
        // A name in the file has no dots.
        let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (i, step) in steps.enumerated() {
            guard let property = current[step] else {
                let names = current.properties.map(\.name)
                throw Failure(
                    .data,
                    "\(current.className) has no property '\(step)'. "
                        + Suggestions.text(for: step, among: names, "It has")
                )
            }
            path.append(property)
            if i == steps.count - 1 { break }
            guard property.type == .object, property.collection == .none,
                let next = property.objectClassName.flatMap({ schema[$0] }), next.isEmbedded
            else {
                throw Failure(
                    .data,
                    "\(name): \(current.className).\(step) isn't an embedded object, whose properties could be set through it"
                )
            }
            current = next
        }
        self.path = path
        if property.type == .linkingObjects {
            throw Failure(.data, "\(name): linking objects follow from links, and can't be set")
        }
        if property.isPrimaryKey, !allowsKey {
            throw Failure(.data, "\(name) is the primary key of \(object.className), which can't be changed")
        }
    }

    /// Returns the name and the value, or nil if the text has no name.
    static func parts(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { return nil }
        let name = text[..<sign]
        // The text is a comparison or JSON.
        guard let first = name.first, !"{[\"'!<>".contains(first), text[text.index(after: sign)...].first != "=" else {
            return nil
        }
        return (String(name), String(text[text.index(after: sign)...]))
    }

    var property: Property { path[path.count - 1] }
    var name: String { path.map(\.name).joined(separator: ".") }

    /// - Throws: `Failure` with the name of the property.
    func value(_ reader: PropertyValue) throws -> Any? {
        do {
            return try reader.value(of: text, for: property)
        } catch let error {
            throw Failure(.data, "\(name): \(error.message)")
        }
    }

    func assign(_ value: Any?, to object: DynamicObject) throws {
        var target = object
        for step in path.dropLast() {
            if target[step.name] as? DynamicObject == nil { target[step.name] = [String: Any]() }
            guard let next = target[step.name] as? DynamicObject else { return }
            target = next
        }
        target[property.name] = value
    }
}
