import Foundation
import Freehold

/// A conversion of external JSON to the JSON that the library imports. Keys become the stored names of properties, and
/// dates become ISO 8601.
struct JSONAdapter {
    let schema: Schema
    let dates: DateFormats
    /// The stored names of properties by class and key, for keys that can't be stored names themselves.
    var names: [String: [String: String]] = [:]

    init(_ schema: Schema, _ dates: DateFormats, names: [String: [String: String]] = [:]) {
        self.schema = schema
        self.dates = dates
        self.names = names
    }

    /// A Boolean value that indicates whether a conversion may be necessary.
    var isNeeded: Bool { dates.hasPatterns || !names.isEmpty }

    /// - Throws: `Failure` if a text isn't one of the expected dates.
    func adapted(_ node: JSONNode, _ object: ObjectSchema) throws -> JSONNode {
        guard case .object(let members) = node else { return node }
        let names = names[object.className] ?? [:]
        return .object(
            try members.map { member in
                let name = names[member.key] ?? member.key
                guard let property = object[name] else { return JSONNode.Member(key: name, value: member.value) }
                do {
                    return JSONNode.Member(key: name, value: try adapted(member.value, property))
                } catch let failure as Failure {
                    throw Failure(failure.status, "\(member.key): \(failure.message)")
                }
            }
        )
    }

    func adapted(_ node: JSONNode, _ property: Property) throws -> JSONNode {
        guard property.type == .date || property.type == .object else { return node }
        switch (property.collection, node) {
        case (.none, _): return try single(node, property)
        case (.map, .object(var members)):
            for i in members.indices { members[i].value = try single(members[i].value, property) }
            return .object(members)
        case (_, .array(let elements)): return .array(try elements.map { try single($0, property) })
        default: return node
        }
    }

    private func single(_ node: JSONNode, _ property: Property) throws -> JSONNode {
        if property.type == .object {
            guard let target = property.objectClassName.flatMap({ schema[$0] }) else { return node }
            return try adapted(node, target)
        }
        guard case .string(let text) = node else { return node }
        if let moment = dates.standardText(text) { return .string(moment) }
        if !dates.hasPatterns || DateFormats.isISO8601(text) { return node }
        throw Failure(.data, "\(node.summary) is none of the dates that are expected: \(dates.expected)")
    }
}

/// The converted objects of a JSON text, as lines of JSON that the library imports.
final class AdaptedJSON {
    private var reader: JSONTextReader
    private let adapter: JSONAdapter
    private let object: ObjectSchema
    /// The line of the text on which each object begins. The first element belongs to the object `firstObject`. Lines
    /// of objects that the importer has read are removed from time to time.
    private var lines: [Int] = []
    private var firstObject = 1
    private var failure: Failure?

    /// The property that receives the key of an entry, if the objects are entries and the property is an integer.
    private let number: String?

    /// - Parameter entries: See `JSONTextReader.init`.
    init(_ read: @escaping () throws -> Data, _ object: ObjectSchema, adapter: JSONAdapter, entries: String?) {
        reader = JSONTextReader(read, entries: entries)
        self.object = object
        number = entries.flatMap { object[$0]?.type == .int ? $0 : nil }
        self.adapter = adapter
    }

    /// - Returns: The number of objects that were read.
    func run(into realm: Realm, update: Realm.UpdatePolicy, _ options: JSONImportOptions) throws -> Int {
        var options = options
        options.format = .lines
        do {
            return try realm.dynamicImportJSON(into: object.className, update: update, options: options) {
                try nextChunk()
            }
        } catch let error as JSONError {
            let stored =
                error.committed > 0 ? " (\(Units.count(error.committed, "object")) of batches before are stored)" : ""
            // The importer reports a failure to read the text as an error of the kind `io`. The original error is
            // thrown.
            if let failure, error.kind == .io { throw Failure(failure.status, failure.message + stored) }
            var place: [String] = []
            if let number = error.object, lines.indices.contains(number - firstObject) {
                place.append("line \(lines[number - firstObject])")
            }
            if let number = error.object { place.append("object \(number)") }
            if let path = error.path { place.append(path) }
            throw Failure(.of(error), "\(place.joined(separator: ", ")): \(error.message)\(stored)")
        }
    }

    private func nextChunk() throws -> Data {
        if let failure { throw failure }
        // A chunk has at most 32,768 objects, and the importer has read all chunks before the last one.
        if lines.count > 65_536 {
            firstObject += lines.count - 32_768
            lines.removeFirst(lines.count - 32_768)
        }
        var bytes: [UInt8] = []
        do {
            while bytes.count < 64 * 1024, let (given, line) = try reader.element() {
                lines.append(line)
                let value = number.map { given.replacing($0) { .number($0) } } ?? given
                do {
                    try adapter.adapted(value, object).append(to: &bytes)
                } catch let failure as Failure {
                    throw Failure(failure.status, "line \(line): \(failure.message)")
                }
                bytes.append(0x0A)
            }
        } catch {
            // The error is thrown after the importer has read the earlier objects.
            failure = Failure(error) ?? Failure(.io, "\(error)")
            if bytes.isEmpty { throw failure! }
        }
        return Data(bytes)
    }
}

extension JSONNode {
    /// Returns an object in which the text of a member is replaced by another value, if the text is an integer.
    fileprivate func replacing(_ key: String, _ make: (String) -> JSONNode) -> JSONNode {
        guard case .object(var members) = self, let index = members.firstIndex(where: { $0.key == key }),
            case .string(let text) = members[index].value, Int64(text) != nil, JSONString.isNumber(text)
        else { return self }
        members[index].value = make(text)
        return .object(members)
    }
}
