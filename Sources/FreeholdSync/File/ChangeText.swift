import Foundation
import FreeholdBSON
import FreeholdSyncCore

/// The text of changes as lines of JSON, for people and programs that inspect a file.
enum ChangeText {
    typealias Head = [(key: String, value: BSONValue)]

    static func head(_ state: String?, _ commit: UInt64?, _ clock: Clock) -> Head {
        var head: Head = []
        if let state { head.append(("state", .string(state))) }
        if let commit { head.append(("commit", .int64(Int64(bitPattern: commit)))) }
        // The format truncates fractions of milliseconds. The added time prevents that a rounding error becomes a
        // missing millisecond.
        let seconds = Double(clock.milliseconds + 1_420_070_400_000) / 1_000 + 1e-5
        let time = Date(timeIntervalSince1970: seconds)
        head.append(("time", .string(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))))
        return head
    }

    static func line(_ head: Head, _ change: Change) throws -> String {
        let (name, path, rest) = parts(change)
        return try line(head, name, change.object, path, rest)
    }

    static func line(_ head: Head, _ edit: LocalEdit) throws -> String {
        let (name, rest) = parts(edit)
        return try line(head, name, edit.object, edit.place?.path.map(step) ?? [], rest)
    }

    private static func line(
        _ head: Head,
        _ change: String,
        _ object: ObjectName,
        _ path: [BSONValue],
        _ rest: Head
    ) throws -> String {
        var line = head
        line.append(("change", .string(change)))
        line.append(("class", .string(object.className.string)))
        line.append(("key", BSONValue(object.key)))
        if !path.isEmpty { line.append(("path", .array(path))) }
        return try BSONDocument(line + rest).extendedJSON()
    }

    // MARK: Changes with names

    private static func parts(_ change: Change) -> (String, path: [BSONValue], Head) {
        func path(_ place: Place) -> [BSONValue] { place.path.map(step) }
        switch change {
        case .create(_, let fields): return ("create", [], [("values", .document(document(fields)))])
        case .delete(_, let cause): return ("delete", [], self.cause(cause))
        case .set(let place, let value, let origin):
            return ("set", path(place), [("value", self.value(value))] + self.origin(origin))
        case .increment(let place, let number): return ("increment", path(place), [("by", .int64(number))])
        case .insert(let place, let gap, _, let values):
            return ("insert", path(place), self.gap(gap) + [("values", array(values))])
        case .remove(let place, let elements):
            return ("remove", path(place), [("elements", .array(elements.map(reference)))])
        case .move(let place, let element, let gap, _):
            return ("move", path(place), [("element", reference(element))] + self.gap(gap))
        case .clearList(let place, _), .clearSet(let place, _), .clearDictionary(let place, _):
            return ("clear", path(place), [])
        case .assignList(let place, _, _, _, let values), .assignSet(let place, _, let values):
            return ("assign", path(place), [("values", array(values))])
        case .insertIntoSet(let place, let values): return ("add", path(place), [("values", array(values))])
        case .removeFromSet(let place, let values): return ("remove", path(place), [("values", array(values))])
        case .removeEntry(let place): return ("removeEntry", path(place), [])
        case .assignDictionary(let place, _, let entries):
            return ("assign", path(place), [("values", value(.dictionary(entries)))])
        }
    }

    private static func step(_ step: Place.Step) -> BSONValue {
        switch step {
        case .property(let name), .entry(let name), .nested(let name): .string(name.string)
        case .element(let element): reference(element)
        case .instance(.confirmed): .document(["instance": "confirmed"])
        case .instance(.known): .document(["instance": "known"])
        case .instance(.own(let number)): .document(["instance": .int64(Int64(bitPattern: number))])
        }
    }

    /// Returns the position in the server's list, or the number of an own insert or move.
    private static func reference(_ element: ElementReference) -> BSONValue {
        switch element {
        case .confirmed(let index): .int64(Int64(index))
        case .own(let number): .document(["own": .int64(Int64(bitPattern: number))])
        case .made(let made):
            .document([
                "version": .int64(Int64(bitPattern: made.version)), "number": .int64(Int64(bitPattern: made.number)),
            ])
        }
    }

    private static func gap(_ gap: Gap) -> Head {
        [("after", gap.after.map(reference) ?? .null), ("before", gap.before.map(reference) ?? .null)]
    }

    private static func cause(_ cause: DeletionCause) -> Head {
        guard case .cascade(let name) = cause else { return [] }
        return [("because", link(name))]
    }

    private static func origin(_ origin: Origin) -> Head { origin == .byDefault ? [("default", .bool(true))] : [] }

    // MARK: Edits with positions

    private static func parts(_ edit: LocalEdit) -> (String, Head) {
        switch edit {
        case .create(_, let contents, _): return ("create", [("values", content(.embedded(contents)))])
        case .delete(_, let cause): return ("delete", self.cause(cause))
        case .set(_, let content, let origin):
            return ("set", [("value", self.content(content))] + self.origin(origin))
        case .increment(_, let number): return ("increment", [("by", .int64(number))])
        case .insert(_, let at, let contents):
            return ("insert", [("at", .int64(Int64(at))), ("values", .array(contents.map(content)))])
        case .remove(_, let at, let count):
            return ("remove", [("elements", .array((at..<at + count).map { .int64(Int64($0)) }))])
        case .move(_, let from, let to): return ("move", [("element", .int64(Int64(from))), ("to", .int64(Int64(to)))])
        case .clearList, .clearSet, .clearDictionary: return ("clear", [])
        case .assignList(_, _, _, let contents): return ("assign", [("values", .array(contents.map(content)))])
        case .assignSet(_, _, let values): return ("assign", [("values", array(values))])
        case .assignDictionary(_, _, let entries): return ("assign", [("values", content(.dictionary(entries)))])
        case .insertIntoSet(_, let values): return ("add", [("values", array(values))])
        case .removeFromSet(_, let values): return ("remove", [("values", array(values))])
        case .removeEntry: return ("removeEntry", [])
        }
    }

    private static func step(_ step: LocalPlace.Step) -> BSONValue {
        switch step {
        case .property(let name), .entry(let name), .nested(let name): .string(name.string)
        case .element(let index): .int64(Int64(index))
        }
    }

    // MARK: Values

    private static func array(_ values: [SyncValue]) -> BSONValue { .array(values.map(value)) }

    private static func link(_ name: ObjectName) -> BSONValue {
        .document(["$link": .document(["class": .string(name.className.string), "key": BSONValue(name.key)])])
    }

    private static func value(_ value: SyncValue) -> BSONValue {
        switch value {
        case .link(let name): link(name)
        case .embedded(let value): .document(document(value.fields))
        case .list(let values): array(values)
        case .dictionary(let dictionary):
            .document(BSONDocument(dictionary.entries.map { (key: $0.key.string, value: self.value($0.value)) }))
        default: BSONValue(value)
        }
    }

    private static func document(_ fields: [NewField]) -> BSONDocument {
        BSONDocument(
            fields.map { field in
                switch field.content {
                case .value(let value): (key: field.name.string, value: self.value(value))
                case .list(_, let values), .set(let values): (key: field.name.string, value: array(values))
                case .dictionary(let entries): (key: field.name.string, value: value(.dictionary(entries)))
                }
            }
        )
    }

    private static func content(_ content: MergedContent) -> BSONValue {
        switch content {
        case .value(let value): return self.value(value)
        case .list(let elements): return .array(elements.map(self.content))
        case .set(let elements): return array(elements.values.sorted { $0.description < $1.description })
        case .embedded(let entries), .dictionary(let entries):
            let sorted = entries.sorted { $0.key < $1.key }
            return .document(BSONDocument(sorted.map { (key: $0.key.string, value: self.content($0.value)) }))
        }
    }
}
