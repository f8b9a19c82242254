import FreeholdBSON
import FreeholdEngine

/// A change of a document that waits until the user writes it.
struct DocumentEdit: Sendable {
    enum Action: Sendable {
        case set(BSONValue)
        /// - Parameter name: The name by which other edits link to the document.
        case create(BSONDocument, name: String?)
        case delete
        // The positions are those of the stored list.
        case insert(at: Int, BSONValue)
        case remove(at: Int)
        case replace(at: Int, BSONValue)
        case move(from: Int, to: Int)
        case put(String, BSONValue)
        case take(String)
    }

    /// The part of a document that an edit changes. A later edit of the same part replaces the earlier one.
    struct Part: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case object, value
            case element(Int)
            case order(Int)
            case entry(String)
        }

        let place: DocumentPlace
        let property: String?
        let kind: Kind
    }

    var number: Int
    /// The number of the request that staged the edit. The edits of one request are discarded together.
    var batch: Int
    /// The document, or the embedded object in it.
    let place: DocumentPlace
    /// The class of the document or embedded object.
    let className: String
    /// The property, or `nil` for edits of the whole document.
    let property: Column?
    let action: Action
    /// The stored value, element or entry on which the edit was based. `nil` if there was none.
    let base: BSONValue?
    let title: String?
    /// The edit as the page sent it.
    let json: StudioJSON

    /// The document that the edit changes.
    var document: DocumentPlace { DocumentPlace(className: place.className, key: place.key) }

    /// The path from the document to the property.
    var path: [String] { place.path + (property.map { [DocumentClasses.field($0)] } ?? []) }

    var part: Part? {
        let kind: Part.Kind
        switch action {
        case .set: kind = .value
        case .delete: kind = .object
        case .remove(let at), .replace(let at, _): kind = .element(at)
        case .move(let from, _): kind = .order(from)
        case .put(let key, _), .take(let key): kind = .entry(key)
        case .create, .insert: return nil
        }
        return Part(place: place, property: property?.name, kind: kind)
    }

    /// The value that the edit stores.
    var newValue: BSONValue? {
        switch action {
        case .set(let value), .insert(_, let value), .replace(_, let value), .put(_, let value): value
        case .create, .delete, .remove, .move, .take: nil
        }
    }

    var isOfElement: Bool {
        switch action {
        case .insert, .remove, .replace, .move, .put, .take: true
        case .set, .create, .delete: false
        }
    }
}

/// The waiting edits of a page.
struct DocumentEdits: DiscardableEdits, Sendable {
    /// The maximum number of waiting edits, of documents in one write, and of bytes in the stored values on which edits
    /// are based.
    static let mostEdits = 10_000
    static let mostDocuments = 1_000
    static let mostBytes = 64 << 20

    private(set) var all: [DocumentEdit] = []
    private var sizes: [Int: Int] = [:]
    private(set) var lastNumber = 0
    private var lastBatch = 0

    /// Adds edits. An edit of the same part replaces an earlier one.
    /// - Throws: `StudioError` if the waiting edits would exceed a limit. Then no edit is added.
    mutating func add(_ edits: [DocumentEdit]) throws(StudioError) {
        var next = self
        next.lastBatch += 1
        for var edit in edits {
            next.lastNumber += 1
            (edit.number, edit.batch) = (next.lastNumber, next.lastBatch)
            if let part = edit.part { next.remove { $0.part == part } }
            next.sizes[edit.number] = [edit.base, edit.newValue].reduce(0) { $0 + Self.size($1) }
            next.all.append(edit)
        }
        guard next.all.count <= Self.mostEdits else {
            throw StudioError(.limit, "At most \(Self.mostEdits) edits can wait.")
        }
        guard Set(next.all.map(\.document)).count <= Self.mostDocuments else {
            throw StudioError(.limit, "The edits of at most \(Self.mostDocuments) documents can wait.")
        }
        guard next.sizes.values.reduce(0, +) <= Self.mostBytes else {
            throw StudioError(.limit, "The values of the waiting edits are too large together.")
        }
        self = next
    }

    private static func size(_ value: BSONValue?) -> Int {
        value.flatMap { try? $0.extendedJSON().utf8.count } ?? 0
    }

    mutating func remove(where isRemoved: (DocumentEdit) -> Bool) {
        for edit in all where isRemoved(edit) { sizes[edit.number] = nil }
        all.removeAll(where: isRemoved)
    }

    mutating func discard(_ numbers: Set<Int>) { remove { numbers.contains($0.number) } }

    /// Discards the edits of the last request that has waiting edits.
    mutating func discardLast() {
        guard let last = all.last?.batch else { return }
        remove { $0.batch == last }
    }

    mutating func discardAll() { remove { _ in true } }

    /// The documents that edits create, by the names that the page gave to them.
    var created: [String: (className: String, key: BSONValue)] {
        var created: [String: (className: String, key: BSONValue)] = [:]
        for edit in all {
            if case .create(let document, let name?) = edit.action, let key = document["_id"] {
                created[name] = (edit.className, key)
            }
        }
        return created
    }
}
