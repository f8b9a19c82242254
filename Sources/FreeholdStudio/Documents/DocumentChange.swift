import FreeholdBSON
import FreeholdEngine

/// The change that the waiting edits make to one document, and the request that makes it.
struct DocumentChange: Sendable {
    enum Kind: String, Sendable {
        case created, changed, deleted
    }

    /// An edit whose stored value is neither the one on which the edit was based nor the new one.
    struct Conflict: Sendable {
        let edit: DocumentEdit
        let current: BSONValue?
    }

    let place: DocumentPlace
    let edits: [DocumentEdit]
    /// The stored document. `nil` if there is none.
    let old: BSONDocument?
    /// The document with the edits. `nil` if it is deleted.
    private(set) var new: BSONDocument?
    private(set) var conflicts: [Conflict] = []
    private(set) var errors: [(number: Int, message: String)] = []

    /// - Parameters:
    ///   - edits: The edits of the document, in their order.
    ///   - old: The stored document.
    init(_ place: DocumentPlace, _ edits: [DocumentEdit], of old: BSONDocument?) {
        (self.place, self.edits, self.old) = (place, edits, old)
        new = old
        if let creation = edits.first(where: { if case .create = $0.action { true } else { false } }) {
            guard case .create(let document, _) = creation.action else { return }
            if old != nil { errors.append((creation.number, "A document with this key exists already.")) }
            new = document
            return
        }
        guard old != nil else {
            errors.append(
                (
                    edits.first?.number ?? 0,
                    "The document \(place.key.prefix(60)) of '\(place.className)' doesn't exist."
                )
            )
            return
        }
        if edits.contains(where: { if case .delete = $0.action { true } else { false } }) {
            new = nil
            return
        }
        var lists: [[String]: [DocumentEdit]] = [:]
        for edit in edits {
            guard edit.isOfElement else {
                set(edit)
                continue
            }
            lists[edit.path, default: []].append(edit)
        }
        for (path, edits) in lists.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) { change(path, edits) }
    }

    var kind: Kind { new == nil ? .deleted : old == nil || isCreation ? .created : .changed }

    private var isCreation: Bool { edits.contains { if case .create = $0.action { true } else { false } } }

    private func current(_ path: [String]) -> BSONValue? {
        old.flatMap { DocumentPlace.value(.document($0), path[...]) }
    }

    private mutating func put(_ value: BSONValue, at path: [String], for number: Int) {
        guard let document = new,
            case .document(let changed)? = DocumentPlace.replacing(.document(document), path[...], with: value)
        else { return errors.append((number, "The document has no '\(path.joined(separator: "."))' any more.")) }
        new = changed
    }

    private mutating func set(_ edit: DocumentEdit) {
        guard case .set(let value) = edit.action else { return }
        let current = current(edit.path)
        if !Self.isSame(current, edit.base), !Self.isSame(current, value) {
            conflicts.append(Conflict(edit: edit, current: current))
        }
        put(value, at: edit.path, for: edit.number)
    }

    /// Makes the edits of one collection.
    private mutating func change(_ path: [String], _ edits: [DocumentEdit]) {
        let stored = current(path)
        for edit in edits {
            let now: BSONValue?
            switch edit.action {
            case .remove(let at), .replace(let at, _), .move(let at, _): now = Self.element(stored, at)
            case .put(let key, _), .take(let key): now = stored.flatMap { DocumentPlace.value($0, [key]) }
            default: continue
            }
            if !Self.isSame(now, edit.base) { conflicts.append(Conflict(edit: edit, current: now)) }
        }
        if edits[0].property?.collection == .dictionary {
            var entries = BSONDocument()
            if case .document(let document)? = stored { entries = document }
            for edit in edits {
                switch edit.action {
                case .put(let key, let value): entries[key] = value
                case .take(let key): entries.removeValue(forKey: key)
                default: break
                }
            }
            return put(.document(entries), at: path, for: edits[0].number)
        }
        var elements: [BSONValue] = []
        if case .array(let values)? = stored { elements = values }
        var order = ElementOrder(elements)
        for edit in edits {
            if !order.perform(edit.action) { errors.append((edit.number, "The list has no such element any more.")) }
        }
        put(.array(order.values), at: path, for: edits[0].number)
    }

    private static func element(_ value: BSONValue?, _ index: Int) -> BSONValue? {
        guard case .array(let elements)? = value, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// Returns a Boolean value that indicates whether two values are shown in the same way. A missing value is shown like null.
    private static func isSame(_ a: BSONValue?, _ b: BSONValue?) -> Bool {
        let (a, b) = ((a ?? .null).withLongNumber, (b ?? .null).withLongNumber)
        if a == b { return true }
        // A link that was typed as a reference is shown as its key.
        if case .document(let reference) = b, reference.first?.key == "$ref", let key = reference["$id"] {
            return a == key.withLongNumber
        }
        return false
    }

    // MARK: The request

    /// A request of the session, and the command that does the same.
    struct Request: Sendable {
        let name: String
        let members: [StudioJSON.Member]
        /// The parts of the command after the app, without the stream.
        let command: (name: String, arguments: [String])
    }

    /// Returns the request that makes the change, or `nil` if nothing changes.
    ///
    /// Values are sent as operators. A collection is sent with its new elements, and the server finds the elements that differ, so that edits of
    /// other elements by devices are kept.
    func request() throws(StudioError) -> Request? {
        let target: [StudioJSON.Member] = [.init("class", .string(place.className))]
        let key = StudioJSON.Member("key", .string(place.key))
        guard let new else {
            return Request(
                name: "deleteDocument",
                members: target + [key],
                command: ("delete", [place.className, place.key])
            )
        }
        if isCreation {
            let text = try Self.text(new)
            return Request(
                name: "insertDocument",
                members: target + [.init("body", .string(text))],
                command: ("insert", [place.className, text])
            )
        }
        guard new != old else { return nil }
        if let fields = operators {
            let text = try Self.text(["$set": .document(fields)])
            return Request(
                name: "updateDocument",
                members: target + [key, .init("body", .string(text))],
                command: ("update", [place.className, place.key, text])
            )
        }
        var document = BSONDocument([(key: "_id", value: new["_id"] ?? .null)])
        for name in Set(edits.compactMap(\.path.first)).sorted() { document[name] = new[name] ?? .null }
        let text = try Self.text(document)
        return Request(
            name: "insertDocument",
            members: target + [.init("mode", "upsert"), .init("body", .string(text))],
            command: ("insert", [place.className, text, "--mode", "upsert"])
        )
    }

    /// The fields of `$set`, or `nil` if the edits can't be expressed by paths.
    private var operators: BSONDocument? {
        var fields = BSONDocument()
        for edit in edits {
            guard case .set(let value) = edit.action,
                edit.path.allSatisfy({ !$0.isEmpty && !$0.contains(".") && !$0.hasPrefix("$") })
            else { return nil }
            fields[edit.path.joined(separator: ".")] = value
        }
        return fields
    }

    private static func text(_ document: BSONDocument) throws(StudioError) -> String {
        do { return try document.extendedJSON() } catch {
            throw StudioError(.invalid, "The document can't be written as Extended JSON: \(error.reason)")
        }
    }
}

