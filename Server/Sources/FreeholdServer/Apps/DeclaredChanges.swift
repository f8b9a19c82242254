import Foundation
import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncRules

/// The classes and properties that clients have declared and that the app's schema didn't have, with the decisions of the server. They are kept in
/// memory only.
struct DeclaredChanges: Sendable {
    /// The place of a change.
    struct Place: Hashable, Sendable {
        let className: String
        /// The property, or `nil` for the class itself.
        let property: String?
    }

    /// A change that clients declared.
    struct Entry: Sendable {
        let place: Place
        var text: String
        /// A Boolean value that indicates whether the schema had the class or property, with another type.
        var differs = false
        /// The number of times that files have declared the change.
        var count = 0
        /// Milliseconds since 1970.
        let first: Int64
        var last: Int64
    }

    /// The maximum number of kept changes, of kept documents of classes, of bytes of such a document, and of changes that are recorded for one file.
    static let most = (changes: 500, documents: 50, bytes: 32 << 10, noted: 100)

    private var entries: [Place: Entry] = [:]
    private var documents: [(className: String, json: String)] = []

    /// The changes, by class and property.
    var all: [Entry] {
        entries.values.sorted {
            ($0.place.className, $0.place.property ?? "") < ($1.place.className, $1.place.property ?? "")
        }
    }

    /// The document with which a client declared a class that was refused. Returns `nil` if it was too large, or if documents of other classes
    /// have replaced it.
    func document(of className: String) -> String? { documents.last { $0.className == className }?.json }

    /// Adds the decision about the schema of a file.
    ///
    /// - Parameter tables: The classes with which the file was compared.
    /// - Complexity: O(*n*) for *n* kept changes, for each change of the file that is noted.
    mutating func note(
        _ claim: SchemaClaim,
        _ verdict: SchemaVerdict,
        adopted: [SchemaChange],
        tables: [TableSpec],
        at time: Date = Date()
    ) {
        let now = Int64(time.timeIntervalSince1970 * 1_000)
        for change in adopted.prefix(Self.most.noted) {
            let place = Place(className: change.className.shortened, property: change.property?.shortened)
            add(place, text: "\(change)", at: now)
        }
        guard case .refused(let all) = verdict else { return }
        let problems = all.prefix(Self.most.noted)
        let known = tables.columnNames
        for problem in problems {
            let (className, property) = (problem.className.string, problem.property?.string)
            let columns = known[className]
            let place = Place(className: className.shortened, property: property?.shortened)
            let differs = if let property { columns?.contains(property) ?? false } else { columns != nil }
            add(place, text: problem.text.string, at: now, differs: differs)
        }
        let refused = Set(problems.map(\.className))
        for document in claim.documents where refused.contains(document.className) {
            let json = document.json.string
            documents.removeAll { $0.className == document.className.string }
            guard json.utf8.count <= Self.most.bytes else { continue }
            documents.append((document.className.string, json))
            if documents.count > Self.most.documents { documents.removeFirst() }
        }
    }

    private mutating func add(_ place: Place, text: String, at now: Int64, differs: Bool = false) {
        if entries[place] == nil, entries.count >= Self.most.changes,
            let oldest = entries.values.min(by: { $0.last < $1.last })
        {
            // Clients choose the names, so the number of kept changes is limited.
            entries[oldest.place] = nil
        }
        var entry = entries[place] ?? Entry(place: place, text: "", first: now, last: now)
        (entry.text, entry.last, entry.differs) = (text.shortened, now, differs)
        entry.count += 1
        entries[place] = entry
    }
}

extension [TableSpec] {
    /// The names of the columns of each table.
    var columnNames: [String: Set<String>] {
        Dictionary(map { ($0.name, Set($0.columns.map(\.name))) }) { first, _ in first }
    }
}