/// The elements of a list while edits change it. Edits name elements by their positions in the stored list.
private struct ElementOrder {
    private var elements: [(stored: Int?, value: BSONValue?)]

    init(_ values: [BSONValue]) { elements = values.enumerated().map { ($0.offset, $0.element) } }

    /// The elements that aren't removed.
    var values: [BSONValue] { elements.compactMap(\.value) }

    private func position(_ stored: Int) -> Int? { elements.firstIndex { $0.stored == stored } }

    /// Makes an edit, and returns a Boolean value that indicates whether its element exists.
    mutating func perform(_ action: DocumentEdit.Action) -> Bool {
        switch action {
        case .insert(let at, let value):
            elements.insert((nil, value), at: position(at) ?? elements.count)
        case .remove(let at):
            guard let place = position(at) else { return false }
            // The element keeps its place, so that elements can be inserted before it.
            elements[place].value = nil
        case .replace(let at, let value):
            guard let place = position(at) else { return false }
            elements[place].value = value
        case .move(let from, let to):
            guard let start = position(from), position(to) != nil else { return false }
            let moved = elements.remove(at: start)
            guard let target = position(to) else {
                elements.insert(moved, at: start)
                return true
            }
            elements.insert(moved, at: to < from ? target : target + 1)
        default: return false
        }
        return true
    }
}
